#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# install.sh put MODE DIR FILE...   installs each FILE in DIR
# install.sh strip MODE DIR FILE    without its debug information, which goes below $DEBUG, where gdb looks by build-id
# install.sh link DIR FILE NAME     NAME in DIR leads to FILE there
# install.sh take                   removes what the others have put, and the directories that they made
#
# From the environment: DESTDIR, before each path; LIST, the file that names what was put; DEBUG; STRIP and OBJCOPY,
# the programs. A directory that was there before stays, also if it is empty.

set -eu
root=${DESTDIR:-}

# What is missing of DIR, from above.
missing() {
	[ "$1" = / ] || [ -d "$root$1" ] && return
	missing "$(dirname "$1")"
	echo "$1"
}

into() {	# DIR
	made=$(missing "$(dirname "$LIST")"; missing "$1")
	mkdir -p "$root$(dirname "$LIST")" "$root$1"
	[ -z "$made" ] || printf '%s\n' "$made" | sed 's/^/d /' >> "$root$LIST"
}

put() {	# MODE DIR FILE...
	mode=$1 dir=$2
	shift 2
	into "$dir"
	for file; do
		rm -f "$root$dir/$(basename "$file")"
		install -m "$mode" "$file" "$root$dir"
		echo "f $dir/$(basename "$file")" >> "$root$LIST"
	done
}

link() {	# DIR FILE NAME
	into "$1"
	ln -sf "$2" "$root$1/$3"
	echo "f $1/$3" >> "$root$LIST"
}

# The 40 digits of FILE's build-id; none if it has none.
build_id() {
	"$OBJCOPY" -O binary --only-section=.note.gnu.build-id "$1" /dev/stdout 2> /dev/null |
		od -An -v -tx1 -j16 2> /dev/null | tr -d ' \n'
}

stripped() {	# MODE DIR FILE
	put "$@"
	id=$(build_id "$3")
	if [ -n "$id" ]; then
		rest=${id#??}
		debug=$DEBUG/.build-id/${id%"$rest"}
		into "$debug"
		"$OBJCOPY" --only-keep-debug "$3" "$root$debug/$rest.debug"
		chmod 644 "$root$debug/$rest.debug"
		echo "f $debug/$rest.debug" >> "$root$LIST"
	fi
	"$STRIP" "$root$2/$(basename "$3")"
}

take() {
	[ -e "$root$LIST" ] || { echo "nothing is installed: $root$LIST does not exist"; return; }
	sed -n 's/^f //p' "$root$LIST" | while read -r path; do
		rm -f "$root$path"
	done
	dirs=$(sed -n 's/^d //p' "$root$LIST" | sort -ru)
	rm -f "$root$LIST"
	printf '%s\n' "$dirs" | while read -r path; do
		rmdir "$root$path" 2> /dev/null || true
	done
}

what=$1
shift
case $what in
put) put "$@" ;;
strip) stripped "$@" ;;
link) link "$@" ;;
take) take ;;
*) exit 64 ;;
esac
