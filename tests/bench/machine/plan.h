/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.h - a machine that never was: what lies where in its memory.
 *
 * Memory is nodes with holes between them, whole sections of 128 MiB. A node holds,
 * from its start on, what the kernel needs, struct pages, user memory, free memory; at
 * its end its share of the pools of huge pages. A part of memory (page tables, user
 * pages ...) is a sequence of frames 0, 1, 2 ..., which lie in one or more extents.
 *
 * A plan is read-only once it is made: threads share it.
 */
#ifndef VMCENSUS_BENCH_PLAN_H
#define VMCENSUS_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/bench/kernel/kernel.h"

#define PAGE 4096u
#define TEXT UINT64_C(0xffffffff81000000)	/* _stext; kernel.c is linked there */
#define DIRECT UINT64_C(0xffff888000000000)	/* page_offset_base of kernel.c */
#define VMEMMAP UINT64_C(0xffffea0000000000)	/* vmemmap_base */
#define PHYS_BASE (32u << 20)	/* what KASLR added to physical addresses */
#define IMAGE_PFN ((PHYS_BASE >> 12) + (16u << 8))
#define SECTION_PAGES (UINT64_C(1) << 15)
#define SECTIONS_A_ROOT (PAGE / sizeof(struct mem_section))
#define NSECTIONS (UINT64_C(1) << (46 - 27))
#define ROOTS_PAGES (NSECTIONS / SECTIONS_A_ROOT * 8 / PAGE)
#define PAGES_A_PAGE 64u	/* struct pages in a page of memory */
#define VPAGES_A_SECTION (SECTION_PAGES / PAGES_A_PAGE)
#define RUN 8u			/* neighbouring user pages */
#define SEGMENTS 7		/* areas of a process that have pages */

_Static_assert(sizeof(struct page) * PAGES_A_PAGE == PAGE, "struct pages fill pages");

/* What is asked for. Sizes are in frames. */
struct size {
	uint64_t ram, procs, shared, private, nodes, hole;
	uint64_t thp, huge_2m, huge_1g, cache;
	uint64_t vmas;		/* of all processes, at least; those beyond SEGMENTS have no page */
	uint64_t hvo;		/* struct pages of hugetlb's tails share one page */
	uint64_t excluded;	/* as makedumpfile -e: no struct pages of frames that are left out */
	uint64_t share;		/* pages of struct pages share data in the dump, where they can */
	uint64_t zstd;		/* the compressor, in place of zlib */
};

/* In the order of the dump, those in it first. */
enum part {
	PART_IMAGE, PART_KTABLES, PART_SECTIONS, PART_OBJECTS, PART_UTABLES, PART_VMEMMAP,
	PART_HEADS,		/* the one page of struct pages that a huge page keeps */
	PARTS_DUMPED, PART_LOW = PARTS_DUMPED, PART_USER, PART_THP, PART_HUGE_2M, PART_HUGE_1G,
	PART_CACHE, PART_FREE, PARTS,
};

struct extent {
	uint64_t pfn, n;
	uint64_t first;		/* of the part's frames */
	enum part part;
	unsigned node;
};

struct extents {
	struct extent *v;
	size_t n, cap;
};

struct node {
	uint64_t start, end;	/* frames */
	uint64_t bottom, top;	/* of what nothing lies in yet */
};

enum memmap_form { MEMMAP_NONE, MEMMAP_PLAIN, MEMMAP_HVO };

struct section {
	enum memmap_form form;
	unsigned order;		/* of its huge pages (HVO) */
	uint64_t first;		/* frame of PART_VMEMMAP or PART_HEADS */
	uint64_t table;		/* number of its page table (HVO) */
};

/* Pages of a process; each segment has a slot of the top table for itself. */
struct segment {
	uint64_t start, pages, pte;	/* pages: of its size */
	unsigned level;			/* of the tables that map pages: 1 to 3 */
	enum part part;
	uint64_t tables;		/* below the top: level 3, level 2, level 1 */
	uint64_t pmds;
	uint64_t first;			/* page of the part that is its first */
	uint64_t stride;		/* more for each further process; 0: shared */
	uint64_t windows;		/* processes take turns with so many strides; 0: each its own */
	unsigned long vm_flags;
	uint64_t file;			/* address of its struct file, or 0 */
};

struct machine {
	struct size size;
	uint64_t frames;		/* one past the last */
	struct node node[BENCH_NODES];
	struct extents part[PARTS];	/* ascending */
	struct extents all;
	struct section *section;
	uint64_t nsections;
	uint64_t *plain;		/* section of each VPAGES_A_SECTION frames of PART_VMEMMAP */
	struct extents heads;		/* huge pages; first: frame of PART_HEADS */
	uint64_t hvo_tables;
	struct segment seg[SEGMENTS];
	unsigned nseg;
	uint64_t tables;		/* of a process */
	uint64_t extra_vmas;		/* of a process, beyond its segments */
	uint64_t object_pages;		/* of a process */
	uint64_t user_pages;
	uint64_t mult, inverse, runs;	/* how user pages are dealt out */
	uint64_t direct_tables, vmemmap_tables, vmemmap_pmds;
	struct kernel_image {
		uint8_t *bytes;
		uint64_t pages;
		uint64_t init_task, exe_file, shared_file, huge_2m_file, huge_1g_file;
		uint64_t shared_mapping, exe_mapping, huge_2m_mapping, huge_1g_mapping;
	} image;
};

struct process {
	struct task_struct task;
	struct signal_struct signal;
	struct mm_struct mm;
	struct cred cred;
	struct vm_area_struct vma[];
};

_Noreturn void die(const char *what);
void *alloc(size_t n);
uint64_t up(uint64_t n, uint64_t unit);		/* n / unit, rounded up */

/* M has its size and its kernel image. Dies if all that does not fit. */
void plan(struct machine *m);

/* Frame number I of PART. */
uint64_t pfn_of(const struct machine *m, enum part part, uint64_t i);
const struct extent *extent_of(const struct extents *e, uint64_t pfn);
/* The frame behind page number PAGE of segment S of process PROC. */
uint64_t segment_pfn(const struct machine *m, const struct segment *s, uint64_t proc,
		     uint64_t page);
/* The user page that lies in frame number AT of PART_USER; user_pages or more: none. */
uint64_t user_of(const struct machine *m, uint64_t at);
/* The first frame that the page of struct pages at PFN describes. */
uint64_t described_by(const struct machine *m, uint64_t pfn);
/* The page of struct pages for frames from FIRST on. */
uint64_t vmemmap_pfn(const struct machine *m, uint64_t first);

#endif
