#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# demo.sh VMCENSUS    what the program says of a real dump of tests/fixtures/:
# the machine, its processes, and the memory map of the one that costs most.

set -eu
cd "$(dirname "$0")/.."
exe=$1
work=$(dirname "$exe")/demo

packed=$(ls tests/fixtures/x86_64-*/vmcore* 2> /dev/null | head -n 1)
if [ -z "$packed" ]; then
	echo "demo: there is no dump in tests/fixtures/" >&2
	exit 1
fi
image=$packed
case $packed in
*.xz)
	mkdir -p "$work"
	image=$work/$(basename "$packed" .xz)
	[ "$image" -nt "$packed" ] || xz -dc "$packed" > "$image"
	;;
esac

# A partial answer (exit status 2) is an answer.
show() {
	printf '\n$ %s\n' "vmcensus $*"
	"$exe" "$@" || [ $? -eq 2 ]
}

show summary "$image"
show procs "$image"
pid=$("$exe" -f csv -c pid -s -pss -n 1 procs "$image" | sed -n 2p | tr -dc 0-9)
[ -n "$pid" ] && show vmas "$image" --pid "$pid"
echo
echo "More: $exe --help; the other dumps are in tests/fixtures/"
