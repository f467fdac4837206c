#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""metadata.py [--build DIR] [--show] [--each N] FIXTURE|FILE...: a dump without one page of its container's metadata.

Each page of 4 KiB of headers, bitmaps, page descriptors and notes is lost in one of two ways: it is zeros, or
bytes drawn by its number. "procs" and "summary" are asked for. Exit status 0 with another answer than the whole
dump's, an answer of a damaged dump whose first line does not name the damage, and exit status 1 without a
sentence that names it are wrong; so is no result, where the rest of the file tells what the page said (MUST).
"""
import argparse
import collections
import os
import random
import re
import shutil
import struct
import sys

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from damage.served import Served                    # noqa: E402
from exact.containers import of_memory              # noqa: E402
from lib import fixtures                            # noqa: E402
from lib.kdump import header_offset                 # noqa: E402
from lib.scratch import scratch_of                  # noqa: E402

PAGE = 4096
HEAD = 4 << 20         # bytes of a dump that hold all but descriptors and pages
NAMED = re.compile(r'(INCOMPLETE|DAMAGED): ')
HEADER, SUB, FIRST, SECOND, DESCS, PHDRS, NOTES, RECORD, RANGE = (
    'header', 'sub-header', 'first bitmap', 'second bitmap', 'descriptors', 'program headers', 'notes',
    'flat record', 'range header')
# Without these pages there is a result. Page tables may be described on others.
MUST = (SUB, FIRST)
SAID = re.compile(r'damaged|incomplete')
SAMPLED = ('x86_64-el9', 'x86_64-7.2-split', 'i386-6.1', 'x86_64-6.1-elf')


def cut(start, end, what):
    """(start, end, what) of each page of [START, END)."""
    while start < end:
        stop = min(end, start // PAGE * PAGE + PAGE)
        yield start, stop, what
        start = stop


def kdump_areas(read):
    """Of what READ(offset, size) has: a little-endian file of makedumpfile."""
    head = read(0, PAGE)
    tail = header_offset(head)
    _, block, sub, bitmaps = struct.unpack_from('<IiiI', head, tail)
    first = (1 + sub) * block
    half, descs = bitmaps * block // 2, first + bitmaps * block
    at, split = (48, struct.unpack('<iQQ', read(block + 12, 20))) if tail == 424 else \
        (32, struct.unpack('<iII', read(block + 8, 12)))
    notes, = struct.unpack('<Q', read(block + at + 8 if tail == 424 else block + at, 8))
    bits = int.from_bytes(read(first + half, half), 'little')
    if split[0] == 1:
        bits = bits >> split[1] & (1 << split[2] - split[1]) - 1
    return [(block, block + PAGE, SUB), (max(notes, block + PAGE), first, NOTES), (first, first + half, FIRST),
            (first + half, descs, SECOND), (descs, descs + 24 * bits.bit_count(), DESCS)]


def kdump(data):
    return [p for a in kdump_areas(lambda at, n: data[at:at + n]) for p in cut(*a)]


def flat(data):
    """Pages of the file that hold headers of records: the areas of the dump inside, and the headers' own."""
    inner, places, at, out = bytearray(HEAD), [], PAGE, [(0, PAGE, HEADER)]
    while True:
        offset, size = struct.unpack_from('>qq', data, at)
        out.append((at, at + 16, RECORD))
        if offset < 0:
            break
        places.append((offset, size, at + 16))
        if offset < HEAD:
            inner[offset:offset + size] = data[at + 16:at + 16 + size]
        at += 16 + size
    areas = kdump_areas(lambda at, n: bytes(inner[at:at + n]))
    for start, end, what in areas:
        for offset, size, place in places:
            a, b = max(start, offset), min(end, offset + size)
            if a < b:
                out += cut(place + a - offset, place + b - offset, what)
    return out


def elf(data):
    order, wide = '>' if data[5] == 2 else '<', data[4] == 2
    entry = struct.Struct(order + ('IIQQQQQQ' if wide else 'IIIIIIII'))
    start, = struct.unpack_from(order + ('Q' if wide else 'I'), data, 32 if wide else 28)
    count, = struct.unpack_from(order + 'H', data, 56 if wide else 44)
    out = list(cut(start, start + count * entry.size, PHDRS))
    for i in range(count):
        words = entry.unpack_from(data, start + i * entry.size)
        kind, offset, size = (words[0], words[2], words[5]) if wide else (words[0], words[1], words[4])
        if kind == 4:
            out += cut(offset, offset + size, NOTES)
    return out


def lime(data):
    out, at = [], 0
    while at < len(data):
        start, end = struct.unpack_from('<QQ', data, at + 8)
        out.append((at, at + 32, RANGE))
        at += 32 + end + 1 - start
    return out


def mcore(data):
    """Version 2 of 64 bits."""
    block, place = struct.unpack_from('<ii', data, 32)
    at, out = block * place, [(0, 48, HEADER)]
    end = at
    while struct.unpack_from('<Q', data, end)[0]:
        end += 24
    return out + list(cut(at, end, RANGE))


def areas_of(data):
    if data[:4] == b'\x7fELF':
        return elf(data)
    if data[:12] == b'makedumpfile':
        return flat(data)
    if data[:4] == b'EMiL':
        return lime(data)
    if data[:4] == b'\xdd\xcc\x8b\x9a':
        return mcore(data)
    return kdump(data)


