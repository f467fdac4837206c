# SPDX-License-Identifier: GPL-3.0-or-later
"""The tally of all tests that are not in C: passed, failed, skipped; and many small jobs on all
processors."""
import collections
import contextlib
import os
import re
import resource
import signal
import subprocess
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

COUNTS = re.compile(r'^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$')
SLOWEST = 10            # jobs that are named at the end
SHOWN = 40              # lines of a failed program's output that are shown
EXAMPLES = 4            # differences of a failed check that are shown


class Tally:
    """Counts of checks; each prints one line. Safe to use from threads."""

    def __init__(self, quiet=False):
        self.passed = self.failed = self.skipped = 0
        self.failures = []      # names of checks
        self.skips = []         # sentences
        self.remarks = []       # for the end of it all
        self.quiet, self.lock = quiet, threading.Lock()

    def check(self, name, differences, detail=''):
        """One check; DIFFERENCES are sentences, none if it passed."""
        with self.lock:
            if not differences:
                self.passed += 1
                if not self.quiet:
                    print(f'ok   {name}{": " + detail if detail else ""}', flush=True)
                return
            self.failed += 1
            self.failures.append(name)
            print(f'FAIL {name}: {len(differences)} differ')
            for text in differences[:EXAMPLES]:
                print('     ' + str(text).replace('\n', '\n     '))
            print(end='', flush=True)

    def skip(self, name, why):
        with self.lock:
            self.skipped += 1
            self.skips.append(f'{name}: {why}')
            print(f'skip {name}: {why}', flush=True)

    def count(self, name, passed, failed, skipped, output):
        """A test program that counts for itself."""
        with self.lock:
            self.passed += passed
            self.failed += failed
            self.skipped += skipped
            word = 'FAIL' if failed else 'ok  '
            print(f'{word} {name}: {passed} passed, {failed} failed'
                  + (f', {skipped} skipped' if skipped else ''))
            if failed:
                self.failures.append(name)
                for line in output[-SHOWN:]:
                    print('     ' + line)
            for line in output:
                if line.startswith('skip '):
                    self.skips.append(f'{name}: {line[5:]}')
            print(end='', flush=True)

    def add(self, other):
        """What another tally counted, and has printed."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures
        self.skips += other.skips

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


def run_program(tally, name, command, env=None, timeout=600, show=False):
    """A test program: its last "N passed, N failed" line counts, else its exit status. SHOW: what it
    measures is printed."""
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
    if show:
        print('\n'.join(output[:-1]), flush=True)
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
    tally.count(name, passed, failed, skipped, output)


class Times:
    """How long each job took, in seconds."""

    def __init__(self):
        self.began, self.jobs, self.lock = time.time(), [], threading.Lock()

    @contextlib.contextmanager
    def job(self, suite, name):
        began = time.time()
        yield
        with self.lock:
            self.jobs.append((time.time() - began, suite, name))

    def table(self, workers):
        """Seconds of jobs by suite, the slowest jobs, the time of it all."""
        suites = collections.Counter()
        for took, suite, _ in self.jobs:
            suites[suite] += took
        return '\n'.join(
            ['seconds of jobs: ' + ', '.join(f'{n} {s:.0f}' for n, s in suites.most_common()),
             f'the {SLOWEST} slowest:'] +
            [f'{took:>8.1f} s  {name}' for took, _, name in sorted(self.jobs, reverse=True)[:SLOWEST]] +
            [f'{time.time() - self.began:.0f} s with {workers} jobs at a time, {spent():.0f} s of '
             'processor time'])


def spent():
    """Processor time of this process and of its children that have ended."""
    return sum(sum(resource.getrusage(who)[:2])
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def run_all(tally, jobs, workers, times):
    """JOBS are (suite, name, function without arguments), long ones first; an exception in one is a
    failed test."""
    def run(suite, name, function):
        with times.job(suite, name):
            function()
    with ThreadPoolExecutor(workers) as pool:
        for name, future in [(job[1], pool.submit(run, *job)) for job in jobs]:
            error = future.exception()
            if error:
                tally.check(f'{name}: the test itself', [''.join(traceback.format_exception(error))])
