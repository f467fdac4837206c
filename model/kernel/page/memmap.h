/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memmap.h - page frame numbers and the struct pages that describe them.
 *
 * FLATMEM, SPARSEMEM (static and EXTREME) and VMEMMAP all become ranges of pfns with the
 * kernel-virtual address of their first struct page (include/asm-generic/memory_model.h;
 * mm/sparse.c, sparse_decode_mem_map()).
 */
#ifndef VMCENSUS_MEMMAP_H
#define VMCENSUS_MEMMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "dumpread/base/status.h"

#define NODES_MAX 1024u		/* MAX_NUMNODES: NODES_SHIFT is 10 at most */

struct kernel;
struct reader;

struct memmap_range {
	uint64_t pfn, end;	/* [pfn, end) */
	uint64_t page_kva;	/* of the struct page of pfn */
	bool offline;		/* device memory, or plugged in and not onlined */
	bool tainted;		/* online, and device memory may be among it (1f90a3477df3, v5.12) */
};

struct pfn_range {
	uint64_t pfn, end;	/* [pfn, end) */
};

/* SPARSEMEM: where the struct mem_section of each section is. */
struct memmap_sections {
	uint64_t kva;		/* 0: no sections */
	bool roots;		/* at KVA are pointers to arrays of PER_ROOT, else one array */
	uint32_t per_root, bytes;	/* of struct mem_section */
	uint64_t pages, n;	/* frames of a section, sections */
};

struct memmap {
	struct memmap_range *v;	/* ascending, merged where contiguous; in dump->mem */
	uint32_t n;
	struct pfn_range *devices;	/* memory of devices, ascending: since v5.3 (f46edbd1b151)
				   it may share a section with RAM; in dump->mem */
	uint32_t ndevices;
	uint32_t page_size;	/* sizeof(struct page), bytes */
	uint64_t max_pfn;	/* one past the last pfn with a struct page */
	uint64_t ram_end;	/* one past the last pfn that may be memory */
	bool partial;		/* struct pages are missing that the kernel has: an issue said so */
	bool kva_ascends;	/* v[].page_kva ascends too (VMEMMAP, FLATMEM) */
	struct memmap_sections sections;
};

/* Fills k->memmap from mem_section, mem_map or node_data; with VMEMMAP from the kernel's page
   tables where mem_section is not readable (vmemmap.h), which is an issue too. Missing parts are issues, "page
   array" or "node". If nothing is found, the caller reports it. */
enum status memmap_init(struct kernel *k, struct reader *r);

/* 0 if PFN has no struct page. */
uint64_t memmap_page_kva(const struct memmap *m, uint64_t pfn);
/* Has PFN a struct page, as far as this map shows? If not, it is no memory of the machine. */
bool memmap_may_have_page(const struct memmap *m, uint64_t pfn);
/* pfn_to_online_page(): is PFN part of the memory that the kernel manages as RAM, as far as
   this kernel shows? */
bool memmap_is_online(const struct memmap *m, uint64_t pfn);
/* Address of the struct mem_section of PFN, 0: there is none. */
uint64_t memmap_section_kva(const struct memmap *m, struct reader *r, uint64_t pfn);
/* False if KVA is not the address of a struct page. */
bool memmap_page_pfn(const struct memmap *m, uint64_t kva, uint64_t *pfn);

#endif
