#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# makedumpfile 1.7.2 (Debian 12, makedumpfile 1:1.7.2-1), -E (ELF output) with pages to exclude.
#
# The guess: "-E -d 8" and "-d 8" leave out the same pages, those of user processes; only the container
# differs.
#
# Seen: they do not. In the ELF file a run of excluded pages is cut out if it is 256 pages or longer.
# A shorter run stays, and not as zeros: with its contents. Of 200 and 300 pages of user data in two
# runs, "-d 8" keeps none of them, "-E -d 8" keeps the 200. Both say "completed", and the count of
# excluded pages that --show-stats prints is 500 for both.
#
# Why it matters: on a machine that has been up for a while most runs of user pages are short, so an ELF
# dump of level 31 is neither small nor free of what users had in memory. Nothing in an ELF dump tells
# its level: a page that is there was not necessarily meant to be, and the set of pages of such a dump
# must not be read as "the pages that the kernel used".
#
# The input is a vmcore of 4 MiB: page tables, a release, an array of struct page, and user pages.
# Downloads the package, unpacks it in a temporary folder. Exit status 0: makedumpfile behaves so; 1: it
# does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root makedumpfile=1:1.7.2-1 > /dev/null
dpkg -x makedumpfile_*.deb root
makedumpfile() { root/usr/bin/makedumpfile "$@"; }

cat > make.py <<'PY'
import struct
DIRECT, KERNEL, PAGE, FRAMES = 0xffff888000000000, 0xffffffff80000000, 4096, 1024
PGD, PUD, UTS, LOW, MEM_MAP = 0x10000, 0x11000, 0x12000, 0x13000, 0x100000
memory = bytearray(b"k" * (FRAMES * PAGE))

def put(address, data):
    memory[address:address + len(data)] = data

def word(address, value):
    put(address, struct.pack("<Q", value))

# The kernel's text and the direct map, a page of 1 GiB for each.
put(PGD, bytes(PAGE)), put(PUD, bytes(PAGE)), put(LOW, bytes(PAGE)), put(UTS, bytes(PAGE))
word(PGD + 8 * 511, PUD | 0x63), word(PUD + 8 * 510, 0x1e3)
word(PGD + 8 * 273, LOW | 0x63), word(LOW, 0x1e3)
for place, text in enumerate((b"Linux", b"node", b"5.10.0", b"#1", b"x86_64", b"none")):
    put(UTS + 4 + 65 * place, text)
word(UTS + 0x900, DIRECT + MEM_MAP)

# struct page: 64 bytes; an anonymous page has an odd mapping.
user = list(range(300, 500)) + list(range(600, 900))
for frame in range(FRAMES):
    page = MEM_MAP + 64 * frame
    put(page, bytes(64))
    put(page + 52, struct.pack("<I", 1))
    put(page + 48, struct.pack("<i", -1))
    if frame in user:
        word(page + 24, DIRECT + 0x5001)
        put(frame * PAGE, b"userdata" * (PAGE // 8))

info = b"""OSRELEASE=5.10.0
PAGESIZE=4096
SYMBOL(init_uts_ns)=ffffffff80012000
SYMBOL(_stext)=ffffffff80012f00
SYMBOL(swapper_pg_dir)=ffffffff80010000
SYMBOL(init_level4_pgt)=ffffffff80010000
SYMBOL(node_online_map)=ffffffff80012800
LENGTH(nodemask_t)=8
SYMBOL(mem_map)=ffffffff80012900
SIZE(page)=64
OFFSET(page.flags)=0
OFFSET(page.lru)=8
OFFSET(page.mapping)=24
OFFSET(page.private)=40
OFFSET(page._mapcount)=48
OFFSET(page._refcount)=52
NUMBER(PG_lru)=4
NUMBER(PG_slab)=9
NUMBER(PG_swapcache)=10
NUMBER(PG_private)=13
NUMBER(PG_head_mask)=65536
NUMBER(phys_base)=0
NUMBER(KERNEL_IMAGE_SIZE)=1073741824
KERNELOFFSET=0
"""
info += b"\n" * (-len(info) % 4)
notes = struct.pack("<III", 5, 336, 1) + b"CORE\0\0\0\0" + bytes(336)
notes += struct.pack("<III", 11, len(info), 0) + b"VMCOREINFO\0\0" + info
loads = ((KERNEL + PGD, PGD, bytes(memory[PGD:PGD + 4 * PAGE])), (DIRECT, 0, bytes(memory)))
at = 64 + 56 * 3
head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 3, 0, 0, 0)
head += struct.pack("<IIQQQQQQ", 4, 0, at, 0, 0, len(notes), len(notes), 0)
at += len(notes)
for virtual, physical, data in loads:
    head += struct.pack("<IIQQQQQQ", 1, 7, at, virtual, physical, len(data), len(data), 0)
    at += len(data)
open("vmcore", "wb").write(head + notes + b"".join(data for *_, data in loads))
PY
python3 make.py
# user FILE: pages of user data in FILE, which is not compressed
user() { echo $(($(LC_ALL=C grep -ao userdata "$1" | wc -l) / 512)); }
# excluded LOG: pages of user data that makedumpfile says it excluded
excluded() { echo $(($(sed -n 's/.*User process data pages : //p' "$1"))); }

makedumpfile -v | head -1
makedumpfile --show-stats -d 8 vmcore kdump > kdump.log 2>&1
makedumpfile --show-stats -E -d 8 vmcore elf > elf.log 2>&1
echo "vmcore: $(user vmcore) pages of user data"
for file in kdump elf; do
	echo "$file: excluded by its own count $(excluded $file.log), still in the file $(user $file)"
done
[ "$(user vmcore) $(excluded kdump.log) $(user kdump) $(excluded elf.log) $(user elf)" = '500 500 0 500 200' ]
