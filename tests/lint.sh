#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# CFLAGS=... lint.sh [--quick] FILE...    clang-format, gcc's -Wconversion, clang-tidy and cppcheck
# over the sources, each where it is installed; exit status 1 when one that ran found something.
# --quick leaves out the analyzer of clang-tidy, which takes four fifths of the time.

set -u
rc=0 ran=0
quick=
if [ "${1:-}" = --quick ]; then
	quick=',-clang-analyzer-*'
	shift
fi
# Checks that find mistakes; style is clang-format's business. Without valist: clang 14
# takes every va_list for one that was not started. Without padding: members stand by subject.
checks='-*,bugprone-*,clang-analyzer-*,cert-err34-c,misc-redundant-expression,
-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,
-bugprone-macro-parentheses,-bugprone-reserved-identifier,-bugprone-assignment-in-if-condition,
-bugprone-implicit-widening-of-multiplication-result,-bugprone-suspicious-include,
-bugprone-suspicious-string-compare,
-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,
-clang-analyzer-valist.Uninitialized,-clang-analyzer-optin.performance.Padding'
checks=$(echo "$checks" | tr -d '\n')$quick

if command -v clang-format > /dev/null 2>&1; then
	ran=1
	echo "clang-format: $# files"
	python3 "$(dirname "$0")/format.py" "$@" || rc=1
else
	echo "skipped: clang-format is not installed (Debian package clang-format)"
fi

# A number of the dump that is cut to fewer bits is a wrong answer: it is cut where that is meant.
if command -v gcc > /dev/null 2>&1; then
	ran=1
	echo "gcc -Wconversion: $# files"
	printf '%s\n' "$@" | xargs -P "$(nproc)" -n 8 sh -c '
		f=$1; shift
		eval "gcc -O1 -fsyntax-only -Wconversion -Werror $f \"\$@\""
	' lint "${CFLAGS:-}" || rc=1
else
	echo "skipped: gcc is not installed (Debian package gcc)"
fi

if command -v clang-tidy > /dev/null 2>&1; then
	ran=1
	echo "clang-tidy: $# files"
	printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 sh -c '
		c=$1 f=$2; shift 2
		eval "clang-tidy --quiet --warnings-as-errors=\"*\" --checks=\"\$c\" \"\$@\" -- $f" \
			2> /dev/null
	' lint "$checks" "${CFLAGS:-}" || rc=1
else
	echo "skipped: clang-tidy is not installed (Debian package clang-tidy)"
fi

if command -v cppcheck > /dev/null 2>&1; then
	ran=1
	echo "cppcheck: $# files"
	# ctuuninitvar: it takes what a function fills for what it reads
	cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -j "$(nproc)" -I. \
		--enable=warning,portability,performance \
		--suppress=missingInclude --suppress=missingIncludeSystem \
		--suppress=unknownMacro --suppress=ctuuninitvar \
		--suppress=normalCheckLevelMaxBranches "$@" || rc=1
else
	echo "skipped: cppcheck is not installed (Debian package cppcheck)"
fi
[ $ran = 1 ] && [ $rc = 0 ] && echo "lint: nothing found"
exit $rc
