/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc32.h - 32-bit PowerPC; for the files of this folder, for arch.c and for the
 * unit tests.
 *
 *     ppc32_pte.c     rows, forms and the one decoder
 *     ppc32.c         struct arch: linear map, which row and form this kernel has
 *
 * Geometry (a row) depends on the size of a page and of a PTE. The meaning of the
 * bits (a form) depends on the CPU family and, because bits moved, on the release.
 */
#ifndef VMCENSUS_PPC32_H
#define VMCENSUS_PPC32_H

#include "arch/arch.h"
#include "facts/release.h"

enum ppc32_family { PPC_6XX, PPC_8XX, PPC_40X, PPC_44X, PPC_E500, PPC_FAMILIES };

/* paging_env.form */
enum ppc32_form {
	PPC32_6XX,
	PPC32_40X, PPC32_40X_6_0,
	PPC32_44X_2_4, PPC32_44X_2_6_18, PPC32_44X_2_6_26, PPC32_44X_6_7,
	PPC32_8XX_2_4, PPC32_8XX_2_6_26, PPC32_8XX_2_6_33, PPC32_8XX_4_0, PPC32_8XX_5_0,
	PPC32_8XX_6_11,
	PPC32_E500_2_6, PPC32_E500_2_6_18_WIDE, PPC32_E500_2_6_26,
	PPC32_BOOK3E, PPC32_BOOK3E_6_11,
	PPC32_FORMS
};

/* paging_env.swap_form */
enum ppc32_swap { PPC32_SWAP_2_6, PPC32_SWAP_2_4 };

/* The form of mainline VERSION, a V(). */
enum ppc32_form ppc32_form(enum ppc32_family family, unsigned pte_size, int version);

/* The row for pages of 1 << PAGE_SHIFT bytes with PTEs of PTE_SIZE bytes; NULL: none. */
const struct paging *ppc32_paging(enum ppc32_family family, enum ppc32_form form,
				  unsigned page_shift, unsigned pte_size);

extern const struct arch arch_ppc32;

#endif
