/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rig.h - a snapshot over x86-64 page tables that a test lays out by hand.
 */
#ifndef VMCENSUS_TESTS_RIG_H
#define VMCENSUS_TESTS_RIG_H

#include "tests/unit/fake.h"

#include "model/memory/frames/frames.h"

#define P 1ull
#define RW 2ull
#define A (1ull << 5)
#define D (1ull << 6)
#define PSE (1ull << 7)
#define PROTNONE (1ull << 8)
#define SPECIAL (1ull << 9)

#define PAGE 4096ull
#define HUGE (2ull << 20)
#define FULL (PAGE << PSS_SHIFT)
#define ROOT 0x100000ull	/* tables are taken from here on */
#define VA 0x7f0000000000ull
#define VMAS 8

struct rig {
	struct fake *f;
	struct snapshot s;
	struct mm mms[4];
	struct vma vmas[VMAS];
	struct file files[2];
	struct memmap_range range;
	struct frame_given *chunk;
	uint64_t next_table;
};

struct rig *rig_new(void);
void rig_free(struct rig *g);

struct mm *add_mm(struct rig *g);
/* In the newest mm; vmas must come in order. */
struct vma *add_vma(struct rig *g, uint64_t start, uint64_t bytes, uint64_t flags);
/* Physical address of the entry of LEVEL for VA; makes missing tables. */
uint64_t entry_of(struct rig *g, uint64_t root, uint64_t va, unsigned level);
/* In the newest mm. */
void map(struct rig *g, uint64_t va, unsigned level, uint64_t entry);
uint64_t swap_entry(unsigned type, uint64_t offset);
/* The frames of g->chunk. */
void rig_frames(struct rig *g);
/* account_build() with them; the mappings found are in g->chunk then. */
void rig_account(struct rig *g);
void frame(struct rig *g, uint64_t pfn, uint32_t flags, uint32_t mapcount);

#endif
