/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of anonymous memory: sharing, huge pages, swap, and what madvise and mprotect do to it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "zoo.h"

/* Newer than the headers of the oldest host that builds this. */
#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA	     0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
enum {
	MADV_GUARD_INSTALL_ = 102,	 /* 6.13 */
	PR_SET_MEMORY_MERGE_ = 67,	 /* 6.4 */
	SYS_mseal_ = 462,		 /* 6.10 */
	SYS_memfd_secret_ = 447,	 /* 5.14, on by default since 6.5 */
};

static void private_anon(void)
{
	dirty(anon(512), 512, 2);
	look(anon(300), 300, 3);		/* zero page */
}

static void cow(void)
{
	char *p = anon(400);

	dirty(p, 400, 1);
	for (size_t i = 1; i <= 3; i++)
		if (kid("zoo-cow-kid")) {
			dirty(p, 100 * i, 1);
			rest();
		}
}

static void shared_anon(void)
{
	char *p = map(200, RW, SHANON, -1, 0);

	dirty(p, 120, 1);
	for (size_t i = 0; i < 4; i++)
		if (kid("zoo-shm-kid")) {
			look(p, 30 * (i + 1), 1);
			rest();
		}
}

static void protected_none(void)
{
	char *p = anon(100), *huge = huge_area(2 * HUGE, PRIVANON);

	dirty(p, 100, 1);
	mprotect(p, 50 * PAGE, PROT_NONE);
	dirty(huge, 2 * HUGE / PAGE, 1);
	mprotect(huge, HUGE, PROT_NONE);
	map(40, PROT_NONE, PRIVANON | MAP_NORESERVE, -1, 0);
}

static void locked(void)
{
	char *p = anon(150), *q = anon(120);

	if (mlock(p, 150 * PAGE))
		lacking("mlock");
	dirty(q, 20, 1);
	if (mlock2(q, 120 * PAGE, MLOCK_ONFAULT))
		lacking("MLOCK_ONFAULT");
	dirty(q + 40 * PAGE, 30, 2);
	if (kid("zoo-lock-kid")) {	/* locks are not inherited */
		dirty(p, 10, 1);
		rest();
	}
}

static void grows_down(void)
{
	size_t pages = 64;
	char *top, *p = map(4, RW, PRIVANON | MAP_GROWSDOWN, -1, 0);

	if (!p)
		return;
	/* Room below: move a fresh one under an unmapped stretch. */
	munmap(p, 4 * PAGE);
	top = map(pages + 512, PROT_NONE, PRIVANON, -1, 0);
	munmap(top, (pages + 512) * PAGE);
	p = mmap(top + (pages + 500) * PAGE, 4 * PAGE, RW, PRIVANON | MAP_GROWSDOWN | MAP_FIXED,
		 -1, 0);
	if (p == MAP_FAILED) {
		lacking("MAP_GROWSDOWN");
		return;
	}
	for (size_t i = 0; i < pages; i++)
		*(volatile char *)(p - i * PAGE) = 1;
}

static void deep_stack(void)
{
	volatile char room[600 * 1024];

	for (size_t i = 0; i < sizeof room; i += 3 * PAGE)
		room[i] = 1;
	rest();
}

/* N of a huge page's 512 pages, on x86; about as much of it elsewhere. */
static size_t of512(size_t n)
{
	return (n * (HUGE / PAGE) + 511) / 512;
}

static void thp(void)
{
	char *a = huge_area(4 * HUGE, PRIVANON);

	dirty(a, 4 * HUGE / PAGE, 1);
	if (kid("zoo-thp-kid")) {
		dirty(a, of512(10), 1);		/* splits the PMD, copies ten pages */
		munmap(a + 2 * HUGE, HUGE / 2);
		rest();
	}
	mprotect(a + 3 * HUGE, of512(64) * PAGE, PROT_READ);
}

