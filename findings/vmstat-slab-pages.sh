#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# vmstat of procps 4.0.2 (Debian 12, procps 2:4.0.2-3), -m: the column Pages.
#
# The guess: pages. By the manual "number of pages with at least one active object"; at least the pages of
# one slab.
#
# Seen: objects. The column is the number of objects in one slab, for every cache (field 5 of /proc/slabinfo;
# pages per slab is field 6). It stands at "128" for a cache of 32-byte objects that has one page per slab,
# and at "8" for one of 4-KiB objects that has eight; its sum over the caches means nothing. In slabtop
# of the same package the columns are right.
#
# Why it matters: this is the tool at hand on a machine without slabtop's terminal, and its log is what is
# left of the machine that crashed. Memory of the slabs from it is Total x Size, and misses what a slab
# wastes; Pages x 4 KiB is wrong by any factor, to either side.
#
# Downloads the packages, unpacks them in a temporary folder; /proc/slabinfo must be readable (root). Exit
# status 0: vmstat behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root procps=2:4.0.2-3 libproc2-0=2:4.0.2-3 > /dev/null
for deb in *.deb; do dpkg -x "$deb" root; done
vmstat() { LD_LIBRARY_PATH=root/lib/x86_64-linux-gnu:root/usr/lib/x86_64-linux-gnu root/usr/bin/vmstat "$@"; }

awk 'NR > 2 { print $1, $5, $6 }' /proc/slabinfo | sort > slabinfo
vmstat -m | awk 'NR > 1 && NF == 5 { print $1, $5 }' | sort > shown
join slabinfo shown > joined
vmstat -V
echo 'objects per slab, pages per slab, column Pages:'
awk '$2 != $3' joined | head -4
echo "caches: $(wc -l < joined), column is objects per slab: $(awk '$4 == $2' joined | wc -l)," \
    "pages per slab: $(awk '$4 == $3' joined | wc -l)"
[ "$(wc -l < joined)" -gt 20 ]
[ "$(awk '$4 != $2' joined | wc -l)" = 0 ]
