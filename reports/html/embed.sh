#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# embed.sh NAME PAGE.html PAGE.css SCRIPT.js...: the page as C arrays NAME_part_N, on stdout.
#
# PAGE.html is cut where its lines @charts@ and @data@ stand, into part 0 to 2;
# @style@ and @script@ become the style sheet and the scripts, in their order, and
# @policy@ their hashes, by which the page's content security policy lets nothing
# else run. Needs sed, awk, od, sha256sum, base64.

set -eu
export LC_ALL=C
name=$1 page=$2 css=$3
shift 3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sed 1d "$css" > "$tmp/css"
{
	echo "'use strict';"
	echo '(function () {'
	for f; do
		sed 1d "$f"
	done
	echo '}());'
} > "$tmp/js"

hash_of() {	# FILE: as the policy spells it
	sum=$(sha256sum < "$1" | cut -c1-64 | awk '{
		for (i = 1; i < 64; i += 2) {
			v = 16 * (index("0123456789abcdef", substr($0, i, 1)) - 1) + \
			    index("0123456789abcdef", substr($0, i + 1, 1)) - 1
			printf "\\%03o", v
		}
	}')
	printf "'sha256-%s'" "$(printf "$sum" | base64)"
}

# The elements hold exactly the bytes of the files: what is hashed is what stands there.
awk -v css="$tmp/css" -v js="$tmp/js" -v out="$tmp/part" \
	-v policy="style-src $(hash_of "$tmp/css"); script-src $(hash_of "$tmp/js")" '
	function put(s) { printf "%s", s > (out part) }
	function file(f,   line) { while ((getline line < f) > 0) put(line "\n") }
	BEGIN { part = 0 }
	/@charts@|@data@/ { part++; next }
	/@style@/ { put("<style>"); file(css); put("</style>\n"); next }
	/@script@/ { put("<script>"); file(js); put("</script>\n"); next }
	{ i = index($0, "@policy@")
	  if (i) $0 = substr($0, 1, i - 1) policy substr($0, i + 8)
	  put($0 "\n") }
' "$page"

echo '/* Generated from reports/html/ by embed.sh. */'
for i in 0 1 2; do
	echo "static const unsigned char ${name}_part_$i[] = {"
	od -An -v -tu1 "$tmp/part$i" | sed 's/[0-9][0-9]*/&,/g'
	echo '};'
done
