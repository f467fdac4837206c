#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""hostile.py [--seed S] [--rounds N] [--build DIR] IMAGE[,LAYOUT]...

Damaged copies of a dump: vmcensus must end with a result or a message, whatever the damage.

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
import os
import random
import shutil
import struct
import subprocess
import sys
import threading
import time
import zlib

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from damage import oracle, regions                      # noqa: E402
from damage.served import Served                        # noqa: E402
from exact.containers import of_memory                  # noqa: E402
from lib.kdump import MACHINE_OFFSET, PAGE_DESC         # noqa: E402

TIMEOUT = 120           # s, any one report of a damaged dump
REPORTS = ('summary', 'procs', 'smaps', 'check', 'dmesg', 'cgroups', 'swap', 'shm', 'files', 'symbols',
           'sections', 'total', 'alerts', 'pages', 'export tvpm', 'export smemcap', 'export proc',
           'zones', 'slab', 'vmalloc', 'stacks', 'hugetlb')
CUTS = (0, 1, 7, 64, 4095, 4096, 8192, 40000)
PAGE = 4096
PIECE = 64 << 10
ZLIB, COMPRESSIONS = 0x1, 0x27  # of disk_dump_header.status: zlib; all of them


class Pages:
    """The page descriptors of a kdump-compressed dump, little-endian."""

    def __init__(self, data, status_offset):
        self.data = data
        status, block, sub, bitmap = struct.unpack_from('<IiiI', data, status_offset)
        start = (1 + sub) * block
        held = data[start + bitmap * block // 2:start + bitmap * block]
        self.first = start + bitmap * block
        self.count = sum(b.bit_count() for b in held)

    def read(self, i):
        offset, size, flags, _ = PAGE_DESC.unpack_from(self.data, self.first + i * PAGE_DESC.size)
        page = self.data[offset:offset + size]
        return zlib.decompress(page) if flags & ZLIB else bytes(page)

    def write(self, out, i, page):
        packed = zlib.compress(page, 1)
        flags = ZLIB
        if len(packed) >= len(page):
            packed, flags = page, 0
        PAGE_DESC.pack_into(out, self.first + i * PAGE_DESC.size, len(out), len(packed), flags, 0)
        out += packed


class FlatPages:
    """The pages of an ELF dump: what is aligned in the file is so in memory."""

    def __init__(self, data):
        self.data, self.count = data, len(data) // PAGE - 1

    def read(self, i):
        return bytes(self.data[(i + 1) * PAGE:(i + 2) * PAGE])

    def write(self, out, i, page):
        out[(i + 1) * PAGE:(i + 2) * PAGE] = page


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


def lie(rng, page, pool):
    """PAGE with some of its non-zero words replaced."""
    page = bytearray(page)
    words = [8 * i for i, w in enumerate(struct.unpack(f'<{len(page) // 8}Q', page)) if w]
    if not words:
        return bytes(page)
    for o in rng.sample(words, min(len(words), rng.choice((1, 1, 2, 8)))):
        old = struct.unpack_from('<Q', page, o)[0]
        if old >> 40 == 0xffffff:
            pool.append(old)
        new = rng.choice((0, (1 << 64) - 1, old ^ 1 << rng.randrange(64), old + 8, old - 8,
                          rng.getrandbits(64), rng.choice(pool), rng.choice(pool), o))
        struct.pack_into('<Q', page, o, new & (1 << 64) - 1)
    return bytes(page)


def with_lies(data, rng, share):
    """A copy in which SHARE of the pages hold wrong words."""
    pages, pool, out = pages_of(data), [0], bytearray(data)
    for i in sorted(rng.sample(range(pages.count), max(1, int(pages.count * share)))):
        try:
            pages.write(out, i, lie(rng, pages.read(i), pool))
        except zlib.error:
            continue
    return out


def with_flips(data, places):
    out = bytearray(data)
    for at, bit in places:
        out[at] ^= bit
    return out


def places_of(rng, end, flips):
    return [(rng.randrange(end), 1 << rng.randrange(8)) for _ in range(flips)]


def labels_of(data):
    """What each byte is (regions.py), or None where nobody has written that down."""
    container = {b'KDUMP   ': 'kdump', b'\x7fELF\2\1\1\0': 'elf'}.get(bytes(data[:8]))
    if not container or container == 'kdump' and data[MACHINE_OFFSET:MACHINE_OFFSET + 6] != b'x86_64':
        return None
    return regions.of(container, data)


def can_tell(labels, places):
    """Does the file itself say that something is wrong with one of these bytes?"""
    return labels is not None and not any(
        start <= at < end and what in oracle.BLIND
        for start, end, what in labels for at, _ in places)


def damages(data, seed, rounds):
    """(name, function that makes the damaged bytes, must it be noticed) of each copy."""
    size, labels = len(data), labels_of(data)
    for cut in sorted({c for c in CUTS if c < size} | {size * n // 8 for n in range(1, 8)} |
                      {size - 1}):
        yield f'cut at {cut}', lambda cut=cut: data[:cut], True
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

    def __init__(self, program, image, options):
        self.program, self.image, self.options = program, image, options
        self.known, self.lock = {}, threading.Lock()

    def __getitem__(self, report):
        with self.lock:
            if report not in self.known:
                self.known[report] = ask(self.program, report, self.image, self.options)[1]
            return self.known[report]


def sentence(err):
    lines = [line for line in err.splitlines() if line]
    wrong = [line for line in lines if 'ERROR: ' in line or 'runtime error' in line]
    return '\n'.join(wrong[:3] + lines[-8:])


def command(program, report, path, options):
    report, _, product = report.partition(' ')
    to = ['-o', path + '.out'] if product == 'proc' else []
    return [program, '-f', product or 'csv', report, *to, path, *options]


def ask(program, report, path, options):
    """Exit status (None: no end), answer, stderr."""
    if isinstance(program, Served):
        status, out, err = program.run(command('', report, path, options)[1:])
        return status, of_memory(out.decode(errors='replace')), sentence(err.decode(errors='replace'))
    try:
        done = subprocess.run(command(program, report, path, options), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return None, '', f'no end after {TIMEOUT} s'
    return done.returncode, of_memory(done.stdout.decode(errors='replace')), \
        sentence(done.stderr.decode(errors='replace'))


def overwrite(path, has, wants):
    """Makes of a file that holds HAS one that holds WANTS; only pieces that differ are written."""
    with open(path, 'r+b') as f:
        f.truncate(min(len(has), len(wants)))
        for at in range(0, len(wants), PIECE):
            if has[at:at + PIECE] != wants[at:at + PIECE]:
                f.seek(at)
                f.write(wants[at:at + PIECE])


class Copies:
    """Copies of DATA in files FRONT.N, of which each is damaged and mended again and again."""

    def __init__(self, data, front, uses):
        self.data, self.front, self.left, self.made, self.idle = data, front, uses, 0, []
        self.lock = threading.Lock()

    @contextlib.contextmanager
    def damaged(self, bad):
        """The path of one that holds BAD. After the last use all of them are removed."""
        with self.lock:
            self.made += not self.idle
            path = self.idle.pop() if self.idle else f'{self.front}.{self.made}'
        if not os.path.exists(path):
            with open(path, 'wb') as f:
                f.write(self.data)
        overwrite(path, self.data, bad)
        yield path
        overwrite(path, bad, self.data)
        with self.lock:
            self.idle.append(path)
            self.left -= 1
            if not self.left:
                for each in self.idle:
                    os.unlink(each)


def jobs(tally, program, name, image, types, scratch, rounds):
    """One job for each damaged copy; the copy is kept where the test failed."""
    with open(image, 'rb') as f:
        data = f.read()
    options = ['-t', types] if types else []
    answers, all_damages = Answers(program, image, options), list(damages(data, name, rounds))
    copies = Copies(data, os.path.join(scratch, name), len(all_damages))

    def job(number, what, make, telling):
        report, bad = REPORTS[number % len(REPORTS)], make()
        with copies.damaged(bad) as path:
            outcome, why = oracle.judge('', answers[report], ask(program, report, path, options))
            shutil.rmtree(path + '.out', ignore_errors=True)
        wrong = outcome == oracle.WRONG or outcome == oracle.SILENT and telling
        if wrong:
            path = os.path.join(scratch, f'{name}.damage{number}')
            with open(path, 'wb') as f:
                f.write(bad)
        tally.check(f'hostile {name}: {what}: {report}',
                    [f'{outcome}: {why}\n{" ".join(command(program, report, path, options))}']
                    if wrong else [])

    os.makedirs(scratch, exist_ok=True)
    return [(f'hostile {name}: {damage[0]}', lambda n=n, d=damage: job(n, *d))
            for n, damage in enumerate(all_damages)]


def storm(served, image, options, seed, rounds, scratch):
    """All damages of one dump, one after the other, in one process each of a server: (outcomes, what is wrong)."""
    with open(image, 'rb') as f:
        data = f.read()
    answers, counts, wrong = Answers(served, image, options), collections.Counter(), []
    path = os.path.join(scratch, f'damaged.{os.getpid()}')
    for number, (what, make, telling) in enumerate(damages(data, seed, rounds)):
        report = REPORTS[number % len(REPORTS)]
        with open(path, 'wb') as f:
            f.write(make())
        outcome, why = oracle.judge('', answers[report], ask(served, report, path, options))
        counts[outcome] += 1
        if outcome == oracle.WRONG or outcome == oracle.SILENT and telling:
            wrong.append(f'{image}: {what} (seed {seed}): {report}: {outcome}: {why}')
            print(wrong[-1], flush=True)
        shutil.rmtree(path + '.out', ignore_errors=True)
    os.unlink(path)
    return counts, wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', metavar='DIR')
    p.add_argument('--scratch', default='/dev/shm/vmcensus-hostile', metavar='DIR')
    p.add_argument('--seed', default='nightly')
    p.add_argument('--rounds', type=int, default=100, metavar='N')
    p.add_argument('images', nargs='+', metavar='IMAGE[,LAYOUT]')
    args = p.parse_args()
    served, began = Served(args.build, args.scratch), time.time()
    failed = False
    for image in args.images:
        path, *types = image.split(',')
        counts, wrong = storm(served, path, [o for t in types for o in ('-t', t)], args.seed, args.rounds,
                              args.scratch)
        failed |= bool(wrong)
        print(f'{os.path.basename(path)}: {sum(counts.values())} damaged copies: {dict(counts)}', flush=True)
    print(f'{served.runs} runs, the slowest {served.slowest} ms, the largest {served.largest >> 10} MiB, '
          f'{time.time() - began:.0f} s')
    served.close()
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
