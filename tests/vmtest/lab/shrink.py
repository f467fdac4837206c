# SPDX-License-Identifier: GPL-3.0-or-later
"""Make QEMU's ELF dump of a guest small enough for a fixture, without touching what a reader needs.

Kernel code is overwritten with zeroes, and so are free frames and those of user space, which
makedumpfile -d 31 would leave out anyway if it knew how the newest kernels mark them.  Zero pages
cost a dump next to nothing.
"""
import re
import struct

PAGE = 4096
# Bits of /proc/kpageflags
LRU, SLAB, BUDDY, ANON, HUGE, THP, PGTABLE, RESERVED = 5, 7, 10, 12, 17, 22, 26, 32
BLANK = 1 << LRU | 1 << BUDDY | 1 << ANON | 1 << HUGE | 1 << THP
KEEP = 1 << SLAB | 1 << PGTABLE | 1 << RESERVED


def blank_frames(truth):
    """Frame numbers to blank."""
    flags = truth.read('kpageflags')
    for pfn, (word,) in enumerate(struct.iter_unpack('<Q', flags)):
        if word & BLANK and not word & KEEP:
            yield pfn
    code = re.search(r'^ +([0-9a-f]+)-([0-9a-f]+) : Kernel code$',
                     truth.read('iomem').decode(), re.M)
    if code:
        yield from range(int(code[1], 16) // PAGE, int(code[2], 16) // PAGE)


def segments(f):
    """(physical address, file offset, size) of each LOAD of a 64-bit little-endian ELF file."""
    head = f.read(64)
    phoff, = struct.unpack_from('<Q', head, 32)
    count, = struct.unpack_from('<H', head, 56)
    f.seek(phoff)
    for _ in range(count):
        kind, _, offset, _, physical, size, _, _ = struct.unpack('<IIQQQQQQ', f.read(56))
        if kind == 1:
            yield physical, offset, size


def shrink(vmcore, truth):
    with open(vmcore, 'r+b') as f:
        loads = list(segments(f))
        for pfn in blank_frames(truth):
            for physical, offset, size in loads:
                if physical <= pfn * PAGE < physical + size:
                    f.seek(offset + pfn * PAGE - physical)
                    f.write(bytes(PAGE))
