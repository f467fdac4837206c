/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs of pages with an inode or a process: shared memory, files without a disk, huge pages. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hogs.h"

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1u
#endif

enum { PAGE = 4096 };

#ifndef MADV_HWPOISON
#define MADV_HWPOISON 100
#endif

static void whole(size_t bytes)
{
	count("bytes", bytes);
	count("pages", bytes / PAGE);
}

/* A file system of its own, as large as memory. */
static char *mounted(const char *type)
{
	static char path[64];

	snprintf(path, sizeof path, "/run/hog-%s", type);
	mkdir(path, 0755);
	must(!mount("hog", path, type, 0, strcmp(type, "tmpfs") ? NULL : "size=100%"), type);
	return path;
}

static int new_file(const char *type, const char *name, size_t bytes)
{
	char path[128];
	int fd;

	snprintf(path, sizeof path, "%s/%s", mounted(type), name);
	fd = open(path, O_RDWR | O_CREAT, 0644);
	must(fd >= 0, path);
	must(fill(fd, bytes) == bytes, "write");
	tell("path", path);
	whole(bytes);
	return fd;
}

static void take_tmpfs(size_t bytes)
{
	close(new_file("tmpfs", "named", bytes));
}

static void take_deleted(size_t bytes)
{
	new_file("tmpfs", "deleted", bytes);
	must(!unlink("/run/hog-tmpfs/deleted"), "unlink");
}

static void take_ramfs(size_t bytes)
{
	close(new_file("ramfs", "named", bytes));
}

static void take_memfd(size_t bytes)
{
	int fd = memfd_create("hog", MFD_CLOEXEC);

	must(fd >= 0, "memfd_create");
	must(fill(fd, bytes) == bytes, "write");
	whole(bytes);
}

/* Made by a child that is gone; nobody is attached. lock=1: its pages are locked, by nobody's mlock(). */
static void take_shm(size_t bytes)
{
	int id, status = 1;
	pid_t pid;

	put("/proc/sys/kernel/shmmax", "18446744073692774399");
	put("/proc/sys/kernel/shmall", "18446744073692774399");
	pid = fork();
	if (pid == 0) {
		char *p;

		id = shmget(0x484f4753, bytes, IPC_CREAT | 0600);
		p = shmat(id, NULL, 0);
		if (p == (void *)-1)
			_exit(1);
		memset(p, 's', bytes);
		_exit(0);
	}
	must(waitpid(pid, &status, 0) == pid && !status, "shmat");
	id = shmget(0x484f4753, 0, 0);
	must(!argument("lock") || !shmctl(id, SHM_LOCK, NULL), "SHM_LOCK");
	count("shmid", (unsigned long)id);
	count("key", 0x484f4753);
	count("creator", (unsigned long)pid);
	whole(bytes);
}

static const char *whole_of;	/* what is_read() reads */
static size_t whole_size;

/* A huge page at each first touch; SPARSE: that touch alone. */
static char *huge_touched(size_t bytes)
{
	size_t huge = 2 * MIB;
	char *p = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED, "mmap");
	p += (huge - (size_t)p % huge) % huge;
	must(!madvise(p, bytes, MADV_HUGEPAGE), "MADV_HUGEPAGE");
	for (size_t i = 0; i < bytes; i += huge)
		p[i] = 'h';
	return p;
}

/* sparse=1: in huge pages. children=N: so many processes share it after a fork. merge=1: for KSM, all
 * pages are equal. lockall=1: this and all that is mapped later is locked. */
static void take_anon(size_t bytes)
{
	const char *children = argument("children");
	int n = children ? atoi(children) : 0;

	must(!argument("lockall") || !mlockall(MCL_CURRENT | MCL_FUTURE), "mlockall");
	if (bytes)
		whole_of = argument("sparse") ? huge_touched(bytes) : touched(bytes, MAP_PRIVATE);
	whole_size = bytes;
	must(!argument("merge") || !madvise((void *)whole_of, bytes, MADV_MERGEABLE), "MADV_MERGEABLE");
	whole(bytes);
	while (n-- > 0)
		if (!fork())
			for (;;)
				pause();
}

