#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# bpftool 7.1 (Debian 12, bpftool 7.1.0+6.1.192-2), "btf dump format c" of packed unions and small enums.
#
# The guess: the header has the layout of the types: sizes and offsets are in BTF, and where C rules would
# give others, the dump adds packed or padding.
#
# Seen: for structs it does. For a packed union, and for an enum of one byte, it does not: both come
# out bare, and the same compiler makes 8 bytes of 5 and 4 of 1. A struct that holds one then differs in
# size and in the offsets of what follows, although its BTF has them right; nothing is said. For a packed
# struct of the same members the attribute is there.
#
# Why it matters: such a header (vmlinux.h) is the quick way to a kernel's types for a program that reads
# a dump. Compare sizeof with the sizes in BTF before it reads anything: sizes by BTF are in
# "bpftool btf dump file FILE".
#
# The types are compiled here. Downloads the packages, unpacks them in a temporary folder. Exit status 0:
# bpftool behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root bpftool=7.1.0+6.1.192-2 pahole=1.24-4.1 \
    libbpf1=1:1.1.2-0+deb12u1 libdw1=0.188-2.1 libelf1=0.188-2.1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done
export LD_LIBRARY_PATH=root/usr/lib:root/usr/lib/x86_64-linux-gnu

cat > types.h <<'C'
enum __attribute__((packed)) small { SMALL = 1 };
union tight { int number; char text[5]; } __attribute__((packed));
struct fit { int number; char text; } __attribute__((packed));
struct with_small { enum small kind; short count; };
struct with_tight { char first; union tight tight; int last; };
struct with_fit { char first; struct fit fit; int last; };
C
cat > sizes.c <<'C'
#include HEADER
enum small small;
union tight tight;
struct fit fit;
struct with_small with_small;
struct with_tight with_tight;
struct with_fit with_fit;
int size[] = {sizeof small, sizeof tight, sizeof fit, sizeof with_small, sizeof with_tight, sizeof with_fit,
              __builtin_offsetof(struct with_small, count), __builtin_offsetof(struct with_tight, last),
              __builtin_offsetof(struct with_fit, last)};
C
# sizes HEADER: small, tight, fit, the three structs, and the offsets of their last members
sizes() {
	LD_LIBRARY_PATH='' cc -w -g -D "HEADER=\"$1\"" -c sizes.c -o sizes.o
	LD_LIBRARY_PATH='' objcopy -O binary -j .data sizes.o sizes.bin
	od -An -v -w36 -td4 sizes.bin | tr -s ' '
}
root/usr/sbin/bpftool version | head -1
before=$(sizes types.h)
root/usr/bin/pahole --btf_encode_detached types.btf sizes.o
root/usr/sbin/bpftool btf dump file types.btf format c > dumped.h
root/usr/sbin/bpftool btf dump file types.btf | grep -E "'(small|tight|fit)'" | grep -o "'.* size=[0-9]*"
after=$(sizes dumped.h)
echo "enum, union, struct, those with them, and last members, compiled: $before"
echo "compiled from bpftool's header:                                   $after"
[ "$before;$after" = ' 1 5 5 4 12 12 2 8 8; 4 8 5 8 16 12 4 12 8' ]
