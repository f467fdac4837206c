# SPDX-License-Identifier: GPL-3.0-or-later
#
# Stages of .ci/run and tests/nightly: commands with a limit of time, so that a hang is a
# failure with a name. A command counts by its last "N passed, N failed" line; without one
# it is one test. Exit status 77 is a skip. Sourced from the root of the tree.

# stages_record, if it is set, is a folder with the result of each stage: what passed is not run
# again by the same command, and is counted with the rest. With stages_asked=no nothing is run.

stages_log=$(mktemp -d) || exit 1
trap 'rm -rf "$stages_log"' EXIT
passed=0 failed=0 skipped=0 took= not_run= stages_record= stages_asked=yes

stage_count() {	# PASSED FAILED SKIPPED MINUTES NAME
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
	took="$took
$(printf '%4d min  %s' "$4" "$5")"
}

# Counts what the record says of NAME and the COMMAND; false: it has to be run.
stage_is_recorded() {	# NAME COMMAND
	[ -n "$stages_record" ] || return 1
	record=$stages_record/$(printf %s "$1" | tr -c 'A-Za-z0-9' _)
	stage_name=$1 stage_command=$2
	if [ "$(sed 1q "$record" 2> /dev/null)" = "$stage_command" ]; then
		set -- $(sed 1d "$record")
		[ "$2" -gt 0 ] && [ $stages_asked = yes ] && return 1
		stage_count "$1" "$2" "$3" "$4" "$stage_name, before"
	elif [ $stages_asked = yes ]; then
		return 1
	else
		not_run="$not_run
not run: $stage_name"
	fi
}

stage() {	# NAME MINUTES COMMAND...
	name=$1 minutes=$2 began=$(date +%s)
	shift 2
	stage_is_recorded "$name" "$*" && return
	command=$*
	echo "==== $name: $*"
	{
		timeout -k 30 "$((minutes * 60))" "$@" 2>&1
		echo $? > "$stages_log/rc"
	} | tee "$stages_log/log"
	rc=$(cat "$stages_log/rc")
	now=$((($(date +%s) - began + 30) / 60))
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
	stage_count "$1" "$2" "${3:-0}" $now "$name"
	[ -z "$stages_record" ] || printf '%s\n' "$command" "$1 $2 ${3:-0} $now" > "$record"
}

# Minutes of each stage, and the one tally; the exit status is 0 if nothing failed.
stages_end() {
	echo "$took$not_run"
	[ $skipped -gt 0 ] && echo "$skipped skipped (reasons above)"
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ]
}
