/* SPDX-License-Identifier: GPL-3.0-or-later */
/* who.h - the places that point to one object. */
#ifndef VMCENSUS_WHO_H
#define VMCENSUS_WHO_H

#include "model/memory/reach/reach.h"

#define WHO_PLACES 10000u     /* that are kept */
#define WHO_STRUCT UINT64_MAX /* of who_place.to: the word points to a struct page of the object */

enum who_kind {
	WHO_VARIABLE,
	WHO_MODULE,
	WHO_PERCPU,
	WHO_STACK,
	WHO_BOOT,
	WHO_STRUCT_PAGE,
	WHO_OBJECT,
	WHO_PAGES,
	WHO_AREA,
};

struct who_place {
	enum who_kind kind;
	uint64_t at;	  /* kernel address of the word */
	uint64_t to;	  /* how far into the object it points, or WHO_STRUCT */
	uint64_t from;	  /* the object that the word is in; 0: none */
	const char *name; /* symbol, cache, task, class, with the offset in it */
	bool reached;	  /* false: the place itself is in an object that nothing points to */
};

struct who {
	struct who_place *v; /* roots first, then by address */
	size_t n;
	uint64_t all; /* words that point there */
	/* the object */
	const char *what; /* cache, class or caller */
	uint64_t kva, size;
	enum who_state { WHO_REACHED, WHO_UNREACHED, WHO_FREE } state;
};

/* Of the object that ADDRESS is in. In MEM. ST_ABSENT: it is in none. */
enum status who_build(const struct reach *x, uint64_t address, struct arena *mem, struct who *ret);

#endif
