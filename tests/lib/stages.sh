# SPDX-License-Identifier: GPL-3.0-or-later
#
# Stages of .ci/run and tests/nightly: commands with a limit of time, so that a hang is a
# failure with a name. A command counts by its last "N passed, N failed" line; without one
# it is one test. Exit status 77 is a skip. Sourced from the root of the tree.

stages_log=$(mktemp -d) || exit 1
trap 'rm -rf "$stages_log"' EXIT
passed=0 failed=0 skipped=0 took=

stage() {	# NAME MINUTES COMMAND...
	name=$1 minutes=$2 began=$(date +%s)
	shift 2
	echo "==== $name: $*"
	{
		timeout -k 30 "$((minutes * 60))" "$@" 2>&1
		echo $? > "$stages_log/rc"
	} | tee "$stages_log/log"
	rc=$(cat "$stages_log/rc")
	now=$((($(date +%s) - began + 30) / 60))
	took="$took
$(printf '%4d min  %s' "$now" "$name")"
	[ "$rc" -eq 124 ] && echo "$name: stopped after $minutes minutes"
	# make has an exit status of its own, and says that of the command
	grep -q '^make: \*\*\* .* Error 77$' "$stages_log/log" && rc=77
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$stages_log/log" | tail -n 1)
	set -- $(echo "${line:-0 0 0}" | tr -dc '0-9 \n')
	if [ "$rc" -eq 77 ]; then
		echo "skip $name: $(grep -vE '^make' "$stages_log/log" | tail -n 1)"
		set -- 0 0 1
	elif [ "$rc" -ne 0 ] && [ "$2" -eq 0 ]; then
		# it failed without having counted a failure: it did not come to its end
		echo "FAIL $name: exit status $rc"
		set -- "$1" 1 "${3:-0}"
	elif [ -z "$line" ]; then
		set -- 1 0 0
	fi
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
}

# Minutes of each stage, and the one tally; the exit status is 0 if nothing failed.
stages_end() {
	echo "$took"
	[ $skipped -gt 0 ] && echo "$skipped skipped (reasons above)"
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ]
}
