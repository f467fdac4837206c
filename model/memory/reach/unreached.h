/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unreached.h - what nothing points to, in groups that look alike: one leak makes one group. */
#ifndef VMCENSUS_UNREACHED_H
#define VMCENSUS_UNREACHED_H

#include "model/memory/reach/reach.h"

/* Pages without an owner, alike, that no pointer leads to: so many are on machines where nothing leaks. */
#define UNREACHED_PAGES	 128u
#define UNREACHED_GROUPS (1u << 14)

enum unreached_kind {
	UNREACHED_OBJECT,
	UNREACHED_KMALLOC,
	UNREACHED_PAGES_OF,
	UNREACHED_AREA,
	UNREACHED_OTHERS, /* of each kind: there are more groups than were asked for */
};

enum unreached_certainty {
	UNREACHED_NO_POINTER, /* of HEADS of the objects; the others hang on those, or on each other */
	UNREACHED_FROM_UNREACHED, /* only unreached ones point to them */
	UNREACHED_KNOWN, /* the kernel keeps no pointer on purpose: headers of empty sysctl tables */
	UNREACHED_CANNOT_TELL, /* too much is missing, reach.doubt */
	UNREACHED_USUAL,       /* pages without an owner, at most UNREACHED_PAGES */
	UNREACHED_MIXED,       /* of UNREACHED_OTHERS */
};

struct unreached_group {
	enum unreached_kind kind;
	uint32_t cache;		 /* of UNREACHED_OBJECT: index in caches */
	uint64_t pages;		 /* of UNREACHED_PAGES_OF: of one block */
	uint64_t objects, bytes; /* bytes: with metadata */
	uint64_t heads;		 /* objects that nothing at all points to */
	uint64_t of;		 /* objects of the cache that are in use; 0: no cache */
	uint64_t example;	 /* kernel address */
	/* what words of its beginning point to: "[0] some_variable, [16] kmalloc-64"; "zeros", "text", "data";
	   NULL: it could not be read, or they differ */
	const char *signature;
	const char *from; /* who allocated it, or what of a module it points to; NULL: not known */
	enum unreached_certainty certainty;
};

struct unreached {
	struct unreached_group *v; /* largest first */
	uint32_t n;
	uint64_t objects, bytes; /* of slabs, together */
	uint64_t pages;		 /* of UNREACHED_PAGES_OF, together */
};

/* Of X; in MEM. At most MOST groups, from 1 on: what is in no other is one of UNREACHED_OTHERS, and an issue. */
void unreached_build(const struct reach *x, uint32_t most, struct arena *mem,
		     struct unreached *ret);

#endif
