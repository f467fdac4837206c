#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# demo.sh VMCENSUS    what the program says of the dump of a machine that ran out of memory
# (tests/fixtures/demo): the verdict, what proves it, and what to type next.

set -eu
cd "$(dirname "$0")/.."
exe=$1
dump=$(dirname "$exe")/demo.vmcore

if [ ! -e "$dump" ] || [ tests/fixtures/demo/oom.xz -nt "$dump" ]; then
	xz -dc tests/fixtures/demo/oom.xz > "$dump.part"
	mv "$dump.part" "$dump"
fi

# ask LINES ARGUMENT...: the first LINES of an answer. A partial one (exit status 2) is one, too.
ask() {
	lines=$1
	shift
	printf '\n$ %s\n' "$exe $*"
	{ "$exe" -q "$@" || [ $? -eq 2 ]; } | head -n "$lines"
}

printf '\n%s\n' "A webserver was killed: the kernel had no memory left. Why?"
ask 10 "$dump"
printf '\n%s\n' "What proves it: one file, which no directory has any more, and one process that has it open."
ask 2 shm "$dump" -n 1 -c kind,size,openers,unlinked,pid,comm,path
ask 3 oom --kills "$dump" -n 2 -c kind,pid,rss,exit,shmem,name
cat << END

Next:
  $exe $dump                     all of the summary
  $exe html $dump -o out.html    the same as a page for a browser
  $exe --help                              all reports
END
