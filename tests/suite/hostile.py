# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged copies of a dump: whatever is done to it, vmcensus answers and ends.

Three kinds of damage, each at places that depend on nothing but the seed:
cut short, bits flipped in the file, and words of page contents replaced (ELF,
and kdump-compressed with zlib or not at all): the container is then whole, and the
kernel inside tells lies, the worst of them pointers to other real objects.
"""
import os
import random
import shutil
import struct
import subprocess
import zlib

from .tally import death

TIMEOUT = 120           # s, any one report of a damaged dump
REPORTS = ('summary', 'procs', 'smaps', 'check', 'dmesg', 'export tvpm', 'export smemcap',
           'export proc')
CUTS = (0, 1, 7, 64, 4095, 4096, 8192, 40000)
PAGE = 4096
ZLIB, COMPRESSIONS = 0x1, 0x27  # of disk_dump_header.status: zlib; all of them
PAGE_DESC = struct.Struct('<qIIQ')      # offset, size, flags, page_flags
STATUS_OFFSET = 424                     # struct disk_dump_header on x86-64


class Pages:
    """The page descriptors of a kdump-compressed dump, little-endian and 64-bit."""

    def __init__(self, data):
        self.data = data
        status, block, sub, bitmap = struct.unpack_from('<IiiI', data, STATUS_OFFSET)
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
    if data[:8] == b'KDUMP   ' and \
            struct.unpack_from('<I', data, STATUS_OFFSET)[0] & COMPRESSIONS in (0, ZLIB):
        return Pages(data)
    return None


def lie(rng, page, pool):
    """PAGE with some of its non-zero words replaced."""
    page = bytearray(page)
    words = [o for o in range(0, len(page), 8) if any(page[o:o + 8])]
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


def with_flips(data, rng, start, end, flips):
    out = bytearray(data)
    for _ in range(flips):
        out[rng.randrange(start, end)] ^= 1 << rng.randrange(8)
    return out


def damages(data, seed, rounds):
    """(name, function that makes the damaged bytes) of each copy."""
    size = len(data)
    for cut in sorted({c for c in CUTS if c < size} | {size * n // 8 for n in range(1, 8)} |
                      {size - 1}):
        yield f'cut at {cut}', lambda cut=cut: data[:cut]
    for i in range(rounds):
        rng = random.Random(f'{seed} flip {i}')
        head = min(size, 1 << (9 + i % 12))
        yield f'flips {i} in the first {head}', \
            lambda r=rng, h=head: with_flips(data, r, 0, h, r.choice((1, 1, 2, 16)))
    for i in range(rounds // 2):
        rng = random.Random(f'{seed} anywhere {i}')
        yield f'flips {i} anywhere', \
            lambda r=rng: with_flips(data, r, 0, size, 1 << r.randrange(16))
    if pages_of(data):
        for i in range(rounds):
            rng = random.Random(f'{seed} lies {i}')
            yield f'lies {i}', lambda r=rng: with_lies(data, r, r.choice((.001, .01, .05, .3)))


def sentence(err):
    lines = [line for line in err.decode(errors='replace').splitlines() if line]
    wrong = [line for line in lines if 'ERROR: ' in line or 'runtime error' in line]
    return '\n'.join(wrong[:3] + lines[-8:])


def command(program, report, path):
    report, _, product = report.partition(' ')
    to = ['-o', path + '.out'] if product == 'proc' else []
    return [program, '-f', product or 'csv', report, *to, path]


def survives(program, report, path):
    """What is wrong with how PROGRAM took it, or ''."""
    try:
        done = subprocess.run(command(program, report, path), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f'no answer in {TIMEOUT} s'
    if done.returncode in (0, 1, 2):
        if done.returncode == 1 and not done.stderr:
            return 'exit 1 without a word'
        return ''
    return f'{death(done.returncode) or f"exit {done.returncode}"}\n{sentence(done.stderr)}'


def jobs(tally, program, name, image, scratch, rounds):
    """One job for each damaged copy; the copy is kept where the test failed."""
    with open(image, 'rb') as f:
        data = f.read()

    def job(number, what, make):
        path = os.path.join(scratch, f'{name}.{number}')
        report = REPORTS[number % len(REPORTS)]
        with open(path, 'wb') as f:
            f.write(make())
        wrong = survives(program, report, path)
        tally.check(f'hostile {name}: {what}: {report}',
                    [f'{wrong}\n{" ".join(command(program, report, path))}'] if wrong else [])
        shutil.rmtree(path + '.out', ignore_errors=True)
        if not wrong:
            os.unlink(path)

    os.makedirs(scratch, exist_ok=True)
    return [lambda n=n, what=what, make=make: job(n, what, make)
            for n, (what, make) in enumerate(damages(data, name, rounds))]
