/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * faultio - a library for LD_PRELOAD: reads of some files fail as a disk or a server fails.
 *
 * FAULTIO names a file with a line "MODE AT SEED", and then the paths of the files. Of their reads by pread()
 *	eio	those that reach byte AT or one after it fail with EIO
 *	zeros	the first that has the page with byte AT gets zeros there
 *	shrink	those after the SEEDth find the files to end at byte AT
 *	short	each gets from 1 byte to what was asked for, by SEED and its number
 *	none	are as they are
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 8
#define PAGE 4096

static struct {
	char mode[8];
	off_t at;
	unsigned long seed, reads;
	dev_t dev[FILES];
	ino_t ino[FILES];
	unsigned nfiles;
	bool zeroed;
	ssize_t (*pread)(int fd, void *buf, size_t len, off_t off);
} f;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULTIO");
	FILE *in = path ? fopen(path, "r") : NULL;
	struct stat st;
	char line[4096];
	void *symbol = dlsym(RTLD_NEXT, "pread64");

	memcpy(&f.pread, &symbol, sizeof(f.pread));
	if (!in)
		return;
	if (fgets(line, sizeof(line), in) &&
	    sscanf(line, "%7s %ld %lu", f.mode, &f.at, &f.seed) != 3)
		f.mode[0] = 0;
	while (f.nfiles < FILES && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = 0;
		if (stat(line, &st))
			continue;
		f.dev[f.nfiles] = st.st_dev;
		f.ino[f.nfiles++] = st.st_ino;
	}
	fclose(in);
}

static bool is_one(int fd)
{
	struct stat st;

	if (!f.mode[0] || fstat(fd, &st))
		return false;
	for (unsigned i = 0; i < f.nfiles; i++)
		if (st.st_dev == f.dev[i] && st.st_ino == f.ino[i])
			return true;
	return false;
}

static void zero_once(char *buf, ssize_t got, off_t off)
{
	off_t from = f.at / PAGE * PAGE, to = from + PAGE;

	if (off >= to || off + got <= from || __atomic_exchange_n(&f.zeroed, true, __ATOMIC_RELAXED))
		return;
	from = from > off ? from : off;
	to = to < off + got ? to : off + got;
	memset(buf + (from - off), 0, (size_t)(to - from));
}

static ssize_t read_at(int fd, void *buf, size_t len, off_t off)
{
	unsigned long n;
	ssize_t got;

	if (!is_one(fd))
		return f.pread(fd, buf, len, off);
	n = __atomic_fetch_add(&f.reads, 1, __ATOMIC_RELAXED);
	if (!strcmp(f.mode, "eio") && off + (off_t)len > f.at) {
		errno = EIO;
		return -1;
	}
	if (!strcmp(f.mode, "shrink") && n >= f.seed) {
		if (off >= f.at)
			return 0;
		len = len < (size_t)(f.at - off) ? len : (size_t)(f.at - off);
	}
	if (!strcmp(f.mode, "short") && len)
		len = 1 + (f.seed + n) * 0x9e3779b97f4a7c15u % len;
	got = f.pread(fd, buf, len, off);
	if (!strcmp(f.mode, "zeros") && got > 0)
		zero_once(buf, got, off);
	return got;
}

ssize_t pread(int fd, void *buf, size_t len, off_t off)
{
	return read_at(fd, buf, len, off);
}

ssize_t pread64(int fd, void *buf, size_t len, off_t off)
{
	return read_at(fd, buf, len, off);
}

ssize_t __pread_chk(int fd, void *buf, size_t len, off_t off, size_t size);
ssize_t __pread_chk(int fd, void *buf, size_t len, off_t off, size_t size)
{
	(void)size;
	return read_at(fd, buf, len, off);
}

ssize_t __pread64_chk(int fd, void *buf, size_t len, off_t off, size_t size);
ssize_t __pread64_chk(int fd, void *buf, size_t len, off_t off, size_t size)
{
	(void)size;
	return read_at(fd, buf, len, off);
}
