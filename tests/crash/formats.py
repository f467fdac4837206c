# SPDX-License-Identifier: GPL-3.0-or-later
"""A dump as crash alone opens it: memory as it lies in RAM, made of an ELF dump."""
import re
import struct

PAGE = 4096
PT_LOAD = 1


def loads(elf):
    """(offset, physical address, size) of each piece of memory in a 64-bit little-endian ELF file."""
    head = elf.read(64)
    phoff, = struct.unpack_from("<Q", head, 32)
    phentsize, phnum = struct.unpack_from("<HH", head, 54)
    elf.seek(phoff)
    table = elf.read(phentsize * phnum)
    for at in range(0, len(table), phentsize):
        kind, = struct.unpack_from("<I", table, at)
        offset, _, paddr, filesz = struct.unpack_from("<QQQQ", table, at + 8)
        if kind == PT_LOAD and filesz:
            yield offset, paddr, filesz


def flat(source, target):
    """Memory from address 0 on; what ELF leaves out reads as zeroes."""
    with open(source, "rb") as elf, open(target, "wb") as out:
        end = 0
        for offset, paddr, size in list(loads(elf)):
            elf.seek(offset)
            out.seek(paddr)
            out.write(elf.read(size))
            end = max(end, paddr + size)
        out.truncate(-(-end // PAGE) * PAGE)
    return target


def placement(source):
    """crash's options that say where the kernel is: such a file does not tell."""
    with open(source, "rb") as f:
        notes = f.read(1 << 16)
    offset = int(re.search(rb"KERNELOFFSET=(\w+)", notes)[1], 16)
    base = int(re.search(rb"NUMBER\(phys_base\)=(-?\d+)", notes)[1])
    return [f"--kaslr={offset:#x}", "-m", f"phys_base={base % (1 << 64):#x}"]
