/* SPDX-License-Identifier: GPL-3.0-or-later */
/* References and effective sizes: all numbers are worked out by hand. */
#include "model/memory/usage/refs.h"

#include <stdlib.h>

#include "model/kernel/page/refcounts.h"
#include "tests/unit/check.h"
#include "tests/unit/rig.h"

#define EFF(pages_times_60) ((effective_t)(PAGE << SIZES_SHIFT) / 60 * (pages_times_60))

/* Equal, except for what division cuts off each of PAGES pages. */
static bool near(effective_t got, effective_t want, unsigned pages)
{
	effective_t d = got > want ? got - want : want - got;

	return d <= 64 * (effective_t)pages;
}

static struct refs *count(struct rig *g, struct sizes *z)
{
	struct refs *f = refs_count(&g->s);

	memset(z, 0, VMAS * sizeof(*z));
	refs_vma_sizes(f, z);
	return f;
}

/* Over all processes the divided pages add up again. */
static effective_t resident_of_all(const struct rig *g, const struct sizes *z)
{
	struct sizes sum = { 0 };

	for (uint32_t i = 0; i < g->s.nvmas; i++) {
		uint32_t n = g->mms[g->vmas[i].mm].nprocs;

		sizes_add_times(&sum, &z[i], n ? n : 1);
	}
	return sum.eff_resident;
}

/* A table that cannot be read is an issue, in this walk or in that for usage. */
static void test_lost(unsigned built, uint64_t issues)
{
	struct rig *g = rig_new();
	struct sizes z[VMAS];
	struct refs *f;

	add_mm(g)->nprocs = 1;
	add_vma(g, VA, 4 * HUGE, VMA_READ);
	map(g, VA, 0, 10 << 12 | P);
	map(g, VA + HUGE, 0, 10 << 12 | P);
	fake_drop(g->f, entry_of(g, g->mms[0].pgd_pa, VA + HUGE, 0) & ~0xfffull);
	g->s.built = built;
	f = count(g, z);
	CHECK_EQ(refs_of_frame(f, 10), 1);
	CHECK_EQ(fake_issues(g->f, "page table"), issues);
	refs_free(f);
	rig_free(g);
}

static void test_small(void)
{
	struct rig *g = rig_new();
	struct sizes z[VMAS];
	struct refs *f;

	add_mm(g)->nprocs = 1;
	add_vma(g, VA, 16 * PAGE, VMA_READ);
	map(g, VA, 0, 10 << 12 | P | RW);
	map(g, VA + PAGE, 0, 11 << 12 | P);
	map(g, VA + 2 * PAGE, 0, 12 << 12 | P);
	map(g, VA + 3 * PAGE, 0, 12 << 12 | P);
	map(g, VA + 4 * PAGE, 0, swap_entry(0, 5));
	map(g, VA + 5 * PAGE, 0, swap_entry(0, 6));
	map(g, VA + 6 * PAGE, 0, swap_entry(1, 5));	/* the same number, another area */
	map(g, VA + 7 * PAGE, 0, 1 << 12 | P | SPECIAL);	/* as the zero page is */
	add_mm(g);					/* no process: counts as one */
	add_vma(g, VA + HUGE, 16 * PAGE, VMA_READ);
	map(g, VA + HUGE, 0, 11 << 12 | P | RW);
	map(g, VA + HUGE + PAGE, 0, swap_entry(0, 5));
	map(g, VA + HUGE + 2 * PAGE, 0, 1 << 12 | P | SPECIAL);
	f = count(g, z);
	CHECK_EQ(refs_of_frame(f, 10), 1);
	CHECK_EQ(refs_of_frame(f, 11), 2);
	CHECK_EQ(refs_of_frame(f, 12), 2);
	CHECK_EQ(refs_of_frame(f, 13), 0);
	CHECK_EQ(z[0].vm, 16 * PAGE);
	CHECK_EQ(z[0].mapped, 8 * PAGE);
	CHECK_EQ(z[0].resident, 5 * PAGE);
	CHECK_EQ(z[0].sole, 3 * PAGE);
	CHECK_EQ(z[0].writable, PAGE);
	CHECK(near(z[0].eff_mapped, EFF(60 + 30 + 30 + 30 + 30 + 60 + 60 + 30), 8));
	CHECK(near(z[0].eff_resident, EFF(60 + 30 + 30 + 30 + 30), 5));
	CHECK_EQ(sizes_bytes(z[0].eff_resident), 3 * PAGE);
	CHECK_EQ(z[1].mapped, 3 * PAGE);
	CHECK_EQ(z[1].sole, 0);
	CHECK_EQ(z[1].writable, PAGE);
	CHECK_EQ(sizes_bytes(z[1].eff_mapped), 3 * PAGE / 2);
	CHECK(near(resident_of_all(g, z), EFF(4 * 60), 8));
	refs_free(f);
	rig_free(g);
}

