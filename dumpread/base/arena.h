/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arena.h - memory that lives and dies together.
 *
 * One arena belongs to one handle (a dump, a snapshot, a table); its objects
 * are never freed singly. Allocation zeroes and never returns NULL: without memory
 * it calls arena_die(). The program prints and exits there; a host that must not
 * exit (the crash utility) sets a function of its own.
 * Not thread-safe: one arena, one thread at a time.
 */
#ifndef VMCENSUS_ARENA_H
#define VMCENSUS_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;	/* bump blocks, newest first */
	struct arena_block *big;	/* one allocation each, resizable */
	size_t used;			/* bytes handed out */
};

/* Called when memory is exhausted. Default: message, exit 1. */
extern __attribute__((noreturn)) void (*arena_die)(size_t bytes);

/* Free everything; the arena is empty and usable again. */
void arena_release(struct arena *a);

/* No function here returns NULL, not even for 0 bytes: arena_die() does not return. */
#define ARENA_GOT __attribute__((returns_nonnull))

ARENA_GOT void *arena_alloc(struct arena *a, size_t bytes);

/* N * SIZE bytes, zeroed, checked for overflow. */
ARENA_GOT void *arena_calloc(struct arena *a, size_t n, size_t size);
#define arena_array(a, type, n) ((type *)arena_calloc((a), (n), sizeof(type)))

/*
 * Grow P (NULL, or from these functions) from OLD_N to NEW_N elements. P is invalid
 * afterwards. The new tail is zeroed by arena_grow(), and garbage after arena_extend().
 */
ARENA_GOT void *arena_grow(struct arena *a, void *p, size_t old_n, size_t new_n, size_t size);
ARENA_GOT void *arena_extend(struct arena *a, void *p, size_t old_n, size_t new_n, size_t size);

char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));

/* A growable array inside an arena: struct { T *v; size_t n, cap; }. */
#define VEC(T) struct { T *v; size_t n, cap; }
/* Pointer to a new, zeroed last element. */
#define vec_push(a, vec)                                                       \
	((vec)->v = vec_room((a), (vec)->v, (vec)->n, &(vec)->cap, sizeof(*(vec)->v)), \
	 &(vec)->v[(vec)->n++])

/* The N elements of V with room for one more, which is zeroed. */
ARENA_GOT static inline void *vec_room(struct arena *a, void *v, size_t n, size_t *cap, size_t size)
{
	if (!v || n == *cap) {
		size_t more = *cap ? *cap * 2 : 16;

		v = arena_extend(a, v, *cap, more, size);
		*cap = more;
	}
	memset((char *)v + n * size, 0, size);
	return v;
}

#endif
