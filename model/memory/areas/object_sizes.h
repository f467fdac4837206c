/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * object_sizes.h - exmap's sizes (model/memory/usage/refs.h), divided among the objects that vmas
 * map.
 *
 * The .bss of a file in an anonymous vma belongs to the file, to the byte (elfbss.h).
 * Needs NEED_SIZES, except for object_sizes_new().
 */
#ifndef VMCENSUS_OBJECT_SIZES_H
#define VMCENSUS_OBJECT_SIZES_H

#include "model/memory/areas/elfbss.h"
#include "model/memory/usage/refs.h"

struct object_sizes;

/*
 * For all mms, or for the mm ONLY if that is not NONE. Headers of ELF files are read below
 * SYSROOT (may be NULL) and in the dump. Never NULL; for use by one thread. S and MEM must
 * live as long. Without NEED_SIZES it has no .bss.
 */
struct object_sizes *object_sizes_new(const struct snapshot *s, const char *sysroot,
				      uint32_t only, struct arena *mem);
void object_sizes_free(struct object_sizes *o);

/* The .bss that was found, in the order of elf_bss_find(). */
const struct elf_bss_list *object_sizes_bss(const struct object_sizes *o);
/* Sizes of its entry I. */
void object_sizes_of_bss(const struct object_sizes *o, size_t i, struct sizes *ret);

/*
 * Adds the sizes of VMA (an index), N times, to OWN, but those of the .bss in it to the
 * result of OF_FILE for its file; NULL: nowhere.
 */
void object_sizes_add(const struct object_sizes *o, uint32_t vma, uint32_t n, struct sizes *own,
		      struct sizes *(*of_file)(void *arg, uint32_t file), void *arg);

/* Sizes of all vmas of M in one process. */
void sizes_of_mm(const struct snapshot *s, const struct mm *m, struct sizes *ret);
/* Sizes of the objects in M that NAME means (object_is()): of the vmas that map them, less the
   .bss of other files, plus their own .bss. */
void object_sizes_of_mm(const struct object_sizes *o, const struct mm *m, const char *name,
			struct sizes *ret);

#endif