/* Two processes share an mm, a third has its own: three references. */
static void test_shared_mm(void)
{
	struct rig *g = rig_new();
	struct sizes z[VMAS];
	struct refs *f;

	add_mm(g)->nprocs = 2;
	add_vma(g, VA, 4 * PAGE, VMA_READ);
	map(g, VA, 0, 10 << 12 | P);
	map(g, VA + PAGE, 0, 11 << 12 | P);
	add_mm(g)->nprocs = 1;
	add_vma(g, VA, 4 * PAGE, VMA_READ);
	map(g, VA, 0, 10 << 12 | P);
	f = count(g, z);
	CHECK_EQ(z[0].sole, 0);
	CHECK(near(z[0].eff_resident, EFF(20 + 30), 2));
	CHECK(near(z[1].eff_resident, EFF(20), 1));
	CHECK(near(resident_of_all(g, z), EFF(2 * 60), 5));
	refs_free(f);
	rig_free(g);
}

static void test_bytes(void)
{
	struct rig *g = rig_new();
	struct sizes z[VMAS], one;
	struct refs *f;

	add_mm(g)->nprocs = 1;
	add_vma(g, VA, 4 * PAGE, VMA_READ);
	map(g, VA, 0, 10 << 12 | P | RW);
	map(g, VA + PAGE, 0, 11 << 12 | P);
	map(g, VA + 3 * PAGE, 0, 10 << 12 | P);
	f = count(g, z);
	/* the last 100 bytes of one page, a whole one, 7 bytes of a hole */
	refs_sizes(f, g->f->r, &g->vmas[0], VA + PAGE - 100, VA + 2 * PAGE + 7, &one);
	CHECK_EQ(one.vm, 107 + PAGE);
	CHECK_EQ(one.mapped, 100 + PAGE);
	CHECK_EQ(one.sole, PAGE);
	CHECK_EQ(one.writable, 100);
	CHECK_EQ(sizes_bytes(one.eff_resident), 50 + PAGE);
	/* within one page */
	refs_sizes(f, g->f->r, &g->vmas[0], VA + 3 * PAGE + 1, VA + 3 * PAGE + 5, &one);
	CHECK_EQ(one.vm, 4);
	CHECK_EQ(one.resident, 4);
	CHECK_EQ(sizes_bytes(one.eff_mapped), 2);
	/* bytes outside of the vma do not belong to it */
	refs_sizes(f, g->f->r, &g->vmas[0], VA - 5, VA + 100 * PAGE, &one);
	CHECK_EQ(one.vm, 4 * PAGE);
	CHECK_EQ(one.resident, 3 * PAGE);
	CHECK(one.eff_resident == z[0].eff_resident);
	refs_sizes(f, g->f->r, &g->vmas[0], VA + PAGE, VA + PAGE, &one);
	CHECK_EQ(one.vm, 0);
	refs_free(f);
	rig_free(g);
}

static void test_huge(void)
{
	struct rig *g = rig_new();
	struct sizes z[VMAS], one;
	struct refs *f;

	add_mm(g)->nprocs = 1;
	add_vma(g, VA, 4 * HUGE, VMA_READ | VMA_WRITE);
	map(g, VA, 1, 512 << 12 | P | RW | PSE);
	map(g, VA + HUGE, 1, 1024 << 12 | P | PSE);
	add_mm(g)->nprocs = 1;
	add_vma(g, VA, 2 * PAGE, VMA_READ);
	map(g, VA, 0, 600 << 12 | P);
	add_vma(g, VA + HUGE, HUGE, VMA_READ);
	map(g, VA + HUGE, 1, 1024 << 12 | P | PSE);
	/* a mapping that ends within a huge leaf: half of the leaf */
	add_vma(g, VA + 2 * HUGE, HUGE / 2, VMA_READ);
	map(g, VA + 2 * HUGE, 1, 1536 << 12 | P | PSE);
	f = count(g, z);
	CHECK_EQ(refs_of_frame(f, 600), 2);
	CHECK_EQ(refs_of_frame(f, 601), 1);
	CHECK_EQ(refs_of_frame(f, 1535), 2);
	CHECK_EQ(refs_of_frame(f, 1536 + 255), 1);
	CHECK_EQ(refs_of_frame(f, 1536 + 256), 0);
	CHECK_EQ(z[0].resident, 2 * HUGE);
	CHECK_EQ(z[0].writable, HUGE);
	CHECK_EQ(z[0].sole, HUGE - PAGE);
	CHECK_EQ(sizes_bytes(z[0].eff_resident), HUGE - PAGE / 2 + HUGE / 2);
	CHECK_EQ(sizes_bytes(z[1].eff_resident), PAGE / 2);
	CHECK_EQ(z[3].resident, HUGE / 2);
	CHECK_EQ(z[3].sole, HUGE / 2);
	refs_sizes(f, g->f->r, &g->vmas[0], VA + 88 * PAGE - 8, VA + 88 * PAGE + 8, &one);
	CHECK_EQ(one.resident, 16);
	CHECK_EQ(one.sole, 8);
	CHECK_EQ(sizes_bytes(one.eff_resident), 12);
	CHECK(near(resident_of_all(g, z), (effective_t)(2 * HUGE + HUGE / 2) << SIZES_SHIFT, 2048));
	refs_free(f);
	rig_free(g);
}

