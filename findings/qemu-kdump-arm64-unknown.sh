#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# QEMU 7.2 (Debian 12, qemu-system-arm 1:7.2+dfsg-7+deb12u18+b3), dump-guest-memory -z of an arm64 guest.
#
# The guess: the kdump header names the machine as the guest's uname does, "aarch64", and its blocks are the
# guest's pages, 4096 bytes, as for x86-64.
#
# Seen: the machine is "Unknown", and block_size is 65536: the largest page that the CPU may use, whatever the
# guest uses. The ELF file of the same paused guest has EM_AARCH64.
#
# Why it matters: kdump is the compressed format, hence the one that is sent. A reader that chooses the CPU by the
# header has none, and one that takes block_size for the page size cuts page tables wrongly: the page size must come
# from VMCOREINFO, or from the tables.
#
# QEMU is started with a paused machine that has no disk and no kernel. Downloads the packages, unpacks them in a
# temporary folder; the libraries of QEMU must be there (qemu-system-arm). Exit status 0: it is so; 1: it is not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
qemu=1:7.2+dfsg-7+deb12u18+b3
apt-get download -qq -o APT::Sandbox::User=root "qemu-system-arm=$qemu" "qemu-system-common=$qemu" \
    makedumpfile=1:1.7.2-1 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done
printf 'dump-guest-memory guest.elf\ndump-guest-memory -z guest.flat\nquit\n' |
	QEMU_MODULE_DIR=root/usr/lib/x86_64-linux-gnu/qemu timeout 60 root/usr/bin/qemu-system-aarch64 \
	    -machine virt -cpu cortex-a57 -accel tcg -m 16M -S -nodefaults -display none -monitor stdio > monitor 2>&1
root/usr/bin/makedumpfile --message-level 0 -R guest.kdump < guest.flat

# In the kdump header: struct new_utsname from byte 12 on, its machine is the fifth of six texts; block_size.
machine=$(dd if=guest.kdump bs=1 skip=272 count=65 2> /dev/null | tr -d '\0')
block=$(od -An -tu4 -j428 -N4 guest.kdump | tr -d ' ')
elf=$(od -An -tu2 -j18 -N2 guest.elf | tr -d ' ')

root/usr/bin/qemu-system-aarch64 --version | head -1
echo "ELF machine $elf; kdump: machine '$machine', blocks of $block bytes"
[ "$elf, $machine, $block" = '183, Unknown, 65536' ]
