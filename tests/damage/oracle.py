#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""oracle.py [--cuts N] [--flips N] [--seed S] [--part I/N] [--build DIR] [--served]: damage that no report may
ignore.

A small machine described in text is written in every container. In a copy one file is cut off
somewhere, or one bit is flipped, and one report is asked for. Exit status 0 with another answer than
the undamaged dump's is SILENT; it is allowed only where nothing in the file shows the damage
(BLIND). The table
at the end counts outcomes by container and by what was damaged.
"""
import argparse
import collections
import os
import random
import re
import signal
import subprocess
import sys
import time

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from damage import regions              # noqa: E402
from damage.served import Served        # noqa: E402
from exact.containers import of_memory  # noqa: E402
from lib.program import program_of       # noqa: E402
from lib.tally import death             # noqa: E402

TIMEOUT = 60            # s, for an answer of a machine of 16 MiB
MACHINES = (('x86_64', '3.10'), ('x86_64', '2.6.18'))
REPORTS = (('procs', 'csv'), ('vmas', 'csv'), ('smaps', 'text'), ('summary', 'text'), ('check', 'text'),
           ('maps', 'text'), ('procs', 'json'), ('files', 'csv'), ('total', 'csv'), ('pages', 'csv'),
           ('dmesg', 'text'), ('programs', 'csv'), ('units', 'csv'), ('alerts', 'csv'))
SAME, SAID, DIFFERS, REFUSED, SILENT, WRONG = ('same', 'same, exit 2', 'differs, exit 2', 'exit 1',
                                               'SILENT', 'WRONG')
OUTCOMES = (SAME, SAID, DIFFERS, REFUSED, SILENT, WRONG)
# Why a damage can be silent: there is no second source of what was changed.
BLIND = {
    regions.CONTENTS: 'a page stored as it is has no checksum: only what the kernel says twice can tell',
    regions.PACKED: 'lzo, snappy and zstd (as makedumpfile calls it) have no checksum: often it expands '
                    'to a page of the right length',
    regions.TEXT: 'one copy of VMCOREINFO, which has no checksum; the machine in text has none in memory',
    regions.NAMES: 'utsname and the time in the header of kdump: VMCOREINFO has the release, and the time if '
                   'kdump wrote it',
}
DAMAGED = re.compile(r'(not whole|incomplete)', re.I)
ABSURD = re.compile(r'(?<![\w.])(-?nan|-?inf)(?![\w.])|(?<![\w.])-[0-9]{4,}|(?<![\w.])[0-9]{19,}(?![\w.])')


def ask(program, report, form, arguments):
    """Exit status (None: no end), answer, stderr."""
    if isinstance(program, Served):
        status, out, err = program.run([report, '-f', form, *arguments])
        return status, of_memory(out.decode(errors='replace')), err.decode(errors='replace')
    try:
        done = subprocess.run([program, report, '-f', form, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return None, '', f'no end after {TIMEOUT} s'
    return done.returncode, of_memory(done.stdout.decode(errors='replace')), \
        done.stderr.decode(errors='replace')


def judge(form, want, got):
    """The outcome, and what is wrong with it."""
    status, answer, err = got
    if status == 1:
        return (REFUSED, '') if len(err.split()) > 3 else (WRONG, f'exit 1, no sentence: {err!r}')
    if status not in (0, 2):
        return WRONG, f'{death(status or 0) or f"exit {status}"}: {err[-600:]}'
    absurd = ABSURD.search(answer)
    if absurd and not ABSURD.search(want):
        return WRONG, f'cannot be: {absurd[0]}'
    if status == 0:
        return (SAME, '') if answer == want else (SILENT, difference(want, answer))
    if not DAMAGED.search(err):
        return WRONG, f'exit 2, and nothing said: {err!r}'
    if form == 'json' and not re.search(r'"issues":\s*\[\s*\{', answer):
        return WRONG, 'exit 2, and no issues in json'
    return (SAID if answer == want else DIFFERS), ''


def difference(want, got):
    a, b = want.splitlines(), got.splitlines()
    for x, y in zip(a, b):
        if x != y:
            return f'{x!r} became {y!r}'
    return f'{len(a)} lines became {len(b)}'


class Subject:
    """A dump in one container, its files as they are and as they are damaged."""

    def __init__(self, container, arguments):
        self.container, self.arguments = container, arguments
        self.paths = [a.split('@')[0] for a in arguments[:arguments.index('-t')]]
        self.data, self.regions = [], []
        for path in self.paths:
            with open(path, 'rb') as f:
                self.data.append(f.read())
            self.regions.append([r for r in regions.of(container, self.data[-1]) if r[1] > r[0]])
        self.answers = {}

    def undamaged(self, program, report, form):
        """The answer; None: it has issues of its own, and can show none."""
        if (report, form) not in self.answers:
            status, answer, _ = ask(program, report, form, self.arguments)
            self.answers[report, form] = answer if status == 0 else None
        return self.answers[report, form]

    def cut(self, rng, run):
        n = rng.randrange(len(self.data))
        size = len(self.data[n])
        edges = [e for r in self.regions[n] for e in r[:2] if e < size]
        at = rng.choice((rng.randrange(size), size - rng.randrange(1, min(64, size)),
                         max(0, min(size - 1, rng.choice(edges) + rng.choice((-1, 0, 1))))))
        with open(self.paths[n], 'r+b', buffering=0) as f:
            f.truncate(at)
            try:
                return 'cut', f'file {n} cut at {at} of {size}', run()
            finally:
                f.seek(at)
                f.write(self.data[n][at:])

    def flip(self, rng, run):
        n = rng.randrange(len(self.data))
        kinds = sorted({what for _, _, what in self.regions[n]})
        kind = rng.choice(kinds)
        start, end, _ = rng.choice([r for r in self.regions[n] if r[2] == kind])
        at = rng.randrange(start, end)
        if kind == regions.CONTENTS and not self.data[n][at] and rng.random() < .9:
            used = [a for a in range(start & ~7, end, 8) if any(self.data[n][a:a + 8])] \
                if end - start <= 1 << 16 else self.used(n, rng, start, end)
            at = min(end - 1, rng.choice(used or [at]) + rng.randrange(8))
        bit = 1 << rng.randrange(8)
        with open(self.paths[n], 'r+b', buffering=0) as f:
            os.pwrite(f.fileno(), bytes([self.data[n][at] ^ bit]), at)
            try:
                return kind, f'file {n} byte {at} bit {bit:#x}', run()
            finally:
                os.pwrite(f.fileno(), self.data[n][at:at + 1], at)

    def used(self, n, rng, start, end):
        """Words of one page that is not all zeros."""
        for _ in range(200):
            page = rng.randrange(start, end - 4096)
            words = [a for a in range(page, page + 4096, 8) if any(self.data[n][a:a + 8])]
            if words:
                return words
        return []


class Oracle:
    def __init__(self, build, served=None):
        """SERVED: where the program runs as a server; without: each run is a start of it."""
        self.program = Served(build, served) if served else program_of(build)
        self.mkdump = os.path.join(build, 'tools', 'mkdump')
        self.counts, self.silent, self.wrong = collections.Counter(), [], []

    def subjects(self, scratch):
        os.makedirs(scratch, exist_ok=True)
        out = []
        for cpu, release in MACHINES:
            layout = f'tests/machine/layouts/linux-{release}-{cpu}.layout'
            prefix = os.path.join(scratch, f'{cpu}-{release}')
            with open('tests/machine/texts/small.machine', encoding='utf-8') as f, \
                    open(prefix + '.machine', 'w', encoding='utf-8') as to:
                to.write(f.read().replace('release RELEASE', f'release {release}'))
            done = subprocess.run([self.mkdump, cpu, layout, prefix + '.machine', prefix],
                                  capture_output=True, text=True, check=True)
            for line in done.stdout.splitlines():
                if line.strip():
                    container = line.split()[0][len(prefix) + 1:].split('.')[0]
                    out.append(Subject(container, line.split() + ['-t', layout, '-t', prefix + '.map']))
        return out

    def one(self, subject, damage, rng):
        known = [r for r in REPORTS if subject.undamaged(self.program, *r) is not None]
        if 2 * len(known) < len(REPORTS):
            raise RuntimeError(f'{subject.container}: only {known} say that all is well')
        report, form = rng.choice(known)
        want = subject.undamaged(self.program, report, form)
        kind, where, got = damage(rng, lambda: ask(self.program, report, form, subject.arguments))
        outcome, why = judge(form, want, got)
        self.counts[subject.container, kind, outcome] += 1
        if outcome in (SILENT, WRONG):
            told = f'{subject.container}: {kind}: {where}: {report} -f {form}: {outcome}: {why}'
            (self.wrong if outcome == WRONG or kind not in BLIND else self.silent).append(told)

    def run(self, scratch, cuts, flips, seed, part=0, parts=1):
        """Cases PART, PART + PARTS ... of the CUTS + FLIPS."""
        subjects = self.subjects(scratch)
        for i in range(part, cuts + flips, parts):
            rng = random.Random(f'{seed} {i}')
            subject = rng.choice(subjects)
            self.one(subject, subject.cut if i < cuts else subject.flip, rng)

    def table(self):
        rows = sorted({(c, k) for c, k, _ in self.counts})
        lines = [f'{"container":<14}{"damaged":<13}' + ''.join(f'{o:>17}' for o in OUTCOMES)]
        for row in rows + [('all', None)]:
            sums = [sum(n for (c, k, o), n in self.counts.items()
                        if o == outcome and (row[1] is None or (c, k) == row)) for outcome in OUTCOMES]
            lines.append(f'{row[0]:<14}{row[1] or "":<13}' + ''.join(f'{n or ".":>17}' for n in sums))
        return '\n'.join(lines)


def jobs(tally, build, cuts, flips):
    """The seeded share of make check."""
    def job():
        o = Oracle(build)
        o.run(os.path.join(build, 'oracle'), cuts, flips, 'check')
        print(o.table(), flush=True)
        tally.check(f'oracle: {cuts} cuts and {flips} flips over all containers', o.wrong,
                    f'{len(o.silent)} silent where nothing could tell')
    return [('oracle', job)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', metavar='DIR')
    p.add_argument('--scratch', default='/dev/shm/vmcensus-oracle', metavar='DIR')
    p.add_argument('--cuts', type=int, default=10000)
    p.add_argument('--flips', type=int, default=10000)
    p.add_argument('--seed', default='nightly')
    p.add_argument('--served', action='store_true', help='fork a server for each run, without the sandbox')
    p.add_argument('--part', default='0/1', metavar='I/N', help='every Nth case, from the Ith on')
    args = p.parse_args()
    o, began = Oracle(args.build, args.scratch if args.served else None), time.time()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('ended early'))
    try:
        o.run(args.scratch, args.cuts, args.flips, args.seed, *map(int, args.part.split('/')))
    finally:
        print(o.table())
        for what, lines in (('silent where nothing could tell', o.silent), ('WRONG', o.wrong)):
            print(f'\n{len(lines)} {what}')
            for line in lines:
                print('  ' + line[:400])
        print(f'\n{time.time() - began:.0f} s')
        if args.served:
            print(f'{o.program.runs} runs, the slowest {o.program.slowest} ms, the largest {o.program.largest >> 10} MiB')
            o.program.close()
    for kind, why in BLIND.items():
        print(f'{kind}: {why}')
    sys.exit(1 if o.wrong else 0)


if __name__ == '__main__':
    main()
