/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elfsymbols.h - the symbols of an ELF file that occupy memory.
 */
#ifndef VMCENSUS_ELFSYMBOLS_H
#define VMCENSUS_ELFSYMBOLS_H

#include "model/memory/elf/elfimage.h"

struct elf_symbol {
	const char *name;	/* as the file has it; may hold any byte */
	uint64_t value, size;
	char bind;		/* 'g' global, 'l' local, 'w' weak */
	char type;		/* 'f' function, 'o' object, 'n' neither */
};

struct elf_symbols {
	struct elf_symbol *v;
	size_t n, cap;
	const char *from;	/* ".symtab", ".dynsym" ...; NULL: none */
};

/*
 * From .symtab, otherwise from .gnu_debugdata (a separate ELF file, packed with xz) and
 * .dynsym, otherwise only from .dynsym. Symbols with a name, a definition and a size; not
 * those of files, sections and thread-local memory. In MEM.
 */
void elf_symbols_read(struct elf_image *e, struct arena *mem, struct elf_symbols *ret);

#endif
