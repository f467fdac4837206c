#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""hostile.py [--seed S] [--rounds N] [--build DIR] [FIXTURE...]

Damaged copies of real dumps: vmcensus must end with a result or a message, whatever the damage, after no
more than 10 s of processor time, and with no more than 1 GiB of memory.

Three kinds of damage, each at places that depend only on the seed:
cut short, bits flipped in the file, and words of page contents replaced (ELF,
and kdump-compressed with zlib or not at all): the container is then whole, and the
kernel inside tells lies, the worst of them pointers to other real objects.

Each answer is judged as oracle.py does. Exit status 0 is only for the undamaged answer, but where
contents were changed of which nothing in the file could tell: flipped bits of pages that have no
checksum, and lies.
"""
import argparse
import collections
import contextlib
import itertools
import os
import random
import shutil
import struct
import sys
import threading
import time
import zlib

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from damage import oracle, regions                      # noqa: E402
from damage.served import Served                        # noqa: E402
from exact.containers import of_memory                  # noqa: E402
from lib import fixtures, reports                       # noqa: E402
from lib.kdump import MACHINE_OFFSET, PAGE_DESC         # noqa: E402

# of two dumps, of many, of no memory, of no rows, or the sums of others
REPORTS = (*reports.but('diff', 'costs', 'id', 'fleet', 'clusters', 'regress', 'leaks', 'config', 'layout', 'html',
                        'export', 'capsule'), 'export tvpm', 'export smemcap', 'export proc')
CUTS = (0, 1, 7, 64, 4095, 4096, 8192, 40000)
PAGE = 4096
MOST_PAGES = 2000       # of one copy that hold lies
ZLIB, COMPRESSIONS = 0x1, 0x27  # of disk_dump_header.status: zlib; all of them


class Bad:
    """What is done to a copy of DATA: the size that it gets, and bytes at places of it."""

    def __init__(self, data, size=None):
        self.data, self.size, self.pieces = data, len(data) if size is None else size, []

    def put(self, at, piece):
        self.pieces.append((at, piece))
        self.size = max(self.size, at + len(piece))

    def apply(self, path):
        with open(path, 'r+b', buffering=0) as f:
            for at, piece in self.pieces:
                os.pwrite(f.fileno(), piece, at)
            f.truncate(self.size)

    def undo(self, path):
        whole = len(self.data)
        with open(path, 'r+b', buffering=0) as f:
            for at, piece in self.pieces:
                os.pwrite(f.fileno(), self.data[at:at + len(piece)], at)
            f.truncate(min(self.size, whole))
            f.seek(min(self.size, whole))
            f.write(self.data[self.size:])


class Pages:
    """The page descriptors of a kdump-compressed dump, little-endian."""

    def __init__(self, data, status_offset):
        self.data = data
        _, block, sub, bitmap = struct.unpack_from('<IiiI', data, status_offset)
        start = (1 + sub) * block
        self.first = start + bitmap * block
        self.count = sum(what == regions.DESC and (end - at) // PAGE_DESC.size
                         for at, end, what in labels_of(data))

    def read(self, i):
        offset, size, flags, _ = PAGE_DESC.unpack_from(self.data, self.first + i * PAGE_DESC.size)
        page = self.data[offset:offset + size]
        return zlib.decompress(page) if flags & ZLIB else bytes(page)

    def write(self, bad, i, page):
        packed = zlib.compress(page, 1)
        flags = ZLIB
        if len(packed) >= len(page):
            packed, flags = page, 0
        bad.put(self.first + i * PAGE_DESC.size, PAGE_DESC.pack(bad.size, len(packed), flags, 0))
        bad.put(bad.size, packed)


class FlatPages:
    """The pages of an ELF dump: what is aligned in the file is so in memory."""

    def __init__(self, data):
        self.data, self.count = data, len(data) // PAGE - 1

    def read(self, i):
        return bytes(self.data[(i + 1) * PAGE:(i + 2) * PAGE])

    def write(self, bad, i, page):
        bad.put((i + 1) * PAGE, page)


def pages_of(data):
    """None where pages cannot be replaced."""
    if data[:4] == b'\x7fELF':
        return FlatPages(data)
    # after the time of the crash, two longs
    status = {b'x86_': 424, b'i686': 412}.get(bytes(data[MACHINE_OFFSET:MACHINE_OFFSET + 4]))
    if data[:8] == b'KDUMP   ' and status and \
            struct.unpack_from('<I', data, status)[0] & COMPRESSIONS in (0, ZLIB):
        return Pages(data, status)
    return None


def of_kernel(word, size):
    """Is it an address of the kernel's, on some CPU?"""
    return word >> 30 == 3 if size == 4 else word >> 40 == 0xffffff or word >> 60 == 0xc


