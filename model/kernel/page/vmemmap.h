/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmemmap.h - struct pages without mem_section[].
 *
 * With SPARSEMEM_VMEMMAP the struct page of frame N is at BASE + N * sizeof(struct page)
 * (include/asm-generic/memory_model.h, __pfn_to_page()), and the kernel's page tables show for
 * which frames there is one (mm/sparse-vmemmap.c).
 */
#ifndef VMCENSUS_VMEMMAP_H
#define VMCENSUS_VMEMMAP_H

#include <stdint.h>

#include "dumpread/base/status.h"

struct kernel;
struct reader;

/* BASE, of struct pages of PAGE_BYTES each. 0: there is none, or nothing shows it. */
uint64_t vmemmap_find(const struct kernel *k, struct reader *r, uint32_t page_bytes);

/*
 * Are there struct pages of frames [PFN, PFN + N)? ST_OK: of one or more; ST_FAULT: of none;
 * others: the page tables do not tell.
 */
enum status vmemmap_has(struct reader *r, uint64_t base, uint32_t page_bytes, uint64_t pfn,
			uint64_t n);

#endif
