#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""recompress.py COMPRESSION IN OUT: rewrite a kdump-compressed dump with lzo, snappy, zstd, zlib or none.

No Debian build of makedumpfile has snappy switched on, older ones have no zstd, and a small dump
in git cannot come in five copies: make check packs its own.  IN holds pages packed by zlib or not at all.  Everything but
the page data and the flags that name the compression is carried over, so OUT must give the very
same reports.
"""
import ctypes
import ctypes.util
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib.kdump import PAGE_DESC, header_offset      # noqa: E402

ZLIB = 0x1
HEADER = struct.Struct('<IiiI')         # status, block size, blocks of the sub-header and the bitmaps
STATUS_COMPRESSION = 0x1 | 0x2 | 0x4 | 0x20


def library(name, file):
    try:
        return ctypes.CDLL(ctypes.util.find_library(name) or file)
    except OSError as e:
        sys.exit(f'recompress.py: {e}')


def snappy():
    lib = library('snappy', 'libsnappy.so.1')

    def compress(page):
        size = ctypes.c_size_t(len(page) * 2 + 64)
        out = ctypes.create_string_buffer(size.value)
        if lib.snappy_compress(page, ctypes.c_size_t(len(page)), out, ctypes.byref(size)):
            raise RuntimeError('snappy_compress')
        return out.raw[:size.value]
    return compress


def lzo():
    lib = library('lzo2', 'liblzo2.so.2')
    work = ctypes.create_string_buffer(16384 * ctypes.sizeof(ctypes.c_void_p))  # LZO1X_1_MEM_COMPRESS

    def compress(page):
        size = ctypes.c_size_t()
        out = ctypes.create_string_buffer(len(page) + len(page) // 16 + 67)
        if lib.lzo1x_1_compress(page, ctypes.c_size_t(len(page)), out, ctypes.byref(size), work):
            raise RuntimeError('lzo1x_1_compress')
        return out.raw[:size.value]
    return compress


def zstd():
    lib = library('zstd', 'libzstd.so.1')
    lib.ZSTD_compress.restype = ctypes.c_size_t

    def compress(page):
        out = ctypes.create_string_buffer(len(page) * 2)
        size = lib.ZSTD_compress(out, ctypes.c_size_t(len(out)), page, ctypes.c_size_t(len(page)), 1)
        if lib.ZSTD_isError(ctypes.c_size_t(size)):
            raise RuntimeError('ZSTD_compress')
        return out.raw[:size]
    return compress


# name -> flag of the format (in the header and in each page's descriptor), compressor
COMPRESSIONS = {
    'none': (0, lambda: lambda page: page),
    'zlib': (0x1, lambda: lambda page: zlib.compress(page, 1)),
    'lzo': (0x2, lzo),
    'snappy': (0x4, snappy),
    'zstd': (0x20, zstd),
}


def recompress(src, flag, compress):
    """The whole new file."""
    tail = header_offset(src)
    status, block, sub_blocks, bitmap_blocks = HEADER.unpack_from(src, tail)
    # Two bitmaps: "exists" and "is in the dump"; one descriptor for each bit of the second.
    bitmap = (1 + sub_blocks) * block
    first = bitmap + bitmap_blocks * block
    count = int.from_bytes(src[bitmap + bitmap_blocks * block // 2:first], 'little').bit_count()

    head = bytearray(src[:first])
    struct.pack_into('<I', head, tail, status & ~STATUS_COMPRESSION | flag)
    descs, data, seen = bytearray(), bytearray(), {}
    base = first + count * PAGE_DESC.size
    for i in range(count):
        offset, size, flags, page_flags = PAGE_DESC.unpack_from(src, first + i * PAGE_DESC.size)
        if offset not in seen:          # all zero pages share one block of data
            page = src[offset:offset + size]
            if flags & ZLIB:
                page = zlib.decompress(page)
            packed = compress(page)
            new, kind = (packed, flag) if len(packed) < len(page) else (page, 0)
            seen[offset] = base + len(data), len(new), kind
            data += new
        descs += PAGE_DESC.pack(*seen[offset], page_flags)
    return head + descs + data


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in COMPRESSIONS:
        sys.exit(f'usage: recompress.py {"|".join(COMPRESSIONS)} IN OUT')
    with open(sys.argv[2], 'rb') as f:
        src = f.read()
    if src[:8] != b'KDUMP   ':
        sys.exit(f'{sys.argv[2]}: not a kdump-compressed dump')
    flag, make = COMPRESSIONS[sys.argv[1]]
    with open(sys.argv[3], 'wb') as out:
        out.write(recompress(src, flag, make()))


main()