static void thp_split(void)
{
	char *a = huge_area(6 * HUGE, PRIVANON);

	dirty(a, 6 * HUGE / PAGE, 1);
	munmap(a + HUGE / 4, HUGE / 2);				/* partially unmapped */
	madvise(a + HUGE + of512(5) * PAGE, of512(7) * PAGE, MADV_DONTNEED);	/* a hole */
	mlock(a + 2 * HUGE, of512(3) * PAGE);
	page_out(a + 3 * HUGE, of512(100));			/* split for swap */
	madvise(a + 4 * HUGE, of512(50) * PAGE, MADV_FREE);
	mprotect(a + 5 * HUGE, of512(9) * PAGE, PROT_NONE);
}

/* Too short and too crooked for a PMD: 64 KiB folios where the kernel has them (6.8). */
static void mthp(void)
{
	char *a = huge_area(HUGE, PRIVANON) + 64 * 1024;
	size_t pages = 15 * 16;

	if (PAGE >= 64 * 1024) {
		lacking("pages smaller than 64 KiB");
		return;
	}
	munmap(a - 64 * 1024, 64 * 1024);
	munmap(a + pages * PAGE, HUGE - 64 * 1024 - pages * PAGE);
	if (access("/sys/kernel/mm/transparent_hugepage/hugepages-64kB", F_OK))
		lacking("64 KiB huge pages");
	dirty(a, pages, 16);
	munmap(a + 16 * PAGE, 5 * PAGE);			/* folio partially unmapped */
	madvise(a + 33 * PAGE, 3 * PAGE, MADV_DONTNEED);
	if (kid("zoo-mthp-kid")) {
		dirty(a + 64 * PAGE, 24, 1);			/* one and a half folios copied */
		munmap(a + 112 * PAGE, 8 * PAGE);
		rest();
	}
	page_out(a + 160 * PAGE, 20);
}

/* What khugepaged makes, on demand (6.1); settings of the mapping decide THPeligible. */
static void collapsed(void)
{
	char *a = huge_area(3 * HUGE, PRIVANON), *s;
	int fd = memfd_create("zoo collapsed", 0);

	madvise(a, 3 * HUGE, MADV_NOHUGEPAGE);
	dirty(a, 3 * HUGE / PAGE, 3);
	madvise(a, HUGE, MADV_HUGEPAGE);
	if (madvise(a, HUGE, MADV_COLLAPSE))
		lacking("MADV_COLLAPSE");
	if (fd < 0 || ftruncate(fd, 2 * HUGE)) {
		lacking("memfd_create");
		return;
	}
	s = mmap(huge_area(2 * HUGE, PRIVANON), 2 * HUGE, RW, MAP_SHARED | MAP_FIXED, fd, 0);
	dirty(s, 2 * HUGE / PAGE, 1);
	if (madvise(s, HUGE, MADV_COLLAPSE))
		lacking("MADV_COLLAPSE of shared memory");
	look(s, 2 * HUGE / PAGE, 1);
	if (kid("zoo-coll-kid")) {
		munmap(s + HUGE / 2, HUGE / 4);
		dirty(a, of512(10), 1);
		rest();
	}
}

static void huge_zero(void)
{
	look(huge_area(2 * HUGE, PRIVANON), 2 * HUGE / PAGE, HUGE / PAGE);
}

static void hugetlb(void)
{
	char *p = map(2 * HUGE / PAGE, RW, PRIVANON | MAP_HUGETLB, -1, 0);
	char *s = map(2 * HUGE / PAGE, RW, SHANON | MAP_HUGETLB, -1, 0);

	if (!p || !s)
		return;
	memset(p, 1, HUGE);
	memset(s, 1, 2 * HUGE);
	if (kid("zoo-huge-kid")) {
		look(s, 1, 1);
		rest();
	}
}

