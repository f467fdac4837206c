/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ptebits.h - the low 12 bits of page-table entries as collectors print them.
 *
 * A collector writes raw entries. The bits that mean something to a reader are the
 * same in all kernels of a CPU family; each family has a row in its own folder.
 * Entries of CPUs other than x86 use the bits of PowerPC 40x, the machine of the
 * paper, so that readers made for its files still work.
 */
#ifndef VMCENSUS_PTEBITS_H
#define VMCENSUS_PTEBITS_H

#include "arch/arch.h"

#define PTEBITS_MASK 0xfffu

struct ptebits {
	const char *name;
	const char *machines[6];	/* as uname spells them, NULL after the last */
	const struct arch *arch32, *arch64;	/* names and word sizes, no functions */
	uint16_t present, user, rw, dirty, young, exec, protnone;
	uint16_t clear;		/* set in no entry of a process's page */
	uint16_t hwwrite;	/* set beside rw and dirty */
	uint16_t prot_none, prot_readonly, prot_shared;	/* vm_page_prot */
};

/* All rows, NULL after the last. */
extern const struct ptebits *const ptebits_rows[];

/* Is RAW an entry of a process's page in B's layout? */
bool ptebits_fit(const struct ptebits *b, uint64_t raw);
/* The row for a machine, by its uname name, or by its arch, which may be NULL. */
const struct ptebits *ptebits_of_machine(const char *machine);
const struct ptebits *ptebits_of_arch(const struct arch *a);

/* enum pte_flag of RAW; B NULL: none are known. */
uint16_t ptebits_decode(const struct ptebits *b, uint64_t raw);
/* The bits of a mapped page with FLAGS (enum pte_flag). */
uint16_t ptebits_encode(const struct ptebits *b, uint16_t flags);
/* vm_page_prot of a mapping with VM_* FLAGS. */
uint16_t ptebits_prot(const struct ptebits *b, uint64_t flags);

#endif
