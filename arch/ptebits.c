/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ptebits.c - page-table entries as the 12 flag bits that collectors print.
 */
#include "arch/ptebits.h"

#include <string.h>

#include "arch/ppc/ppc_ptebits.h"
#include "arch/x86/x86_ptebits.h"

#define VM_WRITE_SHARED 0xau	/* VM_WRITE | VM_SHARED */

const struct ptebits *const ptebits_rows[] = { &ptebits_ppc, &ptebits_x86, NULL };

bool ptebits_fit(const struct ptebits *b, uint64_t raw)
{
	unsigned both = b->present | b->user;

	return (raw & both) == both && !(raw & b->clear);
}

const struct ptebits *ptebits_of_machine(const char *machine)
{
	for (unsigned r = 0; ptebits_rows[r]; r++)
		for (unsigned i = 0; ptebits_rows[r]->machines[i]; i++)
			if (!strcmp(machine, ptebits_rows[r]->machines[i]))
				return ptebits_rows[r];
	return &ptebits_ppc;
}

const struct ptebits *ptebits_of_arch(const struct arch *a)
{
	return a && a->ptebits ? a->ptebits : &ptebits_ppc;
}

uint16_t ptebits_decode(const struct ptebits *b, uint64_t raw)
{
	if (!b)
		return 0;
	return (uint16_t)((raw & b->rw ? PTE_WRITE : 0) | (raw & b->dirty ? PTE_DIRTY : 0) |
			  (raw & b->young ? PTE_YOUNG : 0) | (raw & b->exec ? PTE_EXEC : 0) |
			  (!(raw & b->present) && raw & b->protnone ? PTE_PROTNONE : 0));
}

uint16_t ptebits_encode(const struct ptebits *b, uint16_t flags)
{
	unsigned raw = b->present | b->user;

	if (flags & PTE_PROTNONE)
		raw = b->protnone ? b->protnone : b->present;
	raw |= flags & PTE_WRITE ? b->rw : 0;
	raw |= flags & PTE_DIRTY ? b->dirty : 0;
	raw |= flags & PTE_YOUNG ? b->young : 0;
	raw |= flags & PTE_EXEC ? b->exec : 0;
	if ((flags & (PTE_WRITE | PTE_DIRTY)) == (PTE_WRITE | PTE_DIRTY))
		raw |= b->hwwrite;
	return (uint16_t)raw;
}

uint16_t ptebits_prot(const struct ptebits *b, uint64_t flags)
{
	if (!(flags & 7))
		return b->prot_none;
	/* a private mapping is write-protected until a page of it is copied */
	return (flags & VM_WRITE_SHARED) == VM_WRITE_SHARED ? b->prot_shared : b->prot_readonly;
}
