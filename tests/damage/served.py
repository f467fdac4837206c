# SPDX-License-Identifier: GPL-3.0-or-later
"""The program as a server (tests/tools/serve.c): thousands of damaged dumps in the time that hundreds of
its starts take. A run that takes more than LIMIT_S, or more than LIMIT_KIB, is told on its standard
error, as a run that does not end is."""
import os
import subprocess

LIMIT_S, LIMIT_KIB = 10, 1 << 20


class Served:
    def __init__(self, build, scratch):
        os.makedirs(scratch, exist_ok=True)
        self.out, self.err = (os.path.join(scratch, f'{name}.{os.getpid()}.{id(self)}') for name in ('out', 'err'))
        self.command = [os.path.join(build, 'tools', 'serve')]
        self.slowest = self.largest = self.runs = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, arguments):
        """(exit status or -signal, output, errors), as bytes."""
        self.process.stdin.write('\t'.join([self.out, self.err, *arguments]) + '\n')
        self.process.stdin.flush()
        status, kib, ms = map(int, self.process.stdout.readline().split())
        self.runs += 1
        self.slowest, self.largest = max(self.slowest, ms), max(self.largest, kib)
        with open(self.out, 'rb') as f:
            out = f.read()
        with open(self.err, 'rb') as f:
            err = f.read()
        if ms > LIMIT_S * 1000 or kib > LIMIT_KIB:
            return -24, out, err + f'\n{ms} ms, {kib} KiB'.encode()
        return status, out, err

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        for path in (self.out, self.err):
            if os.path.exists(path):
                os.unlink(path)
