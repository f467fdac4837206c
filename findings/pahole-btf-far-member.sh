#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# pahole 1.24 (Debian 12, pahole 1.24-4.1, libbpf1 1.1.2), BTF of members far from the start of a struct.
#
# The guess: a member that BTF cannot place is refused, with a message; all others keep their offsets.
#
# Seen: exit status 0, no message, and another member. A struct with any bitfield stores 8 bits of width
# and 24 bits of offset per member. A plain int at 4 MiB of such a struct becomes a bitfield of 2 bits in
# byte 4: the high bits of its offset were taken for a width. Without a bitfield the offset has 32 bits,
# counted in bits: an int at 600 MiB comes out at 88 MiB. The size of both structs stays right, and so
# does the DWARF of the same objects.
#
# Why it matters: one bitfield anywhere in a struct moves the limit of its plain members from 512 MiB to
# 2 MiB. Who reads a large table in a dump by BTF has to compare offset and size with the struct's size;
# the error is silent, and a width of 2 bits looks as if the kernel's source said so.
#
# Downloads the packages, unpacks them in a temporary folder. Exit status 0: pahole behaves so; 1: it
# does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root pahole=1.24-4.1 libbpf1=1:1.1.2-0+deb12u1 \
    libdw1=0.188-2.1 libelf1=0.188-2.1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done
pahole() { LD_LIBRARY_PATH=root/usr/lib:root/usr/lib/x86_64-linux-gnu root/usr/bin/pahole "$@"; }

cat > far.c <<'C'
struct near { int flag : 3; char space[1 << 20]; int tail; } *near;
struct far { int flag : 3; char space[4 << 20]; int tail; } *far;
struct plain { int flag; char space[4 << 20]; int tail; } *plain;
struct huge { char space[600 << 20]; int tail; } *huge;
C
cc -g -c far.c -o far.o
status=0
pahole --btf_encode_detached far.btf far.o 2> errors || status=$?
# tail FORMAT FILE STRUCT: the member as pahole prints it, without spaces
tail_of() { pahole -F "$1" -C "$3" "$2" | grep 'tail' | tr -d ' \t'; }

echo "pahole $(pahole --version): exit status $status, $(wc -l < errors) lines of errors"
seen=$status
for name in near far plain huge; do
	btf=$(tail_of btf far.btf "$name")
	echo "$name: in DWARF $(tail_of dwarf far.o "$name"), in BTF $btf"
	seen="$seen $btf"
done
[ "$seen" = '0 inttail;/*10485804*/ inttail:2;/*4:04*/ inttail;/*41943084*/ inttail;/*922746884*/' ]
