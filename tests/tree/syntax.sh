#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# syntax.sh COMPILER OPTION...: the sources that standard input names, through the compiler's checks.
# Most of what clang takes for a file is its start. The compiler proper, which "clang -###" names, takes
# many files at once.

case $("$1" --version) in
*clang*)
	proper=$("$@" -fsyntax-only '-###' -x c - 2>&1 | sed -n '$s/ "-"$//p')
	# the arguments of sh are expanded by it: shellcheck disable=SC2016
	exec xargs -P "$(nproc)" -n 50 sh -c 'eval "$0 \"\$@\""' "${proper:?"$1 names no compiler"}"
	;;
esac
exec xargs -P "$(nproc)" -n 8 "$@" -fsyntax-only
