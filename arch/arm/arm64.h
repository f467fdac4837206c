/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arm64.h - shared by the files of this folder. Outside of it only arch.c (for the struct arch)
 * and the unit tests (for the rows) include it.
 *
 *     arm64_pte.c     rows and decoder: page-table entries
 *     arm64.c         struct arch: attach, translation, variants of kernels
 */
#ifndef VMCENSUS_ARM64_H
#define VMCENSUS_ARM64_H

#include "arch/linear.h"

/* The row for pages of 1 << PAGE_SHIFT bytes and addresses of BITS; NULL: there is none. */
const struct paging *arm64_row(unsigned page_shift, unsigned bits);

/* paging_env.swap_form: the layout of entries that are not valid, by the release that made it. */
enum arm64_swap_form {
	ARM64_SWAP_4_0,
	ARM64_SWAP_5_19,
	ARM64_SWAP_6_10,
};

/* paging_env.form: these or'ed */
enum arm64_form {
	ARM64_LPA2 = 1 << 0,		/* bits 9:8 are bits 51:50 of the address */
	ARM64_LPA_64K = 1 << 1,		/* bits 15:12 are bits 51:48 */
	ARM64_GATHER = 1 << 2,		/* young and dirty belong to the contiguous block */
	ARM64_PMD_INVALID = 1 << 3,	/* bit 59: a block that is to be valid again */
};

/* The environment of pages of 1 << PAGE_SHIFT bytes and addresses of BITS, of a current kernel. */
void arm64_env_init(struct paging_env *env, unsigned page_shift, unsigned bits, uint64_t max_pa);
/* The bits that kernels of mainline VERSION, a V(), have. */
void arm64_env_of(struct paging_env *env, int version);

extern const struct arch arch_arm64;

#endif
