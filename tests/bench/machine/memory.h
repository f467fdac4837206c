/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.h - what the pages of a planned machine hold. Each page is computed on its
 * own, by any thread.
 */
#ifndef VMCENSUS_BENCH_MEMORY_H
#define VMCENSUS_BENCH_MEMORY_H

#include "tests/bench/machine/plan.h"

#define TWINS (BENCH_NODES * PARTS * 3 + 1)

/* The kernel image of VMLINUX; *BUILD_ID has 41 bytes. Dies if it is not kernel.c's. */
void image_load(struct machine *m, const char *vmlinux, char *build_id);
/* What kernel.c left to be known, once M is planned. */
void image_patch(struct machine *m);
/* The address of a symbol of kernel.c, while it is loaded. */
uint64_t image_symbol(const char *name);

/* OUT: the page of frame PFN, of a part that is dumped. */
void fill_page(const struct machine *m, uint64_t pfn, uint8_t *out);
/* Pages with the same number below TWINS hold the same; 0: not known to have a twin. */
unsigned twin_of(const struct machine *m, uint64_t pfn);

#endif
