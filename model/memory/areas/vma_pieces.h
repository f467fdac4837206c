/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vma_pieces.h - vmas cut into segments of ELF files, and the rest.
 */
#ifndef VMCENSUS_VMA_PIECES_H
#define VMCENSUS_VMA_PIECES_H

#include "model/model.h"

struct vma_piece {
	uint64_t start, end;	/* end exclusive */
	uint32_t file;		/* file of the segment, index in files; NONE: no segment */
	uint64_t bias;		/* of a file: address in memory less that in the file */
};

struct vma_pieces;

/* Headers of ELF files are read below SYSROOT (may be NULL) and in the dump. S and MEM must
   live as long. Never NULL. */
struct vma_pieces *vma_pieces_new(const struct snapshot *s, const char *sysroot,
				  struct arena *mem);
void vma_pieces_free(struct vma_pieces *x);

/*
 * FN for each piece of each vma of M, by address; together they cover it. The part of a
 * segment beyond its file's bytes (.bss) belongs to the file, although it is in anonymous
 * memory.
 */
void vma_pieces_each(struct vma_pieces *x, const struct mm *m,
		     void (*fn)(void *arg, const struct vma *v, const struct vma_piece *p),
		     void *arg);

#endif
