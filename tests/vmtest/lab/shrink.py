# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a dump of a guest small enough for a fixture, without touching what a reader needs.

Kernel code is overwritten with zeroes, and so are the frames that stopped processes map, which
makedumpfile leaves out at its highest level anyway.  Zero pages cost a dump next to nothing.
Frames that were merely free when the truth was told may hold a page table by the time of the dump.
Where makedumpfile cannot be used, cut() leaves frames out.
"""
import re
import struct

from lib.kdump import header_offset

# Bits of /proc/kpageflags
LRU, SLAB, BUDDY, ANON, HUGE, THP, PGTABLE, RESERVED = 5, 7, 10, 12, 17, 22, 26, 32
USER = 1 << LRU | 1 << ANON | 1 << HUGE | 1 << THP
KERNEL = 1 << SLAB | 1 << PGTABLE | 1 << RESERVED
PT_LOAD, PT_NOTE = 1, 4     # of an ELF program header
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


def linear_address(truth, name):
    """The physical address of a symbol of a PowerPC kernel; 0 if it is not known."""
    return symbol(truth, name, rb'c([0-9a-f]+)')


def symbol(truth, name, address=rb'([0-9a-f]+)'):
    found = re.search(rb'^%s . %s$' % (address, name), truth.read('kallsyms'), re.M)
    return int(found[1], 16) if found else 0


def code_frames(truth):
    code = re.search(r'^ +([0-9a-f]+)-([0-9a-f]+) : Kernel code$',
                     truth.read('iomem').decode(), re.M)
    if code:
        start, end = int(code[1], 16), int(code[2], 16)
        # arm64 counts what cannot be written as code: also kallsyms and BTF
        end = min(end, start + symbol(truth, b'_etext') - symbol(truth, b'_stext'))
    else:       # PowerPC says no more than "System RAM"
        start, end = (linear_address(truth, name) for name in (b'_stext', b'_etext'))
    page = truth.page_size
    return range(-(-start // page), end // page)


def blank_frames(truth):
    """Frame numbers to blank."""
    flags = memoryview(truth.read('kpageflags')).cast('Q')
    mapped = {pfn for process in truth.frozen() for pfn in mapped_frames(process)}
    # Rings shared with the kernel and the vdso are mapped too, and stay.
    yield from (pfn for pfn in mapped
                if pfn < len(flags) and flags[pfn] & USER and not flags[pfn] & KERNEL)
    yield from code_frames(truth)


class Elf:
    """The header and the program headers of an ELF64 core file, which may be big-endian."""

    def __init__(self, f):
        self.file = f
        self.head = f.read(64)
        self.order = '>' if self.head[5] == 2 else '<'
        phoff, = struct.unpack_from(self.order + 'Q', self.head, 32)
        count, = struct.unpack_from(self.order + 'H', self.head, 56)
        f.seek(phoff)
        self.segments = [struct.unpack(self.order + 'IIQQQQQQ', f.read(56)) for _ in range(count)]

    def loads(self):
        """(physical address, file offset, size) of each LOAD."""
        return [(s[4], s[2], s[5]) for s in self.segments if s[0] == PT_LOAD]

    def notes(self):
        return [s for s in self.segments if s[0] == PT_NOTE]

    def frame(self, pfn, page):
        """The bytes of one frame, or None."""
        for physical, offset, size in self.loads():
            if physical <= pfn * page < physical + size:
                self.file.seek(offset + pfn * page - physical)
                return self.file.read(page)
        return None


def shrink(vmcore, truth):
    page = truth.page_size
    with open(vmcore, 'r+b') as f:
        loads = Elf(f).loads()
        for pfn in blank_frames(truth):
            for physical, offset, size in loads:
                if physical <= pfn * page < physical + size:
                    f.seek(offset + pfn * page - physical)
                    f.write(bytes(page))


def kept_frames(elf, truth):
    """(Number, bytes) of what a reader needs: as of makedumpfile -d 31, and less the kernel's code."""
    page = truth.page_size
    flags = memoryview(truth.read('kpageflags')).cast('Q')
    code = code_frames(truth)
    end = max(physical + size for physical, _, size in elf.loads())
    for pfn in range(end // page):
        known = flags[pfn] if pfn < len(flags) else 0
        if pfn in code or (known & USER and not known & KERNEL):
            continue
        data = elf.frame(pfn, page)
        if data and (any(data) or not known >> BUDDY & 1):
            yield pfn, data


def cut(vmcore, out, truth):
    """Copy VMCORE to OUT with one LOAD for each run of the frames that are kept."""
    page = truth.page_size
    with open(vmcore, 'rb') as f:
        elf = Elf(f)
        kept = list(kept_frames(elf, truth))
        notes = []
        for note in elf.notes():
            f.seek(note[2])
            notes.append((note, f.read(note[5])))
    runs = []
    for pfn, data in kept:
        if runs and runs[-1][0] + len(runs[-1][1]) == pfn:
            runs[-1][1].append(data)
        else:
            runs.append((pfn, [data]))
    count = len(notes) + len(runs)
    at = 64 + 56 * count
    head = bytearray(elf.head)
    struct.pack_into(elf.order + 'QQ', head, 32, 64, 0)         # e_phoff, e_shoff
    struct.pack_into(elf.order + 'HHHHHH', head, 52, 64, 56, count, 0, 0, 0)
    headers, bodies = [], []
    for note, data in notes:
        headers.append(note[:2] + (at,) + note[3:])
        bodies.append(data)
        at += len(data)
    for pfn, pages in runs:
        size = len(pages) * page
        headers.append((PT_LOAD, 0, at, 0, pfn * page, size, size, 0))
        bodies += pages
        at += size
    with open(out, 'wb') as f:
        f.write(head)
        for header in headers:
            f.write(struct.pack(elf.order + 'IIQQQQQQ', *header))
        f.writelines(bodies)


def shrink_kdump(path, truth):
    """Kernel code in a kdump-compressed file whose pages are not compressed."""
    with open(path, 'r+b') as f:
        data = bytearray(f.read())
        _, block, sub, bitmaps = struct.unpack_from('<IiiI', data, header_offset(data))
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
