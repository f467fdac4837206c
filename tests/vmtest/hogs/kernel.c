/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs of the kernel's own memory: directory entries, stacks, zram, a balloon, a module. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hogs.h"

enum { PAGE = 4096, DENTRY = 192, STACK = 16384 };

/* Names that a directory of a disk does not have; the kernel remembers that. */
static void take_dentries(size_t bytes)
{
	size_t names = bytes / PAGE * (PAGE / DENTRY);
	char path[64];
	struct stat st;

	mkdir("/var/hog-absent", 0755);
	for (size_t i = 0; i < names; i++) {
		snprintf(path, sizeof path, "/var/hog-absent/no-%zu", i);
		stat(path, &st);
	}
	errno = 0;
	tell("path", "/var/hog-absent");
	count("names", names);
	count("bytes", bytes / PAGE * PAGE);
}

static void *sleeper(void *none)
{
	for (;;)
		pause();
	return none;
}

/* Threads, which have a stack in the kernel. */
static void take_threads(size_t bytes)
{
	size_t threads = bytes / STACK;
	pthread_attr_t attr;
	pthread_t id;

	put("/proc/sys/kernel/threads-max", "60000");
	put("/proc/sys/vm/max_map_count", "1000000");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	for (size_t i = 0; i < threads; i++) {
		errno = pthread_create(&id, &attr, sleeper, NULL);
		must(!errno, "pthread_create");
	}
	count("threads", threads);
	count("bytes", threads * STACK);
	count("pages", threads * STACK / PAGE);
}

/* Incompressible data on a compressed disk in memory. */
static void take_zram(size_t bytes)
{
	uint64_t seed = 88172645463325252u;
	static uint64_t block[8192];
	char text[64];
	unsigned long original = 0, compressed = 0, used = 0;
	FILE *f;
	int fd;

	snprintf(text, sizeof text, "%zu", bytes);
	must(put("/sys/block/zram0/disksize", text), "zram0/disksize");
	fd = open("/dev/zram0", O_WRONLY);
	must(fd >= 0, "/dev/zram0");
	for (size_t done = 0; done < bytes; done += sizeof block) {
		for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			block[i] = seed;
		}
		if (write(fd, block, sizeof block) < 0)
			break;
	}
	fsync(fd);
	close(fd);
	put("/proc/sys/vm/drop_caches", "1");
	f = fopen("/sys/block/zram0/mm_stat", "r");
	must(f && fscanf(f, "%lu %lu %lu", &original, &compressed, &used) == 3, "mm_stat");
	fclose(f);
	count("original", original);
	count("compressed", compressed);
	count("bytes", used);
	count("pages", used / PAGE);
}

/* Pages that the balloon has. */
static size_t balloon_pages(void)
{
	unsigned long inflated = 0, deflated = 0;
	char line[128];
	FILE *f = fopen("/proc/vmstat", "r");

	while (f && fgets(line, sizeof line, f)) {
		sscanf(line, "balloon_inflate %lu", &inflated);
		sscanf(line, "balloon_deflate %lu", &deflated);
	}
	if (f)
		fclose(f);
	return inflated - deflated;
}

/* The host inflates it when it reads this line on the console. It is done when nothing moves for a
   minute: on a busy host it pauses for 10 s and more. */
static void take_balloon(size_t bytes)
{
	size_t before = 0, now = 0;
	int still = 0;

	printf("LAB-BALLOON %zu\n", bytes);
	for (int i = 0; i < 600 && now * PAGE < bytes && still < 120; i++) {
		usleep(500000);
		now = balloon_pages();
		still = now && now == before ? still + 1 : 0;
		before = now;
	}
	must(now > 0, "balloon");
	count("bytes", now * PAGE);
	count("pages", now);
}

/* The module takes memory and tells nobody; HOW says of which kind (silent/silent.c). */
static void take_silent(size_t bytes)
{
	const char *how = argument("how"), *order = argument("order");
	char text[128];
	int fd = open("/lab/more/silent.ko", O_RDONLY);

	how = how ? how : "pages";
	order = order ? order : "0";
	snprintf(text, sizeof text, "how=%s order=%s kib=%zu", how, order, bytes / KIB);
	must(fd >= 0, "silent.ko");
	must(!syscall(SYS_finit_module, fd, text, 0), text);
	tell("module", "silent");
	tell("how", how);
	tell("order", order);
	count("bytes", number_in("/sys/module/silent/parameters/taken"));
	count("pages", number_in("/sys/module/silent/parameters/taken") / PAGE);
}

/* Pages of a pool for the packets of a network driver. */
static void take_page_pool(size_t bytes)
{
	char text[128];
	int fd = open("/lab/more/pool.ko", O_RDONLY);

	snprintf(text, sizeof text, "kib=%zu", bytes / KIB);
	must(fd >= 0, "pool.ko");
	must(!syscall(SYS_finit_module, fd, text, 0), text);
	count("bytes", number_in("/sys/module/pool/parameters/taken"));
}

const struct hog kernel_hogs[] = {
	{"dentries", "negative directory entries", take_dentries, NULL},
	{"threads", "kernel stacks of a process", take_threads, NULL},
	{"zram", "zram", take_zram, NULL},
	{"balloon", "balloon", take_balloon, NULL},
	{"pagepool", "page pool", take_page_pool, NULL},
	{"silent", "module", take_silent, NULL},
	{NULL, NULL, NULL, NULL},
};
