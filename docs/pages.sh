#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# pages.sh PROGRAM DIR NAME...: what PROGRAM, a vmcensus that runs on this machine, says of itself:
# the manual pages vmcensus.1 and vmcensus-NAME.1, schema.md, and completion for bash (vmcensus), zsh (_vmcensus) and
# fish (vmcensus.fish), types for Python (vmcensus.pyi), in DIR.

set -eu
program=$1 dir=$2
shift 2
mkdir -p "$dir"
# PROGRAM may be words: qemu-ppc build/vmcensus
$program --help-man vmcensus > "$dir/tables"
sed -e "/^\.\\\\\" here stands/r $dir/tables" -e '/^\.\\" here stands/d' "$(dirname "$0")/vmcensus.1.in" > "$dir/vmcensus.1"
rm "$dir/tables"
for name; do
	$program --help-man "$name" > "$dir/vmcensus-$name.1"
done
$program --help-schema > "$dir/schema.md"

completion() {	# SHELL FILE: the words are in "$dir/words"
	sed -e "/^# here stands/r $dir/words" -e '/^# here stands/d' "$(dirname "$0")/completion/$1.in" > "$dir/$2"
}

$program --help-words > "$dir/words"
completion bash vmcensus
completion zsh _vmcensus
# A report is a word of the type Report, an option an argument of each call; -o and the like are refused there.
awk -F '\t' '
	$1 == "report" { reports = reports (reports ? ", " : "") "\"" $3 "\"" }
	$1 == "option" && $3 ~ /^--/ && !seen[$3]++ && $3 !~ /^--(columns|format|output|no-sandbox|sandbox-test|help|version|list-reports)$/ {
		name = substr($3, 3)
		type = $4 == "-" ? "bool" : $4 == "N" ? "int" : "Path | Sequence[Path]"
		options = options (options ? ", " : "") name ": " type " = ..."
	}
	FILENAME == ARGV[1] { next }
	/^# here stands/ { print "Report = Literal[" reports "]"; next }
	{ gsub(/OPTIONS/, options); print }' "$dir/words" "$(dirname "$0")/completion/python.in" > "$dir/vmcensus.pyi"
# fish has no here-documents: they are in quotes
sed -i "s/[\\\\']/\\\\&/g" "$dir/words"
completion fish vmcensus.fish
rm "$dir/words"
