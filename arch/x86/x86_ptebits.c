/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86_ptebits.c - entries of x86 as collectors print them.
 *
 * Sources: include/asm-i386/pgtable.h of 2.4.27, arch/x86/include/asm/pgtable_types.h
 * of 7.3. PROT_NONE is bit 8 since 2.6.12.
 */
#include "arch/x86/x86_ptebits.h"

#include <elf.h>

#include "arch/x86/x86_64.h"

/* Names and word sizes: all that the entries tell about the machine. */
static const struct arch i386 = {
	.name = "i386", .elf_machine = EM_386, .word_size = 4, .ptebits = &ptebits_x86,
};
static const struct arch x86_64 = {
	.name = "x86_64", .elf_machine = EM_X86_64, .word_size = 8, .pkey_bits = 4,
	.status = X86_64_STATUS, .vmflags = x86_64_vmflags, .ptebits = &ptebits_x86,
};

const struct ptebits ptebits_x86 = {
	.name = "x86", .machines = { "x86_64", "i386", "i486", "i586", "i686" },
	.arch32 = &i386, .arch64 = &x86_64,
	.present = 0x001, .user = 0x004, .rw = 0x002, .dirty = 0x040, .young = 0x020,
	.protnone = 0x100,
	.prot_none = 0x120, .prot_readonly = 0x025, .prot_shared = 0x027,
};
