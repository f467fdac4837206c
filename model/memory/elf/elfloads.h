/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elfloads.h - where an ELF file lies in the memory of a process.
 *
 * A load is one bias: address in memory less address in the file, for all segments. It is
 * found by the file's vmas, however they were split since (mprotect, RELRO). A file may be
 * loaded more than once. The part of a segment beyond the file's bytes (.bss) is in the
 * last page of these and in the anonymous vmas that follow.
 */
#ifndef VMCENSUS_ELFLOADS_H
#define VMCENSUS_ELFLOADS_H

#include "model/memory/elf/elfimage.h"
#include "model/memory/usage/refs.h"

struct elf_load {
	uint32_t mm;
	uint64_t bias;		/* modulo 2^64 */
};

struct elf_loads {
	struct elf_load *v;
	size_t n, cap;
};

/* Adds the loads of file number FILE in M. */
void elf_loads_find(const struct snapshot *s, const struct mm *m, uint32_t file,
		    const struct elf_head *h, struct arena *mem, struct elf_loads *ret);

/*
 * Adds the sizes of the file's addresses [start, end) in a load to SUM. *CREDIT pays for
 * the vmas that are looked at. Every call adds enough for a sane file, so that the credit
 * runs out only if a hostile file has many sections over all vmas of a process.
 */
#define ELF_CREDIT (INT64_C(1) << 22)	/* to begin with */

void elf_load_sizes(const struct snapshot *s, struct reader *r, const struct elf_head *h,
		    uint32_t file, const struct elf_load *load, uint64_t start, uint64_t end,
		    int64_t *credit, struct sizes *sum);

#endif
