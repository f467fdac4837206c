#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# QEMU 7.2 (Debian 12, qemu-system-x86 1:7.2+dfsg-7+deb12u18+b3), dumps of a guest in 32-bit or real mode.
#
# The guess: the class of the dump follows the guest: ELF32 with EM_386, or ELF64 with EM_X86_64; and both
# formats of dump-guest-memory name the same machine.
#
# Seen: three answers for one guest of 16 MiB. The ELF dump is ELF64, its machine is EM_386, and its
# NT_PRSTATUS notes have the 144 bytes of the 32-bit struct. The class does not follow the size of RAM:
# the machine's firmware ends at 4 GiB, which no 32-bit address reaches, so no PC gives ELF32. The kdump
# file (-z) of the same paused guest says "x86_64" and has the 64-bit header. The machine of the ELF file
# follows the mode of the first CPU at that moment (EFER.LMA): a 64-bit kernel that is still in its boot
# code, or in 32-bit mode, is dumped as EM_386, too.
#
# Why it matters: neither class nor machine alone tells the layout of the notes. e_machine has to choose
# prstatus, e_ident the rest; and the machine of a kdump from QEMU is that of the emulator, not of the
# guest's kernel. Here eu-readelf names the notes, but shows no register of them.
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
printf 'dump-guest-memory guest.elf\ndump-guest-memory -z guest.flat\nquit\n' |
	QEMU_MODULE_DIR=root/usr/lib/x86_64-linux-gnu/qemu timeout 60 root/usr/bin/qemu-system-x86_64 \
	    -L . -bios bios -machine pc -accel tcg -m 16M -S -nodefaults -display none -monitor stdio \
	    > monitor 2>&1
root/usr/bin/makedumpfile --message-level 0 -R guest.kdump < guest.flat

readelf() { root/usr/bin/eu-readelf "$@" guest.elf; }
class=$(readelf -h | sed -n 's/^ *Class: *//p')
machine=$(readelf -h | sed -n 's/^ *Machine: *//p')
top_of=$(readelf -l | awk '/LOAD/ { end = $3 } END { print end }')
prstatus=$(od -An -tu4 -j$(($(readelf -l | awk '/NOTE/ { print $2; exit }') + 4)) -N4 guest.elf | tr -d ' ')
registers=$(readelf -n | grep -c 'eip:\|rip:' || true)
# In the kdump header: struct new_utsname from byte 12 on, its machine is the fifth of six texts.
utsname=$(dd if=guest.kdump bs=1 skip=272 count=65 2> /dev/null | tr -d '\0')

root/usr/bin/qemu-system-x86_64 --version | head -1
echo "ELF: $class, $machine, last segment at $top_of, NT_PRSTATUS of $prstatus bytes, registers shown: $registers"
echo "kdump: $utsname"
[ "$class, $machine, $prstatus, $registers, $utsname" = 'ELF64, Intel 80386, 144, 0, x86_64' ]