/* Processes that map a whole gigabyte of one file share its page tables. */
static void shared_tables(void)
{
	size_t all = (size_t)1 << 30;
	char *room, *p;
	int fd = memfd_create("zoo shared tables", MFD_HUGETLB);

	if (sizeof(long) < 8 || fd < 0 || ftruncate(fd, (off_t)all)) {
		lacking("a gigabyte of hugetlb");
		return;
	}
	room = mmap(NULL, 2 * all, PROT_NONE, PRIVANON | MAP_NORESERVE, -1, 0);
	p = room + (-(size_t)room & (all - 1));
	p = mmap(p, all, RW, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED) {
		lacking("a mapping of a gigabyte of hugetlb");
		return;
	}
	dirty(p, 1, 1);
	for (int i = 0; i < 2; i++)
		if (kid("zoo-table-kid")) {
			look(p, 1, 1);
			rest();
		}
}

static void swap(void)
{
	char *p = anon(256), *s = map(100, RW, SHANON, -1, 0);

	dirty(p, 256, 1);
	page_out(p, 128);
	if (kid("zoo-swap-kid")) {
		look(p, 32, 1);				/* back in, still in the swap cache */
		rest();
	}
	dirty(s, 100, 1);
	page_out(s, 60);
}

/* A swap slot's own count ends at 62; beyond that it continues on another page. */
static void swap_many(void)
{
	char *p = anon(24);

	dirty(p, 24, 1);
	page_out(p, 16);
	for (int i = 0; i < 66; i++)
		if (kid("zoo-swapmany"))
			rest();
}

static void lazyfree(void)
{
	char *p = anon(128);

	dirty(p, 128, 1);
	if (madvise(p, 64 * PAGE, MADV_FREE))
		lacking("MADV_FREE");
	dirty(p, 16, 1);				/* wanted again */
}

static void moved(void)
{
	char *p = anon(100), *q = anon(60), *to = anon(400);

	dirty(p, 100, 1);
	munmap(p + 40 * PAGE, 10 * PAGE);
	if (mremap(p + 50 * PAGE, 50 * PAGE, 120 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		   to + 3 * PAGE) == MAP_FAILED)
		lacking("mremap");
	dirty(q, 60, 2);
	/* glibc passes a new address for MREMAP_FIXED alone, and else leaves it to chance. */
	if (syscall(SYS_mremap, q, 60 * PAGE, 60 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0) < 0)
		lacking("MREMAP_DONTUNMAP");
}

static void ksm_pages(void)
{
	char *p = anon(96);

	for (size_t i = 0; i < 96; i++)
		memset(p + i * PAGE, i < 64 ? 0x5a : i < 80 ? 0 : 0x11 * ((int)i % 4), PAGE);
	if (madvise(p, 96 * PAGE, MADV_MERGEABLE))
		lacking("MADV_MERGEABLE");
}

static void ksm(void)
{
	ksm_pages();
	for (int i = 0; i < 3; i++)
		if (kid("zoo-ksm-kid")) {
			ksm_pages();
			rest();
		}
	if (kid("zoo-ksm-all")) {
		if (prctl(PR_SET_MEMORY_MERGE_, 1, 0, 0, 0))
			lacking("PR_SET_MEMORY_MERGE");
		memset(anon(32), 0x5a, 32 * PAGE);
		rest();
	}
}

static void name_it(char *p, size_t pages, const char *name)
{
	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, p, pages * PAGE, name))
		lacking("PR_SET_VMA_ANON_NAME");
}

static void named(void)
{
	char *p = anon(50), *s = map(20, RW, SHANON, -1, 0);

	name_it(p, 50, "zoo arena");
	name_it(s, 20, "shared arena");
	dirty(p, 50, 1);
	dirty(s, 10, 1);
}

static void many(void)
{
	for (int i = 0; i < 700; i++) {
		char *p = anon(2);

		mprotect(p + PAGE, PAGE, PROT_READ);
		dirty(p, 1, 1);
	}
}

static char *volatile kept;	/* so that no compiler drops the allocations */

static void heap(void)
{
	kept = malloc(3000000);
	memset(kept, 3, 3000000);
	for (int i = 0; i < 2000; i++) {
		kept = malloc(900);
		*kept = 1;
	}
}

