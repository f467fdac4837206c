# SPDX-License-Identifier: GPL-3.0-or-later
"""Dumps as a crash takes them: as memory lies in RAM, in its byte order; where the kernel is."""
import re
import struct

PAGE = 4096
PT_LOAD, PT_NOTE = 1, 4


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


def kaslr_i386(dump, vmlinux):
    """How far KASLR moved the kernel: on i386 neither VMCOREINFO nor crash says it."""
    with open(dump, "rb") as f:
        stext = int(re.search(rb"SYMBOL\(_stext\)=(\w+)", f.read(1 << 20))[1], 16)
    with open(vmlinux, "rb") as f:
        phoff, = struct.unpack_from("<I", f.read(52), 28)
        f.seek(phoff)
        _, _, linked = struct.unpack("<III", f.read(12))    # the first LOAD begins with _stext
    return stext - linked


def swapped(source):
    """A copy of a 64-bit ELF dump whose headers are big-endian, as QEMU writes it of a ppc64le
    guest: crash opens none whose order is not its own. What notes hold stays as it is."""
    target = source + ".swapped"
    with open(source, "rb") as f:
        data = bytearray(f.read())

    def swap(form, at):
        words = struct.unpack_from(">" + form, data, at)
        struct.pack_into("<" + form, data, at, *words)
        return words

    data[5] = 1
    head = swap("HHIQQQIHHHHHH", 16)
    phoff, phentsize, phnum = head[4], head[8], head[9]
    for at in range(phoff, phoff + phentsize * phnum, phentsize):
        kind, _, offset, _, _, size, _, _ = swap("IIQQQQQQ", at)
        note, end = offset, offset + size
        while kind == PT_NOTE and note + 12 <= end:
            name, desc, _ = swap("III", note)
            note += 12 + -(-name // 4) * 4 + -(-desc // 4) * 4
    with open(target, "wb") as f:
        f.write(data)
    return target
