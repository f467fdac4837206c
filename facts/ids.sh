#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The ids of one subject of facts, as C: numbers of the room that subjects.def has for it. Spellings are
# not in it: who asks for a fact is not built again for a new one.
#
# ids.sh SUBJECT.def

set -eu

awk -v subject="$(basename "$1" .def)" -v from="$1" '
BEGIN {
	guard = "VMCENSUS_FACTS_" toupper(subject) "_H"
	printf "/* Made from %s by facts/ids.sh. */\n#ifndef %s\n#define %s\n\n", from, guard, guard
	printf "#include \"facts/layout.h\"\n\n"
}
/^([MSEY]|LEVEL)\(/ && match($0, /[MSEY]_[A-Z0-9_]+/) {
	printf "#define %s ((enum layout_id)(FACTS_%s + %d))\n", substr($0, RSTART, RLENGTH), subject, n++
}
END {
	printf "\nstatic_assert(FACTS_%s + %d <= FACTS_%s_last + 1, \"more room for %s in facts/subjects.def\");\n\n#endif\n", subject, n, subject, subject
}' "$1"
