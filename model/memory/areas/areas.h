/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * areas.h - the role of each VMA in its process: stack, text, data, heap, of the program
 * or of a library.
 *
 * The classes and the six letters are those of P. Movall, W. Nelson, S. Wetzstein, "Linux
 * Physical Memory Analysis" (USENIX 2005, FREENIX), for kernels that marked the program's
 * vmas (VM_EXECUTABLE) and had .bss and heap in one VMA. For later kernels: the program is
 * mm.exe; the heap is [start_brk, brk) at any address; an ELF file has read-only segments
 * that are not executable; and there are more classes than on the paper's machine. Every
 * VMA has one class, so that the sums of all classes are those of the process.
 */
#ifndef VMCENSUS_AREAS_H
#define VMCENSUS_AREAS_H

#include "model/model.h"

enum area_class {
	AREA_STACK,		/* grows down */
	AREA_DATA,		/* of the program: data that is, or was once, writable */
	AREA_TEXT,		/* of the program: the rest of its file */
	AREA_HEAP,		/* of the program: .bss and [start_brk, brk) */
	AREA_LIB_BSS, AREA_LIB_DATA, AREA_LIB_TEXT,
	AREA_ANON,		/* other anonymous vmas, stacks of threads too */
	AREA_FILE,		/* files that no process executes */
	AREA_SHMEM,		/* tmpfs, memfd, SysV, shared anonymous */
	AREA_HUGETLB,
	AREA_OTHER,		/* [vdso], devices, vmas without pages of memory */
	AREA_NONE,		/* no access: gaps and guards */
	AREA_CLASSES
};

enum area_flag {		/* the paper's "SXrwxB" */
	AREA_S = 1 << 0,	/* a stack */
	AREA_X = 1 << 1,	/* the program's own, not a library's */
	AREA_R = 1 << 2, AREA_W = 1 << 3, AREA_E = 1 << 4,
	AREA_B = 1 << 5,	/* anonymous: .bss or heap */
	AREA_GAP = 1 << 6,	/* no letter: no access, between parts of a file */
};

struct area {
	uint32_t file;		/* the executable it belongs to, or the mapped file; index in
				   files, NONE: only the process */
	uint8_t class, flags;	/* enum area_class, enum area_flag */
};

/* One for each of s->vmas, in MEM. Needs NEED_VMAS. */
struct area *areas_build(const struct snapshot *s, struct arena *mem);

const char *area_class_name(unsigned class);

#define AREA_SYM 7
/* "SXrwxB", with a dot for each flag that is off. */
void area_sym(unsigned flags, char buf[AREA_SYM]);

/* Is A part of a program or library: text, data, .bss or heap? */
static inline bool area_is_code(const struct area *a)
{
	return a->class >= AREA_DATA && a->class <= AREA_LIB_TEXT;
}

/* VMA flags as the paper's analyzer shows them, with the marks that it adds itself. */
#define AREA_PAPER_BSS 0x20000000u
#define AREA_PAPER_EXECUTABLE 0x1000u
uint64_t area_paper_flags(const struct snapshot *s, const struct vma *v, const struct area *a);

/* Bytes of one mm, by class. */
struct area_sums {
	/* resident, as in smaps (hugetlb pages only in class AREA_HUGETLB) */
	uint64_t phys[AREA_CLASSES];
	uint64_t virt[AREA_CLASSES];
	/* pages of libraries' text mapped once, and more than once */
	uint64_t lib_single, lib_multi;
};

void area_sums(const struct snapshot *s, const struct area *areas, const struct mm *mm,
	       struct area_sums *ret);

/* From SUM, the paper's two columns: writable areas, and others. */
uint64_t area_rw(const uint64_t sum[AREA_CLASSES]);
uint64_t area_rx(const uint64_t sum[AREA_CLASSES]);

#endif
