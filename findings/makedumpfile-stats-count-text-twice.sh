#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# makedumpfile 1.7.2 (Debian 12, makedumpfile 1:1.7.2-1), --show-stats of a vmcore with the kernel's text.
#
# The guess: "Original pages" are the frames of RAM in the vmcore, "Remaining pages" those in the dump, and
# "Memory Hole" the rest up to the last frame; the three fit together.
#
# Seen: a frame counts once per PT_LOAD that has it. On x86-64 the vmcore of kexec has the kernel's text in
# a segment of its own, and once more as a part of RAM. Of 1,024 frames with 512 of text and 512 of zeros,
# at level 1, it reports 1,536 original, 512 excluded and 1,024 remaining pages, "reduced to 66%". The dump
# has 512, the same as without the segment of the text, where it says 50%. The hole is what is left:
# minus 512, printed as 0xfffffffffffffe00; on a machine with real holes it is merely too small.
#
# Why it matters: these figures are what logs keep of a dump. Frames of RAM, the share that a filter saves
# and the pages to expect in the file are all off by the size of the kernel's image, tens of MiB.
#
# The vmcores are made here. Downloads the package, unpacks it in a temporary folder. Exit status 0:
# makedumpfile behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root makedumpfile=1:1.7.2-1 > /dev/null
dpkg -x makedumpfile_*.deb root

# 4 MiB of RAM, each second page zeros; "text": 2 MiB of it also at the addresses of the kernel's image.
cat > make.py <<'PY'
import struct
ram = (b"x" * 4096 + bytes(4096)) * 512
text = (0xffffffff80100000, 0x100000, ram[0x100000:0x300000])
whole = (0xffff888000000000, 0, ram)
note = struct.pack("<III", 5, 336, 1) + b"CORE\0\0\0\0" + bytes(336)
for path, loads in (("ram", [whole]), ("text", [text, whole])):
    count = 1 + len(loads)
    at = 64 + 56 * count
    head = b"\x7fELF\2\1\1" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, count, 0, 0, 0)
    head += struct.pack("<IIQQQQQQ", 4, 0, at, 0, 0, len(note), len(note), 0)
    at += len(note)
    for virtual, physical, data in loads:
        head += struct.pack("<IIQQQQQQ", 1, 7, at, virtual, physical, len(data), len(data), 0)
        at += len(data)
    open(path, "wb").write(head + note + b"".join(data for *_, data in loads))
PY
python3 make.py
# number NAME LOG: a figure of the report, in hexadecimal as printed
number() { sed -n "s/^ *$1 *: 0x0*\([0-9a-f]*\)$/\1/p" "$2"; }
# count.py FILE: pages that a kdump file holds, the one page for all zeros left out
cat > count.py <<'PY'
import struct
import sys
dump = open(sys.argv[1], "rb").read()
sub, bitmap = struct.unpack_from("<II", dump, 432)
kept = (1 + sub) * 4096 + bitmap * 2048
frames = sum(bin(byte).count("1") for byte in dump[kept:kept + bitmap * 2048])
at = (1 + sub + bitmap) * 4096
places = [struct.unpack_from("<QI", dump, at + 24 * frame) for frame in range(frames)]
print("%x" % sum(any(dump[place:place + size]) for place, size in places))
PY
root/usr/bin/makedumpfile -v | head -1
seen=
for vmcore in ram text; do
	root/usr/bin/makedumpfile --show-stats -d 1 $vmcore $vmcore.kdump 2>&1 | tr '\r' '\n' > log
	line="$(number 'Original pages' log) $(number 'Remaining pages' log) $(number 'Memory Hole' log)"
	line="$line $(sed -n 's/.*reduced to \([0-9]*%\).*/\1/p' log) $(python3 count.py $vmcore.kdump)"
	echo "$vmcore: original, remaining, hole, reduced to, pages in the file: $line"
	seen="$seen$line;"
done
[ "$seen" = '400 200  50% 200;600 400 fffffffffffffe00 66% 200;' ]
