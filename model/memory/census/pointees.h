/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pointees.h - what the words of a page point to: caches, modules, variables and functions of the
 * kernel, areas of vmalloc, other classes of frames. A number that looks like an address counts as
 * one: the answer is a guess. For use by one thread.
 */
#ifndef VMCENSUS_CENSUS_POINTEES_H
#define VMCENSUS_CENSUS_POINTEES_H

#include "dumpread/base/hash.h"
#include "model/kernel/module/ksyms.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/vmalloc/vmalloc.h"
#include "model/memory/census/census.h"

struct pointee {
	const char *name;		/* "slab kmalloc-64", "module xfs", "jiffies", "page of file" */
	enum pointee_kind {
		POINTEE_OTHER,
		POINTEE_IMAGE,		/* a symbol of the kernel image */
		POINTEE_MODULE,
		POINTEE_UNKNOWN,	/* a page of no known use */
	} kind;
};

struct pointees {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	const struct page_classes *classes;
	struct ksyms *ks;
	struct pagefmt fmt;
	struct vmalloc_area *areas;	/* by address */
	uint32_t nareas;
	uint64_t image_start, image_end;
	struct hash caches;		/* kmem_cache -> index of its name in v */
	struct hash names;		/* hash of a name -> its index in v */
	VEC(struct pointee) v;
};

/* KS and C are lent; all else is in MEM. */
void pointees_init(struct pointees *p, const struct snapshot *s, struct reader *r,
		   struct ksyms *ks, const struct page_classes *c, struct arena *mem);

/* Index in p->v of what WORD points to; HASH_NONE: it is no address of the kernel. */
uint32_t pointee_of(struct pointees *p, uint64_t word);

#endif
