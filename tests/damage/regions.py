# SPDX-License-Identifier: GPL-3.0-or-later
"""What each byte of a dump file is: (start, end, what), ascending, of little-endian 64-bit machines.

"contents" are pages as they are and "packed" pages whose packing has no checksum: nothing in the
file shows whether they are right. "checked" pages have one. All other bytes are the container's
own.
"""
import struct
import zlib

PAGE = 4096
HEADER, TEXT, NAMES, BITMAP, DESC, RECORD = 'header', 'vmcoreinfo', 'names', 'bitmap', 'descriptor', 'record'
CHECKED, PACKED, CONTENTS, UNUSED = 'checked', 'packed', 'contents', 'unused'


def elf(data):
    count = struct.unpack_from('<H', data, 56)[0]
    out = [(0, 64 + 56 * count, HEADER)]
    for i in range(count):
        kind, _, start, _, _, size = struct.unpack_from('<IIQQQQ', data, 64 + 56 * i)
        if size:
            out += [(start, start + 24, HEADER), (start + 24, start + size, TEXT)] if kind == 4 else \
                [(start, start + size, CONTENTS)]
    return out


def kdump(data):
    status, block, sub, bitmaps = struct.unpack_from('<IiiI', data, 424)
    text, length, notes, notes_length = struct.unpack_from('<QQQQ', data, block + 32)
    first = (1 + sub) * block
    descs = first + bitmaps * block
    split = struct.unpack_from('<I', data, block + 12)[0] == 1
    held = int.from_bytes(data[first + bitmaps * block // 2:descs], 'little')
    if split:
        start, end = struct.unpack_from('<QQ', data, block + 80)
        held = held >> start & (1 << end - start) - 1
    count = held.bit_count()
    out = [(0, 12, HEADER), (12, 402, NAMES), (408, 424, NAMES), (424, 464, HEADER), (block, block + 112, HEADER),
           (notes, notes + 24, HEADER), (text, text + length, TEXT),
           (first, first + bitmaps * block // 2, UNUSED),
           (first + bitmaps * block // 2, descs, BITMAP), (descs, descs + 24 * count, DESC)]
    seen = set()
    for i in range(count):
        offset, size, flags, _ = struct.unpack_from('<qIIQ', data, descs + 24 * i)
        if offset not in seen:
            seen.add(offset)
            out.append((offset, offset + size, CHECKED if flags & 1 else PACKED if flags else CONTENTS))
    return out


def flat(data):
    """Records: which bytes of them are the last word about a byte of the dump."""
    records, at = [], PAGE
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
    for start, end, what in kdump(bytes(inner)):
        for o, (n, pos) in owner.items():
            a, b = max(start, o), min(end, o + n)
            if a < b:
                out.append((pos + a - o, pos + b - o, what))
    return out


def lime(data):
    out, at = [], 0
    while at < len(data):
        start, end = struct.unpack_from('<QQ', data, at + 8)
        size = end + 1 - start
        out += [(at, at + 32, HEADER), (at + 32, at + 32 + size, CONTENTS)]
        at += 32 + size
    return out


def avml(data):
    out, at = [], 0
    while at < len(data):
        start, end = struct.unpack_from('<QQ', data, at + 8)
        out.append((at, at + 42, HEADER))
        left, at = end + 1 - start, at + 42
        while left > 0:
            kind, size = data[at], int.from_bytes(data[at + 1:at + 4], 'little')
            varint = value = 0
            while kind == 0:
                value |= (data[at + 8 + varint] & 0x7f) << 7 * varint
                varint += 1
                if not data[at + 7 + varint] & 0x80:
                    break
            out += [(at, at + 8 + varint, RECORD), (at + 8 + varint, at + 4 + size, CHECKED)]
            left -= value if kind == 0 else size - 4
            at += 4 + size
        out.append((at, at + 8, HEADER))
        at += 8
    return out


def stream_end(data, at):
    d = zlib.decompressobj()
    d.decompress(data[at:])
    return len(data) - len(d.unused_data)


def mcore(data):
    first = struct.unpack_from('<Q', data, 0)[0]
    if first == 0x9a8bccdd:
        headers, shift = [0], 0
    else:
        shift, headers = -100, []
        while struct.unpack_from('<I', data, 4 * len(headers))[0]:
            headers.append(PAGE * struct.unpack_from('<I', data, 4 * len(headers))[0])
    out = [(0, 4 * len(headers) + 4, HEADER)] if headers[0] else []
    for h in headers:
        place, entries = struct.unpack_from('<I', data, h + 36)[0], \
            struct.unpack_from('<I', data, h + 44)[0]
        out.append((h, h + 8, HEADER))
        out.append((h + 32, h + (56 if h else 44), HEADER))
        step, at, n = 32 if h else 24, h + place * PAGE, 0
        while (n < entries) if h else struct.unpack_from('<Q', data, at)[0]:
            block = struct.unpack_from('<i', data, at + 16)[0] + (h // PAGE + shift if h else 0)
            out += [(at, at + 8, HEADER), (at + 16, at + 24, HEADER),
                    (block * PAGE, stream_end(data, block * PAGE), CHECKED)]
            at += step
            n += 1
        if not h:
            out.append((at, at + 24, HEADER))
    return out


def raw(data):
    return [(0, len(data), CONTENTS)]


FORMS = {'elf': elf, 'kdump': kdump, 'flat': flat, 'split': kdump, 'lime': lime, 'avml': avml,
         'mcore1': mcore, 'mcore2': mcore, 'raw': raw}


def of(container, data):
    """CONTAINER as mkdump names it."""
    return sorted(FORMS[container.split('-')[0]](data))
