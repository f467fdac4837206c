/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of mappings that differ in THPeligible: settings of tmpfs, places, memory of devices. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zoo.h"

#define HUGE_PAGES (HUGE / PAGE)

/* FD from page FIRST on, BYTES of it: SHIFT bytes behind an address aligned for huge pages. */
static char *map_shifted(int fd, size_t first, size_t bytes, size_t shift, int flags)
{
	char *room = huge_area(bytes + HUGE, PRIVANON);
	char *p;

	munmap(room, bytes + HUGE);
	p = mmap(room + shift, bytes, RW, flags | MAP_FIXED, fd, (off_t)(first * PAGE));
	if (p != MAP_FAILED)
		return p;
	lacking("mmap");
	rest();
}

/* A file of BYTES on a tmpfs of each setting, with mappings that reach beyond its end. */
static void map_sized(const char *folder, int n, size_t bytes)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "%s/%d", folder, n);
	fd = file(path, 0);
	if (ftruncate(fd, (off_t)bytes))
		lacking("ftruncate");
	map_shifted(fd, 0, 2 * HUGE, 0, MAP_SHARED);
	map_shifted(fd, 0, 2 * HUGE, 16 * PAGE, MAP_SHARED);
	map_shifted(fd, 0, HUGE / 4, 0, MAP_SHARED);
	map_shifted(fd, 3, HUGE + HUGE / 2, 3 * PAGE, MAP_SHARED);
	map_shifted(fd, HUGE_PAGES, HUGE, 0, MAP_SHARED);
	map_shifted(fd, 0, HUGE, 0, MAP_PRIVATE);
	madvise(map_shifted(fd, 0, HUGE, 0, MAP_SHARED), HUGE, MADV_HUGEPAGE);
	madvise(map_shifted(fd, 0, 2 * HUGE, 5 * PAGE, MAP_SHARED), 2 * HUGE, MADV_HUGEPAGE);
	madvise(map_shifted(fd, 0, HUGE, 0, MAP_SHARED), HUGE, MADV_NOHUGEPAGE);
}

static void tmpfs_policies(void)
{
	static const char *const policies[] = { "never", "always", "within_size", "advise" };
	char folder[32], options[64];
	int fd;

	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		snprintf(folder, sizeof folder, "/run/thp-%s", policies[i]);
		snprintf(options, sizeof options, "huge=%s,size=%zu", policies[i], 8 * HUGE);
		if (mkdir(folder, 0755) || mount("zoo", folder, "tmpfs", 0, options)) {
			lacking(options);
			continue;
		}
		map_sized(folder, 0, 0);
		map_sized(folder, 1, 3 * PAGE + 5);
		map_sized(folder, 2, HUGE - PAGE);
		map_sized(folder, 3, HUGE - 1);
		map_sized(folder, 4, HUGE);
		map_sized(folder, 5, HUGE + 3 * PAGE);
		snprintf(options, sizeof options, "%s/content", folder);
		fd = file(options, HUGE_PAGES + 7);
		look(map_shifted(fd, 0, HUGE, 0, MAP_SHARED), HUGE_PAGES, 3);
		look(map_shifted(fd, HUGE_PAGES, HUGE, 0, MAP_SHARED), 7, 1);
	}
}

/* BYTES at ADDRESS, with some pages in use. */
static void map_low(size_t address, size_t bytes, int fd, int advice)
{
	char *p = mmap((void *)address, bytes, RW,
		       (fd < 0 ? PRIVANON : MAP_SHARED) | MAP_FIXED_NOREPLACE, fd, 0);

	if (p != (void *)address) {
		lacking("a mapping at a low address");
		return;
	}
	if (advice)
		madvise(p, bytes, advice);
	dirty(p, bytes / PAGE < 4 ? bytes / PAGE : 4, 1);
}

/* What ends below the size of a huge page: there is no room before it for one. */
static void low_addresses(void)
{
	size_t page = PAGE < 65536 ? 65536 : PAGE;	/* vm.mmap_min_addr */
	int fd = memfd_create("zoo low", 0);

	if (fd < 0 || ftruncate(fd, (off_t)HUGE))
		lacking("memfd_create");
	map_low(page, 4 * PAGE, -1, 0);
	map_low(4 * page, 3 * PAGE, -1, MADV_HUGEPAGE);
	map_low(8 * page, 2 * PAGE, fd, 0);
	map_low(12 * page, 2 * PAGE, fd, MADV_HUGEPAGE);
	map_low(HUGE - 2 * page, 2 * page - PAGE, -1, 0);
	if (kid("zoo-lower-kid")) {
		map_low(HUGE, 4 * PAGE, -1, 0);
		map_low(HUGE + 2 * page, HUGE - 3 * page, -1, MADV_HUGEPAGE);
		rest();
	}
	if (kid("zoo-higher-kid")) {
		map_low(HUGE - PAGE, PAGE, -1, MADV_HUGEPAGE);
		map_low(HUGE + page, HUGE, fd, 0);
		rest();
	}
}

/* An ext4 on memory that the firmware calls persistent, which lies among RAM (guest/init). */
static void dax(void)
{
	size_t bytes = 2 * HUGE;
	int fd = open("/run/dax/huge", O_RDWR | O_CREAT, 0600);
	char *s, *p;

	if (fd < 0 || fallocate(fd, 0, 0, (off_t)bytes)) {
		lacking("a file system on memory");
		return;
	}
	s = map_shifted(fd, 0, bytes, 0, MAP_SHARED);
	dirty(s, HUGE_PAGES, 7);		/* one entry of the size of a huge page */
	look(s + HUGE, 1, 1);			/* not written: the huge zero page */
	fd = file("/run/dax/small", 60);
	s = map(60, RW, MAP_SHARED, fd, 0);
	p = map(60, RW, MAP_PRIVATE, fd, 0);
	dirty(s, 30, 1);
	look(p, 40, 1);
	dirty(p, 40, 4);
	if (kid("zoo-dax-kid")) {
		munmap(s, 10 * PAGE);
		dirty(p, 3, 1);
		rest();
	}
}

const struct kind huge_kinds[] = {
	{ "thptmpfs", tmpfs_policies },
	{ "low", low_addresses },
	{ "dax", dax },
	{ NULL, NULL },
};
