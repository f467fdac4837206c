#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# pmap of procps 4.0.2 (Debian 12, procps 2:4.0.2-3), -XX: the line of totals.
#
# The guess: sums of what is an amount of memory. The size of the pages that a mapping has is none, so these
# columns are empty there.
#
# Seen: every column of digits is summed, and the sum called KB. Under KernelPageSize and MMUPageSize stands
# the page size times the number of mappings.
#
# Why it matters: the columns of -XX follow from what the kernel's smaps has, and scripts that keep the last
# line keep these numbers; one that is 4 KiB for each mapping looks like memory. A reader of /proc that wants
# totals has to know each field: the unit beside the number, kB, is that of amounts as well.
#
# Downloads the packages, unpacks them in a temporary folder; /proc/PID/smaps must be there. Exit status 0:
# pmap behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'kill $asleep 2> /dev/null || true; rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root procps=2:4.0.2-3 libproc2-0=2:4.0.2-3 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done
pmap() { LD_LIBRARY_PATH=root/lib/x86_64-linux-gnu:root/usr/lib/x86_64-linux-gnu root/usr/bin/pmap "$@"; }

sleep 60 &
asleep=$!
sleep 1
pmap -V
pmap -XX $asleep > shown
cat "/proc/$asleep/smaps" > smaps

# a field of smaps: its sum and how many there are
sum() { awk -v f="$1:" '$1 == f { n += $2; k++ } END { print n + 0, k + 0 }' smaps; }
# a column of the line of totals, by its name in the heading; the line begins with the sum of Size
total() {
    awk -v f="$1" '
        NR == 2 { for (i = 1; i <= NF; i++) { if ($i == "Size") size = i; if ($i == f) at = i } }
        $NF == "KB" { print $(at - size + 1) }' shown
}
for f in KernelPageSize MMUPageSize; do
    set -- "$f" $(sum "$f")
    echo "$1: $3 mappings, their sum $2, in the line of totals $(total "$1") KB"
    [ "$3" -gt 10 ]
    [ "$(total "$1")" = "$2" ]
done
