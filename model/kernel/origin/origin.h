/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * origin.h - who allocated a page, where the kernel keeps it: page_owner (a stack) and allocation
 * tags (a line of the source). For use by one thread.
 */
#ifndef VMCENSUS_KMEM_ORIGIN_H
#define VMCENSUS_KMEM_ORIGIN_H

#include "model/kernel/module/ksyms.h"
#include "model/kernel/origin/depot.h"

struct origin {
	uint64_t tag;			/* address of its struct codetag; 0: none */
	uint32_t stack;			/* handle of the stack depot; 0: none */
};

struct origins {
	const struct kernel *k;
	struct reader *r;
	struct ksyms *ks;
	bool tags, stacks;		/* this kernel keeps them */
	/* page_ext; size 0: there is none */
	uint64_t size, tag_at, owner_at;	/* bytes of one, offsets in it */
	uint64_t section, section_base;	/* frame number / frames of a section; of the latest one */
	/* tags in the flags of struct page */
	bool compressed;
	uint64_t mask, kernel_tags, nkernel_tags, module_tags;
	unsigned shift;
	struct depot depot;
	uint64_t unread;		/* of frames whose data is not readable */
};

/* KS names the functions of stacks, and is lent. False: this kernel keeps neither. */
bool origins_init(struct origins *o, const struct kernel *k, struct reader *r, struct ksyms *ks);

/* Of frame PFN, whose page->flags are FLAGS. What is not known is 0. */
struct origin origin_of(struct origins *o, uint64_t pfn, uint64_t flags);

/* Address of the page_ext of PFN, o->size bytes; 0: it has none. */
uint64_t page_ext_of(struct origins *o, uint64_t pfn);

/* "FILE:LINE FUNCTION", with " [MODULE]" if it has one; NULL: not readable. In MEM. */
const char *origin_site(const struct origins *o, uint64_t tag, struct arena *mem);
/* "f+0x12 < its caller < ..." without the functions of the page allocator; NULL: not readable. In
   MEM. */
const char *origin_stack(const struct origins *o, uint32_t handle, struct arena *mem);

/* The return addresses of the stack, at most MAX; 0: it is not readable, or has more. */
unsigned origin_frames(const struct origins *o, uint32_t handle, uint64_t *addr, unsigned max);

#endif
