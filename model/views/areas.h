/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * areas.h - what each VMA is to its process: stack, text, data, heap, of the
 * program or of a library.
 *
 * The classes and the six letters of P. Movall, W. Nelson, S. Wetzstein, "Linux
 * Physical Memory Analysis" (USENIX 2005, FREENIX), found there for kernels that
 * marked the program's mappings (VM_EXECUTABLE) and had .bss and heap in one
 * VMA. For later kernels: the program is mm.exe; the heap is [start_brk, brk)
 * wherever it lies; an ELF file has read-only segments that are not executable;
 * and there are classes for what the paper's machine had not. Every VMA has one
 * class, so that the sums of all classes are those of the process.
 */
#ifndef VMCENSUS_AREAS_H
#define VMCENSUS_AREAS_H

#include "model/model.h"

enum area_class {
	AREA_STACK,		/* grows down */
	AREA_DATA,		/* of the program: what is, or was once, writable */
	AREA_TEXT,		/* of the program: all else of its file */
	AREA_HEAP,		/* of the program: .bss and [start_brk, brk) */
	AREA_LIB_BSS, AREA_LIB_DATA, AREA_LIB_TEXT,
	AREA_ANON,		/* other anonymous mappings, stacks of threads too */
	AREA_FILE,		/* files that nobody executes */
	AREA_SHMEM,		/* tmpfs, memfd, SysV, shared anonymous */
	AREA_HUGETLB,
	AREA_OTHER,		/* [vdso], devices, what has no pages of memory */
	AREA_NONE,		/* no access: gaps and guards */
	AREA_CLASSES
};

enum area_flag {		/* the paper's "SXrwxB" */
	AREA_S = 1 << 0,	/* a stack */
	AREA_X = 1 << 1,	/* the program's own, not a library's */
	AREA_R = 1 << 2, AREA_W = 1 << 3, AREA_E = 1 << 4,
	AREA_B = 1 << 5,	/* anonymous: .bss or heap */
	AREA_GAP = 1 << 6,	/* without letter: no access, between parts of a file */
};

struct area {
	uint32_t file;		/* the executable it belongs to, or the file mapped;
				   index in files, NONE: the process alone */
	uint8_t class, flags;	/* enum area_class, enum area_flag */
};

/* One for each of s->vmas, in MEM. Needs NEED_VMAS. */
struct area *areas_build(const struct snapshot *s, struct arena *mem);

const char *area_class_name(unsigned class);

#define AREA_SYM 7
/* "SXrwxB" with dots for what is off. */
void area_sym(unsigned flags, char buf[AREA_SYM]);

/* Is A part of a program or library: text, data, .bss or heap? */
static inline bool area_is_code(const struct area *a)
{
	return a->class >= AREA_DATA && a->class <= AREA_LIB_TEXT;
}

/* VMA flags as the paper's analyzer shows them: it marks what it found out itself. */
#define AREA_PAPER_BSS 0x20000000u
#define AREA_PAPER_EXECUTABLE 0x1000u
uint64_t area_paper_flags(const struct snapshot *s, const struct vma *v, const struct area *a);

/* Bytes of one address space, by class. */
struct area_sums {
	/* resident, as smaps counts it (hugetlb pages by class AREA_HUGETLB alone) */
	uint64_t phys[AREA_CLASSES];
	uint64_t virt[AREA_CLASSES];
	/* pages of libraries' text mapped once, and more than once */
	uint64_t lib_single, lib_multi;
};

void area_sums(const struct snapshot *s, const struct area *areas, const struct mm *mm,
	       struct area_sums *ret);

/* Of SUM, the paper's two columns: what can be written, and what cannot. */
uint64_t area_rw(const uint64_t sum[AREA_CLASSES]);
uint64_t area_rx(const uint64_t sum[AREA_CLASSES]);

#endif
