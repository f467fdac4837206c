#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The direction of includes is the architecture:
#     cli, crashext -> app -> reports -> model -> arch -> facts -> dumpread
# A folder may include itself and what stands to its right. Every include of
# our own is written from the root of the tree ("model/kernel/kernel.h"), so that a
# line of text is all that must be looked at. First the check is tried on a
# tree with planted violations: a check that lets one pass is no check.
# reports/ gets its data through model/: it may neither include the reader's header
# nor name a reader, which other headers declare too.
# The rooms of model/ stand in one order as well: a room may include itself and those before it.
# Nouns that hold each other by value, and so are everybody's, are named.
# A header that says "private to FOLDER/" is included by files of that folder only.
# model/cause/ has ids and numbers: a sentence that a person reads is written in reports/. A text of three words
# is taken for one, unless it is looked for in the log (event/; arguments of told(), gather_count(), memmem()).
# Whether a rule holds is asked of kernel_rule(): texts of the image may decide it.
# The kernel module is built only from its own folder, and so includes from there;
# what it writes, model/ reads: kmod/format.h is both sides'.
#
# layers.sh [ROOT]     exit status 0, or 1 after naming each violation

set -u

# Folder of FILE -> folders it may include.
allowed='
dumpread: dumpread
facts: facts dumpread
arch: arch facts dumpread
model: model arch facts dumpread
reports: reports model arch facts dumpread
app: app reports model arch facts dumpread
cli: cli app reports model arch facts dumpread
crashext: crashext app reports model arch facts dumpread
crashkernel: app reports model arch facts dumpread
kmod: kmod
'

# What a kernel keeps; what it adds up to; why memory ran out.
rooms='
model
model/kernel model/kernel/walk model/kernel/module model/kernel/page model/kernel/hugetlb model/kernel/file
model/kernel/cgroup model/kernel/machine model/kernel/zone model/kernel/slab model/kernel/vmalloc model/kernel/stack
model/kernel/log model/kernel/task model/kernel/mm model/kernel/origin
model/memory/frames model/memory/usage model/memory/owners model/memory/census model/memory/reach model/memory/trust model/memory/source
model/memory/elf model/memory/areas model/memory
model/cause/event model/cause/choice model/cause/freed model/cause/thrash model/cause/verdict
'
nouns='
model/model.h model/build.h model/shared.h model/kernel/kernel.h model/kernel/page/memmap.h
'

privacy() {	# ROOT: prints includes of headers that are private to another folder
	(
		cd "$1" || exit 1
		grep -rioE --include='*.h' 'private to (dumpread|facts|arch|model|reports|app)(/[a-z_]+)*' dumpread facts arch model reports app 2> /dev/null |
			sed -E 's/:[Pp]rivate to / /' |
			while read -r header folder; do
				[ -d "$folder" ] || echo "$header: private to $folder/, which is no folder"
				grep -rlF --include='*.[ch]' "#include \"$header\"" dumpread facts arch model reports app cli crashext \
					2> /dev/null | grep -v "^$folder/" | sed "s|\$|: includes $header, which is private to $folder/|"
			done
	)
}

