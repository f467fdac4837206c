# SPDX-License-Identifier: GPL-3.0-or-later
"""What each byte of a dump file is: (start, end, what), ascending.

"contents" are pages as they are and "packed" pages whose packing has no checksum: nothing in the
file shows whether they are right. "checked" pages have one. All other bytes are the container's
own.
"""
import bisect
import collections
import re
import struct
import zlib

HEADER, TEXT, NAMES, BITMAP, DESC, RECORD = 'header', 'vmcoreinfo', 'names', 'bitmap', 'descriptor', 'record'
CHECKED, PACKED, CONTENTS, UNUSED = 'checked', 'packed', 'contents', 'unused'


# A machine: its order of bytes as struct has it, the bytes of a word and of a page.
Kind = collections.namedtuple('Kind', 'order word page')
# Of a kdump file, by the bytes of a word and the alignment of its offsets: where the sub-header has split,
# start and end; the places and lengths of VMCOREINFO and of the notes; its end.
SUBS = {(8, 8): (12, 16, 24, 32, 40, 48, 56, 112), (4, 4): (8, 12, 16, 20, 28, 32, 40, 80),
        (4, 8): (8, 12, 16, 24, 32, 40, 48, 96)}
# ELF: program headers, number of them; of one: its bytes, place in the file, bytes there
ELF_HEADER = {8: (32, 56, 56, 8, 32), 4: (28, 44, 32, 4, 16)}


def kind_of(cpu):
    """Of a row of tests/machine/paging.c, or of utsname's machine."""
    page = re.search(r'-(\d+)k\b', cpu)
    return Kind('>' if cpu.startswith('ppc') and not cpu.startswith('ppc64le') else '<',
                8 if cpu.startswith(('x86_64', 'ppc64', 'arm64', 'riscv64')) else 4, int(page[1]) << 10 if page else 4096)


class Words:
    """Numbers of a file of one kind of machine."""

    def __init__(self, data, kind):
        self.data, self.kind = data, kind

    def at(self, place, size=0):
        """SIZE: 0 for a word."""
        number = self.data[place:place + (size or self.kind.word)]
        return int.from_bytes(number, 'big' if self.kind.order == '>' else 'little')


def elf(data, kind):
    w = Words(data, kind)
    headers, number, length, offset, filesz = ELF_HEADER[kind.word]
    first, count = w.at(headers), w.at(number, 2)
    out = [(0, number + 8, HEADER), (first, first + length * count, HEADER)]
    for at in range(first, first + length * count, length):
        start, size = w.at(at + offset), w.at(at + filesz)
        if size:
            out += [(start, start + 24, HEADER), (start + 24, start + size, TEXT)] if w.at(at, 4) == 4 else \
                [(start, start + size, CONTENTS)]
    return out