def lie(rng, page, pool, kind):
    """PAGE with some of its non-zero words replaced."""
    page, size, all_ones = bytearray(page), kind.word, (1 << 8 * kind.word) - 1
    one = struct.Struct(kind.order + ('Q' if size == 8 else 'I'))
    words = list(itertools.compress(range(0, len(page), size), memoryview(page).cast('IQ'[size == 8])))
    if not words:
        return bytes(page)
    for o in rng.sample(words, min(len(words), rng.choice((1, 1, 2, 8)))):
        old, = one.unpack_from(page, o)
        if of_kernel(old, size):
            pool.append(old)
        new = rng.choice((0, all_ones, old ^ 1 << rng.randrange(8 * size), old + size, old - size,
                          rng.getrandbits(8 * size), rng.choice(pool), rng.choice(pool), o))
        one.pack_into(page, o, new & all_ones)
    return bytes(page)


def with_lies(data, rng, share):
    """SHARE of the pages hold wrong words."""
    pages, pool, bad, kind = pages_of(data), [0], Bad(data), kind_of(data)
    for i in sorted(rng.sample(range(pages.count), max(1, min(MOST_PAGES, int(pages.count * share))))):
        try:
            pages.write(bad, i, lie(rng, pages.read(i), pool, kind))
        except zlib.error:
            continue
    return bad


def with_flips(data, places):
    bits = collections.Counter()
    for at, bit in places:
        bits[at] ^= bit
    bad = Bad(data)
    for at, flipped in bits.items():
        bad.put(at, bytes([data[at] ^ flipped]))
    return bad


def places_of(rng, end, flips):
    return [(rng.randrange(end), 1 << rng.randrange(8)) for _ in range(flips)]


def kind_of(data):
    """The kind of machine of a dump, or None where the container does not tell."""
    if data[:4] == b'\x7fELF':
        return regions.Kind('><'[data[5] == 1], 4 * data[4], PAGE)
    if data[:8] == b'KDUMP   ':
        return regions.kind_of(bytes(data[MACHINE_OFFSET:MACHINE_OFFSET + 65]).split(b'\0')[0].decode())
    return None


def labels_of(data):
    """What each byte is (regions.py), or None where nobody has written that down."""
    kind = kind_of(data)
    return regions.of('elf' if data[:4] == b'\x7fELF' else 'kdump', data, kind) if kind else None


def can_tell(labels, places):
    """Does the file itself say that something is wrong with one of these bytes?"""
    return labels is not None and not any(
        start <= at < end and what in oracle.BLIND
        for start, end, what in labels for at, _ in places)


