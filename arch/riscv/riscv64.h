/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * riscv64.h - shared by the files of this folder. Outside of it only arch.c (for the struct arch)
 * and the unit tests (for the rows) include it.
 *
 *     riscv64_pte.c   rows and decoder: page-table entries
 *     riscv64.c       struct arch: attach, translation, variants of kernels
 */
#ifndef VMCENSUS_RISCV64_H
#define VMCENSUS_RISCV64_H

#include "arch/linear.h"

/* The row for virtual addresses of BITS: 39, 48 or 57; NULL: there is none. */
const struct paging *riscv64_row(unsigned bits);

/* paging_env.swap_form: the layout of entries that are not valid, by the release that made it. */
enum riscv64_swap_form {
	RISCV64_SWAP_4_15,
	RISCV64_SWAP_5_17,
	RISCV64_SWAP_6_3,
};

/* The environment of a current kernel. */
void riscv64_env_init(struct paging_env *env, uint64_t max_pa);
/* The bits that kernels of mainline VERSION, a V(), have. */
void riscv64_env_of(struct paging_env *env, int version);

extern const struct arch arch_riscv64;

#endif
