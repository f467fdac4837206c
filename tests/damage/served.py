# SPDX-License-Identifier: GPL-3.0-or-later
"""The program on damaged dumps, and what each run cost. A run that takes more than LIMIT_S of processor
time, or more than LIMIT_KIB, is told as one that a signal ended, with both numbers on its standard
error."""
import os
import signal
import subprocess
import tempfile
import threading

LIMIT_S, LIMIT_KIB = 10, 1 << 20
END_S = 300             # s until a run that waits for something is killed; serve.c has the same


class Costs:
    """Runs, the slowest and the largest of them. Safe to use from threads."""

    def __init__(self, limit_s=LIMIT_S, limit_kib=LIMIT_KIB):
        self.limit_ms, self.limit_kib = limit_s * 1000, limit_kib
        self.slowest = self.largest = self.runs = 0
        self.lock = threading.Lock()

    def judged(self, status, out, err, ms, kib):
        with self.lock:
            self.runs += 1
            self.slowest, self.largest = max(self.slowest, ms), max(self.largest, kib)
        if ms > self.limit_ms or kib > self.limit_kib:
            return -signal.SIGXCPU, out, err + f'\n{ms} ms, {kib} KiB'.encode()
        return status, out, err

    def cost(self):
        return f'{self.runs} runs, the slowest {self.slowest} ms, the largest {self.largest >> 10} MiB'


class Started(Costs):
    """Each run is a start of the program, in its sandbox."""

    def __init__(self, program, *limits):
        super().__init__(*limits)
        self.program = program

    def run(self, arguments):
        """(exit status or -signal, output, errors), as bytes."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([self.program, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            end = threading.Timer(END_S, process.kill)
            end.start()
            # of the process and of those that it waited for
            _, status, used = os.wait4(process.pid, 0)
            end.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            texts = []
            for f in (out, err):
                f.seek(0)
                texts.append(f.read())
        return self.judged(process.returncode, *texts, round(1000 * (used.ru_utime + used.ru_stime)),
                           used.ru_maxrss)

    def close(self):
        pass


class Served(Costs):
    """The program as a server (tests/tools/serve.c), without the sandbox: thousands of damaged dumps in
    the time that hundreds of its starts take."""

    def __init__(self, build, scratch, *limits):
        super().__init__(*limits)
        os.makedirs(scratch, exist_ok=True)
        self.out, self.err = (os.path.join(scratch, f'{name}.{os.getpid()}.{id(self)}') for name in ('out', 'err'))
        self.process = subprocess.Popen([os.path.join(build, 'tools', 'serve')], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def run(self, arguments):
        """(exit status or -signal, output, errors), as bytes."""
        self.process.stdin.write('\t'.join([self.out, self.err, *arguments]) + '\n')
        self.process.stdin.flush()
        status, kib, ms = map(int, self.process.stdout.readline().split())
        with open(self.out, 'rb') as f:
            out = f.read()
        with open(self.err, 'rb') as f:
            err = f.read()
        return self.judged(status, out, err, ms, kib)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        for path in (self.out, self.err):
            if os.path.exists(path):
                os.unlink(path)