def damages(data, seed, rounds):
    """(name, function that says what is damaged, must it be noticed) of each copy."""
    size, labels = len(data), labels_of(data)
    for cut in sorted({c for c in CUTS if c < size} | {size * n // 8 for n in range(1, 8)} |
                      {size - 1}):
        yield f'cut at {cut}', lambda cut=cut: Bad(data, cut), True
    for i in range(rounds):
        rng = random.Random(f'{seed} flip {i}')
        head = min(size, 1 << (9 + i % 12))
        places = places_of(rng, head, rng.choice((1, 1, 2, 16)))
        yield f'flips {i} in the first {head}', lambda p=places: with_flips(data, p), \
            can_tell(labels, places)
    for i in range(rounds // 2):
        rng = random.Random(f'{seed} anywhere {i}')
        places = places_of(rng, size, 1 << rng.randrange(16))
        yield f'flips {i} anywhere', lambda p=places: with_flips(data, p), can_tell(labels, places)
    if pages_of(data):
        for i in range(rounds):
            rng = random.Random(f'{seed} lies {i}')
            yield f'lies {i}', lambda r=rng: with_lies(data, r, r.choice((.001, .01, .05, .3))), False


class Answers:
    """What the undamaged dump says, asked for once."""

    def __init__(self, program, files, scratch):
        self.program, self.files, self.scratch = program, files, scratch
        self.known, self.lock = {}, threading.Lock()

    def __getitem__(self, report):
        with self.lock:
            if report not in self.known:
                self.known[report] = ask(self.program, report, self.files, self.scratch)[1]
            return self.known[report]


def sentence(err):
    lines = [line for line in err.splitlines() if line]
    wrong = [line for line in lines if 'ERROR: ' in line or 'runtime error' in line]
    return '\n'.join(wrong[:3] + lines[-8:])


def command(report, files, to):
    report, _, product = report.partition(' ')
    # kernel text of i386, memory of ppc32
    where = ['0xc1000000'] if report == 'who' else reports.WORDS.get(report, [])
    return ['-f', product or 'csv', report, *where, *(['-o', to] if product == 'proc' else []), *files]


def ask(program, report, files, scratch):
    """Exit status, answer, stderr. FILES: of the dump, and -t of its types."""
    to = os.path.join(scratch, f'tree.{os.getpid()}.{threading.get_ident()}')
    status, out, err = program.run(command(report, files, to))
    shutil.rmtree(to, ignore_errors=True)
    return status, of_memory(out.decode(errors='replace')), sentence(err.decode(errors='replace'))


class Copies:
    """Copies of DATA in files FRONT.N, of which each is damaged and mended again and again."""

    def __init__(self, data, front, uses):
        self.data, self.front, self.left, self.made, self.idle = data, front, uses, 0, []
        self.lock = threading.Lock()

    @contextlib.contextmanager
    def damaged(self, bad):
        """The path of one with that damage. After the last use all of them are removed."""
        with self.lock:
            self.made += not self.idle
            path = self.idle.pop() if self.idle else f'{self.front}.{self.made}'
        if not os.path.exists(path):
            with open(path, 'wb') as f:
                f.write(self.data)
        bad.apply(path)
        yield path
        bad.undo(path)
        with self.lock:
            self.idle.append(path)
            self.left -= 1
            if not self.left:
                for each in self.idle:
                    os.unlink(each)

    def ended(self):
        """True once, after the last use."""
        with self.lock:
            ended = not self.left
            self.left -= ended
            return ended


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def jobs(tally, build, program, name, files, scratch, rounds):
    """One job for each damaged copy of the first of FILES; the copy is kept where the test failed."""
    data, served, others = read(files[0]), Served(build, scratch, program), files[1:]
    answers, all_damages = Answers(served, files, scratch), list(damages(data, name, rounds))
    copies = Copies(data, os.path.join(scratch, name), len(all_damages))

    def job(number, what, make, telling):
        report, bad = REPORTS[number % len(REPORTS)], make()
        with copies.damaged(bad) as path:
            outcome, why = oracle.judge('csv', answers[report], ask(served, report, [path, *others], scratch))
        wrong = outcome == oracle.WRONG or outcome == oracle.SILENT and telling
        if wrong:
            path = os.path.join(scratch, f'{name}.damage{number}')
            with open(path, 'wb') as f:
                f.write(data)
            bad.apply(path)
        tally.check(f'hostile {name}: {what}: {report}',
                    [f'{outcome}: {why}\n{program} {" ".join(command(report, [path, *others], path + ".out"))}']
                    if wrong else [])
        if copies.ended():
            print(f'     hostile {name}: {served.cost()}', flush=True)
            served.close()

    os.makedirs(scratch, exist_ok=True)
    return [(f'hostile {name}: {damage[0]}', lambda n=n, d=damage: job(n, *d))
            for n, damage in enumerate(all_damages)]


def dumps_of(fixture):
    """Each file of it first, with the others and -t of its types behind it."""
    files, types = fixture.image(), ['-t', fixture.types()] if fixture.types() else []
    return [[f, *(o for o in files if o != f), *types] for f in files]


def storm(served, files, seed, rounds, scratch):
    """All damages of the first of FILES, one after the other: (outcomes, what is wrong)."""
    data, counts, wrong = read(files[0]), collections.Counter(), []
    answers, all_damages = Answers(served, files, scratch), list(damages(data, seed, rounds))
    copies = Copies(data, os.path.join(scratch, f'damaged{os.getpid()}'), len(all_damages))
    for number, (what, make, telling) in enumerate(all_damages):
        report = REPORTS[number % len(REPORTS)]
        with copies.damaged(make()) as path:
            outcome, why = oracle.judge('csv', answers[report], ask(served, report, [path, *files[1:]], scratch))
        counts[outcome] += 1
        if outcome in (oracle.WRONG, oracle.SILENT):
            told = f'{files[0]}: {what} (seed {seed}): {report}: {outcome}: {why}'
            print(told[:400], flush=True)
            if outcome == oracle.WRONG or telling:
                wrong.append(told)
    return counts, wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', metavar='DIR')
    p.add_argument('--scratch', default='/dev/shm/vmcensus-hostile', metavar='DIR')
    p.add_argument('--seed', default='nightly')
    p.add_argument('--rounds', type=int, default=100, metavar='N')
    p.add_argument('--fixtures', default='tests/fixtures', metavar='DIR')
    p.add_argument('names', nargs='*', metavar='FIXTURE', help='of those in DIR; none: all')
    args = p.parse_args()
    os.makedirs(args.scratch, exist_ok=True)
    served, began = Served(args.build, args.scratch), time.time()
    failed, all_counts = False, collections.Counter()
    for f in fixtures.find(args.fixtures, os.path.join(args.build, 'fixtures')):
        if args.names and f.name not in args.names:
            continue
        for files in dumps_of(f):
            counts, wrong = storm(served, files, args.seed, args.rounds, args.scratch)
            failed |= bool(wrong)
            all_counts += counts
            print(f'{f.name}, {os.path.basename(files[0])}: {sum(counts.values())} damaged copies: {dict(counts)}',
                  flush=True)
    print(f'{sum(all_counts.values())} damaged copies: {dict(all_counts)}; {served.cost()}, '
          f'{time.time() - began:.0f} s')
    served.close()
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
