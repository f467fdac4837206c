#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# gdb 13.1 (Debian 12, gdb-multiarch 13.1-3), generate-core-file (gcore) of a process with untouched
# shared memory.
#
# The guess: a core is a picture. The process maps a memfd of 64 MiB and has written one byte of it; after
# gcore the memfd still holds one page, and the core a hole.
#
# Seen: the memfd holds 64 MiB, and so does the process's Rss: reading its memory through /proc/PID/mem is
# a fault like any other, and a fault on a hole of shared memory makes a page, to stay. Shmem in
# /proc/meminfo grows by the same. The core has 64 MiB of zeros on disk, too. The kernel's own core dump of
# such a process does the same (shown below if this machine writes cores into the working directory).
#
# Why it matters: a large sparse table in shared memory is usual. Taking a core of a service that has one
# can take the memory that was left. And a process that was photographed once looks bigger in every later
# dump; nobody wrote these pages, they are all zeros.
#
# Downloads the package, unpacks it in a temporary folder; the libraries of gdb and the right to trace are
# needed. Exit status 0: gcore behaves so; 1: it does not.
set -eu
top=$(mktemp -d)
pid=
trap 'test -z "$pid" || kill "$pid"; rm -rf "$top"' EXIT
cd "$top"
apt-get download -qq -o APT::Sandbox::User=root gdb-multiarch=13.1-3 > /dev/null
dpkg -x gdb-multiarch_*.deb root

cat > sparse.c <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
enum { SIZE = 64 << 20 };
static long kib(int fd)
{
	struct stat s;
	return fstat(fd, &s) ? -1 : (long)s.st_blocks / 2;
}
/* "sparse": maps, writes one byte and waits. "sparse kernel": a child does so and dumps core. */
int main(int argc, char **argv)
{
	struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
	int fd = memfd_create("table", 0), status = 0;
	if (ftruncate(fd, SIZE) || (argc > 1 && fork())) {
		wait(&status);
		return printf("core written: %s, the memfd holds %ld KiB\n", WCOREDUMP(status) ? "yes" : "no", kib(fd)) < 0;
	}
	memset(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), 1, 1);
	if (argc > 1)
		return setrlimit(RLIMIT_CORE, &most) || raise(SIGQUIT);
	puts("ready");
	fflush(stdout);
	pause();
}
C
cc sparse.c -o sparse
# pages: KiB that the memfd holds, and resident shared memory of the process
pages() {
	echo "$(($(stat -Lc %b "/proc/$pid/fd/3") / 2)) $(sed -n 's/^RssShmem:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status")"
}
./sparse > ready &
pid=$!
until [ -s ready ]; do sleep 0.1; done
before=$(pages)
root/usr/bin/gdb-multiarch -nx -batch -p "$pid" -ex 'generate-core-file core.gdb' > log 2>&1
after=$(pages)
root/usr/bin/gdb-multiarch --version | head -1
echo "memfd, RssShmem in KiB before: $before; after: $after; the core on disk: $(du -k core.gdb | cut -f1)"
case $(cat /proc/sys/kernel/core_pattern) in
'' | *[/\|]*) echo 'by the kernel: not tried' ;;
*) echo "by the kernel: $(./sparse kernel)" ;;
esac
[ "$before;$after" = '4 4;65536 65536' ]
[ "$(du -k core.gdb | cut -f1)" -ge 65536 ]
