/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * taken.c - records allocations and files while a dump is opened, so that an
 * interrupt can undo them.
 */
#include "crashext/taken.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * An open-addressed table; live allocations of an opening are some hundreds.
 * What does not fit is not listed, and lost only if the opening is left.
 */
#define SLOTS (1u << 14)
#define GONE ((void *)1)	/* was here: probing goes on */
#define FDS 64

static void *slots[SLOTS];
static unsigned used;			/* slots that are not NULL */
static int fds[FDS];
static unsigned nfds;
static bool watching;
static const volatile sig_atomic_t *interrupt;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
/* Where off_t once had 32 bits, names without 64 still take such. */
int __real_open64(const char *path, int flags, ...);
int __real_close(int fd);
ssize_t __real_pread64(int fd, void *buf, size_t n, off_t at);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_close(int fd);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at);

static unsigned slot_of(const void *p)
{
	return (unsigned)((uint64_t)(uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15) >> 50);
}

static void *add_taken(void *p)
{
	unsigned i = slot_of(p);

	if (!watching || !p || used >= SLOTS / 2)
		return p;
	while (slots[i] && slots[i] != GONE)
		i = (i + 1) % SLOTS;
	used += !slots[i];
	slots[i] = p;
	return p;
}

static void drop(const void *p)
{
	if (!watching || !p)
		return;
	for (unsigned i = slot_of(p); slots[i]; i = (i + 1) % SLOTS)
		if (slots[i] == p) {
			slots[i] = GONE;
			return;
		}
}

void *__wrap_malloc(size_t size)
{
	return add_taken(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return add_taken(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	uintptr_t old = (uintptr_t)p;
	void *q = __real_realloc(p, size);

	if (q || !size) {
		drop((const void *)old);
		add_taken(q);
	}
	return q;
}

void __wrap_free(void *p)
{
	drop(p);
	__real_free(p);
}

static int opened(int fd)
{
	if (watching && fd >= 0 && nfds < FDS)
		fds[nfds++] = fd;
	return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return opened(__real_open64(path, flags, mode));
}

int __wrap_open64(const char *path, int flags, ...) __attribute__((alias("__wrap_open")));

int __wrap_close(int fd)
{
	for (unsigned i = 0; watching && i < nfds; i++)
		if (fds[i] == fd)
			fds[i--] = fds[--nfds];
	return __real_close(fd);
}

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at)
{
	if (watching && *interrupt) {
		errno = ECANCELED;
		return -1;
	}
	return __real_pread64(fd, buf, n, at);
}

ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at)
	__attribute__((alias("__wrap_pread")));

void taken_watch(const volatile sig_atomic_t *cut)
{
	interrupt = cut;
	watching = true;
}

void taken_keep(void)
{
	watching = false;
	for (unsigned i = 0; used && i < SLOTS; i++)
		slots[i] = NULL;
	used = nfds = 0;
}

void taken_release(void)
{
	watching = false;
	for (unsigned i = 0; used && i < SLOTS; i++)
		if (slots[i] != GONE)
			__real_free(slots[i]);
	while (nfds)
		__real_close(fds[--nfds]);
	taken_keep();
}