static void advice(void)
{
	static const struct { int advice; const char *name; } all[] = {
		{ MADV_DONTFORK, "MADV_DONTFORK" },   { MADV_DONTDUMP, "MADV_DONTDUMP" },
		{ MADV_WIPEONFORK, "MADV_WIPEONFORK" }, { MADV_SEQUENTIAL, "MADV_SEQUENTIAL" },
		{ MADV_RANDOM, "MADV_RANDOM" },	      { MADV_NOHUGEPAGE, "MADV_NOHUGEPAGE" },
		{ MADV_COLD, "MADV_COLD" },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char *p = anon(8);

		dirty(p, 4, 1);
		if (madvise(p, 8 * PAGE, all[i].advice))
			lacking(all[i].name);
	}
	map(8, PROT_READ | PROT_EXEC, PRIVANON | MAP_NORESERVE, -1, 0);
	if (kid("zoo-advice-kid"))
		rest();
}

static void clear_refs(void)
{
	char *p = anon(80);

	dirty(p, 80, 1);
	if (!put("/proc/self/clear_refs", "1"))		/* referenced */
		lacking("clear_refs");
	look(p, 20, 1);
	if (!put("/proc/self/clear_refs", "4"))		/* soft-dirty: write protects */
		lacking("soft-dirty");
	dirty(p + 10 * PAGE, 10, 1);
}

static int uffd_open(uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	int fd = (int)syscall(SYS_userfaultfd, O_NONBLOCK);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api)) {
		lacking("userfaultfd with these features");
		return -1;
	}
	return fd;
}

static bool uffd_register(int fd, char *p, size_t pages, uint64_t mode)
{
	struct uffdio_register reg = {
		.range = { (uintptr_t)p, pages * PAGE }, .mode = mode
	};

	if (fd >= 0 && !ioctl(fd, UFFDIO_REGISTER, &reg))
		return true;
	lacking("UFFDIO_REGISTER");
	return false;
}

static void uffd_protect(int fd, char *p, size_t pages)
{
	struct uffdio_writeprotect wp = {
		.range = { (uintptr_t)p, pages * PAGE }, .mode = UFFDIO_WRITEPROTECT_MODE_WP
	};

	if (ioctl(fd, UFFDIO_WRITEPROTECT, &wp))
		lacking("UFFDIO_WRITEPROTECT");
}

static void uffd_wp(void)
{
	char *p = anon(100), *s = map(60, RW, SHANON, -1, 0);
	int fd = uffd_open(UFFD_FEATURE_PAGEFAULT_FLAG_WP);

	dirty(p, 80, 1);
	dirty(s, 60, 1);
	if (uffd_register(fd, p, 100, UFFDIO_REGISTER_MODE_WP)) {
		uffd_protect(fd, p, 50);
		page_out(p, 20);				/* swap entries with the wp bit */
	}
	fd = uffd_open(UFFD_FEATURE_PAGEFAULT_FLAG_WP);
	if (uffd_register(fd, s, 60, UFFDIO_REGISTER_MODE_WP)) {	/* 5.19 */
		uffd_protect(fd, s, 30);
		madvise(s, 10 * PAGE, MADV_DONTNEED);	/* leaves PTE markers */
		page_out(s + 10 * PAGE, 10);
	}
}

static void uffd_missing(void)
{
	char *p = anon(64), *q = anon(8);
	int fd = uffd_open(0);
	struct uffdio_copy copy = { .dst = (uintptr_t)p, .src = (uintptr_t)q, .len = 8 * PAGE };
	struct uffdio_zeropage zero = { .range = { (uintptr_t)p + 8 * PAGE, 8 * PAGE } };

	dirty(q, 8, 1);
	if (!uffd_register(fd, p, 64, UFFDIO_REGISTER_MODE_MISSING))
		return;
	if (ioctl(fd, UFFDIO_COPY, &copy) || ioctl(fd, UFFDIO_ZEROPAGE, &zero))
		lacking("UFFDIO_COPY or UFFDIO_ZEROPAGE");
}

