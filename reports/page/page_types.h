/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_types.h - the flags of page frames in the words of the kernel's page-types
 * (tools/mm/page-types.c).
 */
#ifndef VMCENSUS_PAGE_TYPES_H
#define VMCENSUS_PAGE_TYPES_H

#include <stdint.h>
#include <stdio.h>

#include "dumpread/base/arena.h"

/* Without the bits that page-types hides unless it is asked for raw flags. */
uint64_t page_types_well_known(uint64_t kpf);

/* "uptodate,lru,mmap"; "" for none. */
const char *page_types_names(uint64_t kpf, struct arena *mem);

/* The table's head, a line of it, and its end. */
void page_types_head(FILE *out);
void page_types_line(uint64_t kpf, uint64_t pages, unsigned page_shift, FILE *out);
void page_types_total(uint64_t pages, unsigned page_shift, FILE *out);

#endif
