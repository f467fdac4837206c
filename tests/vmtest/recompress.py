#!/usr/bin/env python3
"""recompress.py IN OUT: rewrite a zlib kdump-compressed dump (makedumpfile -c) with snappy.

No Debian build of makedumpfile has snappy switched on, yet other distributions
write such dumps.  Everything but the page data and the flags that name the
compression is carried over unchanged, so OUT must give the very same reports.
"""
import ctypes
import ctypes.util
import struct
import sys
import zlib

ZLIB, SNAPPY = 0x1, 0x4
PAGE_DESC = struct.Struct('<qIIQ')      # offset, size, flags, page_flags
STATUS_OFFSET = 424                     # struct disk_dump_header on x86-64


def load_snappy():
    lib = ctypes.CDLL(ctypes.util.find_library('snappy') or 'libsnappy.so.1')
    lib.snappy_max_compressed_length.restype = ctypes.c_size_t
    lib.snappy_max_compressed_length.argtypes = [ctypes.c_size_t]
    lib.snappy_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                    ctypes.POINTER(ctypes.c_size_t)]
    return lib


def snappy(lib, data):
    out = ctypes.create_string_buffer(lib.snappy_max_compressed_length(len(data)))
    size = ctypes.c_size_t(len(out))
    if lib.snappy_compress(data, len(data), out, ctypes.byref(size)):
        raise RuntimeError('snappy_compress failed')
    return out.raw[:size.value]


def main():
    src = open(sys.argv[1], 'rb').read()
    if src[:8] != b'KDUMP   ':
        sys.exit(f'{sys.argv[1]}: not a kdump-compressed dump')
    status, block, sub_blocks, bitmap_blocks = struct.unpack_from('<IiiI', src, STATUS_OFFSET)
    lib = load_snappy()

    # Two bitmaps: "exists" and "is in the dump"; the descriptors follow the second's bits.
    bitmap = (1 + sub_blocks) * block
    dumped = src[bitmap + bitmap_blocks * block // 2:bitmap + bitmap_blocks * block]
    count = sum(b.bit_count() for b in dumped)
    first = bitmap + bitmap_blocks * block

    head = bytearray(src[:first])
    struct.pack_into('<I', head, STATUS_OFFSET, status & ~0x7 | SNAPPY)
    descs, data, seen = bytearray(), bytearray(), {}
    base = first + count * PAGE_DESC.size
    for i in range(count):
        offset, size, flags, page_flags = PAGE_DESC.unpack_from(src, first + i * PAGE_DESC.size)
        if offset not in seen:          # all zero pages share one block of data
            page = src[offset:offset + size]
            if flags & ZLIB:
                page = zlib.decompress(page)
            packed = snappy(lib, page)
            new = (packed, SNAPPY) if len(packed) < len(page) else (page, 0)
            seen[offset] = (base + len(data), len(new[0]), new[1])
            data += new[0]
        descs += PAGE_DESC.pack(*seen[offset], page_flags)
    with open(sys.argv[2], 'wb') as out:
        out.write(head + descs + data)


main()
