/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc64.h - 64-bit PowerPC; for the files of this folder, for arch.c and for the
 * unit tests.
 *
 *     ppc64_pte.c     forms, geometries and the one decoder
 *     ppc64.c         struct arch: linear map, vmemmap, byte order, geometry
 *
 * The kernel keeps Linux page tables with either MMU: a radix MMU walks them
 * itself, with a hash MMU only software does. Since 4.7 both have the
 * same entries, big-endian on every machine; only the geometry differs.
 */
#ifndef VMCENSUS_PPC64_H
#define VMCENSUS_PPC64_H

#include "arch/arch.h"
#include "facts/release.h"

/* paging_env.form */
enum ppc64_form {
	/* 4.7 and later, radix and hash; the second: hash with 4K pages, 4.10 to 6.10 */
	PPC64_BOOK3S, PPC64_BOOK3S_4K,
	PPC64_HASH_4K, PPC64_HASH_64K,	/* 3.10 .. 3.19 */
	PPC64_HASH_4K_2_6, PPC64_HASH_64K_2_6,	/* 2.6.14, 2.6.26 .. 3.9 */
	PPC64_HASH_64K_4_0, PPC64_HASH_4K_4_0,	/* with the swap entries of 4.0 .. 4.6 */
	PPC64_HASH_64K_2_6_18,
	PPC64_HASH_2_6_11, PPC64_HASH_2_4,
	PPC64_BOOK3E_4K_6_11,
	PPC64_BOOK3E_4K, PPC64_BOOK3E_64K,	/* 4.0 and later */
	PPC64_BOOK3E_4K_2_6, PPC64_BOOK3E_64K_2_6,
	PPC64_FORMS
};

/* The form of the tables, by release, page size and MMU. */
struct ppc64_variant {
	enum ppc64_form form;
	const struct paging *paging;
	bool big_endian;		/* tables are, whatever the machine */
	bool virtual;			/* directories hold kernel-virtual addresses */
};

/* VERSION is a V(); ST_ABSENT if no such tables are known. */
enum status ppc64_variant(int version, unsigned page_shift, bool book3e, bool radix,
			  struct ppc64_variant *ret);

/*
 * The geometry with these index sizes, of pte, pmd, pud (0: no such level) and
 * pgd; NULL if there is none.
 */
const struct paging *ppc64_geometry(unsigned page_shift, const uint64_t bits[4]);

extern const struct arch arch_ppc64;

#endif
