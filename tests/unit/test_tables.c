/* SPDX-License-Identifier: GPL-3.0-or-later */
/* False page tables: in two places, of another mm, not a page table, too many. */
#include "model/memory/usage/tables.h"

#include <time.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/mm.h"
#include "model/memory/usage/account.h"
#include "tests/unit/check.h"
#include "tests/unit/rig.h"

#define TOP (1ull << 47)


static struct rig *machine(void)
{
	struct rig *g = rig_new();

	fake_member(g->f, M_MM_PGTABLES_BYTES, 0, 8);
	frame(g, 10, FR_ANON, 1);
	return g;
}

static void run(struct rig *g, unsigned jobs)
{
	g->f->kernel.jobs = jobs;
	for (uint32_t i = 0; i < g->s.nmms; i++) {
		g->mms[i].users = 1;
		g->mms[i].nbad_tables = 0;
	}
	g->s.tables_checked = false;
	rig_account(g);
}

/* An mm of one page at VA, and its count of tables. */
static struct vma *one_page(struct rig *g)
{
	struct mm *m = add_mm(g);
	struct vma *v = add_vma(g, VA, HUGE, VMA_READ | VMA_WRITE);

	map(g, VA, 0, 10 << 12 | P | RW);
	m->pgtables_bytes = 3 * PAGE;
	return v;
}

TEST(sound)
{
	struct rig *g = machine();
	struct vma *v = one_page(g);

	run(g, 1);
	CHECK_EQ(issues_total(g->f->kernel.issues), 0);
	CHECK_EQ(v->usage.rss, PAGE);
	/* a table deposited for a huge page, or none */
	v->end = VA + 513 * HUGE;
	map(g, VA + 512 * HUGE, 1, 512 << 12 | P | RW | PSE);
	for (unsigned tables = 4; tables <= 5; tables++) {
		g->mms[0].pgtables_bytes = tables * PAGE;
		run(g, 1);
		CHECK_EQ(issues_total(g->f->kernel.issues), 0);
	}
	rig_free(g);
}

TEST(counts)
{
	static const unsigned wrong[] = { 0, 2, 4, 1u << 20 };
	struct rig *g = machine();
	struct vma *v = one_page(g);
	struct task t = { .mm = 0, .state = 'R' };

	for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
		g->mms[0].pgtables_bytes = wrong[i] * PAGE;
		run(g, 1);
		CHECK_EQ(fake_issues(g->f, "pgtables_bytes"), i + 1);
		CHECK_EQ(v->usage.rss, PAGE);
	}
	/* a thread on another CPU was about to count one */
	g->s.tasks = &t;
	g->s.ntasks = 1;
	g->mms[0].pgtables_bytes = 2 * PAGE;
	run(g, 1);
	CHECK_EQ(fake_issues(g->f, "pgtables_bytes"), ARRAY_LEN(wrong));
	g->s.ntasks = 0;
	/* exit_mmap() frees them one by one */
	g->mms[0].users = 0;
	g->s.tables_checked = false;
	tables_check(&g->s);
	CHECK_EQ(fake_issues(g->f, "pgtables_bytes"), ARRAY_LEN(wrong));
	rig_free(g);
}

/* A second copy of the PTE table of VA follows it. */
TEST(twice)
{
	struct rig *g = machine();
	struct mm *m = add_mm(g);
	struct vma *v = add_vma(g, VA, 2 * HUGE, VMA_READ | VMA_WRITE);
	uint64_t pte;

	map(g, VA, 0, 10 << 12 | P | RW);
	pte = entry_of(g, m->pgd_pa, VA, 0) & ~(PAGE - 1);
	map(g, VA + HUGE, 1, pte | P | RW);
	run(g, 1);
	CHECK_EQ(fake_issues(g->f, "page table"), 1);
	CHECK_EQ(v->usage.rss, PAGE);
	CHECK_EQ(v->usage.lost, HUGE);
	/* hugetlb: two mappings of one file may share the table of their entries */
	v->flags |= VMA_HUGETLB | VMA_MAYSHARE;
	map(g, VA, 1, 512 << 12 | P | RW | PSE);
	map(g, VA + HUGE, 1, 0);
	v->end = VA + 1024 * HUGE;
	map(g, VA + 512 * HUGE, 2, (entry_of(g, m->pgd_pa, VA, 1) & ~(PAGE - 1)) | P | RW);
	m->pgtables_bytes = 3 * PAGE;
	run(g, 1);
	CHECK_EQ(fake_issues(g->f, "page table"), 1);
	CHECK_EQ(fake_issues(g->f, "pgtables_bytes"), 0);
	rig_free(g);
}

