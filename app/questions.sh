#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# questions.sh FILE: the tables of docs/questions.md as a string of C, for "vmcensus help questions".

set -eu
awk '
	BEGIN { print "static const char questions[] =" }
	/^## / { put("\\n" substr($0, 4)) }
	/^\| .* \| `.*` \|$/ {
		split(substr($0, 3), cell, / \| `/)
		sub(/` \|$/, "", cell[2])
		put("  " cell[1])
		put("      " cell[2])
	}
	END { print "\t;" }
	function put(line) { gsub(/"/, "\\\"", line); printf "\t\"%s\\n\"\n", line }' "$1"
