#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# GNU readelf 2.40 (Debian 12, binutils-x86-64-linux-gnu 2.40-2), the NT_FILE note of a 64-bit core file.
#
# The guess: "readelf -n core" lists the files that the process had mapped, as it has for ten years.
#
# Seen: "Cannot decode 64-bit note in 32-bit build", by a 64-bit build on a 64-bit machine, of every
# 64-bit core; the exit status is 0. The note of a 32-bit core is decoded by the same program. What is
# more, the offsets that it prints there are in units of the page size on the line above (3 for byte
# 12,288); eu-readelf 0.188 prints both notes, in bytes.
#
# Why it matters: the list of files is how a core finds its binaries, and a script that greps readelf's
# output finds none. A message about the build is no statement about the core.
#
# The core files are made here. Downloads the packages, unpacks them in a temporary folder. Exit status 0:
# readelf behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root binutils-x86-64-linux-gnu=2.40-2 \
    libbinutils=2.40-2 libctf0=2.40-2 libctf-nobfd0=2.40-2 elfutils=0.188-2.1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done

cat > make.py <<'PY'
import struct
def core(path, word, head, program):
    files = (2, 4096, 0x10000, 0x12000, 3, 0x20000, 0x21000, 0)
    data = b"".join(struct.pack(word, number) for number in files) + b"/lib/a.so\0/lib/b.so\0"
    note = struct.pack("<III", 5, len(data), 0x46494c45) + b"CORE\0\0\0\0" + data + bytes(-len(data) % 4)
    open(path, "wb").write(head + program(len(note)) + note)
core("core64", "<Q",
     b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0),
     lambda size: struct.pack("<IIQQQQQQ", 4, 0, 120, 0, 0, size, 0, 4))
core("core32", "<I",
     b"\x7fELF\1\1\1" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 4, 3, 1, 0, 52, 0, 0, 52, 32, 1, 0, 0, 0),
     lambda size: struct.pack("<IIIIIIII", 4, 84, 0, 0, size, 0, 0, 4))
PY
python3 make.py
readelf() { LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/x86_64-linux-gnu-readelf "$@"; }
# offset FILE: of /lib/a.so by readelf, or what it says in its place
offset() { readelf -n "$1" | sed -n 's/^ *\(Cannot.*\)/\1/p; s/^ *0x00010000  *0x00012000  *\(0x[0-9a-f]*\)$/\1/p'; }
# bytes FILE: the same by eu-readelf
bytes() { root/usr/bin/eu-readelf -n "$1" | sed -n 's/^ *00010000-00012000 \([0-9a-f]*\) .*/\1/p'; }

readelf --version | head -1
file root/usr/bin/x86_64-linux-gnu-readelf 2> /dev/null | cut -d, -f1,2 || true
for file in core64 core32; do
	status=0
	readelf -n $file > /dev/null || status=$?
	echo "$file: readelf, exit status $status: $(offset $file); eu-readelf: $(bytes $file)"
done
[ "$(offset core64)" = 'Cannot decode 64-bit note in 32-bit build' ]
[ "$(offset core32) $(bytes core64) $(bytes core32)" = '0x00000003 00003000 00003000' ]
