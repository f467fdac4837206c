# SPDX-License-Identifier: GPL-3.0-or-later
"""The header of a kdump-compressed dump (makedumpfile, diskdump_mod.h: struct disk_dump_header)."""
import struct

PAGE_DESC = struct.Struct('<qIIQ')      # offset, size, flags, page_flags
MACHINE_OFFSET = 12 + 4 * 65            # of utsname's machine
# By that machine: where status, block size and the blocks of sub-header and bitmaps stand,
# after the time of the crash, two longs
HEADER_OFFSETS = {b'x86_64': 424, b'i686': 412}


def header_offset(data):
    """Of HEADER_OFFSETS, for the dump whose bytes are DATA."""
    return HEADER_OFFSETS[bytes(data[MACHINE_OFFSET:MACHINE_OFFSET + 65]).split(b'\0', 1)[0]]
