#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# makedumpfile 1.7.2 (Debian 12, makedumpfile 1:1.7.2-1), two PT_LOADs that meet inside a page.
#
# The guess: level 0 copies all memory. RAM that ends at 0x9fc00 (old BIOSes) with other RAM from there
# on is a page whose two halves are both in the vmcore; a dump of level 0 has that page.
#
# Seen: no. A page that is not whole inside one PT_LOAD is left out, at level 0 too, and although its
# other half is in the next PT_LOAD; exit status 0, not a word. In the kdump format the page is a hole.
# In the ELF format (-E) the half of the first segment goes, the half of the second stays, and p_memsz of
# the first still covers what went. Readers take memory beyond p_filesz for zeros: libkdumpfile 0.5.1
# gives zeros for the lost half page of the ELF file, and "no data" for it in the kdump file.
#
# Why it matters: two dumps of one machine, both of level 0, disagree on a page, and one of them
# with made-up zeros. A page table or a struct in that page is gone without any filter having asked for
# it. "Level 0" is no promise that a frame inside RAM is there.
#
# Downloads the packages, unpacks them in a temporary folder. Exit status 0: makedumpfile behaves so;
# 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root makedumpfile=1:1.7.2-1 libkdumpfile10=0.5.1-1 \
    python3-libkdumpfile=0.5.1-1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done

# 12 pages in two segments, without a gap, that meet at 0x8c00.
cat > make.py <<'PY'
import struct
DIRECT = 0xffff888000000000
segments = [(0, b"a" * 0x8c00), (0x8c00, b"b" * 0x3400)]
note = struct.pack("<III", 5, 336, 1) + b"CORE\0\0\0\0" + bytes(336)
table = 64 + 56 * 3
head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 3, 0, 0, 0)
head += struct.pack("<IIQQQQQQ", 4, 0, table, 0, 0, len(note), len(note), 0)
at = table + len(note)
for start, data in segments:
    head += struct.pack("<IIQQQQQQ", 1, 7, at, DIRECT + start, start, len(data), len(data), 0)
    at += len(data)
open("vmcore", "wb").write(head + note + b"".join(data for start, data in segments))
PY
python3 make.py
root/usr/bin/makedumpfile --message-level 0 -d 0 vmcore kdump
root/usr/bin/makedumpfile --message-level 0 -E -d 0 vmcore elf

cat > read.py <<'PY'
import sys
import kdumpfile
dump = kdumpfile.kdumpfile(sys.argv[1])
def byte(address):
    try:
        return dump.read(kdumpfile.KDUMP_MACHPHYSADDR, address, 1).hex()
    except kdumpfile.exceptions.NoDataException:
        return "none"
print(*map(byte, (0x7fff, 0x8000, 0x8bff, 0x8c00, 0x8fff, 0x9000)))
PY
# bytes FILE: before, in and behind the shared page; the dump has 61 or 62 for each
bytes() {
	LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu PYTHONPATH=root/usr/lib/python3/dist-packages \
	    /usr/bin/python3 read.py "$1"
}
root/usr/bin/makedumpfile -v | head -1
echo "byte at 7fff 8000 8bff 8c00 8fff 9000"
for file in vmcore kdump elf; do echo "$file: $(bytes $file)"; done
[ "$(bytes vmcore)" = '61 61 61 62 62 62' ]
[ "$(bytes kdump)" = '61 none none none none 62' ]
[ "$(bytes elf)" = '61 00 00 62 62 62' ]
