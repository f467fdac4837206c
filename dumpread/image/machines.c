/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machines.c - names, ELF numbers and word sizes of machines.
 *
 * The one table outside arch/ that names CPUs. Headers of dumps name the machine, also
 * machines that arch/ does not know, and the container must know its word and page size
 * before anything is asked of arch/.
 */
#include <elf.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/format.h"
#include "dumpread/image/machines.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

/* Longer names before their prefixes. */
static const struct machine machines[] = {
	{ "x86_64",	 EM_X86_64,	8, 12 },
	{ "i386",	 EM_386,	4, 12 },
	{ "ia32",	 EM_386,	4, 12 },	/* libkdumpfile's name */
	{ "i486",	 EM_386,	4, 12 },
	{ "i586",	 EM_386,	4, 12 },
	{ "i686",	 EM_386,	4, 12 },
	/* 64K pages are the rule of ppc64 distributions; 4K kernels exist, and
	   every page of theirs lies inside one of 64K. */
	{ "ppc64",	 EM_PPC64,	8, 16 },
	{ "ppc",	 EM_PPC,	4, 12 },
	{ "aarch64",	 EM_AARCH64,	8, 12 },
	{ "arm",	 EM_ARM,	4, 12 },
	{ "s390x",	 EM_S390,	8, 12 },
	{ "s390",	 EM_S390,	4, 12 },
	{ "riscv64",	 EM_RISCV,	8, 12 },
	{ "riscv32",	 EM_RISCV,	4, 12 },
	{ "loongarch64", EM_LOONGARCH,	8, 14 },
	{ "mips64",	 EM_MIPS,	8, 12 },
	{ "mips",	 EM_MIPS,	4, 12 },
	{ "sparc64",	 EM_SPARCV9,	8, 13 },
	{ "alpha",	 EM_ALPHA,	8, 13 },
	{ "ia64",	 EM_IA_64,	8, 14 },
	{ "parisc64",	 EM_PARISC,	8, 12 },
	{ "parisc",	 EM_PARISC,	4, 12 },
};

const struct machine *machine_by_uname(const char *uname)
{
	for (size_t i = 0; i < ARRAY_LEN(machines); i++)
		if (!strncmp(uname, machines[i].uname, strlen(machines[i].uname)))
			return &machines[i];
	return NULL;
}

const struct machine *machine_by_elf(uint16_t elf_machine, uint8_t word_size)
{
	const struct machine *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		if (machines[i].elf_machine != elf_machine)
			continue;
		/* An ELF64 file of a 32-bit kernel is kexec's choice for large memory */
		if (!found || machines[i].word_size == word_size)
			found = &machines[i];
	}
	return found;
}

const char *machine_name(uint16_t elf_machine, uint8_t word_size)
{
	const struct machine *m = machine_by_elf(elf_machine, word_size);

	return m ? m->uname : NULL;
}

uint8_t page_shift_of(uint64_t bytes)
{
	if (bytes < 4096 || bytes > IMAGE_PAGE_MAX || (bytes & (bytes - 1)))
		return 0;
	return (uint8_t)__builtin_ctzll(bytes);
}
