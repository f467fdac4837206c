# SPDX-License-Identifier: GPL-3.0-or-later
#
# fuzz_image BUILD: what fuzz_model tells lies in: some fixtures, and described machines of other CPUs and old
# kernels, below BUILD, which has tools/mkdump and layouts/. Sourced from the root of the tree.

fuzz_image() {
	for folder in x86_64-5.10 x86_64-6.1-sysrq x86_64-6.12-la57-flattened i386-6.1 ppc32-44x-6.1 \
		x86_64-6.1-elf ppc64le-radix-6.1 ppc32-e500-6.1 field/x86_64-el9; do
		dump=$(python3 tests/lib/fixtures.py "tests/fixtures/$folder" "$1") || continue
		printf '%s' "$PWD/$dump"
		[ ! -e "tests/fixtures/$folder/layout" ] || printf ',%s' "$PWD/tests/fixtures/$folder/layout"
		printf ' '
	done
	while read -r cpu layout; do
		types=$1/layouts/linux-$layout.layout
		release=${layout%%-*}
		sed "s/RELEASE/$release/" tests/machine/texts/small.machine > "$1/text"
		"$1/tools/mkdump" "$cpu" "$types" "$1/text" "$1/machine-$layout" elf > "$1/made" || continue
		printf '%s,%s,%s ' "$PWD/$1/machine-$layout.elf" "$PWD/$types" "$PWD/$1/machine-$layout.map"
	done <<-END
		i386 2.4.27-i386
		i386 2.6.11-i386
		ppc-44x 2.6.32-ppc-pte64
		i386-pae 2.6.18-i386-pae
		ppc64-hash-4k 3.10-ppc64
		ppc64-book3e-4k 3.16-ppc64
		ppc-6xx 4.19-ppc
		x86_64 2.6.18-x86_64
		x86_64 3.10-x86_64
		x86_64 4.19-x86_64
	END
}

# fuzz_machines BUILD: what fuzz_machine alters: "CPU,LAYOUT,TEXT,RELEASE,HUGE" each. Few have
# sections: their page arrays are of 2 MiB, and all of it is read.
fuzz_machines() {
	while read -r cpu layout text huge; do
		printf '%s,%s,%s,%s,%s ' "$cpu" "$PWD/$1/layouts/linux-$layout.layout" \
			"$PWD/tests/machine/texts/$text.machine" "${layout%%-*}" "$huge"
	done <<-END
		i386 3.10-i386 small 0
		x86_64 4.19-x86_64 small 0
		i386 2.4.27-i386 small 0
		i386 2.6.11-i386 small 0
		x86_64 2.6.18-x86_64 small 0
		i386-pae 2.6.32-i386-pae small 0
		ppc-44x 3.16-ppc-pte64 small 0
		ppc-6xx 4.19-ppc small 0
		ppc64-hash-64k 3.10-ppc64 small 0
		ppc64-book3e-4k 3.16-ppc64 small 0
		i386 4.19-i386 entries 0
		i386-pae 3.16-i386-pae entries 0
		i386-pae 4.19-i386-pae hugetlb 21
		i386-pae 4.19-i386-pae thp 21
		i386-pae 4.19-i386-pae parts 21
		x86_64 4.19-x86_64 thp-moves 21
		i386-pae 3.16-i386-pae thp 21
		ppc-40x 3.10-ppc small 0
		ppc-8xx 3.10-ppc small 0
		ppc-e500 2.6.32-ppc small 0
		ppc-e500 3.10-ppc hugetlb 22
		ppc64-hash-4k 3.16-ppc64 hugetlb 24
		ppc64-book3e-4k 3.10-ppc64 hugetlb 22
		ppc64-hash-64k 3.16-ppc64 hugetlb 24
		ppc64-hash-64k 3.16-ppc64 thp 24
		i386 3.10-i386 hugetlb 22
	END
}