scan() {	# ROOT: prints violations
	(
		cd "$1" || exit 1
		find dumpread facts arch model reports app cli crashext crashkernel kmod -name '*.[ch]' -o -name '*.def' \
			2> /dev/null | sort | xargs -r awk -v allowed="$allowed" -v rooms="$rooms" -v nouns="$nouns" '
		function folder_of(path) {
			sub("/[^/]*$", "", path)
			return path
		}
		BEGIN {
			n = split(rooms, w, "[ \n]+")
			for (i = 1; i <= n; i++)
				if (w[i] != "")
					rank[w[i]] = i
			n = split(nouns, w, "[ \n]+")
			for (i = 1; i <= n; i++)
				noun[w[i]] = 1
			n = split(allowed, lines, "\n")
			for (i = 1; i <= n; i++) {
				m = split(lines[i], w, "[: ]+")
				for (j = 2; j <= m; j++)
					ok[w[1], w[j]] = 1
				if (m > 1)
					folder[w[1]] = 1
			}
		}
		function bad(why) { printf "%s:%d: %s: %s\n", FILENAME, FNR, why, $0 }
		/^[ \t]*#[ \t]*include/ {
			from = FILENAME
			sub("/.*", "", from)
			room = folder_of(FILENAME)
			if (!match($0, /["<][^">]*[">]/)) {
				bad("include of a macro")
				next
			}
			what = substr($0, RSTART + 1, RLENGTH - 2)
			quoted = substr($0, RSTART, 1) == "\""
			to = what
			sub("/.*", "", to)
			if (what ~ /(^|\/)\.\.?\//)
				bad("relative include")
			else if (to in folder && !((from, to) in ok) &&
				 !(from == "model" && what == "kmod/format.h"))
				bad(from "/ may not include " to "/")
			else if (from == "model" && !(room in rank))
				bad(room " has no place in the order of rooms")
			else if (from == "model" && to == "model" && !(what in noun) && rank[folder_of(what)] > rank[room])
				bad(room " may not include " folder_of(what))
			else if (quoted && !(to in folder) && from != "kmod")
				bad("not written from the root of the tree")
			else if (from == "reports" && what == "dumpread/reader.h")
				bad("reports/ opens no reader: model/ does")
		}
		FILENAME ~ /^reports\// &&
		/(struct reader|kernel_reader|reader_[a-z]+|read_(kva|pa)[a-z_]*)[^A-Za-z0-9_]/ {
			bad("reports/ opens no reader: model/ does")
		}
		FILENAME ~ /^model\/cause\/(choice|freed|thrash|verdict)\/.*\.[ch]$/ &&
		!/^[ \t]*(\/?\*|#[ \t]*include)|(told|gather_count|memmem)\(/ {
			text = $0
			sub(/\/\*.*/, "", text)
			while (match(text, /"[^"]*"/)) {
				words = substr(text, RSTART + 1, RLENGTH - 2)
				text = substr(text, RSTART + RLENGTH)
				if (words ~ /[^ ] +[^ ]+ +[^ ]/)
					bad("a sentence: reports/ has the words")
			}
		}
		/rules(\.|->)on\[/ &&
		FILENAME !~ /^(facts\/.*|model\/kernel\/(kernel.h|texts.c)|reports\/machine\/layout.c)$/ {
			bad("asks a rule past kernel_rule(), which looks for texts of the image first")
		}'
	)
}

# plant FILE LINE: one violation in a tree of its own must be found, and nothing else.
plant() {
	mkdir -p "$teeth/$(dirname "$1")"
	echo "$2" > "$teeth/$1"
	found=$(scan "$teeth" | wc -l)
	rm "$teeth/$1"
	[ "$found" -eq "$3" ] && return 0
	echo "layers: the check itself is broken: $1 with '$2' gave $found findings, not $3" >&2
	exit 1
}

teeth=$(mktemp -d) || exit 1
trap 'rm -rf "$teeth"' EXIT
mkdir -p "$teeth/dumpread" "$teeth/facts" "$teeth/arch" "$teeth/model" "$teeth/reports" "$teeth/app" "$teeth/cli" \
	"$teeth/crashext" "$teeth/kmod"
plant dumpread/x/a.c '#include "arch/arch.h"' 1
plant dumpread/a.h '# include "model/model.h"' 1
plant dumpread/a.h '#include <model/model.h>' 1
plant arch/x86/a.c '#include "model/kernel/kernel.h"' 1
plant facts/layout/a.def '#include "reports/core/report.h"' 1
plant facts/a.c '#include "arch/arch.h"' 1
plant dumpread/a.c '#include "facts/layout.h"' 1
plant arch/a.c '#include "facts/layout.h"' 0
plant model/a.c '#include "app/options.h"' 1
plant app/a.c '#include "cli/main.h"' 1
plant crashext/a.c '#include "cli/main.h"' 1
plant reports/a.c '#include "app/options.h"' 1
plant reports/a.c '#include "crashext/c.h"' 1
plant cli/a.c '#include "crashext/c.h"' 1
plant reports/a.c '#include "dumpread/reader.h"' 1
plant reports/a.c '	struct reader *r;' 1
plant reports/a.c '	x.r = kernel_reader(s->k);' 1
plant reports/a.c '	if (read_kva(r, at, &v, 4))' 1
plant reports/a.c '/* readers of pagemap */' 0
plant model/a.c '#include "dumpread/reader.h"' 0
plant model/a.c '#include "../reports/report.h"' 1
plant model/a.c '#include "kernel.h"' 1
plant model/a.c '#include HEADER' 1
plant cli/a.c '#include "reports/core/report.h"' 0
plant model/a.c '#include "arch/arch.h"' 0
plant arch/a.c '#include <stdio.h>' 0
plant kmod/a.c '#include "census.h"' 0
plant kmod/a.c '#include "model/kernel/kernel.h"' 1
plant model/a.c '#include "kmod/format.h"' 0
plant model/a.c '#include "kmod/census.h"' 1
plant cli/a.c '#include "kmod/format.h"' 1

plant reports/a.c '	if (s->k->rules.on[RULE_PSS_WIDE])' 1
plant model/a.c '	return rules->on[RULE_PSS_WIDE];' 1
plant facts/a.c '	r->rules.on[i] = true;' 0

plant model/kernel/walk/a.c '#include "model/memory/frames/frames.h"' 1
plant model/kernel/page/a.c '#include "model/cause/verdict/verdict.h"' 1
plant model/memory/usage/a.c '#include "model/memory/census/census.h"' 1
plant model/memory/census/a.c '#include "model/memory/usage/usage.h"' 0
plant model/cause/verdict/a.c '#include "model/cause/event/oomlog.h"' 0
plant model/kernel/a.h '#include "model/kernel/page/memmap.h"' 0
plant model/elsewhere/a.c '#include "model/model.h"' 1

plant model/cause/verdict/a.c '	r->text = "Memory was short.";' 1
plant model/cause/thrash/a.c '		return arena_printf(mem, "%s held %s", a, b);' 1
plant model/cause/choice/a.c '	return a ? "" : "nobody was left";' 1
plant model/cause/verdict/a.c '	/* "used by nobody else" */' 0
plant model/cause/verdict/a.c '	sum = told(g, "pages in swap cache");' 0
plant model/cause/verdict/a.c '	return has(g, "SwapTotal") && has(g, "SwapFree");' 0
plant model/cause/event/a.c '	if (text_match("invoked %d of %d", t, f))' 0
plant reports/oom/a.c '	return "Memory was short.";' 0

mkdir -p "$teeth/model/x" "$teeth/model/y"
echo '/* h.h - what it is; private to model/x/. */' > "$teeth/model/x/h.h"
echo '#include "model/x/h.h"' > "$teeth/model/x/a.c"
if [ -n "$(privacy "$teeth")" ]; then
	echo "layers: the check itself is broken: a folder may include what is private to it" >&2
	exit 1
fi
echo '#include "model/x/h.h"' > "$teeth/model/y/a.c"
if [ "$(privacy "$teeth" | wc -l)" -ne 1 ]; then
	echo "layers: the check itself is broken: a private header was included from elsewhere" >&2
	exit 1
fi

found=$(scan "${1:-.}"; privacy "${1:-.}")
if [ -n "$found" ]; then
	echo "$found"
	echo "layers: $(echo "$found" | wc -l) lines against the grain:" \
		"cli, crashext -> app -> reports -> model -> arch -> facts -> dumpread" >&2
	exit 1
fi
exit 0
