#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# smem 1.5 (Debian 12, smem 1.5-2), -w: the whole system from /proc/meminfo.
#
# The guess: the column Cache is "area used as reclaimable cache" (smem -H w), so it leaves Shmem out of Cached:
# tmpfs and memfds are freed by nobody but their owner. Huge pages that processes have are "userspace memory".
#
# Seen: 4 GiB of tmpfs are 4 GiB of cache of the kernel, and 2 GiB of huge pages are "kernel dynamic memory",
# not reclaimable. A machine of 8 GiB that has 1 GiB free and nothing to reclaim has 4 GiB of cache by it, and
# userspace is 1 GiB of 7.
#
# Why it matters: this is the table to which people turn where memory is short. By it the machine has half of
# its memory left, and the kernel a leak of 2 GiB. Cached less Shmem is the page cache; Hugetlb is a line of its
# own in /proc/meminfo since Linux 5.0.
#
# /proc is made here, for smem reads any folder. Downloads the package, unpacks it in a temporary folder; needs
# python3. Exit status 0: smem behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root smem=1.5-2 > /dev/null
dpkg -x smem_*.deb root

mkdir -p machine/proc
cat > machine/proc/meminfo <<'MEMINFO'
MemTotal:        8388608 kB
MemFree:         1048576 kB
Buffers:               0 kB
Cached:          4194304 kB
AnonPages:       1048576 kB
Mapped:                0 kB
Shmem:           4194304 kB
SReclaimable:          0 kB
SwapTotal:             0 kB
HugePages_Total:    1024
HugePages_Free:        0
Hugepagesize:       2048 kB
Hugetlb:         2097152 kB
MEMINFO
echo 'Linux version 6.1.0' > machine/proc/version
python3 root/usr/bin/smem -S machine -w > shown
cat shown
set -- $(awk '/^kernel dynamic memory/ { print $4, $5, $6 }' shown)
[ "$1" = 6291456 ] && [ "$2" = 4194304 ] && [ "$3" = 2097152 ]
set -- $(awk '/^userspace memory/ { print $3 }' shown)
[ "$1" = 1048576 ]