TEST(of_two)
{
	struct rig *g = machine();
	uint64_t pte;

	one_page(g);
	pte = entry_of(g, g->mms[0].pgd_pa, VA, 0) & ~(PAGE - 1);
	one_page(g);
	run(g, 2);
	CHECK_EQ(issues_total(g->f->kernel.issues), 0);
	map(g, VA, 1, pte | P | RW);
	run(g, 2);
	CHECK_EQ(fake_issues(g->f, "page table"), 1);
	rig_free(g);
}

TEST(no_table)
{
	struct rig *g = machine();
	struct vma *v = one_page(g);

	for (unsigned i = 0; i < 4; i++)
		frame(g, (ROOT >> 12) + i, i ? FR_PGTABLE : 0, 0);
	g->s.frames.marks_tables = true;
	run(g, 1);
	CHECK_EQ(issues_total(g->f->kernel.issues), 0);
	frame(g, (entry_of(g, g->mms[0].pgd_pa, VA, 0) >> 12), FR_ANON, 1);
	run(g, 1);
	CHECK_EQ(fake_issues(g->f, "page table"), 1);
	CHECK_EQ(v->usage.rss, 0);
	CHECK_EQ(v->usage.lost, HUGE);
	rig_free(g);
}

/* Four pages that describe 128 TiB, in two mms. */
TEST(graph)
{
	struct rig *g = machine();
	struct usage first = { 0 };
	struct timespec a, b;

	for (unsigned n = 0; n < 2; n++) {
		struct mm *m = add_mm(g);
		uint64_t pages[4];

		add_vma(g, 0, TOP, VMA_READ | VMA_WRITE);
		map(g, 0, 0, 10 << 12 | P | RW);
		for (unsigned l = 0; l < 4; l++)
			pages[l] = entry_of(g, m->pgd_pa, 0, l) & ~(PAGE - 1);
		for (unsigned l = 0; l < 4; l++)
			for (unsigned i = 1; i < (l == 3 ? 256 : 512); i++)
				fake_put_uint(g->f, pages[l] + 8 * i,
					      (l ? pages[l - 1] : 10 << 12) | P | RW, 8);
		m->pgtables_bytes = UINT64_MAX;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		run(g, jobs);
		if (jobs == 1)
			first = g->vmas[1].usage;
		CHECK(!memcmp(&first, &g->vmas[1].usage, sizeof(first)));
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	CHECK_EQ(first.rss, 512 * PAGE);
	CHECK_EQ(first.lost, TOP - HUGE);
	CHECK(b.tv_sec - a.tv_sec < 10);
	rig_free(g);
}

/* More tables than the mm can have by its count, each of them another page. */
TEST(too_many)
{
	struct rig *g = machine();
	struct mm *m = add_mm(g);
	struct vma *v = add_vma(g, VA, 400 * HUGE, VMA_READ | VMA_WRITE);

	for (unsigned i = 0; i < 400; i++)
		map(g, VA + i * HUGE, 0, 10 << 12 | P | RW);
	m->pgtables_bytes = 402 * PAGE;
	run(g, 1);
	CHECK_EQ(issues_total(g->f->kernel.issues), 0);
	CHECK_EQ(v->usage.rss, 400 * PAGE);
	m->pgtables_bytes = 100 * PAGE;
	run(g, 1);
	CHECK(fake_issues(g->f, "page table") > 0);
	/* twice its count and 64 more, of which two are directories */
	CHECK_EQ(v->usage.rss, 262 * PAGE);
	CHECK_EQ(v->usage.lost, 138 * HUGE);
	rig_free(g);
}
