#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# gdb 13.1 (Debian 12, gdb-multiarch 13.1-3), memory that a core file lists but does not hold.
#
# The guess: "Cannot access memory". The kernel writes a PT_LOAD with p_filesz 0 for what coredump_filter
# or MADV_DONTDUMP left out; a debugger that has no other source for these bytes says that it does not
# know them.
#
# Seen: gdb prints zeros, without a warning. So for a segment with no bytes in the file, for the second
# page of a segment that has only its first, and behind the last byte of a page that is there in part;
# a word across that border comes out half data, half zeros. Only an address in no segment at all is
# "Cannot access memory". drgn 0.0.22 calls the same addresses "memory not saved in core dump".
#
# Why it matters: a zeroed heap, a null pointer or an empty shared segment seen in gdb may be memory that
# was full and was not dumped. To tell them apart, compare p_filesz with p_memsz; for dumps of physical
# memory a reader has to choose, and drgn and gdb have chosen differently.
#
# The core file is made here. Downloads the packages, unpacks them in a temporary folder; the libraries
# of gdb must be there. Exit status 0: gdb behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root gdb-multiarch=13.1-3 python3-drgn=0.0.22-1 \
    libkdumpfile10=0.5.1-1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done

cat > make.py <<'PY'
import struct
# start, bytes in the file, bytes in memory
segments = [(0x10000, b"A" * 4096, 4096), (0x20000, b"", 8192), (0x30000, b"B" * 4096, 8192),
            (0x40000, b"C" * 100, 4096)]
note = struct.pack("<III", 5, 336, 1) + b"CORE\0\0\0\0" + bytes(336)
count = 1 + len(segments)
table = 64 + 56 * count
at = 4096
head = b"\x7fELF\2\1\1" + bytes(9)
head += struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, count, 0, 0, 0)
head += struct.pack("<IIQQQQQQ", 4, 0, table, 0, 0, len(note), 0, 4)
body = b""
for start, data, size in segments:
    head += struct.pack("<IIQQQQQQ", 1, 6, at + len(body), start, 0, len(data), size, 4096)
    body += data + bytes(-len(data) % 4096)
head += note
open("core", "wb").write(head + bytes(at - len(head)) + body)
PY
python3 make.py
cat > read.py <<'PY'
try:
    print(prog.read(ADDRESS, 8).hex())
except Exception as error:
    print(str(error).split(":")[0])
PY
places='0x10000 0x20000 0x30ffc 0x31000 0x40060 0x40080 0x50000'
gdb() { root/usr/bin/gdb-multiarch -nx -batch -ex "x/8xb $1" -c core 2>&1 | tail -1; }
drgn() {
	sed "s/ADDRESS/$1/" read.py > one.py
	LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu PYTHONPATH=root/usr/lib/python3/dist-packages \
	    /usr/bin/python3 root/usr/bin/drgn -q -c core one.py 2>&1 | tail -1
}
root/usr/bin/gdb-multiarch --version | head -1
seen=
for place in $places; do
	shown=$(gdb "$place" | sed -e 's/^.*\(Cannot.*\) at address .*/\1/' -e 's/^0x[0-9a-f]*://' -e 's/[[:space:]]*0x//g')
	echo "$place: gdb $shown, drgn $(drgn "$place")"
	seen="$seen $shown"
done
[ "$seen" = ' 4141414141414141 0000000000000000 4242424200000000 0000000000000000 4343434300000000 0000000000000000 Cannot access memory' ]
