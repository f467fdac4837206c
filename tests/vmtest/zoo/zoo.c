/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zoo DIR [KIND...]: starts all kinds (or those named), says "zoo ready", and stays. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "zoo.h"

/* Newer than the headers of the oldest host that builds this. */
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

enum { READY_TIMEOUT_MS = 90000, PRESSURE_S = 30 };

size_t page_size, huge_size;

static const char *dir, *current = "keeper";
static int resting = -1;	/* write end of the current kind's pipe */

void lacking(const char *what)
{
	char line[256];
	int n = snprintf(line, sizeof line, "zoo: %s: lacks %s: %s\n", current, what,
			 errno ? strerror(errno) : "not offered");

	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(1);
}

void ready(void)
{
	close(resting);
}

void rest(void)
{
	ready();
	for (;;)
		pause();
}

void rest_as(const char *program)
{
	char number[16];

	snprintf(number, sizeof number, "%d", resting);
	execl(program, "zoo again", "--rest", number, (char *)NULL);
	lacking(program);
	rest();
}

bool kid(const char *name)
{
	pid_t pid = fork();

	if (pid < 0)
		lacking("fork");
	if (pid == 0)
		prctl(PR_SET_NAME, name);
	return pid == 0;
}

const char *at(const char *name)
{
	static char path[512];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

char *map(size_t pages, int prot, int flags, int fd, off_t page)
{
	char *p = mmap(NULL, pages * PAGE, prot, flags, fd, page * (off_t)PAGE);

	if (p != MAP_FAILED)
		return p;
	lacking("mmap");
	return NULL;
}

char *anon(size_t pages)
{
	char *p = map(pages, RW, PRIVANON, -1, 0);

	if (!p)
		rest();
	return p;
}

char *huge_area(size_t bytes, int flags)
{
	size_t room = bytes + HUGE;
	char *p = mmap(NULL, room, RW, flags, -1, 0);
	size_t lead;

	if (p == MAP_FAILED) {
		lacking("mmap");
		rest();
	}
	lead = -(size_t)p & (HUGE - 1);
	if (lead)
		munmap(p, lead);
	if (HUGE - lead)
		munmap(p + lead + bytes, HUGE - lead);
	madvise(p + lead, bytes, MADV_HUGEPAGE);
	return p + lead;
}

void dirty(char *p, size_t pages, size_t step)
{
	volatile char *v = p;

	for (size_t i = 0; i < pages; i += step)
		v[i * PAGE] = (char)(i + 1);
}

void look(const char *p, size_t pages, size_t step)
{
	const volatile char *v = p;

	for (size_t i = 0; i < pages; i += step)
		(void)v[i * PAGE];
}

int file(const char *path, size_t pages)
{
	static char block[PAGE_MOST];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);

	if (fd < 0) {
		lacking(path);
		rest();
	}
	for (size_t i = 0; i < pages; i++) {
		memset(block, (int)(i * 7 + 1), PAGE);
		if (write(fd, block, PAGE) < 0)
			lacking(path);
	}
	fsync(fd);
	return fd;
}

bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* The number of the pages that are in memory, the swap cache included. */
static size_t resident(char *p, size_t pages)
{
	unsigned char in[512];
	size_t count = 0;

	for (size_t i = 0; i < pages; i += sizeof in) {
		size_t n = pages - i < sizeof in ? pages - i : sizeof in;

		if (mincore(p + i * PAGE, n * PAGE, in))
			return pages;
		for (size_t j = 0; j < n; j++)
			count += in[j] & 1;
	}
	return count;
}

/* Takes memory until it is killed, by its parent or as the first when there is none left. */
static void take_all_memory(void)
{
	if (!put("/proc/self/oom_score_adj", "1000"))
		put("/proc/self/oom_adj", "15");	/* before 2.6.36 */
	for (;;) {
		char *p = mmap(NULL, 256 * PAGE, RW, PRIVANON, -1, 0);

		if (p == MAP_FAILED)
			pause();
		dirty(p, 256, 1);
	}
}

/* Kernels before 5.4 swap for want of memory alone. */
static void press(char *p, size_t pages)
{
	time_t end = time(NULL) + PRESSURE_S;
	pid_t hog = fork();

	if (hog == 0)
		take_all_memory();
	while (resident(p, pages) > pages / 8 && time(NULL) < end && !waitpid(hog, NULL, WNOHANG))
		usleep(20000);
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
}

void page_out(char *p, size_t pages)
{
	if (madvise(p, pages * PAGE, MADV_PAGEOUT))
		press(p, pages);
}

/* The pipe's last write end is closed once the kind and all its kids rest. */
static void await(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, READY_TIMEOUT_MS) == 0)
		fprintf(stderr, "zoo: %s: not at rest in time\n", current);
}

static void start(const struct kind *kind)
{
	char name[32];
	int ends[2];

	current = kind->name;
	snprintf(name, sizeof name, "zoo-%s", kind->name);
	if (pipe(ends)) {
		lacking("pipe");
		return;
	}
	resting = ends[1];
	if (kid(name)) {
		close(ends[0]);
		errno = 0;
		kind->make();
		rest();
	}
	close(ends[1]);
	await(ends[0]);
	close(ends[0]);
}

static bool wanted(const char *name, char **list)
{
	if (!*list)
		return true;
	for (; *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

static void start_all(const struct kind *kinds, char **list)
{
	for (; kinds->name; kinds++)
		if (wanted(kinds->name, list))
			start(kinds);
}

/* Huge pages are of 2 or 16 MiB, which depends on the MMU. */
static void learn_sizes(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[256];
	size_t kib = 0;

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	while (f && fgets(line, sizeof line, f))
		sscanf(line, "Hugepagesize: %zu kB", &kib);
	if (f)
		fclose(f);
	huge_size = kib ? kib << 10 : 2ul << 20;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--rest")) {
		resting = atoi(argv[2]);
		rest();
	}
	if (argc < 2) {
		fprintf(stderr, "usage: zoo DIR [KIND...]\n");
		return 64;
	}
	dir = argv[1];
	learn_sizes();
	setvbuf(stderr, NULL, _IOLBF, 0);
	close(file(at("data.bin"), 256));
	start_all(memory_kinds, argv + 2);
	start_all(huge_kinds, argv + 2);
	start_all(file_kinds, argv + 2);
	start_all(process_kinds, argv + 2);
	start_all(task_kinds, argv + 2);
	puts("zoo ready");
	fflush(stdout);
	for (;;)
		pause();
}
