#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# LLVM 14.0.6 (Debian 12, llvm-14 1:14.0.6-12), a core file with 70,000 segments.
#
# The guess: all ELF readers of today know the escape for many program headers (e_phnum 0xffff, the real
# count in sh_info of section 0), or say that they do not.
#
# Seen: llvm-readelf, llvm-objdump and obj2yaml list 65,534 of the 70,000 PT_LOADs and exit with 0. There
# is no warning; "Number of program headers" is 65535, which is what the field says. eu-readelf 0.188
# lists 70,000. With 65,534 PT_LOADs and a note, 65,535 headers in all, the escape is needed for the first
# time: LLVM takes it for the count, and happens to be right.
#
# Why it matters: a process with more than 65,000 mappings, or a machine with memory in many pieces, is
# just the one that somebody dumps. The segments that are lost are the last, at the highest addresses:
# libraries and the stack. A count of exactly 65,535 is never a count.
#
# The core files are made here (sparse). Downloads the packages, unpacks them in a temporary folder.
# Exit status 0: LLVM behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root llvm-14=1:14.0.6-12 libllvm14=1:14.0.6-12 \
    elfutils=0.188-2.1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done

cat > make.py <<'PY'
import struct
import sys
count = int(sys.argv[1]) + 1
table, note = 64, struct.pack("<III", 5, 336, 1) + b"CORE\0\0\0\0" + bytes(336)
notes = table + 56 * count
data = (notes + len(note) + 4095) // 4096 * 4096
sections = data + 4096 * (count - 1)
escape = count >= 0xffff
with open(sys.argv[1], "wb") as core:
    core.write(b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 4, 62, 1, 0, table, sections if escape else 0, 0, 64, 56,
        0xffff if escape else count, 64, 1 if escape else 0, 0))
    core.write(struct.pack("<IIQQQQQQ", 4, 0, notes, 0, 0, len(note), 0, 4))
    for place in range(count - 1):
        core.write(struct.pack("<IIQQQQQQ", 1, 6, data + 4096 * place, 0x400000000000 + 8192 * place, 0,
                               4096, 4096, 4096))
    core.write(note)
    core.truncate(sections)
    core.seek(sections)
    if escape:
        core.write(struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, count, 0, 0))
PY
llvm() {
	name=$1
	shift
	LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu "root/usr/lib/llvm-14/bin/$name" "$@"
}
llvm llvm-readelf --version | grep version
seen=
for count in 65533 65534 70000; do
	python3 make.py $count
	status=0
	llvm llvm-readelf -lW $count > list 2> errors || status=$?
	line="$(grep -c LOAD list) $(llvm llvm-objdump -p $count | grep -c LOAD) $(llvm obj2yaml $count | grep -c PT_LOAD)"
	elfutils=$(root/usr/bin/eu-readelf -l $count | grep -c LOAD)
	echo "$count segments: llvm-readelf, llvm-objdump, obj2yaml $line (exit status $status," \
	    "$(wc -l < errors) lines of errors), eu-readelf $elfutils"
	seen="$seen $line $elfutils;"
done
[ "$seen" = ' 65533 65533 65533 65533; 65534 65534 65534 65534; 65534 65534 65534 70000;' ]
