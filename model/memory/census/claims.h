/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * claims.h - what claims frames for their classes; private to model/memory/census/. Each function
 * returns false if this kernel, or its layout file, does not show where they are.
 */
#ifndef VMCENSUS_CENSUS_CLAIMS_H
#define VMCENSUS_CENSUS_CLAIMS_H

#include "model/kernel/vmalloc/vmalloc.h"
#include "model/memory/census/census.h"

/*
 * The frames behind the kernel-virtual addresses [KVA, END), from the beginning of a page, and as many as there are
 * frames at most. Returns the pages that are not mapped, or have no frame.
 */
uint64_t claim_kva(const struct kernel *k, struct reader *r, struct page_classes *c, uint64_t kva,
		     uint64_t end, enum page_class class);

/* Struct pages: the frames behind the memmap. */
bool claim_memmap(const struct kernel *k, struct reader *r, struct page_classes *c);
/* Per-CPU variables: the populated pages of all chunks. */
bool claim_percpu(const struct kernel *k, struct reader *r, struct page_classes *c);
/* Kernel stacks of all tasks. Needs NEED_TASKS. */
bool claim_stacks(const struct snapshot *s, struct reader *r, struct page_classes *c);

/* Page tables whose struct pages do not say so: of mms, and the kernel's own. Needs NEED_TASKS.
   *COUNTED: whether all that the kernel counts are in CLASS_TABLES. */
bool claim_tables(const struct snapshot *s, struct reader *r, struct page_classes *c,
		  bool *counted);
/* Frames that show nothing and are no RAM: last. Scratch memory is taken from MEM, as below. */
bool claim_holes(const struct kernel *k, struct reader *r, struct arena *mem,
		 struct page_classes *c);

/* Free pages on the lists of CPUs. */
bool claim_free_on_cpus(const struct snapshot *s, struct reader *r, struct arena *mem,
			struct census *c);
/* Text and data of modules. */
bool claim_modules(const struct kernel *k, struct reader *r, struct arena *mem,
		   struct page_classes *c);
/* page_ext of all sections. */
bool claim_page_ext(const struct kernel *k, struct reader *r, struct page_classes *c);
/* The pool of KFENCE, also what looks like slabs in it. */
bool claim_kfence(const struct kernel *k, struct reader *r, struct page_classes *c);
/* Pools of the stack depot. */
bool claim_depot(const struct kernel *k, struct reader *r, struct page_classes *c);
/* Areas of vmalloc(). */
bool claim_vmalloc(const struct kernel *k, struct reader *r, const struct vmalloc *areas,
		   struct page_classes *c);
/* Pages of nobody else that vmap() or DMA maps. */
void claim_vmap(const struct kernel *k, struct reader *r, const struct vmalloc *areas,
		struct page_classes *c);

#endif
