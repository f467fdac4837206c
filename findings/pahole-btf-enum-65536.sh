#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# pahole 1.24 (Debian 12, pahole 1.24-4.1, libbpf1 1.1.2), BTF of an enum with 65,536 enumerators.
#
# The guess: the number of members of a BTF type has 16 bits, so pahole refuses the type, or at least
# warns; the exit status says so.
#
# Seen: exit status 0, nothing on stderr. With 65,535 enumerators all are there. With 65,536 the enum has
# none, with 65,537 it has one, the first. The count is raised by adding to a 32-bit word: at 65,536 the
# carry stands in a reserved bit of the info word, the deduplication takes the low 16 bits as the length
# and cuts the rest away. All other types are whole, so nothing else looks wrong. The DWARF of the same
# object has every enumerator; of 65,536 pahole prints none from there either, of 65,537 all.
#
# Why it matters: who names the values of an enum in a dump (events, registers, generated tables) from
# its BTF gets an empty enum and no error. "vlen 0" of an enum is no proof that it had no values.
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

# enum COUNT: an object with an enum of COUNT enumerators
enum() {
	{
		echo 'enum big {'
		seq -f 'e%.0f,' 1 "$1"
		echo '} value;'
	} > "$1.c"
	cc -g -c "$1.c" -o "$1.o"
}

# info FILE: the third word behind the BTF header, the info word of type 1
info() { od -An -tx4 -j28 -N4 "$1" | tr -d ' '; }

echo "pahole $(pahole --version)"
seen=
for count in 65535 65536 65537; do
	enum "$count"
	status=0
	pahole --btf_encode_detached "$count.btf" "$count.o" 2> errors || status=$?
	in_btf=$(pahole -F btf -C big "$count.btf" | grep -c '=' || true)
	in_dwarf=$(pahole -F dwarf -C big "$count.o" | grep -c '=' || true)
	entries=$(readelf --debug-dump=info "$count.o" | grep -c '(DW_TAG_enumerator)')
	echo "$count enumerators: exit status $status, $(wc -l < errors) lines of errors," \
	    "info word $(info "$count.btf"), printed from BTF $in_btf, from DWARF $in_dwarf of $entries"
	seen="$seen $status:$in_btf:$in_dwarf:$entries"
done
[ "$seen" = ' 0:65535:65535:65535 0:0:0:65536 0:1:65537:65537' ]
