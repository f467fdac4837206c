/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * types.h - sizes, members and enumerators of kernel types, by name.
 *
 * A member path starts with the type ("struct " left out, typedefs allowed)
 * and descends through embedded aggregates, never through pointers:
 *     "task_struct.pid"            a member; anonymous structs and unions on
 *                                  the way are looked through
 *     "mm_struct.rss_stat.count[]" "[]" demands that this component is an array
 *     "mm_struct.rss_stat[].count" member of element 0 of an array
 * Without "[]", an intermediate component must not be an array; the last one
 * may be anything. This tells two shapes of one name apart.
 *
 * Sources are asked in order; the first that has the *type* decides (a member
 * that it lacks is absent in this kernel, and is not looked for elsewhere).
 */
#ifndef VMCENSUS_TYPES_H
#define VMCENSUS_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/status.h"

struct member {
	uint32_t offset;	/* bytes from the start of the outer type */
	uint32_t size;		/* bytes of the member (whole array); 0 unknown */
	uint32_t count;		/* elements if an array (0 for a flexible one) */
	uint32_t stride;	/* bytes of one element if an array */
	uint8_t bit_offset;	/* bit fields: from the low bit of the word of
				   `size` bytes at `offset`, byte order applied */
	uint8_t bit_size;	/* 0: not a bit field */
	bool is_array, is_signed, is_pointer, is_aggregate;
};

struct type_source {
	const char *name;	/* "btf", "dwarf", "layout file", "crash" */
	/* ST_OK, ST_ABSENT (has the type, not the member), ST_NODATA (what it has of it could
	   not be read) or ST_NOTMINE (does not know the type at all). */
	enum status (*member)(void *self, const char *path, struct member *ret);
	enum status (*size)(void *self, const char *type, uint32_t *bytes);
	/* Value of an enumerator of any enum; ST_NOTMINE if unknown. */
	enum status (*enumerator)(void *self, const char *name, int64_t *ret);
	void (*close)(void *self);
	void *self;
};

struct types {
	struct type_source v[16];
	unsigned n;
};

/* The chain owns src->self. False: it is full, and src was closed. */
bool types_add(struct types *t, const struct type_source *src);
void types_close(struct types *t);

/* *from (if not NULL): the source that answered. All: ST_OK, ST_ABSENT, or ST_NODATA: the kernel may
   have it, but that part of its types is lost. */
enum status types_member(const struct types *t, const char *path,
			 struct member *ret, const char **from);
enum status types_size(const struct types *t, const char *type, uint32_t *bytes,
		       const char **from);
enum status types_enumerator(const struct types *t, const char *name, int64_t *ret,
			     const char **from);

#endif
