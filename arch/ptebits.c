/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ptebits.c - page-table entries as the 12 flag bits that collectors print.
 */
#include "arch/ptebits.h"

#include <elf.h>

#include "dumpread/base/bytes.h"
#include "facts/release.h"

#define VM_WRITE_SHARED 0xau	/* VM_WRITE | VM_SHARED */

/* Names and word sizes: what is known of the machine by its entries. */
static const struct arch ppc = { .name = "ppc", .elf_machine = EM_PPC, .word_size = 4 };
static const struct arch wide = { .name = "64-bit", .word_size = 8 };
static const struct arch i386 = {
	.name = "i386", .elf_machine = EM_386, .word_size = 4, .ptebits = &ptebits_x86,
};
static const struct arch x86_64 = {
	.name = "x86_64", .elf_machine = EM_X86_64, .word_size = 8, .pkey_bits = 4,
	.status = { V(6, 4), "untag_mask:\t0xffffffffffffffff\n" }, .ptebits = &ptebits_x86,
};

/* include/asm-ppc/pgtable.h of 2.4.27, CONFIG_40x; _PAGE_EXEC is 0 there, what the MMU
   asks is _PAGE_HWEXEC */
const struct ptebits ptebits_ppc = {
	.name = "PowerPC 40x", .arch32 = &ppc, .arch64 = &wide,
	.present = 0x002, .user = 0x010, .rw = 0x040, .dirty = 0x080, .young = 0x400,
	.exec = 0x200, .clear = 0x001, .hwwrite = 0x100,
	.prot_none = 0x402, .prot_readonly = 0x412, .prot_shared = 0x452,
};

/* include/asm-i386/pgtable.h of 2.4.27, arch/x86/include/asm/pgtable_types.h of 7.3;
   PROT_NONE is bit 8 since 2.6.12 */
const struct ptebits ptebits_x86 = {
	.name = "x86", .arch32 = &i386, .arch64 = &x86_64,
	.present = 0x001, .user = 0x004, .rw = 0x002, .dirty = 0x040, .young = 0x020,
	.protnone = 0x100,
	.prot_none = 0x120, .prot_readonly = 0x025, .prot_shared = 0x027,
};

const struct ptebits *const ptebits_rows[] = { &ptebits_ppc, &ptebits_x86, NULL };

bool ptebits_fit(const struct ptebits *b, uint64_t raw)
{
	unsigned both = b->present | b->user;

	return (raw & both) == both && !(raw & b->clear);
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