/* A file of a disk that is mapped, locked and deleted: page cache that cannot be reclaimed. */
static void take_lockedfile(size_t bytes)
{
	const char *path = "/var/tmp/locked";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	char *p;

	must(fd >= 0 && fill(fd, bytes) == bytes && !fsync(fd), path);
	p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	must(p != MAP_FAILED && !mlock(p, bytes) && !unlink(path) && !close(fd), "mlock");
	whole(bytes);
}

/* Memory that the kernel itself cannot read (since 5.14). */
static void take_secret(size_t bytes)
{
	int fd = (int)syscall(447 /* memfd_secret */, 0);
	char *p;

	must(fd >= 0 && !ftruncate(fd, (off_t)bytes), "memfd_secret");
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(p != MAP_FAILED, "mmap");
	for (size_t i = 0; i < bytes; i += PAGE)
		p[i] = 'h';
	whole(bytes);
}

/* Mappings of one page, no two alike: each has a vma of some 200 bytes, and no memory. */
static void take_vmas(size_t bytes)
{
	size_t n = bytes / 200;

	put("/proc/sys/vm/max_map_count", "16777216");
	for (size_t i = 0; i < n; i++)
		must(mmap(NULL, PAGE, i & 1 ? PROT_READ : PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED, "mmap");
	count("vmas", n);
	count("bytes", n * 200);
}

/* A file of a disk, mapped as programs are. */
static void take_program(size_t bytes)
{
	int fd = open("/var/tmp/program", O_RDWR | O_CREAT | O_TRUNC, 0755);

	must(fd >= 0 && fill(fd, bytes) == bytes && !fsync(fd), "/var/tmp/program");
	whole_of = mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	must(whole_of != MAP_FAILED, "mmap");
	whole_size = bytes;
	whole(bytes);
}

/* Any page, again and again; procs=N: by N processes. */
static void read_on(void)
{
	const char *procs = argument("procs");
	size_t pages = whole_size / 4096;
	unsigned int seed, n = procs ? (unsigned int)atoi(procs) : 1;
	volatile char sum = 0;

	madvise((void *)whole_of, whole_size, MADV_RANDOM);
	while (n-- > 1 && fork())
		continue;
	seed = (unsigned int)getpid();
	for (;;) {
		seed = seed * 1103515245u + 12345u;
		sum += whole_of[(seed >> 8) % pages * 4096];
	}
}

/* grow=KIB: on and on, by so much at once, until the kernel ends it; noise=1: not to be compressed.
 * hang=1: in an uninterruptible sleep. again=1: reads what it has. refused=1: ends when it gets no more. */
static void grow(void)
{
	const char *step = argument("grow"), *pause_us = argument("pause");
	bool noise = argument("noise") != NULL;
	size_t bytes = step ? strtoul(step, NULL, 10) * KIB : 0;
	unsigned int seed = 1;

	if (argument("again"))
		read_on();
	if (argument("hang"))
		put("/sys/module/silent/parameters/hang", "1");
	while (bytes) {
		char *p;

		if (argument("refused")) {
			p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
			if (p == MAP_FAILED)
				return;
			munmap(p, bytes);
		}
		p = touched(bytes, MAP_PRIVATE);

		for (size_t i = 0; noise && i < bytes; i++) {
			seed = seed * 1103515245u + 12345u;
			p[i] = (char)(seed >> 16);
		}
		usleep(pause_us ? (unsigned int)atoi(pause_us) : 2000);
	}
}

static void take_mlock(size_t bytes)
{
	char *p = touched(bytes, MAP_PRIVATE);

	must(!mlock(p, bytes), "mlock");
	whole(bytes);
}

/* No pool, but surplus pages are allowed: all are promised to this process; touch=1: and in use. */
static void take_surplus(size_t bytes)
{
	size_t huge = 2 * MIB;
	char text[32], *p;

	snprintf(text, sizeof text, "%zu", bytes / huge);
	put("/proc/sys/vm/compact_memory", "1");
	must(put("/proc/sys/vm/nr_overcommit_hugepages", text), "nr_overcommit_hugepages");
	p = mmap(NULL, bytes / huge * huge, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	must(p != MAP_FAILED, "MAP_HUGETLB");
	for (size_t i = 0; argument("touch") && i < bytes / huge; i++)
		p[i * huge] = 'h';
	whole(bytes / huge * huge);
}

/* A pool; half of it is promised to this process, a quarter in use. */
static void take_hugetlb(size_t bytes)
{
	size_t huge = 2 * MIB, pages;
	char text[32], *p;

	snprintf(text, sizeof text, "%zu", bytes / huge);
	put("/proc/sys/vm/compact_memory", "1");
	must(put("/proc/sys/vm/nr_hugepages", text), "nr_hugepages");
	pages = number_in("/proc/sys/vm/nr_hugepages");
	must(pages > 0, "huge pages");
	p = mmap(NULL, pages / 2 * huge, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	must(p != MAP_FAILED, "MAP_HUGETLB");
	for (size_t i = 0; i < pages / 4; i++)
		p[i * huge] = 'h';
	count("pool", pages);
	count("used", pages / 4);
	count("reserved", pages / 2 - pages / 4);
	whole(pages * huge);
}

/* Each touched page lies in a page table of its own; what is mapped is the zero page. */
static void take_pagetables(size_t bytes)
{
	size_t tables = bytes / PAGE, span = tables * 2 * MIB;
	char sum = 0,
	     *p = mmap(NULL, span, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	must(p != MAP_FAILED, "mmap");
	madvise(p, span, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < tables; i++)
		sum = (char)(sum + *(volatile char *)(p + i * 2 * MIB));
	count("tables", tables + (size_t)sum);
	whole(bytes);
}

/* Each page twice; KSM keeps one. It is done when nothing is merged for 5 s. */
static void take_merged(size_t bytes)
{
	char *p = touched(2 * bytes, MAP_PRIVATE);
	unsigned long merged = 0, before = 0;

	for (size_t i = 0; i < 2 * bytes; i += PAGE)
		memcpy(p + i, &(size_t){ i % bytes + 1 }, sizeof(size_t));
	must(!madvise(p, 2 * bytes, MADV_NOHUGEPAGE) && !madvise(p, 2 * bytes, MADV_MERGEABLE),
	     "MADV_MERGEABLE");
	put("/sys/kernel/mm/ksm/sleep_millisecs", "20");
	put("/sys/kernel/mm/ksm/pages_to_scan", "5000");
	must(put("/sys/kernel/mm/ksm/run", "1"), "ksm");
	for (int i = 0, still = 0; i < 60 && still < 5; i++) {
		sleep(1);
		merged = number_in("/sys/kernel/mm/ksm/pages_shared");
		still = merged && merged == before ? still + 1 : 0;
		before = merged;
	}
	put("/sys/kernel/mm/ksm/run", "0");
	must(merged > 0, "merged");
	count("bytes", merged * PAGE);
}

/* Pages that the kernel is told to be broken. */
static void take_broken(size_t bytes)
{
	char *p = touched(bytes, MAP_PRIVATE);

	for (size_t i = 0; i < bytes; i += PAGE)
		must(!madvise(p + i, PAGE, MADV_HWPOISON), "MADV_HWPOISON");
	whole(bytes);
}

const struct hog memory_hogs[] = {
	{"tmpfs", "named tmpfs file", take_tmpfs, NULL},
	{"deleted", "deleted tmpfs file", take_deleted, NULL},
	{"ramfs", "ramfs file", take_ramfs, NULL},
	{"memfd", "memfd", take_memfd, NULL},
	{"shm", "sysv segment, not attached", take_shm, NULL},
	{"anon", "process", take_anon, grow},
	{"program", "mapped file", take_program, read_on},
	{"mlock", "process, locked", take_mlock, NULL},
	{"lockedfile", "locked page cache", take_lockedfile, NULL},
	{"hugetlb", "hugetlb pool", take_hugetlb, NULL},
	{"surplus", "hugetlb surplus", take_surplus, NULL},
	{"secret", "secret memory", take_secret, NULL},
	{"vmas", "mappings", take_vmas, NULL},
	{"merged", "ksm", take_merged, NULL},
	{"broken", "hwpoison", take_broken, NULL},
	{"pagetables", "page tables of a process", take_pagetables, NULL},
	{NULL, NULL, NULL, NULL},
};
