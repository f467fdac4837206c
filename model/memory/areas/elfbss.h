/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elfbss.h - the segments of ELF files in memory, and their part of anonymous vmas: .bss.
 *
 * exmap's rule (Exmap.cpp of 0.10): a file has what its PT_LOADs cover with p_memsz, to
 * the byte, in its own vmas and in anonymous ones; the rest of an anonymous vma keeps its
 * name. exmap read the files; a dump often has none of their pages.
 */
#ifndef VMCENSUS_ELFBSS_H
#define VMCENSUS_ELFBSS_H

#include "model/model.h"

struct elf_piece {		/* a segment in memory */
	uint64_t start, end, bias;	/* bias: address in memory less that in the file */
	uint32_t file;			/* index in files */
};

struct elf_pieces {
	struct elf_piece *v;
	size_t n, cap;
};

/* Program headers of files, each read once. */
struct elf_heads;
/* S, R, SYSROOT (may be NULL) and MEM must live as long. */
struct elf_heads *elf_heads_new(const struct snapshot *s, struct reader *r, const char *sysroot,
				struct arena *mem);

/* The segments of all files that M maps, by address; replaces the contents of RET. */
void elf_pieces_list(struct elf_heads *h, const struct mm *m, struct elf_pieces *ret);

struct elf_bss {		/* bytes [start, end) of VMA are FILE's */
	uint64_t start, end;
	uint32_t vma, file;
};

struct elf_bss_list {
	struct elf_bss *v;	/* in the order of the VMAs, then of addresses */
	size_t n, cap;
	unsigned whole;		/* of them, whole vmas: see below */
};

/*
 * The .bss in all mms, or in the mm ONLY if that is not NONE. If a file's headers are
 * neither below SYSROOT nor in the dump, the full anonymous vma right after its data is
 * taken (areas.h).
 */
void elf_bss_find(const struct snapshot *s, struct reader *r, const char *sysroot,
		  uint32_t only, struct arena *mem, struct elf_bss_list *ret);

/* The first of L in VMA or in a later one. */
size_t elf_bss_at(const struct elf_bss_list *l, uint32_t vma);

#endif
