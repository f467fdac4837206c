#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# pahole 1.24 (Debian 12, pahole 1.24-4.1, libbpf1 1.1.2), raw BTF in which no type is called long.
#
# The guess: pointers are as wide as those of the program that the BTF was made of; at worst, of the
# machine that reads it.
#
# Seen: pointers have 0 bytes. Each is followed by a made-up hole of 8 bytes (4 for a 32-bit object), and
# the next member gets an alignment of twice that. BTF does not say how wide a pointer is; libbpf infers
# it from the size of the integer type named "long" or "unsigned long", or from the ELF class if the BTF
# is in an ELF file. The same types in a section of the object file, or in a raw file with one unused
# long, are printed right.
#
# Why it matters: small BTF (of a module, of one driver, cut for a few types) is often raw and without a
# long. That the reader works on vmlinux's BTF proves nothing for it. The widths are better taken from the
# machine of the dump, and offsets never from the sizes of the members before.
#
# The types are compiled here. Downloads the packages, unpacks them in a temporary folder. Exit status 0:
# pahole behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root pahole=1.24-4.1 libbpf1=1:1.1.2-0+deb12u1 \
    libdw1=0.188-2.1 libelf1=0.188-2.1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done
pahole() { LD_LIBRARY_PATH=root/usr/lib:root/usr/lib/x86_64-linux-gnu root/usr/bin/pahole "$@"; }

echo 'struct node { struct node *next; int value; void *data; } node;' > short.c
{ cat short.c; echo 'long unused;'; } > long.c
for name in short long; do
	cc -g -c $name.c -o $name.o
	pahole --btf_encode_detached $name.btf $name.o
done
cp short.o section.o
pahole -J section.o

# node FILE: offset and size of each member as pahole prints them, and the holes that it sees
node() {
	pahole -F btf -C node "$1" > text
	sed -n 's|.*; *[^/]*/\* *\([0-9]*\) *\([0-9]*\) \*/.*|\1+\2|p' text | tr '\n' ' '
	echo "holes $(sed -n 's/.* sum holes: \([0-9]*\).*/\1/p' text | head -1)"
}
echo "pahole $(pahole --version)"
for file in section.o long.btf short.btf; do echo "$file: $(node $file)"; done
[ "$(node section.o)" = '0+8 8+4 16+8 holes 4' ]
[ "$(node long.btf)" = '0+8 8+4 16+8 holes 4' ]
[ "$(node short.btf)" = '0+0 8+4 16+0 holes 12' ]
