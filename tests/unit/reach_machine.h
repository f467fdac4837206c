/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reach_machine.h - a machine made by hand, with variables, slabs of SLUB and pages, that point to each other. */
#ifndef VMCENSUS_TESTS_REACH_MACHINE_H
#define VMCENSUS_TESTS_REACH_MACHINE_H

#include "model/memory/reach/unreached.h"
#include "tests/unit/fake.h"

/* Physical addresses. */
enum {
	RM_IMAGE = 0x1000,		/* variables, one page */
	RM_CACHES = 0x2000,		/* head of the list, names, the caches, 0x100 bytes each */
	RM_CACHE = 0x2100, RM_NAME = 0x2800, RM_PERCPU = 0x3000,
	RM_SLAB = 0x10000,		/* of one page, of the first cache */
	RM_SECOND = 0x11000,		/* the same of the second cache */
	RM_THIRD = 0x12000,		/* and of the third, if there is one */
	RM_BLOCK = 0x20000,		/* two pages of unknown use; another one follows */
	RM_FILE = 0x30000,		/* a page of a file */
	RM_PAGES = 0x400000, RM_FRAMES = 0x40,
};
enum { RM_OBJECT = 64, RM_SIZE = 128, RM_PER_SLAB = 32, RM_LINK = 32 };
enum { RM_STRUCT_PAGE = 64, RM_PAGE_CACHE = 24, RM_PAGE_FREELIST = 32, RM_PAGE_INUSE = 40, RM_PAGE_OBJECTS = 42,
       RM_PAGE_PRIVATE = 40 };

struct reach_machine {
	struct fake *f;
	struct snapshot s;
	struct memmap_range range;
	struct page_classes c;
	struct census census;
	uint8_t *chunk;
	enum slab_link link;
	uint64_t random;
	struct arena mem;
};

/* LINK: how free objects point to the next one. */
struct reach_machine *rm_new(unsigned word, bool big, enum slab_link link);
void rm_free(struct reach_machine *m);
/* A third cache, in as many kinds of allocation as ALIASES says. */
void rm_add_cache(struct reach_machine *m, const char *name, unsigned aliases);
/* Physical address of object I of the slab at PA. */
uint64_t rm_object(uint64_t slab, unsigned i);
/* The word at physical address PA points to TO. */
void rm_point(struct reach_machine *m, uint64_t pa, uint64_t to);
void rm_put(struct reach_machine *m, uint64_t pa, uint64_t v, unsigned size);
/* Objects FROM to the last of the slab at PA are free. */
void rm_free_from(struct reach_machine *m, uint64_t slab, unsigned from);
/* Kernel address of the struct page of the frame at PA. */
uint64_t rm_page(const struct reach_machine *m, uint64_t pa);
struct reach *rm_build(struct reach_machine *m, enum reach_doubt *why);
/* Is the node at PA reached? */
bool rm_reached(const struct reach_machine *m, const struct reach *x, uint64_t pa);

#endif
