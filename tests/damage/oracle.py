#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""oracle.py [--cuts N] [--flips N] [--seed S] [--part I/N] [--build DIR] [--served]: damage that no
report may ignore.

A small machine described in text is written for every CPU, with the layout of some kernel, in every
container. In a copy one file is cut off somewhere, or one bit is flipped, and one report is asked for.
Exit status 0 with another answer than the undamaged dump's is SILENT; it is allowed only where nothing
in the file shows the damage (BLIND). WRONG are a signal, more than 10 s of processor time, more than
1 GiB, a status without a reason, and a number that cannot be. The tables at the end count outcomes by
container and by what was damaged, and by CPU.
"""
import argparse
import collections
import csv
import os
import random
import re
import signal
import sys
import time

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from damage import regions                          # noqa: E402
from damage.served import Served                    # noqa: E402
from exact.containers import of_memory              # noqa: E402
from lib import fixtures                            # noqa: E402
from lib.program import program_of                  # noqa: E402
from lib.scratch import scratch_of                  # noqa: E402
from lib.tally import Tally, death                  # noqa: E402
from machine.machines import CONTAINERS, UNTOLD, Machines, text_of   # noqa: E402

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
    """Exit status, answer, stderr."""
    status, out, err = program.run([report, '-f', form, *arguments])
    return status, of_memory(out.decode(errors='replace')), err.decode(errors='replace')


def plain(form, answer):
    """Without places in files: there are files of up to 2^63 bytes, and a mapping may begin behind the end."""
    rows = list(csv.reader(answer.splitlines())) if form == 'csv' else []
    if not rows or 'offset' not in rows[0]:
        return answer
    column = rows[0].index('offset')
    return '\n'.join(','.join(row[:column] + row[column + 1:]) for row in rows)


def judge(form, want, got):
    """The outcome, and what is wrong with it."""
    status, answer, err = got
    if status == 1:
        return (REFUSED, '') if len(err.split()) > 3 else (WRONG, f'exit 1, no sentence: {err!r}')
    if status not in (0, 2):
        return WRONG, f'{death(status) or f"exit {status}"}: {err[-600:]}'
    absurd = ABSURD.search(plain(form, answer))
    if absurd and not ABSURD.search(plain(form, want)):
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

    def __init__(self, key, container, arguments):
        self.key, self.cpu, self.container, self.arguments = key, key.split()[0], container, arguments
        self.paths = [a.split('@')[0] for a in arguments[:arguments.index('-t')]]
        self.data, self.regions = [], []
        for path in self.paths:
            with open(path, 'rb') as f:
                self.data.append(f.read())
            self.regions.append([r for r in regions.of(container, self.data[-1],
                                                              regions.kind_of(self.cpu)) if r[1] > r[0]])
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
    def __init__(self, build, scratch, found, served):
        """FOUND: fixtures, whose kernels' types the machines have too. SERVED: the program runs as a
        server; without: each run is a start of it."""
        self.program = Served(build, scratch, '' if served else program_of(build))
        self.machines = Machines(Tally(), build, found, False, scratch)
        self.counts, self.silent, self.wrong = collections.Counter(), [], []

    def draw(self, seed, i):
        """CPU and kernel, container, and what goes on with case I. Of each CPU a seed has one kernel."""
        rng, keys = random.Random(f'{seed} {i}'), list(self.machines.layouts)
        cpu = rng.choice(sorted({key.split()[0] for key in keys}))
        key = random.Random(f'{seed} {cpu}').choice([k for k in keys if k.split()[0] == cpu])
        return key, rng.choice(CONTAINERS), rng

    def subjects(self, key, containers):
        # all tasks sleep: what a running one may be about to change is no witness
        text, name = text_of('small', 'machine').replace(' two R 1', ' two S 1'), f'oracle{os.getpid()}'
        dumps = self.machines.dumps(name, text, key, *containers)
        return {c: Subject(key, c, arguments) for c, arguments in dumps if c not in UNTOLD.get(key, ())}

    def report(self, subject, rng):
        """A report that says of the undamaged dump that all is well, its form and its answer."""
        for report, form in rng.sample(REPORTS, len(REPORTS) // 2):
            want = subject.undamaged(self.program, report, form)
            if want is not None:
                return report, form, want
        raise RuntimeError(f'{subject.key} in {subject.container}: no report says that all is well')

    def one(self, subject, damage, rng):
        report, form, want = self.report(subject, rng)
        kind, where, got = damage(rng, lambda: ask(self.program, report, form, subject.arguments))
        outcome, why = judge(form, want, got)
        self.counts[subject.cpu, subject.container, kind, outcome] += 1
        if outcome in (SILENT, WRONG):
            told = f'{subject.key}: {subject.container}: {kind}: {where}: {report} -f {form}: {outcome}: {why}'
            print(told[:600], flush=True)
            (self.wrong if outcome == WRONG or kind not in BLIND else self.silent).append(told)

    def run(self, cuts, flips, seed, part=0, parts=1):
        """Cases PART, PART + PARTS ... of the CUTS + FLIPS, machine by machine."""
        cases = collections.defaultdict(list)
        for i in range(part, cuts + flips, parts):
            key, container, rng = self.draw(seed, i)
            cases[key].append((container, rng, i < cuts))
        for key, mine in sorted(cases.items()):
            subjects = self.subjects(key, sorted({c for c, _, _ in mine}))
            for container, rng, is_cut in mine:
                # another, if the machine cannot be in it
                subject = subjects.get(container) or self.other(subjects, key, rng)
                self.one(subject, subject.cut if is_cut else subject.flip, rng)
            self.machines.forget(f'oracle{os.getpid()}', key)

    def other(self, subjects, key, rng):
        if not subjects:
            subjects.update(self.subjects(key, ['elf', 'kdump-zlib']))
        return subjects[rng.choice(sorted(subjects))]

    def table(self):
        """Outcomes by container and what was damaged, and by CPU."""
        def line(name, what, those):
            sums = [sum(n for (*of, o), n in self.counts.items() if o == outcome and those(of))
                    for outcome in OUTCOMES]
            return f'{name:<18}{what:<13}{sum(sums):>8}' + ''.join(f'{n or ".":>17}' for n in sums)
        lines = [f'{"container":<18}{"damaged":<13}{"runs":>8}' + ''.join(f'{o:>17}' for o in OUTCOMES)]
        lines += [line(*row, lambda of, row=row: tuple(of[1:]) == row)
                  for row in sorted({(c, k) for _, c, k, _ in self.counts})]
        lines += [line('all of ' + c, '', lambda of, c=c: of[1] == c)
                  for c in sorted({c for _, c, _, _ in self.counts})]
        lines += [line(cpu, '', lambda of, cpu=cpu: of[0] == cpu)
                  for cpu in sorted({cpu for cpu, _, _, _ in self.counts})]
        return '\n'.join([*lines, line('all', '', lambda of: True)])

    def cost(self):
        return f'{sum(self.counts.values())} damaged dumps; {self.program.cost()}'


def limits(build, scratch):
    """What is wrong with the limits: of a run that takes 0.2 s and 64 MiB each must be told, and no other."""
    burn = ['-c', 'import time; x = bytearray(64 << 20); all(iter(lambda: time.process_time() < .2, False))']
    wrong, tried = [], []
    for seconds, kib, expected in ((.1, 1 << 20, WRONG), (10, 60 << 10, WRONG), (10, 1 << 20, SAME)):
        tried.append(Served(build, scratch, sys.executable, seconds, kib))
        status, out, err = tried[-1].run(burn)
        outcome, why = judge('csv', '', (status, out.decode(), err.decode()))
        if outcome != expected or (expected == WRONG and not re.search(r'\d ms, \d+ KiB$', why)):
            wrong.append(f'{seconds} s, {kib} KiB: {outcome} {why}')
    # without a start
    for seconds, kib, expected in ((-1, 1 << 20, -24), (10, 1 << 8, -24), (10, 1 << 20, 1)):
        tried.append(Served(build, scratch, '', seconds, kib))
        status, _, err = tried[-1].run(['procs', '-f', 'csv', os.devnull])
        if status != expected or not tried[-1].largest:
            wrong.append(f'served, {seconds} s, {kib} KiB: {status} {err}')
    for served in tried:
        served.close()
    return wrong


def jobs(tally, build, found, cuts, flips):
    """The seeded share of make check."""
    def job():
        o = Oracle(build, scratch_of(build, 'oracle'), found, False)
        o.run(cuts, flips, 'check')
        print(o.table(), flush=True)
        o.program.close()
        tally.check(f'oracle: {cuts} cuts and {flips} flips over all CPUs and containers', o.wrong,
                    f'{o.cost()}; {len(o.silent)} silent where nothing could tell')
    return [('oracle', job), ('oracle: limits', lambda: tally.check(
        'oracle: a run over the limits is told', limits(build, scratch_of(build, 'oracle'))))]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', metavar='DIR')
    p.add_argument('--scratch', default='/dev/shm/vmcensus-oracle', metavar='DIR')
    p.add_argument('--cuts', type=int, default=10000)
    p.add_argument('--flips', type=int, default=10000)
    p.add_argument('--seed', default='nightly')
    p.add_argument('--fixtures', default='tests/fixtures', metavar='DIR')
    p.add_argument('--served', action='store_true', help='fork a server for each run, without the sandbox')
    p.add_argument('--part', default='0/1', metavar='I/N', help='every Nth case, from the Ith on')
    args = p.parse_args()
    found = fixtures.find(args.fixtures, os.path.join(args.build, 'fixtures'))
    o, began = Oracle(args.build, args.scratch, found, args.served), time.time()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('ended early'))
    try:
        o.run(args.cuts, args.flips, args.seed, *map(int, args.part.split('/')))
    finally:
        print(o.table())
        print(f'{len(o.wrong)} WRONG, {len(o.silent)} silent where nothing could tell; {o.cost()}; '
              f'{time.time() - began:.0f} s')
        o.program.close()
    for kind, why in BLIND.items():
        print(f'{kind}: {why}')
    sys.exit(1 if o.wrong else 0)


if __name__ == '__main__':
    main()
