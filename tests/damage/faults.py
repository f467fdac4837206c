#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""faults.py [--runs N] [--seed S] [--part I/N] [--build DIR]: reads of a dump that fail.

A small machine described in text is in some container, as in oracle.py, and one report is asked for while reads of
the file fail (tests/damage/faultio.c): from one byte on, once with zeros, because the file has shrunk, or each gets
less than was asked for. WRONG are a signal, more than 10 s of processor time, a status without a reason, and exit
status 0 with another answer than the whole dump's: but after zeros, of which nothing tells (ONCE), such answers are
counted.
"""
import argparse
import collections
import os
import random
import signal
import subprocess
import sys
import time

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from damage.oracle import OUTCOMES, SILENT, WRONG, SAME, Oracle, ask, judge     # noqa: E402
from damage.served import Served                    # noqa: E402
from lib import fixtures                            # noqa: E402
from lib.program import program_of                  # noqa: E402
from lib.scratch import scratch_of                  # noqa: E402

ONCE, SHORT = 'zeros', 'short'
MODES = ('eio', ONCE, 'shrink', SHORT)
READS = 400             # a small dump takes at most about as many; the first are drawn most


def library(build, cc='gcc'):
    """The preload library, made if it is not there."""
    source, path = 'tests/damage/faultio.c', os.path.abspath(os.path.join(build, 'tools', 'faultio.so'))
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run([cc, '-O2', '-shared', '-fPIC', '-o', path, source], check=True)
    return path


class Faults(Oracle):
    def __init__(self, build, scratch, found):
        super().__init__(build, scratch, found, False)
        self.control = os.path.join(scratch, f'faultio.{os.getpid()}')
        self.plain = self.program
        preload = {'LD_PRELOAD': library(build), 'FAULTIO': self.control}
        self.program = Served(build, scratch, program_of(build), env={**os.environ, **preload})

    def fail(self, mode, at, seed, paths):
        with open(self.control, 'w', encoding='utf-8') as f:
            f.write('\n'.join([f'{mode} {at} {seed}', *map(os.path.abspath, paths)]) + '\n')

    def one(self, subject, damage, rng):
        mode = rng.choice(MODES)
        self.fail('none', 0, 0, [])
        report, form, want = self.report(subject, rng)
        n = rng.randrange(len(subject.data))
        at, seed = rng.randrange(len(subject.data[n])), int(READS ** rng.random()) - 1
        edges = [e for r in subject.regions[n] for e in r[:2]]
        if edges and rng.random() < .5:
            at = max(0, rng.choice(edges) + rng.choice((-1, 0, 1)))
        self.fail(mode, at, seed, [subject.paths[n]])
        got = ask(self.program, report, form, subject.arguments)
        outcome, why = judge(form, want, got)
        if mode == SHORT and outcome != SAME:
            outcome, why = WRONG, f'{outcome} {why} {got[2][-300:]}'
        self.counts[subject.cpu, subject.container, mode, outcome] += 1
        if outcome in (SILENT, WRONG):
            told = f'{subject.key}: {subject.container}: {mode} {at} {seed} of file {n}: {report} -f {form}: ' \
                f'{outcome}: {why}'
            print(told[:600], flush=True)
            (self.silent if outcome == SILENT and mode == ONCE else self.wrong).append(told)


def jobs(tally, build, found, runs):
    def job():
        o = Faults(build, scratch_of(build, 'faults'), found)
        o.run(runs, 0, 'check')
        print(o.table(), flush=True)
        tally.check(f'faults: {runs} reports while reads fail', o.wrong,
                    f'{o.cost()}; {len(o.silent)} silent after zeros that were read once')
        o.program.close()
    return [('faults', job)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', metavar='DIR')
    p.add_argument('--scratch', default='/dev/shm/vmcensus-faults', metavar='DIR')
    p.add_argument('--runs', type=int, default=20000)
    p.add_argument('--seed', default='faults')
    p.add_argument('--fixtures', default='tests/fixtures', metavar='DIR')
    p.add_argument('--part', default='0/1', metavar='I/N', help='every Nth case, from the Ith on')
    args = p.parse_args()
    found = fixtures.find(args.fixtures, os.path.join(args.build, 'fixtures'))
    o, began = Faults(args.build, args.scratch, found), time.time()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('ended early'))
    try:
        o.run(args.runs, 0, args.seed, *map(int, args.part.split('/')))
    finally:
        print(o.table())
        print(f'{len(o.wrong)} WRONG, {len(o.silent)} silent after zeros; {o.cost()}; {time.time() - began:.0f} s')
        o.program.close()
    sys.exit(1 if o.wrong else 0)


if __name__ == '__main__':
    main()
