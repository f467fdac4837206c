#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# crash 8.0.2 (Debian 12, crash 8.0.2-1), "crash --osrelease" on an ELF vmcore.
#
# The guess: it prints OSRELEASE of the VMCOREINFO note. p_align of the segments is of no concern: a core
# is not mapped, and 0, 1 and 4096 are all valid.
#
# Seen: with p_align 0 it prints the release, with p_align 1 or 4096 "unknown". crash tells kdump's files
# from those of the older netdump by p_align of the second program header: 0 is kdump. Otherwise the file
# counts as netdump's (its page size is then taken from p_align), unless p_offset of that segment is no
# multiple of 4096: with p_align 1 and the memory moved by one byte in the file, it is a kdump again.
#
# Why it matters: who writes vmcores (a converter, a hypervisor) and sets what the ELF specification
# recommends makes a file that crash takes for something else, and VMCOREINFO is not looked at. Write 0.
#
# The vmcores are made here. Downloads the packages, unpacks them in a temporary folder. Exit status 0:
# crash behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root crash=8.0.2-1 libsnappy1v5=1.1.9-3 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done

# make.py ALIGN SHIFT: p_align of the segments, and bytes that the memory is moved by
cat > make.py <<'PY'
import struct
import sys
align, shift = map(int, sys.argv[1:])
info = b"OSRELEASE=6.1.0-release\nPAGESIZE=4096\n"
info += b"\n" * (-len(info) % 4)
notes = struct.pack("<III", 5, 336, 1) + b"CORE\0\0\0\0" + bytes(336)
notes += struct.pack("<III", 11, len(info), 0) + b"VMCOREINFO\0\0" + info
head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 3, 0, 0, 0)
head += struct.pack("<IIQQQQQQ", 4, 0, 64 + 56 * 3, 0, 0, len(notes), len(notes), 0)
at = 4096 + shift
for start in (0x100000, 0x200000):
    head += struct.pack("<IIQQQQQQ", 1, 7, at, 0xffff888000000000 + start, start, 65536, 65536, align)
    at += 65536
head += notes
open("vmcore", "wb").write(head + bytes(at - len(head)))
PY
root/usr/bin/crash --version < /dev/null | sed -n 2p
seen=
for made in '0 0' '1 0' '1 1' '4096 0'; do
	# shellcheck disable=SC2086 # two arguments
	python3 make.py $made
	release=$(LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/crash --osrelease vmcore 2> /dev/null || true)
	echo "p_align ${made% *}, p_offset 4096 + ${made#* }: $release"
	seen="$seen $release"
done
[ "$seen" = ' 6.1.0-release unknown 6.1.0-release unknown' ]