/* A page that migrates, and entries that are no page. */
static void test_absent(void)
{
	struct rig *g = rig_new();
	struct sizes z[VMAS];
	struct refs *f;

	g->f->kernel.rules.on[RULE_SWP_PTE_MARKER] = true;
	add_mm(g)->nprocs = 1;
	add_vma(g, VA, 16 * PAGE, VMA_READ);
	map(g, VA, 0, swap_entry(28, 10));	/* 28..30 migrate, 31 marks */
	map(g, VA + PAGE, 0, swap_entry(31, 10));
	map(g, VA + 2 * PAGE, 0, 10 << 12 | P);
	f = count(g, z);
	CHECK_EQ(refs_of_frame(f, 10), 2);
	CHECK_EQ(z[0].mapped, 2 * PAGE);
	CHECK_EQ(z[0].resident, PAGE);
	CHECK_EQ(z[0].sole, 0);
	CHECK_EQ(sizes_bytes(z[0].eff_mapped), PAGE);
	refs_free(f);
	rig_free(g);
}

/* Frames without a struct page count as long as they are in few chunks. */
static void test_device(void)
{
	for (unsigned n = REFS_DEVICE_CHUNKS; n <= REFS_DEVICE_CHUNKS + 1; n++) {
		bool fit = n == REFS_DEVICE_CHUNKS;
		struct rig *g = rig_new();
		struct sizes z[VMAS];
		struct refs *f;

		add_mm(g)->nprocs = 1;
		add_vma(g, VA, HUGE, VMA_READ | VMA_PFNMAP);
		map(g, VA, 0, 10 << 12 | P);
		for (uint64_t i = 1; i <= n; i++)
			map(g, VA + i * PAGE, 0, (i + 64) << REFCOUNTS_CHUNK_SHIFT << 12 |
			    P | RW | SPECIAL);
		f = count(g, z);
		CHECK_EQ(z[0].resident, PAGE + (fit ? n * PAGE : 0));
		CHECK_EQ(z[0].writable, fit ? n * PAGE : 0);
		CHECK_EQ(z[0].device, fit ? 0 : n * PAGE);
		CHECK_EQ(z[0].sole, z[0].resident);
		refs_free(f);
		rig_free(g);
	}
}

/* Tables that repeat the same terabyte of huge pages. */
static void test_hostile(void)
{
	struct rig *g = rig_new();
	struct sizes z[VMAS];
	struct refs *f;
	uint64_t table;

	add_mm(g)->nprocs = 1;
	add_vma(g, 0, 1ull << 47, VMA_READ);
	for (unsigned i = 0; i < 512; i++)
		map(g, (uint64_t)i << 30, 2, 512ull << 12 << 9 | P | RW | PSE);
	table = entry_of(g, g->mms[0].pgd_pa, 0, 2) & ~0xfffull;
	for (unsigned i = 1; i < 256; i++)
		fake_put_uint(g->f, g->mms[0].pgd_pa + 8 * i, table | P | RW, 8);
	f = count(g, z);
	CHECK_EQ(refs_of_frame(f, 512 << 9), 256 * 512);
	CHECK_EQ(z[0].resident, 1ull << 47);
	CHECK(z[0].eff_resident >> SIZES_SHIFT <= 1u << 30);
	refs_free(f);
	rig_free(g);
}

static void test_threads(void)
{
	struct rig *g = rig_new();
	uint64_t giga = 1ull << 30;
	struct sizes one[VMAS], z[VMAS];

	add_mm(g)->nprocs = 1;
	add_vma(g, VA, 10 * giga, VMA_READ | VMA_WRITE);
	for (unsigned i = 0; i < 100; i++)
		map(g, VA + i * (giga / 10) / PAGE * PAGE, 0, (100ull + i % 37) << 12 | P);
	map(g, VA + 9 * giga + HUGE, 1, 1024ull << 12 | P | PSE);
	add_vma(g, VA + 20 * giga, giga, VMA_READ);
	map(g, VA + 20 * giga, 0, 110ull << 12 | P);
	refs_free(count(g, one));
	CHECK_EQ(one[0].resident, 100 * PAGE + HUGE);
	CHECK(near(resident_of_all(g, one), EFF(37 * 60) + ((effective_t)HUGE << SIZES_SHIFT), 700));
	for (unsigned jobs = 2; jobs < 9; jobs++) {
		g->f->kernel.jobs = jobs;
		refs_free(count(g, z));
		CHECK(!memcmp(one, z, sizeof(z)));
	}
	rig_free(g);
}

int main(void)
{
	test_lost(NEED_SIZES, 1);
	test_lost(NEED_SIZES | NEED_USAGE, 0);
	test_small();
	test_shared_mm();
	test_bytes();
	test_huge();
	test_absent();
	test_device();
	test_hostile();
	test_threads();
	return check_done();
}
