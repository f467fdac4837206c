/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small objects are bumped from 64 KiB blocks. An object of BIG bytes or more is
 * a block of its own, so that a growing array is resized and leaves no old copies.
 */
#include "dumpread/base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"

#define BLOCK ((size_t)64 << 10)
#define BIG ((size_t)16 << 10)
#define ALIGN ((size_t)16)

struct arena_block {
	struct arena_block *next, *prev;
	size_t size, used;
	_Alignas(16) unsigned char data[];
};

static __attribute__((noreturn)) void die(size_t bytes)
{
	fprintf(stderr, "vmcensus: out of memory (%zu bytes wanted)\n", bytes);
	exit(1);
}

__attribute__((noreturn)) void (*arena_die)(size_t bytes) = die;

static void *must(void *p, size_t bytes)
{
	if (!p)
		arena_die(bytes);
	return p;
}

void arena_release(struct arena *a)
{
	struct arena_block *lists[2] = { a->blocks, a->big };

	for (int i = 0; i < 2; i++)
		for (struct arena_block *b = lists[i], *next; b; b = next) {
			next = b->next;
			free(b);
		}
	memset(a, 0, sizeof(*a));
}

static void *big_alloc(struct arena *a, size_t bytes)
{
	struct arena_block *b;

	if (bytes > SIZE_MAX - sizeof(*b))
		arena_die(bytes);
	/* calloc of a large block costs nothing until it is touched */
	b = must(calloc(1, sizeof(*b) + bytes), bytes);
	heap_advise(b, sizeof(*b) + bytes);
	b->size = bytes;
	b->next = a->big;
	if (b->next)
		b->next->prev = b;
	a->big = b;
	return b->data;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	struct arena_block *b = a->blocks;
	void *p;

	a->used += bytes;
	if (bytes >= BIG)
		return big_alloc(a, bytes);
	bytes = (bytes + ALIGN - 1) & ~(ALIGN - 1);
	if (!b || b->size - b->used < bytes) {
		b = must(calloc(1, sizeof(*b) + BLOCK), BLOCK);
		b->size = BLOCK;
		b->next = a->blocks;
		a->blocks = b;
	}
	p = b->data + b->used;
	b->used += bytes;
	return p;
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		arena_die(SIZE_MAX);
	return arena_alloc(a, bytes);
}

/* The new tail is garbage: what nobody needs yet costs no memory. */
static void *big_resize(struct arena *a, void *p, size_t old, size_t bytes)
{
	struct arena_block *b = (void *)((char *)p - offsetof(struct arena_block, data));

	b = must(realloc(b, sizeof(*b) + bytes), bytes);
	heap_advise(b, sizeof(*b) + bytes);
	b->size = bytes;
	if (b->prev)
		b->prev->next = b;
	else
		a->big = b;
	if (b->next)
		b->next->prev = b;
	a->used += bytes - old;
	return b->data;
}

void *arena_extend(struct arena *a, void *p, size_t old_n, size_t new_n, size_t size)
{
	size_t old, bytes;
	void *q;

	if (__builtin_mul_overflow(new_n, size, &bytes) || bytes > SIZE_MAX / 2)
		arena_die(SIZE_MAX);
	old = old_n * size;
	if (p && old >= BIG)
		return big_resize(a, p, old, bytes);
	q = arena_alloc(a, bytes);
	if (p)
		memcpy(q, p, old);
	return q;
}

void *arena_grow(struct arena *a, void *p, size_t old_n, size_t new_n, size_t size)
{
	unsigned char *q = arena_extend(a, p, old_n, new_n, size);

	memset(q + old_n * size, 0, (new_n - old_n) * size);
	return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p;

	n = strnlen(s, n);
	p = arena_alloc(a, n + 1);
	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < (int)sizeof(small))
		return arena_strdup(a, n < 0 ? "" : small);
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}
