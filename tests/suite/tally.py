# SPDX-License-Identifier: GPL-3.0-or-later
"""Counting what passed, and running many small jobs on all processors."""
import os
import re
import signal
import subprocess
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

COUNTS = re.compile(r'^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$')
SHOWN = 40              # lines of a failed test's output that are shown


class Tally:
    """What the comparison of tests/vmtest/lab wants, and safe to use from threads."""

    def __init__(self, quiet=False):
        self.passed = self.failed = self.skipped = 0
        self.skips, self.quiet, self.lock = [], quiet, threading.Lock()

    def check(self, name, differences, detail=''):
        with self.lock:
            if not differences:
                self.passed += 1
                if not self.quiet:
                    print(f'ok   {name}{": " + detail if detail else ""}', flush=True)
                return
            self.failed += 1
            print(f'FAIL {name}')
            for text in differences[:4]:
                print('     ' + str(text).replace('\n', '\n     '))
            print(end='', flush=True)

    def skip(self, name, why):
        with self.lock:
            self.skipped += 1
            self.skips.append(f'{name}: {why}')
            print(f'skip {name}: {why}', flush=True)

    def add(self, name, passed, failed, skipped, output):
        """A test program that counts for itself."""
        with self.lock:
            self.passed += passed
            self.failed += failed
            self.skipped += skipped
            word = 'FAIL' if failed else 'ok  '
            print(f'{word} {name}: {passed} passed, {failed} failed'
                  + (f', {skipped} skipped' if skipped else ''))
            if failed:
                for line in output[-SHOWN:]:
                    print('     ' + line)
            for line in output:
                if line.startswith('skip '):
                    self.skips.append(f'{name}: {line[5:]}')
            print(end='', flush=True)

    def summary(self):
        return f'{self.passed} passed, {self.failed} failed' + \
            (f', {self.skipped} skipped' if self.skipped else '')


def death(code):
    """Why an exit status is not one a program chooses, or ''."""
    if code >= 0:
        return ''
    try:
        return f'killed by {signal.Signals(-code).name}'
    except ValueError:
        return f'killed by signal {-code}'


def run_program(tally, name, command, env=None, timeout=600):
    """A test program: its last "N passed, N failed" line counts, else its exit status."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=timeout,
                              env={**os.environ, **(env or {})})
    except subprocess.TimeoutExpired as e:
        tally.check(name, [f'no end after {timeout} s: {(e.stdout or b"")[-400:]!r}'])
        return
    except OSError as e:
        tally.check(name, [str(e)])
        return
    output = done.stdout.decode(errors='replace').splitlines()
    if done.returncode == 77:
        tally.skip(name, output[-1] if output else 'exit status 77')
        return
    counts = next((m for m in map(COUNTS.match, reversed(output)) if m), None)
    bad = death(done.returncode) or (f'exit {done.returncode}' if done.returncode else '')
    if not counts:
        tally.check(name, ['\n'.join(output[-SHOWN:] + [bad])] if bad else [])
        return
    passed, failed, skipped = (int(n or 0) for n in counts.groups())
    if bad and not failed:      # it died after it had counted
        output.append(bad)
        failed = 1
    tally.add(name, passed, failed, skipped, output)


def run_all(tally, jobs, workers):
    """JOBS are functions without arguments; an exception in one is a failed test."""
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(job) for job in jobs]:
            error = future.exception()
            if error:
                tally.check('the test itself', [''.join(traceback.format_exception(error))])
