#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# makedumpfile 1.7.2 (Debian 12, makedumpfile 1:1.7.2-1) on the ELF dumps of QEMU 7.2 (Debian 12).
#
# The guess: the two are made for each other. "dump-guest-memory FILE" writes an ELF core of physical
# memory, and "makedumpfile -d 1" leaves out its zero pages.
#
# Seen: "Can't get the number of PT_LOAD", of every such file. QEMU 7.2 puts the section headers right
# behind the ELF header and the program headers behind those, and says so in e_phoff. makedumpfile does
# not look at e_phoff: it reads program headers from byte 64 on, finds section headers, and counts no
# PT_LOAD among them. The same segments with the table at byte 64 are read without complaint; nothing
# else in the file needs to change. libelf (eu-readelf) and gdb read the file as it is.
# The header has one more surprise: e_ehsize says 8, not 64.
#
# Why it matters: a reader of vmcores that was only ever shown kdump's files may compute what it should
# read. "Corrupt dump" may mean "dump of a newer QEMU".
#
# QEMU is started with a paused machine that has no disk and no kernel. Downloads the packages, unpacks
# them in a temporary folder; the libraries of QEMU must be there (qemu-system-x86). Exit status 0: it is
# so; 1: it is not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
qemu=1:7.2+dfsg-7+deb12u18+b3
apt-get download -qq -o APT::Sandbox::User=root "qemu-system-x86=$qemu" "qemu-system-common=$qemu" \
    makedumpfile=1:1.7.2-1 elfutils=0.188-2.1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done
head -c 65536 /dev/zero > bios
printf 'dump-guest-memory qemu.elf\nquit\n' |
	QEMU_MODULE_DIR=root/usr/lib/x86_64-linux-gnu/qemu timeout 60 root/usr/bin/qemu-system-x86_64 \
	    -L . -bios bios -machine pc -accel tcg -m 16M -S -nodefaults -display none -monitor stdio \
	    > monitor 2>&1

# The same segments behind a table at byte 64, without section headers.
cat > move.py <<'PY'
import struct
dump = bytearray(open("qemu.elf", "rb").read())
phoff, = struct.unpack_from("<Q", dump, 32)
count, = struct.unpack_from("<H", dump, 56)
dump[64:64 + 56 * count] = dump[phoff:phoff + 56 * count]
struct.pack_into("<QQ", dump, 32, 64, 0)
struct.pack_into("<HH", dump, 60, 0, 0)
open("moved.elf", "wb").write(dump)
PY
python3 move.py

# header FILE FIELD: a number of the ELF header, by eu-readelf
header() { root/usr/bin/eu-readelf -h "$1" | sed -n "s/^ *$2: *\([0-9]*\).*/\1/p"; }
# zeros FILE: what makedumpfile says to the request to leave out pages of zeros
zeros() {
	status=0
	root/usr/bin/makedumpfile --message-level 4 -d 1 "$1" "$1.kdump" > log 2>&1 || status=$?
	echo "exit status $status $(grep -o 'get the number of PT_LOAD' log || true)"
}

root/usr/bin/qemu-system-x86_64 --version | head -1
root/usr/bin/makedumpfile -v | head -1
for file in qemu.elf moved.elf; do
	echo "$file: e_phoff $(header $file 'Start of program headers')," \
	    "e_shoff $(header $file 'Start of section headers')," \
	    "e_ehsize $(header $file 'Size of this header')," \
	    "PT_LOADs by eu-readelf $(root/usr/bin/eu-readelf -l $file | grep -c LOAD)," \
	    "makedumpfile: $(zeros $file)"
done
[ "$(header qemu.elf 'Start of program headers') $(header qemu.elf 'Size of this header')" = '192 8' ]
[ "$(zeros qemu.elf)" = 'exit status 1 get the number of PT_LOAD' ]
rm -f moved.elf.kdump
[ "$(zeros moved.elf)" = 'exit status 0 ' ]
