#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tests/setup.sh without touching this machine: a PATH of its own, with a false
# apt-get, sudo and id that write down what they were asked.

set -u
cd "$(dirname "$0")/../.." || exit 1
unset CC PKG_CONFIG		# make check CC=clang exports them
box=$(mktemp -d) || exit 1
trap 'rm -rf "$box"' EXIT
passed=0 failed=0

expect() {	# NAME CONDITION...
	name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $name"
		cat "$box/out"
	fi
}

said() { grep -q -- "$1" "$box/out"; }
asked() { grep -q -- "$1" "$box/calls"; }
quiet() { [ ! -s "$box/calls" ]; }
is() { [ "$1" -eq "$2" ]; }

tool() {	# NAME BODY
	printf '#!/bin/sh\n%s\n' "$2" > "$box/bin/$1"
	chmod +x "$box/bin/$1"
}

run() {		# runs setup.sh in the box; status in $rc
	: > "$box/calls"
	PATH="$box/bin" BOX="$box" sh tests/setup.sh "$@" > "$box/out" 2>&1
	rc=$?
}

mkdir "$box/bin"
for t in sh cat rm mktemp basename env head; do
	ln -s "$(command -v $t)" "$box/bin/$t"
done
tool apt-get 'echo "apt-get $DEBIAN_FRONTEND $*" >> "$BOX/calls"'
tool sudo 'echo "sudo $*" >> "$BOX/calls"; exec "$@"'
tool id 'echo ${FAKE_UID:-0}'

run --verify build
expect 'a bare machine cannot build' is $rc 1
expect 'and hears the package of the compiler' said 'Debian package gcc)'
expect 'and of a library' said 'libkdumpfile-dev'

run --install build
expect 'it says what it lacks first' said 'this machine lacks'
expect 'updates its lists' asked 'apt-get noninteractive .*update'
expect 'and installs without asking' \
	asked 'apt-get noninteractive .* -y .*install .*libkdumpfile-dev'
expect 'no sudo for root' sh -c '! grep -q sudo "$1"' - "$box/calls"

FAKE_UID=1000
export FAKE_UID
run --install test
expect 'sudo for others' asked '^sudo env DEBIAN_FRONTEND=noninteractive apt-get'
expect 'tests need more' asked 'install .*python3'
rm "$box/bin/sudo"
run --install build
expect 'without sudo it says what to run' said 'neither root nor sudo'
expect 'and fails' is $rc 1
expect 'having run nothing' quiet

FAKE_UID=0
tool apt-get 'echo "apt-get $*" >> "$BOX/calls"; exit 100'
run --install build
expect 'apt-get that fails is an error' is $rc 1

# a machine that has everything
for t in make gcc xz python3 clang clang-format clang-tidy cppcheck abidiff less zstd ld.lld smem crash chromium chromium-headless-shell chromedriver pdftotext sqlite3 nbdkit slabtop numastat; do
	tool $t 'exit 0'
done
tool pkg-config 'exit 0'
run --install test
expect 'nothing is missing' is $rc 0
expect 'so nothing is run' quiet
expect 'and nothing is said' sh -c '[ ! -s "$1" ]' - "$box/out"

# without clang the tests go on
rm "$box/bin/clang"
run --install test
expect 'clang may be missing' is $rc 0
expect 'and is asked for' asked 'install .*clang'

# the Makefile itself needs neither compiler nor pkg-config to be read
rm -f "$box/bin/gcc" "$box/bin/pkg-config"
make=$(command -v make)
PATH="$box/bin" "$make" --no-print-directory -n demo > "$box/out" 2>&1
rc=$?
expect 'make demo gets as far as the set-up' said 'tests/setup.sh --install build'
PATH="$box/bin" BOX="$box" "$make" --no-print-directory B="$box/b" > "$box/out" 2>&1
expect 'make alone says what is missing' said 'Debian package'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
