# SPDX-License-Identifier: GPL-3.0-or-later
#
# fuzz_image BUILD: what fuzz_model tells lies in: some fixtures, and described machines of other CPUs and old
# kernels, below BUILD, which has tools/mkdump. Sourced from the root of the tree.

fuzz_image() {
	for folder in x86_64-5.10 x86_64-6.1-sysrq x86_64-6.12-la57-flattened i386-6.1 ppc32-44x-6.1; do
		packed=$(ls tests/fixtures/$folder/vmcore* 2> /dev/null) || continue
		case $packed in
		*.xz)
			xz -dc "$packed" > "$1/$folder"
			printf '%s' "$PWD/$1/$folder"
			;;
		*) printf '%s' "$PWD/$packed" ;;
		esac
		[ ! -e "tests/fixtures/$folder/layout" ] || printf ',%s' "$PWD/tests/fixtures/$folder/layout"
		printf ' '
	done
	while read -r cpu layout; do
		types=tests/machine/layouts/linux-$layout.layout
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
