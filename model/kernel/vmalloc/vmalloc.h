/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc.h - areas of the kernel's address space that vmalloc(), vmap() and ioremap() made.
 */
#ifndef VMCENSUS_KMEM_VMALLOC_H
#define VMCENSUS_KMEM_VMALLOC_H

#include "model/kernel/module/ksyms.h"

/* vm_struct.flags: the same in all releases read, 5.10 to 7.2 */
enum {
	AREA_IOREMAP = 0x1, AREA_ALLOC = 0x2, AREA_MAP = 0x4, AREA_USER = 0x8,
	AREA_DMA_COHERENT = 0x10, AREA_UNINITIALIZED = 0x20, AREA_SPARSE = 0x1000,
};

enum area_kind {
	AREA_OF_VM,		/* has a vm_struct */
	AREA_RAM,		/* vm_map_ram() */
	AREA_LAZY,		/* unmapped, its address not free yet */
	AREA_ENDING,		/* without vm_struct, and not marked as that of vm_map_ram() */
};

struct vmalloc_area {
	enum area_kind kind;
	uint64_t start, size;		/* bytes; with its guard page */
	uint64_t flags;			/* AREA_* */
	uint64_t caller;		/* address; 0 unknown */
	struct ksym sym;		/* of it */
	uint64_t npages, pages;		/* pages that it has; address of the array of them */
	uint64_t mapped;		/* AREA_SPARSE: pages that the kernel's tables show */
	unsigned page_order;		/* they were allocated in blocks of this order */
	uint64_t phys;
};

struct vmalloc {
	struct vmalloc_area *v;		/* as the kernel lists them */
	uint32_t n;
	unsigned phys_bytes;		/* sizeof(phys_addr_t) */
};

/* In MEM. ST_ABSENT: the source or its kernel does not show areas. Damage is an issue. */
enum status vmalloc_build(const struct snapshot *s, struct arena *mem, struct vmalloc *ret);

/*
 * Pages of A that belong to each node, by the frames that nodes span: COUNT[NNODES]. False: the
 * array of pages is not readable, or a frame is of no node or of several.
 */
struct zones;
struct reader;
bool vmalloc_nodes(const struct kernel *k, struct reader *r, const struct zones *zs,
		   const struct vmalloc_area *a, uint64_t *count);
/*
 * Calls PAGE, which may be NULL, for each page that the kernel's page tables have in A, a sparse
 * area; *N of them. Not ST_OK: some tables are not readable, and *N is a lower bound.
 */
enum status vmalloc_sparse_pages(const struct kernel *k, struct reader *r,
				 const struct vmalloc_area *a, uint64_t *n,
				 void (*page)(void *arg, uint64_t pfn), void *arg);
/* Maps of per-CPU chunks; those of control groups are twice as large as the memory of one CPU
   (mm/percpu.c, 5.9). */
bool vmalloc_of_percpu(const struct vmalloc_area *a);
/* The area that ADDR is in, or NULL. */
const struct vmalloc_area *vmalloc_at(const struct vmalloc *va, uint64_t addr);

/* pointers.c: how the kernel prints pointers with %pK to root. */
struct pointer_print {
	unsigned width;			/* digits */
	enum { POINTERS_HASHED, POINTERS_PLAIN, POINTERS_ZERO, POINTERS_NO_KEY } how;
	uint64_t key[2];
};

void pointer_print_init(struct pointer_print *p, const struct kernel *k, struct reader *r);
/* What is printed for ADDR; POINTERS_NO_KEY: nothing. */
uint64_t pointer_print(const struct pointer_print *p, uint64_t addr);

#endif