def kdump(data, kind):
    w, base = Words(data, kind), 424 if kind.word == 8 else 412
    block, sub, bitmaps = (w.at(base + i, 4) for i in (4, 8, 12))
    place = SUBS[kind.word, 8 if kind.word == 8 or kind.order == '>' else 4]
    split, start, end = w.at(block + place[0], 4), w.at(block + place[1]), w.at(block + place[2])
    text, notes = w.at(block + place[3], 8), w.at(block + place[5], 8)
    length = w.at(block + place[4])
    first = (1 + sub) * block
    descs = first + bitmaps * block
    held = int.from_bytes(data[first + bitmaps * block // 2:descs], 'little')
    if split == 1:
        held = held >> start & (1 << end - start) - 1
    count = held.bit_count()
    out = [(0, 12, HEADER), (12, 402, NAMES), (base - 2 * kind.word, base, NAMES), (base, base + 40, HEADER),
           (block, block + place[7], HEADER), (notes, notes + 24, HEADER), (text, text + length, TEXT),
           (first, first + bitmaps * block // 2, UNUSED),
           (first + bitmaps * block // 2, descs, BITMAP), (descs, descs + 24 * count, DESC)]
    seen = set()
    for i in range(count):
        offset, size, flags, _ = struct.unpack_from(kind.order + 'qIIQ', data, descs + 24 * i)
        if offset not in seen:
            seen.add(offset)
            out.append((offset, offset + size, CHECKED if flags & 1 else PACKED if flags else CONTENTS))
    return out


def flat(data, kind):
    """Records: which bytes of them are the last word about a byte of the dump."""
    records, at = [], 4096
    out = [(0, 32, HEADER)]
    while True:
        offset, size = struct.unpack_from('>qq', data, at)
        out.append((at, at + 16, RECORD))
        if offset < 0:
            break
        records.append((offset, size, at + 16))
        at += 16 + size
    inner = bytearray(max(o + n for o, n, _ in records))
    owner = {}
    for o, n, pos in records:
        inner[o:o + n] = data[pos:pos + n]
        owner[o] = (n, pos)     # only the tests' own rewrite from their start
    starts = sorted(owner)
    for start, end, what in kdump(bytes(inner), kind):
        for o in starts[max(0, bisect.bisect_right(starts, start) - 1):bisect.bisect_left(starts, end)]:
            n, pos = owner[o]
            a, b = max(start, o), min(end, o + n)
            if a < b:
                out.append((pos + a - o, pos + b - o, what))
    return out


def lime(data, kind):
    out, at, w = [], 0, Words(data, kind)
    while at < len(data):
        size = w.at(at + 16, 8) + 1 - w.at(at + 8, 8)
        out += [(at, at + 32, HEADER), (at + 32, at + 32 + size, CONTENTS)]
        at += 32 + size
    return out


def avml(data, _):
    out, at = [], 0
    while at < len(data):
        start, end = struct.unpack_from('<QQ', data, at + 8)
        out.append((at, at + 42, HEADER))
        left, at = end + 1 - start, at + 42
        while left > 0:
            frame, size = data[at], int.from_bytes(data[at + 1:at + 4], 'little')
            varint = value = 0
            while frame == 0:
                value |= (data[at + 8 + varint] & 0x7f) << 7 * varint
                varint += 1
                if not data[at + 7 + varint] & 0x80:
                    break
            out += [(at, at + 8 + varint, RECORD), (at + 8 + varint, at + 4 + size, CHECKED)]
            left -= value if frame == 0 else size - 4
            at += 4 + size
        out.append((at, at + 8, HEADER))
        at += 8
    return out


def stream_end(data, at):
    d = zlib.decompressobj()
    for piece in range(at, len(data), 1 << 16):
        d.decompress(data[piece:piece + (1 << 16)])
        if d.eof:
            return min(len(data), piece + (1 << 16)) - len(d.unused_data)
    raise ValueError(f'no end of the stream at {at}')


def mcore(data, kind):
    w, word = Words(data, kind), kind.word
    headers, shift = [0], 0
    if w.at(0) != 0x9a8bccdd:
        shift, headers = -100, []
        while w.at(4 * len(headers), 4):
            headers.append(kind.page * w.at(4 * len(headers), 4))
    out = [(0, 4 * len(headers) + 4, HEADER)] if headers[0] else []
    for h in headers:
        place, entries = w.at(h + 4 * word + 4, 4), w.at(h + 4 * word + 12, 4)
        out += [(h, h + word, HEADER),
                (h + 4 * word, h + (7 * word if word == 8 else 9 * word) if h else 4 * word + 12, HEADER)]
        step, at, n = (32 if word == 8 else 20) if h else 2 * word + 8, h + place * kind.page, 0
        while (n < entries) if h else w.at(at):
            block = w.at(at + 2 * word, 4) + (h // kind.page + shift if h else 0)
            out += [(at, at + word, HEADER), (at + 2 * word, at + 2 * word + 8, HEADER),
                    (block * kind.page, stream_end(data, block * kind.page), CHECKED)]
            at += step
            n += 1
        if not h:
            out.append((at, at + 2 * word + 8, HEADER))
    return out


def qemu(data, _):
    """As tests/unit/mkmemory.c writes it: configuration, sections 1 to 3."""
    out, at = [], 15
    while at < len(data):
        kind, start, at = data[at], at, at + 5
        if kind == 0x7e:
            out.append((start, at, HEADER))
            continue
        at += 4 + 8 if kind == 1 else 0
        out.append((start, at, HEADER))
        while True:
            word, start, at = struct.unpack_from('>Q', data, at)[0], at, at + 8
            if word & 0x10:
                out.append((start, at, HEADER))
                break
            if word & 4:
                at += sum(1 + n + 8 for n in (6, 21))
                out.append((start, at, HEADER))
                continue
            at += 0 if word & 0x20 else 1 + data[at]
            at += 1 if word & 2 else 0
            out.append((start, at, RECORD))
            if word & 8:
                out.append((at, at + 4096, CONTENTS))
                at += 4096
    return [(0, 15, HEADER)] + out


def raw(data, _):
    return [(0, len(data), CONTENTS)]


FORMS = {'elf': elf, 'kdump': kdump, 'flat': flat, 'split': kdump, 'lime': lime, 'avml': avml,
         'mcore1': mcore, 'mcore2': mcore, 'raw': raw, 'qemu': qemu}


def of(container, data, kind):
    """CONTAINER as mkdump names it, KIND of the machine."""
    return sorted(FORMS[container.split('-')[0]](data, kind))