class Lossy:
    """Copies of a dump's files, of which one page is other bytes for a while."""

    def __init__(self, image, folder):
        os.makedirs(folder, exist_ok=True)
        self.paths = [shutil.copy(path, folder) for path in image]
        self.pages = []
        for n, path in enumerate(self.paths):
            with open(path, 'rb') as f:
                self.pages += [(n, *page) for page in areas_of(f.read())]

    def without(self, page, drawn, run):
        n, start, end, what = page
        new = random.Random(f'{n} {start}').randbytes(end - start) if drawn else bytes(end - start)
        with open(self.paths[n], 'r+b', buffering=0) as f:
            old = os.pread(f.fileno(), end - start, start)
            os.pwrite(f.fileno(), new, start)
            try:
                return run() if old != new else None
            finally:
                os.pwrite(f.fileno(), old, start)


class Metadata:
    def __init__(self, build, scratch, image, types):
        self.lossy = Lossy(image, scratch)
        self.program = Served(build, scratch, '')
        self.arguments = [*self.lossy.paths, *(['-t', types] if types else [])]
        self.counts, self.wrong, self.words = collections.Counter(), [], collections.Counter()
        self.whole = self.ask()

    def ask(self):
        out = {}
        for report, form in (('procs', 'csv'), ('summary', 'text')):
            status, answer, err = self.program.run([report, '-f', form, *self.arguments])
            out[report] = status, answer.decode(errors='replace'), err.decode(errors='replace')
        return out

    def judge(self, what, got):
        """The outcome and what is wrong with it."""
        status, answer, err = got['procs']
        if status not in (0, 1, 2) or got['summary'][0] not in (0, 1, 2):
            return 'crash', err[-300:]
        if status == 1:
            return 'no result', '' if what not in MUST and SAID.search(err) else err
        same = answer == self.whole['procs'][1]
        if not status:
            if got['summary'][0] == 0 and of_memory(got['summary'][1]) != of_memory(self.whole['summary'][1]):
                return 'SILENT', 'summary differs'
            return ('same', '') if same else ('SILENT', 'procs differs')
        first = got['summary'][1].partition('\n')[0]
        if not NAMED.match(first):
            return 'unnamed', first[:200]
        self.words[what, first[:110]] += 1
        return 'same, exit 2' if same else 'differs, exit 2', ''

    def sample(self, each):
        """EACH pages of every kind, the first and the last among them; 0: all."""
        kinds = collections.defaultdict(list)
        for page in self.lossy.pages:
            kinds[page[3]].append(page)
        for those in kinds.values():
            n = min(len(those), each) if each else len(those)
            yield from (those[i * (len(those) - 1) // max(1, n - 1)] for i in range(n))

    def run(self, each=0, show=False):
        for page in self.sample(each):
            for drawn in (False, True):
                got = self.lossy.without(page, drawn, self.ask)
                if not got:
                    continue
                outcome, why = self.judge(page[3], got)
                self.counts[page[3], 'drawn' if drawn else 'zeros', outcome] += 1
                if why:
                    self.wrong.append(f'{page[3]} {page[0]}:{page[1]:#x} {"drawn" if drawn else "zeros"}: {outcome}: '
                                      f'{why.strip()[-300:]}')
                    if show:
                        print(self.wrong[-1], flush=True)
        self.program.close()

    def table(self):
        return '\n'.join([f'{what:<18}{how:<7}{outcome:<18}{n:>6}' for (what, how, outcome), n in
                          sorted(self.counts.items())] +
                         [f'   {what}: {first} x{n}' for (what, first), n in sorted(self.words.items())])


def jobs(tally, build, found, thorough):
    """Some pages of each kind; all with THOROUGH."""
    def job(f):
        m = Metadata(build, scratch_of(build, 'metadata', f.name), f.image(), f.types())
        m.run(0 if thorough else 2)
        tally.check(f'metadata {f.name}: a damaged page is told', m.wrong)
    return [(f'metadata {f.name}', lambda f=f: job(f)) for f in found if f.name in SAMPLED]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', metavar='DIR')
    p.add_argument('--show', action='store_true', help='what is wrong, as it is found')
    p.add_argument('--each', type=int, default=0, metavar='N', help='pages of each kind; 0: all')
    p.add_argument('--fixtures', default='tests/fixtures', metavar='DIR')
    p.add_argument('names', nargs='+', metavar='FIXTURE')
    args = p.parse_args()
    unpacked = os.path.join(args.build, 'fixtures')
    found = fixtures.find(args.fixtures, unpacked) + fixtures.find(args.fixtures + '/field', unpacked)
    todo = [(f.name, f.image(), f.types()) for f in found if f.name in args.names] + \
        [(n, [n], None) for n in args.names if '/' in n]
    for name, image, types in todo:
        folder = f'/dev/shm/vmcensus-metadata/{os.path.basename(name)}'
        m = Metadata(args.build, folder, image, types)
        m.run(args.each, args.show)
        print(name, len(m.lossy.pages), 'pages;', m.program.cost())
        print(m.table(), flush=True)
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
