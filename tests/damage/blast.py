#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""blast.py [--pages N] [--draws N] [--seed S] FIXTURE...: what the loss of one page costs.

Of a real dump one page at a time is lost, and then twenty of 30,000 at once. Each page is lost in one of two ways:
its bytes do not expand, or lie behind the end of the file. "procs", "census" and "summary" are asked for.
The harm of a page is the share of their rows that change, beyond those that lay on the page (OWN). A run
without a result, and an answer that differs with exit status 0, are told by page.

Without --pages every page is lost. Pages that no report reads need no run of their own: runs of pages are
lost at once first, and where all answers stay as they are no page among them is read.
"""
import argparse
import collections
import csv
import mmap
import os
import random
import shutil
import struct
import sys
import threading

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from damage.mutations import PT_LOAD, container        # noqa: E402
from damage.served import Served                    # noqa: E402
from lib import fixtures                            # noqa: E402
from lib.kdump import PAGE_DESC                     # noqa: E402
from lib.scratch import scratch_of                  # noqa: E402

REPORTS = ('procs', 'census', 'summary')
KEYS = {'procs': ('pid',), 'census': ('class',), 'summary': ('section', 'pid', 'key')}
# Rows of each report that one page may cost: what lies on it. A page of slabs has 16 maple nodes, each of another
# process; a page of struct pages has 64 frames, in some classes; and each is in sums of the summary.
OWN = {'procs': 16, 'census': 4, 'summary': 8}
MEAN = 1 / 1000         # of the rows: the bound of the mean harm of a page
KEPT = .95              # of the rows: unchanged, marked or unknown in what differs, with some pages lost at once
MANY = 25000            # pages of a dump of which that is asked
SHARE = 1500            # pages of which one is lost then: twenty of a dump of 30,000
GROUP = 32
ENDS = 5                # pages without which no file is a dump: they may end the analysis
WORST = 40              # pages that are told where a bound is passed
SAMPLED = ('x86_64-5.10', 'x86_64-6.1-sysrq')
OTHER = 'no struct page'
# Rows of the summary that say what the file has and lacks: they follow the damage
LACKED, TOLD = 'left_out', {('machine', 'dump')}
DOUBT = 'of those found'        # in a sentence of the verdict
NO_RESULT, SILENT, ANSWER = 'no result', 'SILENT', 'answer'


class Lossy:
    """A copy of a dump of one file, of which pages can be lost and come back. PAGE: its size, in bytes."""

    def __init__(self, source, path, page):
        shutil.copyfile(source, path)
        self.path, self.page = path, page
        self.file = open(path, 'r+b', buffering=0)          # pylint: disable=consider-using-with
        with mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            self.end, self.head = len(data), data[:64]
            self.container = container(data)
            self.pfns = self.find()

    def put(self, at, data):
        """Writes DATA; gives what was there."""
        was = os.pread(self.file.fileno(), len(data), at)
        os.pwrite(self.file.fileno(), data, at)
        return at, was

    def restore(self, was):
        for at, data in reversed(was):
            os.pwrite(self.file.fileno(), data, at)
        self.file.truncate(self.end)


class LossyKdump(Lossy):
    def find(self):
        bits = self.container.bits
        return [8 * i + b for i, byte in enumerate(bits) if byte for b in range(8) if byte >> b & 1]

    def lose(self, pfns):
        """What stood there, for restore(). Bytes that do not expand, or behind the end of the file."""
        was = []
        for pfn in pfns:
            at = self.container.descriptor(pfn * self.page)
            offset, size, *flags = PAGE_DESC.unpack(os.pread(self.file.fileno(), PAGE_DESC.size, at))
            lost = (offset, 0) if pfn % 2 else (self.end + offset, size)
            was.append(self.put(at, PAGE_DESC.pack(*lost, *flags)))
        return was


class LossyElf(Lossy):
    """A table of segments that leaves pages out is written behind the file."""

    def find(self):
        return sorted({pfn for at, size, _ in self.container.loads
                       for pfn in range(at // self.page, (at + size) // self.page)})

    def lose(self, pfns):
        order, wide = '>' if self.head[5] == 2 else '<', self.head[4] == 2
        entry = struct.Struct(order + ('IIQQQQQQ' if wide else 'IIIIIIII'))
        start, = struct.unpack_from(order + ('Q' if wide else 'I'), self.head, 32 if wide else 28)
        count, = struct.unpack_from(order + 'H', self.head, 56 if wide else 44)
        table = os.pread(self.file.fileno(), count * entry.size, start)
        entries = [table[i:i + entry.size] for i in range(0, len(table), entry.size)
                   if entry.unpack_from(table, i)[0] != PT_LOAD]
        for at, size, offset in self.container.loads:
            for low, high in without(at, at + size, {p * self.page for p in pfns}, self.page):
                bytes_, place = high - low, offset + low - at
                entries.append(entry.pack(PT_LOAD, 7, place, low, low, bytes_, bytes_, 0) if wide else
                               entry.pack(PT_LOAD, place, low, low, bytes_, bytes_, 7, 0))
        os.pwrite(self.file.fileno(), b''.join(entries), self.end)
        return [self.put(32 if wide else 28, struct.pack(order + ('Q' if wide else 'I'), self.end)),
                self.put(56 if wide else 44, struct.pack(order + 'H', len(entries)))]


def without(low, high, lost, page):
    """The runs of LOW to HIGH between the pages at LOST."""
    for at in sorted(a for a in lost if low <= a < high):
        if at > low:
            yield low, at
        low = at + page
    if low < high:
        yield low, high


def rows_of(report, text):
    """{key: (row, is it marked incomplete)}; rows of one key are numbered."""
    rows, seen, table = {}, collections.Counter(), list(csv.DictReader(text.splitlines()))
    # the summary has a row of its own for it
    lacking = {row['pid'] for row in table if row.get('section') == 'process' and row['key'] == 'incomplete'}
    for row in table:
        if (row.get('section'), row.get('key')) in TOLD or row.get('section') == LACKED:
            continue
        key = tuple(row.get(k) or '' for k in KEYS[report])
        seen[key] += 1
        marked = bool(row.pop('incomplete', '')) or DOUBT in (row.get('text') or '') or \
            (row.get('section') == 'process' and row['pid'] in lacking)
        row.pop('note', '')
        rows[key + (seen[key],)] = tuple(row.values()), marked
    return rows


def only_unknown(want, got):
    """Does each cell that differs say unknown: empty, or a path with a part of which nothing is known?"""
    return all(w == g or not g or '(?)' in g for w, g in zip(want, got))


Harm = collections.namedtuple('Harm', 'outcome changed unmarked beyond rows why')


class Blast:
    """The program on one fixture without some of its pages; one copy of the dump for each thread."""

    def __init__(self, build, scratch, image, types):
        self.program, self.image, self.scratch = Served(build, scratch), image, scratch
        self.types = ['-t', types] if types else []
        self.copies, self.lock = threading.local(), threading.Lock()
        self.whole = {r: self.ask(r, image) for r in REPORTS}
        self.rows = {r: rows_of(r, answer) for r, (_, answer, _) in self.whole.items()}
        self.page, self.kinds = self.kinds_of()

    def ask(self, report, path):
        status, out, err = self.program.run([report, '-f', 'csv', path, *self.types])
        return status, out.decode(errors='replace').replace(path, 'DUMP'), err.decode(errors='replace')

    def kinds_of(self):
        """The size of a page, and {pfn: kind} by what its struct page says."""
        _, out, _ = self.program.run(['pages', '--all', '-f', 'csv', '-c', 'pfn,address,pid,owner', self.image,
                                      *self.types])
        rows = list(csv.DictReader(out.decode(errors='replace').splitlines()))
        return int(rows[-1]['address'], 16) // int(rows[-1]['pfn']), \
            {int(r['pfn']): 'user' if r['pid'] else r['owner'].strip('[]') for r in rows}

    def copy(self):
        if not hasattr(self.copies, 'dump'):
            path = os.path.join(self.scratch, f'blast.{os.getpid()}.{threading.get_ident()}')
            with open(self.image, 'rb') as f:
                kind = LossyElf if f.read(4) == b'\x7fELF' else LossyKdump
            self.copies.dump = kind(self.image, path, self.page)
        return self.copies.dump

    def without(self, pfns, reports=REPORTS):
        """{report: Harm} of a dump that lacks PFNS."""
        dump = self.copy()
        was = dump.lose(pfns)
        try:
            return {r: self.harm(r, self.ask(r, dump.path)) for r in reports}
        finally:
            dump.restore(was)

    def harm(self, report, got):
        status, answer, err = got
        want = self.rows[report]
        if status not in (0, 2) or not answer:
            return Harm(NO_RESULT, len(want), len(want), len(want), len(want), err.strip()[-200:] or str(status))
        rows = rows_of(report, answer)
        if rows == want:
            return Harm(ANSWER, 0, 0, 0, len(want), 'read' if status != self.whole[report][0] else '')
        changed = [k for k, (row, _) in want.items() if rows.get(k, ((), 0))[0] != row]
        unmarked = [k for k in changed if k not in rows or not (rows[k][1] or only_unknown(want[k][0], rows[k][0]))]
        silent = status == 0 and self.whole[report][0] == 0
        return Harm(SILENT if silent else ANSWER, len(changed), len(unmarked),
                    max(0, len(changed) - OWN[report]), len(want), str(changed[:1]))

    def read_pages(self, pfns):
        """Those of PFNS that lie in groups of which a report reads a page."""
        groups = [pfns[i:i + GROUP] for i in range(0, len(pfns), GROUP)]
        touched = self.each(groups, lambda g: any(
            h.outcome != ANSWER or h.changed or h.why for h in self.without(g).values()))
        return [pfn for group, hit in zip(groups, touched) if hit for pfn in group]

    def each(self, items, work, threads=2):
        """WORK of each of ITEMS, in their order."""
        items, results, todo = list(items), {}, iter(range(len(items)))

        def run():
            while True:
                with self.lock:
                    i = next(todo, None)
                if i is None:
                    return
                results[i] = work(items[i])
        running = [threading.Thread(target=run) for _ in range(threads)]
        for t in running:
            t.start()
        for t in running:
            t.join()
        return [results[i] for i in range(len(items))]

    def table(self, harms):
        """Of {pfn: {report: Harm}}: a line for each kind of page."""
        by = collections.defaultdict(list)
        for pfn, harm in harms.items():
            by[self.kinds.get(pfn, OTHER)].append(harm)
            by['all'].append(harm)
        lines = [f'{"kind of page":<14}{"pages":>7}{"no result":>10}{"SILENT":>7}{"mean harm":>11}{"largest":>9}']
        for kind, those in sorted(by.items(), key=lambda k: (k[0] == 'all', k[0])):
            parts = [share(h) for h in those]
            lines.append(f'{kind:<14}{len(those):>7}{count(those, NO_RESULT):>10}{count(those, SILENT):>7}'
                         f'{sum(parts) / len(parts):>11.5f}{max(parts):>9.4f}')
        return '\n'.join(lines)

    def single(self, pages, seed):
        """{pfn: {report: Harm}} of each page, or of PAGES drawn evenly from the kinds."""
        pfns = self.copy().pfns
        if not pages:
            read = self.read_pages(pfns)
            print(f'{len(read)} of {len(pfns)} pages are in groups of which a report reads one', flush=True)
            harms = dict(zip(read, self.each(read, lambda pfn: self.without([pfn]))))
            none = {r: Harm(ANSWER, 0, 0, 0, len(rows), '') for r, rows in self.rows.items()}
            return {pfn: harms.get(pfn, none) for pfn in pfns}
        rng, by = random.Random(seed), collections.defaultdict(list)
        for pfn in pfns:
            by[self.kinds.get(pfn, OTHER)].append(pfn)
        drawn = [p for those in by.values() for p in rng.sample(those, min(len(those), -(-pages // len(by))))]
        return dict(zip(drawn, self.each(drawn, lambda pfn: self.without([pfn]))))

    def some(self, draws, seed):
        """[{report: Harm}] of draws of as many pages as SHARE says."""
        rng, pfns = random.Random(seed), self.copy().pfns
        n = max(1, round(len(pfns) / SHARE))
        return self.each([rng.sample(pfns, n) for _ in range(draws)], self.without)

    def mean(self, harms):
        """Of HARMS, each kind of page counted as often as the dump has it."""
        total, shares = collections.Counter(self.kinds.get(pfn, OTHER) for pfn in self.copy().pfns), 0
        drawn = collections.Counter(self.kinds.get(pfn, OTHER) for pfn in harms)
        for pfn, of in harms.items():
            kind = self.kinds.get(pfn, OTHER)
            shares += share(of) * total[kind] / drawn[kind]
        return shares / total.total()

    def judge(self, pages, draws, seed):
        """What is wrong; the tables are printed."""
        harms, drawn = self.single(pages, seed), self.some(draws, seed)
        print(f'{self.table(harms)}\nmean harm of a page of this dump: {self.mean(harms):.5f}')
        print(f'{draws} times one of {SHARE} pages: {summed(drawn)}', flush=True)
        ends = count(harms.values(), NO_RESULT)
        wrong = [f'{ends} pages end the analysis'] if ends > ENDS else []
        mean = self.mean(harms)
        wrong += [f'the mean harm is {mean:.5f} of the rows'] if mean > MEAN else []
        worst = sorted(harms.items(), key=lambda h: -share(h[1]))
        wrong += [f'frame {pfn:#x} ({self.kinds.get(pfn, OTHER)}): {told(of)}' for n, (pfn, of) in enumerate(worst)
                  if told(of) and (count([of], SILENT) or wrong and n < WORST)]
        # of a few pages in a few rows each is a large part
        if len(self.copy().pfns) < MANY:
            return wrong
        return wrong + [f'one of {SHARE} pages: {told(of)}' for of in drawn if kept(of) < KEPT or count([of], SILENT)]


def count(harms, outcome):
    return sum(any(h.outcome == outcome for h in of.values()) for of in harms)


def share(of):
    """Rows of all reports that changed beyond what lay on the page, of all rows."""
    return sum(h.beyond for h in of.values()) / sum(h.rows for h in of.values())


def kept(of):
    """Rows that are unchanged or marked, of all."""
    return 1 - sum(h.unmarked for h in of.values()) / sum(h.rows for h in of.values())


def summed(drawn):
    parts = sorted(map(kept, drawn)) or [1]
    return (f'rows unchanged or marked: least {parts[0]:.4f}, mean {sum(parts) / len(parts):.4f}; below {KEPT}: '
            f'{sum(p < KEPT for p in parts)}; no result: {count(drawn, NO_RESULT)}; SILENT: {count(drawn, SILENT)}')


def told(of):
    return ', '.join(f'{r}: {h.outcome}, {h.changed} of {h.rows} rows {h.why}' for r, h in of.items()
                     if h.outcome != ANSWER or h.beyond)


def jobs(tally, build, found, thorough):
    """A sample of two fixtures; of all that are one file, if THOROUGH."""
    def job(f):
        blast = Blast(build, scratch_of(build, 'blast'), *f.image(), f.types())
        tally.check(f'blast {f.name}: a lost page costs what lies on it',
                    blast.judge(*((600, 40) if thorough else (40, 3)), 'check'))
        blast.program.close()
    return [(f'blast {f.name}', lambda f=f: job(f)) for f in found
            if f.name in SAMPLED or thorough and can_lose(f)]


def can_lose(fixture):
    """Is it of one file, in a container that can lose single pages here?"""
    if len(fixture.image()) > 1:
        return False
    with open(fixture.image()[0], 'rb') as f:
        return f.read(8) in (b'KDUMP   ', b'DISKDUMP') or f.seek(0) == 0 and f.read(4) == b'\x7fELF'


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', metavar='DIR')
    p.add_argument('--pages', type=int, default=0, help='a sample; 0: every page')
    p.add_argument('--draws', type=int, default=200, help='of several pages at once')
    p.add_argument('--seed', default='blast')
    p.add_argument('--fixtures', default='tests/fixtures', metavar='DIR')
    p.add_argument('names', nargs='+', metavar='FIXTURE')
    args, failed = p.parse_args(), False
    for f in fixtures.find(args.fixtures, os.path.join(args.build, 'fixtures')):
        if f.name in args.names:
            print(f.name, flush=True)
            wrong = Blast(args.build, scratch_of(args.build, 'blast'), *f.image(), f.types()).judge(
                args.pages, args.draws, args.seed)
            print('\n'.join(wrong), flush=True)
            failed |= bool(wrong)
    sys.exit(failed)


if __name__ == '__main__':
    main()
