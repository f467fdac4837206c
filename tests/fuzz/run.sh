#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh [--time SECONDS] [--make MAKE] [NAME...]
#
# Builds tests/fuzz/fuzz_*.c with clang's libFuzzer, AddressSanitizer and UBSan in
# build-fuzz/ and runs each (or those named) for SECONDS, from tests/fuzz/corpus/NAME/
# (seeds, and inputs that once found something; "make check" replays them); fuzz_model
# over a real dump of tests/fixtures/. New finds stay in
# build-fuzz/corpus/NAME/; a crash leaves its input in build-fuzz/crash-NAME-*. The last line is the
# number of executions, also of targets that failed.

set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=60 make=make
while [ $# -gt 0 ]; do
	case $1 in
	--time) seconds=$2; shift 2 ;;
	--make) make=$2; shift 2 ;;
	*) break ;;
	esac
done

skip() {
	echo "SKIPPED: nothing was fuzzed: $1" >&2
	exit 77
}

command -v clang > /dev/null 2>&1 || skip "clang is not installed (Debian package clang)"
probe=$(mktemp -d) || exit 1
trap 'rm -rf "$probe"' EXIT
cat > "$probe/p.c" <<'END'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) { return p && n > 3 ? 0 : 0; }
END
clang -fsanitize=fuzzer,address,undefined -o "$probe/p" "$probe/p.c" > /dev/null 2>&1 ||
	skip "this clang has no libFuzzer (Debian package libclang-rt-dev)"

$make --no-print-directory -j"$(nproc)" CC=clang B=build-fuzz \
	CPPFLAGS="${CPPFLAGS:-} -DCACHE_BYTES=0" SAN=fuzzer-no-link,address,undefined \
	fuzz-bins build-fuzz/tools/mkdump machine-layouts || exit 1

if [ $# -gt 0 ]; then
	names=$*
else
	names=$(ls tests/fuzz | sed -n 's/^fuzz_\(.*\)\.c$/\1/p')
fi
[ -n "$names" ] || skip "there is no tests/fuzz/fuzz_*.c"

. tests/fuzz/image.sh
VMCENSUS_FUZZ_IMAGE=$(fuzz_image build-fuzz)
VMCENSUS_FUZZ_LOGS=$(printf '%s ' "$PWD"/tests/fuzz/corpus/oomlog/*)
VMCENSUS_FUZZ_MACHINES=$(fuzz_machines build-fuzz)
VMCENSUS_FUZZ_ELF=$PWD/tests/fuzz/corpus/elf/shared
export VMCENSUS_FUZZ_ELF VMCENSUS_FUZZ_IMAGE VMCENSUS_FUZZ_LOGS VMCENSUS_FUZZ_MACHINES

# Freed memory is kept for longer than one input runs: less of it is touched.
export ASAN_OPTIONS="quarantine_size_mb=8${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

# executions LOG: what libFuzzer says at its end, or, if it was killed, said last.
executions() {
	awk '/^#[0-9]+\t/ { n = substr($1, 2) } /^stat::number_of_executed_units:/ { n = $2 } END { print n + 0 }' "$1"
}

rc=0 total=0 targets=0
for name in $names; do
	corpus=build-fuzz/corpus/$name
	mkdir -p "$corpus"
	kept=tests/fuzz/corpus/$name
	if [ -z "$(ls "$kept" 2> /dev/null)" ]; then
		echo "FAILED: $name has no seed in $kept"
		rc=1
		continue
	fi
	echo "== $name, $seconds s"
	# A hang is an input that takes over 60 s: all reports of a dump take 8 s, on a processor of their own.
	targets=$((targets + 1))
	if ! "build-fuzz/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="build-fuzz/crash-$name-" \
		"$corpus" $kept > "build-fuzz/$name.log" 2>&1; then
		tail -40 "build-fuzz/$name.log"
		echo "FAILED: $name (build-fuzz/$name.log)"
		rc=1
	else
		grep -E 'number_of_executed_units|new_units_added|peak_rss_mb' "build-fuzz/$name.log"
	fi
	total=$((total + $(executions "build-fuzz/$name.log")))
done
echo "$total executions over $targets targets"
exit $rc
