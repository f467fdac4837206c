# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a dump of a guest small enough for a fixture, without touching what a reader needs.

Kernel code is overwritten with zeroes, and so are the frames that stopped processes map, which
makedumpfile leaves out at its highest level anyway.  Zero pages cost a dump next to nothing.
Frames that were merely free when the truth was told may hold a page table by the time of the dump.
"""
import re
import struct

PAGE = 4096
# Bits of /proc/kpageflags
LRU, SLAB, ANON, HUGE, THP, PGTABLE, RESERVED = 5, 7, 12, 17, 22, 26, 32
USER = 1 << LRU | 1 << ANON | 1 << HUGE | 1 << THP
KERNEL = 1 << SLAB | 1 << PGTABLE | 1 << RESERVED
# Entries of /proc/PID/pagemap
PRESENT, FRAME = 1 << 63, (1 << 55) - 1


def mapped_frames(process):
    """From pagemap.bin: per mapping start, end, count, then the entries."""
    words = memoryview(process.read('pagemap.bin')).cast('Q')
    at = 0
    while at < len(words):
        count = words[at + 2]
        for entry in words[at + 3:at + 3 + count]:
            if entry & PRESENT:
                yield entry & FRAME
        at += 3 + count


def code_frames(truth):
    code = re.search(r'^ +([0-9a-f]+)-([0-9a-f]+) : Kernel code$',
                     truth.read('iomem').decode(), re.M)
    return range(int(code[1], 16) // PAGE, int(code[2], 16) // PAGE) if code else ()


def blank_frames(truth):
    """Frame numbers to blank."""
    flags = memoryview(truth.read('kpageflags')).cast('Q')
    mapped = {pfn for process in truth.frozen() for pfn in mapped_frames(process)}
    # Rings shared with the kernel and the vdso are mapped too, and stay.
    yield from (pfn for pfn in mapped
                if pfn < len(flags) and flags[pfn] & USER and not flags[pfn] & KERNEL)
    yield from code_frames(truth)


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


def shrink_kdump(path, tail, truth):
    """Kernel code in a kdump-compressed file whose pages are not compressed.

    TAIL: where status, block size and the blocks of sub-header and bitmaps stand.
    """
    with open(path, 'r+b') as f:
        data = bytearray(f.read())
        _, block, sub, bitmaps = struct.unpack_from('<IiiI', data, tail)
        descriptors = (1 + sub + bitmaps) * block
        bits = data[(1 + sub) * block + bitmaps * block // 2:descriptors]
        held = [pfn for byte, value in enumerate(bits) if value
                for pfn in range(8 * byte, 8 * byte + 8) if value >> pfn % 8 & 1]
        code = set(code_frames(truth))
        for i, pfn in enumerate(held):
            if pfn in code:
                offset, size = struct.unpack_from('<qI', data, descriptors + 24 * i)
                data[offset:offset + size] = bytes(size)
        f.seek(0)
        f.write(data)
