/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resources.h - the use of physical addresses, from the kernel's resource tree (/proc/iomem). */
#ifndef VMCENSUS_RESOURCES_H
#define VMCENSUS_RESOURCES_H

#include "dumpread/base/bytes.h"
#include "model/model.h"

/* Addresses [start, end] of the innermost resource that contains them. */
struct resource_span {
	uint64_t start, end;
	const char *name;	/* "Crash kernel", "Kernel code" ... */
	bool ram;		/* it is "System RAM", or lies in such */
};

/* One line of /proc/iomem. */
struct resource_line {
	uint64_t start, end;
	const char *name;	/* NULL: it has none, or it is not readable */
	unsigned depth;
};

struct resources {
	VEC(struct resource_line) lines;	/* each before those in it */
	VEC(struct resource_span) v;	/* ascending, disjoint */
	bool whole;			/* the tree was there, and read to its end, with all names */
	bool torn;			/* it was there, and is not whole: an issue said so */
};

/* Is NAME, which may be NULL, that of RAM? Also "System RAM (kmem)", plugged in within another resource. */
static inline bool resource_is_ram(const char *name)
{
	return name && str_begins(name, "System RAM");
}

/* In MEM. Empty if the source does not show the tree; damage is an issue of K. */
void resources_read(const struct kernel *k, struct reader *r, struct arena *mem,
		    struct resources *ret);
/* The same with a reader of its own; empty for a source without memory. */
void resources_shown(const struct snapshot *s, struct arena *mem, struct resources *ret);
/* What is at ADDR; NULL: nothing that has a name. *AT: where to start, for ascending addresses. */
const struct resource_span *resource_at(const struct resources *rs, uint64_t addr, size_t *at);
/* Its name; NULL: nothing. */
static inline const char *resource_name(const struct resources *rs, uint64_t addr, size_t *at)
{
	const struct resource_span *s = resource_at(rs, addr, at);

	return s ? s->name : NULL;
}

#endif
