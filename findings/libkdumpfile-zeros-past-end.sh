#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# libkdumpfile 0.5.1 (Debian 12, libkdumpfile10 0.5.1-1), an ELF dump that makedumpfile 1.7.2 could not
# finish because the disk was full.
#
# The guess: a page whose bytes are behind the end of the file is an error. Such dumps are
# foreseen: makedumpfile writes the program headers first and marks the file as incomplete
# (e_flags 1), so that what was written can be used.
#
# Seen: the page is zeros, and the read succeeds. Of a machine of 4 MiB dumped to a disk of 1 MiB, frame
# 200 is right, and frames 300 and 1000 are zeros, where drgn's own ELF reader says "short read" and gdb
# 13 "cannot access memory". The kdump file from the same full disk is handled otherwise: there the frames
# that are missing are an error.
#
# Why it matters: of the last dump that a full disk allowed, the high memory reads as zeros: no task, no
# page table, no slab, and nothing says why. Compare the end of the last segment with the length of the
# file before anything is read.
#
# The vmcore is made here; a tmpfs of 1 MiB is mounted for makedumpfile, in a mount namespace of its own
# (root). Downloads the packages, unpacks them in a temporary folder. Exit status 0: it is so; 1: it is not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root makedumpfile=1:1.7.2-1 libkdumpfile10=0.5.1-1 \
    python3-libkdumpfile=0.5.1-1 python3-drgn=0.0.22-1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done

cat > make.py <<'PY'
import struct
ram = b"".join(bytes([frame % 255 + 1]) * 4096 for frame in range(1024))
note = struct.pack("<III", 5, 336, 1) + b"CORE\0\0\0\0" + bytes(336)
at = 64 + 56 * 2
head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
head += struct.pack("<IIQQQQQQ", 4, 0, at, 0, 0, len(note), len(note), 0)
head += struct.pack("<IIQQQQQQ", 1, 7, at + len(note), 0xffff888000000000, 0, len(ram), len(ram), 0)
open("vmcore", "wb").write(head + note + ram)
PY
python3 make.py
mkdir small
cat > full.sh <<'FULL'
mount -t tmpfs -o size=1m none small
for format in elf kdump; do
	option=
	test $format = kdump || option=-E
	status=0
	root/usr/bin/makedumpfile --message-level 0 $option -d 1 vmcore small/$format 2> /dev/null || status=$?
	cp small/$format $format
	rm small/$format
	echo "makedumpfile to a full disk, $format: exit status $status, $(stat -c %s $format) bytes"
done
FULL
cat > read.py <<'PY'
import sys
import kdumpfile
dump = kdumpfile.kdumpfile(sys.argv[1])
def byte(frame):
    try:
        return dump.read(kdumpfile.KDUMP_MACHPHYSADDR, frame * 4096, 1).hex()
    except Exception as error:
        return "error"
print(*map(byte, (200, 300, 1000)))
PY
cat > drgn.py <<'PY'
def byte(frame):
    try:
        return prog.read(0xffff888000000000 + frame * 4096, 1).hex()
    except Exception as error:
        return "error"
print(*map(byte, (200, 300, 1000)))
PY
export PYTHONPATH=root/usr/lib/python3/dist-packages LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu
libkdumpfile() { /usr/bin/python3 read.py "$1"; }
drgn() { /usr/bin/python3 root/usr/bin/drgn -q -c "$1" drgn.py; }

root/usr/bin/makedumpfile -v | head -1
unshare -m sh full.sh
echo "e_flags of elf: $(od -An -tu4 -j48 -N4 elf | tr -d ' ')"
echo "frames 200, 300 and 1000, first byte: in the vmcore $(libkdumpfile vmcore)"
echo "elf by libkdumpfile: $(libkdumpfile elf), by drgn: $(drgn elf); kdump by libkdumpfile: $(libkdumpfile kdump)"
[ "$(libkdumpfile vmcore)" = 'c9 2e ec' ]
[ "$(libkdumpfile elf)" = 'c9 00 00' ]
[ "$(libkdumpfile kdump)" = 'c9 error error' ]
[ "$(drgn elf)" = 'c9 error error' ]
