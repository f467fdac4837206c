/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc_ptebits.c - entries of PowerPC 40x as collectors print them.
 *
 * Source: include/asm-ppc/pgtable.h of 2.4.27, CONFIG_40x. _PAGE_EXEC is 0 there; the
 * bit that the MMU looks at is _PAGE_HWEXEC.
 */
#include "arch/ppc/ppc_ptebits.h"

#include <elf.h>

/* Names and word sizes: all that the entries tell about the machine. */
static const struct arch ppc = { .name = "ppc", .elf_machine = EM_PPC, .word_size = 4 };
static const struct arch wide = { .name = "64-bit", .word_size = 8 };

const struct ptebits ptebits_ppc = {
	.name = "PowerPC 40x", .machines = { "ppc", "ppc64", "ppc64le" },
	.arch32 = &ppc, .arch64 = &wide,
	.present = 0x002, .user = 0x010, .rw = 0x040, .dirty = 0x080, .young = 0x400,
	.exec = 0x200, .clear = 0x001, .hwwrite = 0x100,
	.prot_none = 0x402, .prot_readonly = 0x412, .prot_shared = 0x452,
};
