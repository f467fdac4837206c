#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# vmcore-dmesg of kexec-tools (Debian 12, 1:2.0.25-3+deb12u3), which writes the vmcore-dmesg.txt of kdump.
#
# The guess: it prints what dmesg prints. A record of several lines has the time before each of them, as
# record_print_text() of kernel/printk/printk.c has it, and letters beyond ASCII stay as they are.
#
# Seen: the time stands before the first line of a record only; the others begin at the margin, an empty one is an
# empty line. Bytes that are not printable in the C locale are written as \xNN, and a backslash as itself, so that
# text with "\x41" in it cannot be told from an escape. The caller of CONFIG_PRINTK_CALLER is left out.
#
# Why it matters: who reads vmcore-dmesg.txt as a log must not take a line without a time for the end of it, and
# compares names of processes with those of dmesg only after the escapes.
#
# The ELF file is made here: a ring buffer of v5.10 and later with three records, and VMCOREINFO. Downloads the
# package, unpacks it in a temporary folder. Exit status 0: it is so; 1: it is not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root kexec-tools=1:2.0.25-3+deb12u3 > /dev/null
dpkg -x kexec-tools_*.deb root
cat > make.py << 'END'
import struct

BASE, RING, DESC, INFO, DATA, VARIABLE = 0xffff888000000000, 0, 0x400, 0x800, 0x2000, 0x3000
BITS, FIRST, CALLER = 4, 32, 0x80000001
TEXTS = b'one line', b'first\nsecond\n\nfourth', 'caf\u00e9 \\x41'.encode()
memory, at = bytearray(0x4000), 0
for n, text in enumerate(TEXTS):
    slot, size = (FIRST + n) % (1 << BITS), 8 + len(text) + 7 & ~7
    struct.pack_into('<Q', memory, DATA + at, FIRST + n)
    memory[DATA + at + 8:DATA + at + 8 + len(text)] = text
    struct.pack_into('<QQQ', memory, DESC + slot * 24, 2 << 62 | FIRST + n, at, at + size)
    struct.pack_into('<QQHBBI', memory, INFO + slot * 88, n, (n + 1) * 10**9, len(text), 0, 6 << 5, CALLER)
    at += size
struct.pack_into('<IxxxxQQQQ', memory, RING, BITS, BASE + DESC, BASE + INFO, FIRST + len(TEXTS) - 1, FIRST)
struct.pack_into('<IxxxxQ', memory, RING + 64, 10, BASE + DATA)
struct.pack_into('<Q', memory, VARIABLE, BASE + RING)
members = {'printk_ringbuffer': (128, {'desc_ring': 0, 'text_data_ring': 64, 'fail': 120}),
           'prb_desc_ring': (48, {'count_bits': 0, 'descs': 8, 'infos': 16, 'head_id': 24, 'tail_id': 32}),
           'prb_desc': (24, {'state_var': 0, 'text_blk_lpos': 8}), 'prb_data_blk_lpos': (16, {'begin': 0, 'next': 8}),
           'printk_info': (88, {'seq': 0, 'ts_nsec': 8, 'text_len': 16, 'caller_id': 20, 'dev_info': 24}),
           'prb_data_ring': (32, {'size_bits': 0, 'data': 8}), 'atomic_long_t': (8, {'counter': 0}),
           'dev_printk_info': (64, {})}
lines = ['OSRELEASE=6.1.0', 'PAGESIZE=4096', f'SYMBOL(prb)={BASE + VARIABLE:x}']
for name, (size, offsets) in members.items():
    lines += [f'SIZE({name})={size}'] + [f'OFFSET({name}.{member})={offset}' for member, offset in offsets.items()]
text = '\n'.join(lines).encode() + b'\n'
note = struct.pack('<III', 11, len(text), 0) + b'VMCOREINFO\0\0' + text + bytes(-len(text) % 4)
head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
head += struct.pack('<IIQQQQQQ', 4, 0, 176, 0, 0, len(note), len(note), 0)
load = 176 + len(note) + 4095 & ~4095
head += struct.pack('<IIQQQQQQ', 1, 7, load, BASE, 0, len(memory), len(memory), 0)
with open('vmcore', 'wb') as f:
    f.write((head + note).ljust(load, b'\0') + memory)
END
python3 make.py
root/sbin/vmcore-dmesg vmcore > text 2> /dev/null || root/usr/sbin/vmcore-dmesg vmcore > text
dpkg-deb -f kexec-tools_*.deb Package Version
cat text
cat > expected << 'END'
[    1.000000] one line
[    2.000000] first
second

fourth
[    3.000000] caf\xc3\xa9 \x41
END
cmp text expected