static void guard(void)
{
	char *p = anon(64);

	dirty(p, 64, 1);
	if (madvise(p + 8 * PAGE, 16 * PAGE, MADV_GUARD_INSTALL_))
		lacking("MADV_GUARD_INSTALL");
}

static void sealed(void)
{
	char *p = anon(16);

	dirty(p, 16, 1);
	if (syscall(SYS_mseal_, p, 16 * PAGE, 0))
		lacking("mseal");
}

static void secret(void)
{
	int fd = (int)syscall(SYS_memfd_secret_, 0);
	char *p;

	if (fd < 0 || ftruncate(fd, 16 * PAGE)) {
		lacking("memfd_secret");
		return;
	}
	p = map(16, RW, MAP_SHARED, fd, 0);
	if (p)
		dirty(p, 8, 1);
}

static void pkeys(void)
{
	char *p = anon(24);
	int key = pkey_alloc(0, 0);

	dirty(p, 24, 1);
	if (key < 0 || pkey_mprotect(p, 12 * PAGE, RW, key))
		lacking("protection keys");
}

/* A policy of the task, of areas, and of a part of an object that is mapped twice. */
static void policies(void)
{
	enum { PREFERRED = 1, BIND, INTERLEAVE, LOCAL, PREFERRED_MANY /* 5.15 */, WEIGHTED /* 6.9 */ };
	static const int modes[] = { PREFERRED, BIND, INTERLEAVE, LOCAL, PREFERRED_MANY, WEIGHTED,
				     BIND | 1 << 15 /* static */, INTERLEAVE | 1 << 14 /* relative */,
				     BIND | 1 << 13 /* balancing, 5.12 */ };
	unsigned long node0[4] = { 1 }, bits = 8 * sizeof node0;
	int fd = memfd_create("zoo policies", 0);
	char *p;

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		p = anon(20);
		if (syscall(SYS_mbind, p, 20 * PAGE, modes[i], modes[i] == LOCAL ? NULL : node0, bits, 0))
			lacking("mbind");
		dirty(p, 10, 1);
	}
	if (fd < 0 || ftruncate(fd, (off_t)(30 * PAGE)))
		lacking("memfd_create");
	p = map(30, RW, MAP_SHARED, fd, 0);
	if (p && syscall(SYS_mbind, p + 10 * PAGE, 10 * PAGE, BIND, node0, bits, 0))
		lacking("mbind");
	if (p)
		dirty(p, 30, 1);
	map(4, RW, MAP_SHARED, fd, 12);
	if (syscall(SYS_set_mempolicy, INTERLEAVE, node0, bits))
		lacking("set_mempolicy");
	dirty(anon(4), 4, 1);
}

const struct kind memory_kinds[] = {
	{ "anon", private_anon },
	{ "cow", cow },
	{ "shanon", shared_anon },
	{ "none", protected_none },
	{ "lock", locked },
	{ "growsdown", grows_down },
	{ "stack", deep_stack },
	{ "thp", thp },
	{ "thpsplit", thp_split },
	{ "mthp", mthp },
	{ "collapsed", collapsed },
	{ "hugezero", huge_zero },
	{ "huge", hugetlb },
	{ "tables", shared_tables },
	{ "swap", swap },
	{ "swapmany", swap_many },
	{ "lazyfree", lazyfree },
	{ "moved", moved },
	{ "ksm", ksm },
	{ "named", named },
	{ "many", many },
	{ "heap", heap },
	{ "advice", advice },
	{ "clearrefs", clear_refs },
	{ "uffdwp", uffd_wp },
	{ "uffdmiss", uffd_missing },
	{ "guard", guard },
	{ "sealed", sealed },
	{ "secret", secret },
	{ "pkeys", pkeys },
	{ "policies", policies },
	{ NULL, NULL },
};
