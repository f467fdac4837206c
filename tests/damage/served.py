# SPDX-License-Identifier: GPL-3.0-or-later
"""The program on damaged dumps, and what each run cost. A run that takes more than LIMIT_S of processor
time, or more than LIMIT_KIB, is told as one that a signal ended, with both numbers on its standard
error; so is one that does not end."""
import os
import signal
import subprocess
import threading

LIMIT_S, LIMIT_KIB = 10, 1 << 20


class Server:
    """A process that runs the program, or PROGRAM (tests/tools/serve.c)."""

    def __init__(self, build, scratch, program, env=None):
        os.makedirs(scratch, exist_ok=True)
        self.out, self.err = (os.path.join(scratch, f'{name}.{os.getpid()}.{id(self)}') for name in ('out', 'err'))
        self.process = subprocess.Popen([os.path.join(build, 'tools', 'serve'), *program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env)

    def run(self, arguments):
        """Exit status or -signal, KiB, ms, output, errors."""
        self.process.stdin.write('\t'.join([self.out, self.err, *arguments]) + '\n')
        self.process.stdin.flush()
        status, kib, ms = map(int, self.process.stdout.readline().split())
        with open(self.out, 'rb') as f:
            out = f.read()
        with open(self.err, 'rb') as f:
            err = f.read()
        return status, kib, ms, out, err

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        for path in (self.out, self.err):
            if os.path.exists(path):
                os.unlink(path)


class Served:
    """Runs of PROGRAM, each a start of it; without PROGRAM, of this program in a process forked for each,
    without the sandbox: thousands of damaged dumps in the time that hundreds of starts take. Safe to use
    from threads: each that runs at the same time has a server of its own."""

    def __init__(self, build, scratch, program='', limit_s=LIMIT_S, limit_kib=LIMIT_KIB, env=None):
        self.of, self.limit_ms, self.limit_kib = (build, scratch, [program] if program else [], env), limit_s * 1000, limit_kib
        self.slowest = self.largest = self.runs = 0
        self.idle, self.lock = [], threading.Lock()

    def run(self, arguments):
        """(exit status or -signal, output, errors), as bytes."""
        with self.lock:
            server = self.idle.pop() if self.idle else None
        server = server or Server(*self.of)
        status, kib, ms, out, err = server.run(arguments)
        with self.lock:
            self.idle.append(server)
            self.runs += 1
            self.slowest, self.largest = max(self.slowest, ms), max(self.largest, kib)
        if ms > self.limit_ms or kib > self.limit_kib:
            return -signal.SIGXCPU, out, err + f'\n{ms} ms, {kib} KiB'.encode()
        return status, out, err

    def cost(self):
        return f'{self.runs} runs, the slowest {self.slowest} ms, the largest {self.largest >> 10} MiB'

    def close(self):
        for server in self.idle:
            server.close()
        self.idle.clear()
