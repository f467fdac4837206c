/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rig.c - a snapshot over page tables made by a test.
 */
#include "tests/unit/rig.h"

#include <stdlib.h>

#include "arch/x86/x86_64.h"
#include "facts/layout/page.h"
#include "facts/layout/swap.h"
#include "model/memory/usage/account.h"
#include "tests/unit/check.h"

struct rig *rig_new(void)
{
	struct rig *g = calloc(1, sizeof(*g));

	if (!g)
		abort();
	g->f = fake_new(8, false);
	g->f->kernel.paging = &x86_64_paging[X86_64_4LEVEL];
	x86_64_env_init(&g->f->kernel.env, (uint64_t)FAKE_PAGES << 12);
	/* more memory than the dump holds, so that any pfn can be mapped */
	g->f->kernel.env.max_pa = 1ull << 40;
	g->range = (struct memmap_range){ .end = 1 << 16, .page_kva = 0xffffea0000000000ull };
	g->f->kernel.memmap = (struct memmap){ .v = &g->range, .n = 1, .page_size = 64,
					       .max_pfn = 1 << 16, .kva_ascends = true };
	fake_member(g->f, M_PAGE_MAPCOUNT, 48, 4);
	fake_enum(g->f, E_PG_ANON_EXCLUSIVE, 17);
	fake_symbol(g->f, Y_MIGRATE_PAGES, FAKE_BASE);	/* types 29, 30, 31 migrate */
	for (int i = 0; i < RULE_COUNT; i++)
		g->f->kernel.rules.on[i] = true;
	g->f->kernel.rules.on[RULE_RSS_HAS_SPECIAL] = false;
	g->f->kernel.rules.on[RULE_RESERVED_NO_PAGE] = false;
	g->f->kernel.rules.on[RULE_VM_SHM] = false;
	g->f->kernel.rules.on[RULE_THP_BY_HEAD] = false;
	g->f->kernel.rules.on[RULE_SWAP_ANY] = false;
	g->f->kernel.rules.on[RULE_SHMEM_HOLE_BY_ADDRESS] = false;
	g->f->kernel.rules.on[RULE_SWP_PTE_MARKER] = false;
	g->f->kernel.rules.on[RULE_SWP_SWAPIN_ERROR] = false;
	g->chunk = calloc(1u << FRAME_CHUNK_SHIFT, sizeof(*g->chunk));
	if (!g->chunk)
		abort();
	g->s.k = &g->f->kernel;
	g->s.mms = g->mms;
	g->s.vmas = g->vmas;
	g->s.files = g->files;
	g->next_table = ROOT;
	return g;
}

void rig_free(struct rig *g)
{
	free(g->chunk);
	frames_free(&g->s.frames);
	arena_release(&g->s.mem);
	fake_free(g->f);
	free(g);
}

static uint64_t new_table(struct rig *g)
{
	uint64_t pa = g->next_table, zero = 0;

	g->next_table += PAGE;
	fake_put(g->f, pa, &zero, sizeof(zero));
	return pa;
}

static uint64_t get(struct rig *g, uint64_t pa)
{
	uint64_t v = 0;

	read_pa(g->f->r, pa, &v, sizeof(v));
	return v;
}

struct mm *add_mm(struct rig *g)
{
	struct mm *m = &g->mms[g->s.nmms++];

	m->pgd_pa = new_table(g);
	m->first_vma = g->s.nvmas;
	return m;
}

struct vma *add_vma(struct rig *g, uint64_t start, uint64_t bytes, uint64_t flags)
{
	struct vma *v = &g->vmas[g->s.nvmas++];

	*v = (struct vma){ .start = start, .end = start + bytes, .flags = flags,
			   .mm = g->s.nmms - 1, .file = NONE };
	g->mms[v->mm].nvmas++;
	return v;
}

uint64_t entry_of(struct rig *g, uint64_t root, uint64_t va, unsigned level)
{
	uint64_t table = root;

	for (unsigned l = 3;; l--) {
		uint64_t at = table + (va >> (12 + 9 * l) & 511) * 8;

		if (l == level)
			return at;
		if (!get(g, at))
			fake_put_uint(g->f, at, new_table(g) | P | RW, 8);
		table = get(g, at) & ~0xfffull;
	}
}

void map(struct rig *g, uint64_t va, unsigned level, uint64_t entry)
{
	struct mm *m = &g->mms[g->s.nmms - 1];

	fake_put_uint(g->f, entry_of(g, m->pgd_pa, va, level), entry, 8);
}

uint64_t swap_entry(unsigned type, uint64_t offset)
{
	return (uint64_t)type << 59 | (~offset & ((1ull << 50) - 1)) << 9;
}

void frame(struct rig *g, uint64_t pfn, uint32_t flags, uint32_t mapcount)
{
	g->chunk[pfn] = (struct frame_given){ .flags = FR_EXISTS | flags, .mapcount = mapcount };
}

void rig_frames(struct rig *g)
{
	struct frame_given *const chunks[2] = { g->chunk, NULL };
	const struct frames was = g->s.frames;

	frames_free(&g->s.frames);
	frames_give(&g->s, chunks, 2, 1 << 16);
	g->s.frames.average = was.average;
	g->s.frames.marks_tables = was.marks_tables;
}

void rig_account(struct rig *g)
{
	const uint64_t chunk = 0;
	uint64_t sum = 0;

	rig_frames(g);
	frames_found_drop(&g->s.frames);
	g->s.tables_checked = false;
	account_build(&g->s);
	if (g->s.asked)
		return;
	frames_found_drop(&g->s.frames);
	account_found(&g->s, &chunk, 1);
	for (uint64_t i = 0; i < FRAME_CHUNK; i++) {
		g->chunk[i].found = frame_found(&g->s.frames, i);
		sum += g->chunk[i].found * frame_weight(i);
	}
	/* what the walk added up is what another walk counts one by one; live, parts are repeated */
	CHECK(g->f->dump.live || g->s.frames.store->seen[0] == sum);
}
