/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Page tables to numbers, on x86-64 tables laid out by hand. */
#include "model/kernel/page/zero.h"
#include "model/memory/usage/account.h"

#include "facts/layout/mm.h"
#include "facts/layout/page.h"
#include "facts/layout/swap.h"
#include "tests/unit/check.h"
#include "tests/unit/rig.h"

static void run(struct rig *g)
{
	rig_account(g);
}

TEST(pages)
{
	struct rig *g = rig_new();
	struct usage *u;
	bool asked = true;

	add_mm(g);
	u = &add_vma(g, VA, 16 * PAGE, VMA_READ | VMA_WRITE | VMA_LOCKED)->usage;
	frame(g, 10, FR_ANON | FR_SWAPBACKED | FR_SINGLE, 1);
	frame(g, 11, FR_CACHE | FR_REFERENCED, 3);
	frame(g, 12, FR_SWAPBACKED | FR_CACHE | FR_DIRTY, 1);
	frame(g, 13, FR_ANON, 1);				/* lazily free */
	frame(g, 14, FR_ANON | FR_KSM | FR_SWAPBACKED, 600);
	map(g, VA, 0, 10 << 12 | P | RW | A | D);
	map(g, VA + PAGE, 0, 11 << 12 | P);
	map(g, VA + 2 * PAGE, 0, 12 << 12 | P | RW);
	map(g, VA + 3 * PAGE, 0, 13 << 12 | P | RW);
	map(g, VA + 4 * PAGE, 0, 14 << 12 | P);
	run(g);
	CHECK_EQ(u->size, 16 * PAGE);
	CHECK_EQ(u->rss, 5 * PAGE);
	CHECK_EQ(u->pss, 3 * FULL + FULL / 3 + FULL / 600);
	CHECK_EQ(u->pss_anon, 2 * FULL + FULL / 600);
	CHECK_EQ(u->pss_file, FULL / 3);
	CHECK_EQ(u->pss_shmem, FULL);
	CHECK_EQ(u->pss_dirty, 2 * FULL);
	CHECK_EQ(u->pss_locked, u->pss);
	CHECK_EQ(u->private_dirty, 2 * PAGE);
	CHECK_EQ(u->private_clean, PAGE);
	CHECK_EQ(u->shared_clean, 2 * PAGE);
	CHECK_EQ(u->referenced, 2 * PAGE);
	CHECK_EQ(u->anonymous, 3 * PAGE);
	CHECK_EQ(u->lazyfree, PAGE);
	CHECK_EQ(u->ksm, PAGE);
	CHECK_EQ(u->rss_anon, 3 * PAGE);
	CHECK_EQ(u->rss_shmem, PAGE);
	CHECK_EQ(u->rss_file, PAGE);
	CHECK_EQ(u->table_bytes, 3 * PAGE);
	for (unsigned pfn = 10; pfn < 15; pfn++)
		CHECK_EQ(g->chunk[pfn].found, 1);
	/* before 4.5 a reference count of one meant nothing */
	g->f->kernel.rules.on[RULE_SINGLE_REF] = false;
	g->chunk[10].mapcount = 2;
	run(g);
	CHECK_EQ(u->pss_anon, FULL + FULL / 2 + FULL / 600);
	/* only one mm: other users of a page are unknown */
	g->chunk[10].found = 7;
	g->s.asked = &asked;
	rig_account(g);
	CHECK_EQ(u->rss, 5 * PAGE);
	CHECK_EQ(g->chunk[10].found, 7);
	asked = false;
	rig_account(g);
	CHECK_EQ(u->rss, 0);
	rig_free(g);
}

TEST(no_page)
{
	struct rig *g = rig_new();
	struct usage *u;

	add_mm(g);
	u = &add_vma(g, VA, 16 * PAGE, VMA_READ)->usage;
	frame(g, 10, FR_ANON, 1);
	g->chunk[11].flags = FR_UNREAD;
	map(g, VA, 0, 10 << 12 | P | SPECIAL);		/* the zero page */
	map(g, VA + PAGE, 0, 11 << 12 | P);
	map(g, VA + 2 * PAGE, 0, 0x9000ull << 12 | P);	/* its chunk is not there */
	map(g, VA + 3 * PAGE, 0, 0x80000ull << 12 | P);	/* no struct page */
	run(g);
	CHECK_EQ(u->rss, 0);
	CHECK_EQ(u->special, 2 * PAGE);
	CHECK_EQ(u->unknown, 2 * PAGE);
	g->f->kernel.rules.on[RULE_RSS_HAS_SPECIAL] = true;
	run(g);
	CHECK_EQ(u->rss, 2 * PAGE);
	rig_free(g);
}

/* The huge zero page: no page since 3.19, a private one before. No counter has it. */
TEST(huge_zero)
{
	struct rig *g = rig_new();
	struct usage *u;

	fake_symbol(g->f, Y_HUGE_ZERO_PFN, fake_kva(g->f, 0x7000));
	fake_put_uint(g->f, 0x7000, 512, 8);
	add_mm(g);
	u = &add_vma(g, VA, 2 * HUGE, VMA_READ | VMA_WRITE)->usage;
	for (uint64_t i = 0; i < 512; i++)
		frame(g, 512 + i, i ? 0 : FR_HEAD | 9 << FR_ORDER_SHIFT, 0);
	map(g, VA, 1, 512 << 12 | P | A | PSE);
	map(g, VA + HUGE, 1, 512 << 12 | P | PSE);
	run(g);
	CHECK(u->rss == 0 && u->anon_huge == 0 && u->special == 2 * HUGE);
	g->f->kernel.rules.on[RULE_HUGE_ZERO_SKIPPED] = false;
	run(g);
	CHECK(u->rss == 2 * HUGE && u->private_clean == 2 * HUGE && u->special == 0);
	CHECK(u->referenced == HUGE && u->anon_huge == 2 * HUGE && u->anonymous == 0);
	CHECK_EQ(u->pss, 2 * HUGE << PSS_SHIFT);
	CHECK_EQ(u->hidden_file, -2 * HUGE);
	CHECK_EQ(g->chunk[512].found, 0);
	rig_free(g);
}

/* A frame of a zero page that is not RAM is damage; all ones: there is no huge one. */
TEST(zero_frames)
{
	struct rig *g = rig_new();
	uint64_t zero, huge;

	fake_symbol(g->f, Y_ZERO_PFN, fake_kva(g->f, 0x7000));
	fake_symbol(g->f, Y_HUGE_ZERO_PFN, fake_kva(g->f, 0x7008));
	fake_put_uint(g->f, 0x7000, 3, 8);
	fake_put_uint(g->f, 0x7008, UINT64_MAX, 8);
	zero_frames(&g->f->kernel, g->f->r, &zero, &huge);
	CHECK(zero == 3 && huge == UINT64_MAX && !fake_issues(g->f, "zero page"));
	fake_put_uint(g->f, 0x7000, 0, 8);
	zero_frames(&g->f->kernel, g->f->r, &zero, &huge);
	CHECK(zero == UINT64_MAX && fake_issues(g->f, "zero page") == 1);
	fake_put_uint(g->f, 0x7000, g->f->kernel.memmap.max_pfn, 8);
	fake_put_uint(g->f, 0x7008, UINT64_MAX - 1, 8);
	zero_frames(&g->f->kernel, g->f->r, &zero, &huge);
	CHECK(zero == UINT64_MAX && huge == UINT64_MAX && fake_issues(g->f, "zero page") == 3);
	rig_free(g);
}

/* Kernels without pte_special: the offset of a PFNMAP vma tells what it maps. */
TEST(pfnmap)
{
	struct rig *g = rig_new();
	struct vma *v;

	add_mm(g);
	v = add_vma(g, VA, 16 * PAGE, VMA_READ | VMA_PFNMAP | 0x20);
	v->pgoff = 20;
	g->f->kernel.rules.on[RULE_PTE_SPECIAL] = false;
	g->f->kernel.rules.on[RULE_VM_SHM] = false;
	frame(g, 21, FR_RESERVED, 0);
	frame(g, 30, FR_ANON, 1);
	map(g, VA + PAGE, 0, 21 << 12 | P);	/* the pfn that was mapped there */
	map(g, VA + 2 * PAGE, 0, 30 << 12 | P);	/* a copy */
	run(g);
	CHECK_EQ(v->usage.rss, PAGE);
	CHECK_EQ(v->usage.special, PAGE);
	v->flags |= VMA_SHARED;
	run(g);
	CHECK_EQ(v->usage.rss, 0);
	/* before 2.6.15 the flag is VM_SHM, and a reserved page does not count */
	g->f->kernel.rules.on[RULE_VM_SHM] = true;
	g->f->kernel.rules.on[RULE_RESERVED_NO_PAGE] = true;
	run(g);
	CHECK_EQ(v->usage.rss, PAGE);
	CHECK_EQ(v->usage.special, 0);
	g->f->kernel.rules.on[RULE_RESERVED_NO_PAGE] = false;
	run(g);
	CHECK_EQ(v->usage.rss, 2 * PAGE);
	rig_free(g);
}

TEST(huge)
{
	struct rig *g = rig_new();
	struct usage *u;

	add_mm(g);
	u = &add_vma(g, VA, 4 * HUGE, VMA_READ | VMA_WRITE)->usage;
	for (unsigned i = 0; i < 512; i++) {
		frame(g, 512 + i, FR_ANON | FR_SWAPBACKED | (i ? FR_TAIL : FR_HEAD) |
		      9u << FR_ORDER_SHIFT, i < 100 ? 2 : 1);
		frame(g, 1024 + i, FR_SWAPBACKED | FR_SINGLE | (i ? FR_TAIL : FR_HEAD) |
		      9u << FR_ORDER_SHIFT, 1);
		frame(g, 1536 + i, FR_ZONE_DEVICE, 1);
	}
	map(g, VA, 1, 512 << 12 | P | RW | PSE | A | D);
	map(g, VA + HUGE, 1, 1024 << 12 | P | PSE);
	map(g, VA + 2 * HUGE, 1, 1536 << 12 | P | PSE);
	run(g);
	/* the page of device memory is no compound page: one page, as smaps has it */
	CHECK_EQ(u->rss, 2 * HUGE + PAGE);
	CHECK_EQ(u->anon_huge, HUGE);
	CHECK_EQ(u->shmem_huge, HUGE);
	CHECK_EQ(u->file_huge, 0);
	CHECK_EQ(u->pss, 412 * FULL + 100 * (FULL / 2) + 513 * FULL);
	CHECK_EQ(u->shared_dirty, 100 * PAGE);
	CHECK_EQ(u->private_dirty, 412 * PAGE);
	CHECK_EQ(u->private_clean, HUGE + PAGE);
	CHECK_EQ(u->referenced, HUGE);
	CHECK_EQ(u->table_bytes, 2 * PAGE);
	CHECK_EQ(g->chunk[512].found, 1);
	CHECK_EQ(g->chunk[1023].found, 1);
	g->f->kernel.rules.on[RULE_THP_BY_HEAD] = true;
	run(g);
	CHECK_EQ(u->shared_dirty, HUGE);
	/* PROT_NONE: smaps of some kernels skips it, if they balance NUMA nodes */
	map(g, VA, 1, (~(512ull << 12) & 0xfffffffe00000) | PROTNONE | RW | PSE | A | D);
	g->f->kernel.rules.on[RULE_PMD_PROTNONE_SKIPPED] = true;
	run(g);
	CHECK_EQ(u->rss, 2 * HUGE + PAGE);
	fake_member(g->f, M_MM_NUMA_SCAN_SEQ, 8, 4);
	run(g);
	CHECK_EQ(u->rss, HUGE + PAGE);
	CHECK_EQ(u->anon_huge, 0);
	CHECK_EQ(u->hidden_anon, HUGE);
	CHECK_EQ(u->hidden_shmem, 0);
	rig_free(g);
}

static void set_rules(struct rig *g, bool shared, bool single, bool clean)
{
	g->f->kernel.rules.on[RULE_NONPRESENT_SHARED] = shared;
	g->f->kernel.rules.on[RULE_NONPRESENT_SINGLE] = single;
	g->f->kernel.rules.on[RULE_NONPRESENT_CLEAN] = clean;
}

TEST(migration)
{
	struct rig *g = rig_new();
	struct usage *u;

	add_mm(g);
	u = &add_vma(g, VA, 16 * PAGE, VMA_READ)->usage;
	frame(g, 10, FR_ANON | FR_SWAPBACKED, 4);
	map(g, VA, 0, swap_entry(29, 10));
	set_rules(g, true, true, true);		/* 6.11 */
	run(g);
	CHECK_EQ(u->rss, PAGE);
	CHECK_EQ(u->shared_clean, PAGE);
	CHECK_EQ(u->pss, FULL);
	CHECK_EQ(u->swap, 0);
	CHECK_EQ(g->chunk[10].found, 0);
	set_rules(g, false, true, true);	/* 5.17 */
	run(g);
	CHECK_EQ(u->private_clean, PAGE);
	CHECK_EQ(u->pss, FULL);
	set_rules(g, false, false, false);	/* before: bits of the offset are asked */
	map(g, VA, 0, swap_entry(29, 10) | A);
	run(g);
	CHECK_EQ(u->pss, FULL / 4);
	CHECK_EQ(u->shared_clean, PAGE);
	CHECK_EQ(u->referenced, PAGE);
	g->f->kernel.rules.on[RULE_MIGRATION_IS_PAGE] = false;
	g->f->kernel.rules.on[RULE_SWAP_ANY] = true;
	run(g);
	CHECK_EQ(u->rss, 0);
	CHECK_EQ(u->swap, PAGE);
	rig_free(g);
}

TEST(swap)
{
	struct rig *g = rig_new();
	struct usage *u;

	add_mm(g);
	u = &add_vma(g, VA, 16 * PAGE, VMA_READ)->usage;
	map(g, VA, 0, swap_entry(0, 10));
	map(g, VA + 5 * PAGE, 0, swap_entry(3, 77));
	run(g);
	CHECK_EQ(u->swap, 2 * PAGE);
	CHECK_EQ(u->swap_ptes, 2 * PAGE);
	CHECK_EQ(u->swap_pss, 2 * FULL);	/* no such area: counted as the only reference */
	CHECK_EQ(u->rss, 0);
	rig_free(g);
}

TEST(hugetlb)
{
	struct rig *g = rig_new();
	uint64_t flags = VMA_READ | VMA_HUGETLB | VMA_SHARED, table;
	struct vma *v[2];

	g->files[0] = (struct file){ .kind = FILE_HUGETLB, .huge_page_size = HUGE };
	frame(g, 512, FR_HUGETLB | FR_HEAD | FR_SHARED_FOLIO | 9u << FR_ORDER_SHIFT, 2);
	frame(g, 1024, FR_HUGETLB | FR_HEAD | 9u << FR_ORDER_SHIFT, 1);
	for (int i = 0; i < 2; i++) {
		add_mm(g);
		v[i] = add_vma(g, VA, 512 * HUGE, flags);
		v[i]->file = 0;
	}
	/* the second mm uses the first one's table */
	fake_member(g->f, M_PT_SHARE_COUNT, 0, 4);
	g->s.nmms = 1;
	map(g, VA, 1, 512 << 12 | P | RW | PSE);
	map(g, VA + HUGE, 1, 1024 << 12 | P | RW | PSE);
	table = entry_of(g, g->mms[0].pgd_pa, VA, 1) & ~0xfffull;
	g->s.nmms = 2;
	fake_put_uint(g->f, entry_of(g, g->mms[1].pgd_pa, VA, 2), table | P | RW, 8);
	run(g);
	/* no struct page of the table is readable: the page's own count decides */
	CHECK_EQ(v[0]->usage.shared_hugetlb, HUGE);
	CHECK_EQ(v[0]->usage.private_hugetlb, HUGE);
	CHECK_EQ(v[0]->usage.rss, 0);
	CHECK_EQ(g->chunk[1024].found, 2);
	/* now the table says that it is shared */
	g->range.page_kva = fake_kva(g->f, 0x400000);
	for (unsigned i = 0; i < 512; i++)
		fake_put_uint(g->f, 0x400000 + i * 64ull, 1, 4);
	for (unsigned pfn = 512; pfn < 1536; pfn++)
		g->chunk[pfn].found = 0;
	for (unsigned pfn = 256; pfn < 512; pfn++)
		frame(g, pfn, FR_PGTABLE, 0);
	run(g);
	CHECK_EQ(v[1]->usage.shared_hugetlb, 2 * HUGE);
	CHECK_EQ(v[1]->usage.private_hugetlb, 0);
	CHECK_EQ(g->chunk[1024].found, 1);
	CHECK_EQ(g->chunk[1535].found, 1);
	CHECK_EQ(g->chunk[table >> 12].found, 0);
	rig_free(g);
}

TEST(lost)
{
	struct rig *g = rig_new();
	struct vma *v, *w;

	add_mm(g);
	v = add_vma(g, VA, 4 * HUGE, VMA_READ);
	frame(g, 10, FR_ANON, 1);
	map(g, VA, 0, 10 << 12 | P);
	map(g, VA + HUGE, 0, 10 << 12 | P);
	map(g, VA + 2 * HUGE, 1, 1ull << 8);		/* neither table nor page */
	fake_drop(g->f, entry_of(g, g->mms[0].pgd_pa, VA + HUGE, 0) & ~0xfffull);
	add_mm(g)->pgd_pa = 0;
	w = add_vma(g, VA, HUGE, VMA_READ);
	run(g);
	CHECK_EQ(v->usage.rss, PAGE);
	CHECK_EQ(v->usage.lost, 2 * HUGE);
	CHECK_EQ(w->usage.lost, HUGE);
	/* the loss of the mm without a root was counted when it was read */
	CHECK_EQ(fake_issues(g->f, "page table"), 1);
	CHECK_EQ(fake_issues(g->f, "page table entry"), 1);
	rig_free(g);
}

/* A vma of many gigabytes, and a small one on either side in the same tables. */
TEST(split)
{
	struct rig *g = rig_new();
	uint64_t giga = 1ull << 30, tables;
	struct usage one[3];

	add_mm(g);
	add_vma(g, VA, PAGE, VMA_READ);
	add_vma(g, VA + PAGE, 10 * giga, VMA_READ | VMA_WRITE);
	add_vma(g, VA + 10 * giga + PAGE, 2 * PAGE, VMA_READ);
	for (unsigned i = 0; i < 100; i++) {
		frame(g, 100 + i, FR_ANON | (i % 3 ? FR_SINGLE : 0), 1 + i % 5);
		map(g, VA + i * (giga / 10) / PAGE * PAGE, 0, (100ull + i) << 12 | P | A);
	}
	map(g, VA + 10 * giga + PAGE, 0, 100 << 12 | P);
	run(g);
	for (int i = 0; i < 3; i++)
		one[i] = g->vmas[i].usage;
	tables = one[0].table_bytes + one[1].table_bytes + one[2].table_bytes;
	CHECK_EQ(one[1].rss, 99 * PAGE);
	CHECK_EQ(one[1].size, 10 * giga);
	CHECK_EQ(tables, g->next_table - ROOT - PAGE);	/* all but the root, once */
	CHECK_EQ(g->chunk[100].found, 2);
	for (unsigned jobs = 2; jobs < 9; jobs++) {
		g->f->kernel.jobs = jobs;
		for (unsigned i = 0; i < 100; i++)
			g->chunk[100 + i].found = 0;
		run(g);
		CHECK(!memcmp(&one[0], &g->vmas[0].usage, sizeof(one[0])));
		CHECK(!memcmp(&one[1], &g->vmas[1].usage, sizeof(one[0])));
		CHECK(!memcmp(&one[2], &g->vmas[2].usage, sizeof(one[0])));
		CHECK_EQ(g->chunk[100].found, 2);
		CHECK_EQ(g->chunk[150].found, 1);
	}
	rig_free(g);
}

/*
 * A running machine: each of four processes has a table that cannot be read. Threads
 * that try again at the same time take back only their own counts.
 */
TEST(live)
{
	uint64_t torn[5];

	for (unsigned jobs = 1; jobs < 5; jobs++) {
		struct rig *g = rig_new();

		g->f->dump.live = true;
		g->f->kernel.jobs = jobs;
		frame(g, 10, FR_ANON, 1);
		for (unsigned i = 0; i < 4; i++) {
			add_mm(g)->owner = NONE;
			add_vma(g, VA, 2 * HUGE, VMA_READ);
			map(g, VA, 0, 10 << 12 | P);
			map(g, VA + HUGE, 0, 10 << 12 | P);
			fake_drop(g->f, entry_of(g, g->mms[i].pgd_pa, VA + HUGE, 0) & ~0xfffull);
		}
		run(g);
		CHECK_EQ(fake_issues(g->f, "page table"), 4);
		torn[jobs] = fake_issues(g->f, "page tables");
		CHECK(torn[jobs] >= 4);
		CHECK_EQ(torn[jobs], torn[1]);
		CHECK(!g->f->dump.issues.aside);
		rig_free(g);
	}
}

/* A tmpfs file with pages in swap, mapped whole, in part, and privately. */
TEST(shmem)
{
	struct rig *g = rig_new();
	struct vma *v[3];

	fake_members(g->f, { M_MAPPING_I_PAGES, 8, 16 }, { M_XA_HEAD, 0, 8 },
		     { M_XA_NODE_SHIFT, 0, 1 });
	fake_array(g->f, M_XA_NODE_SLOTS, 16, 8, 64);
	fake_size(g->f, S_XA_NODE, 16 + 8 * 64);
	fake_put_uint(g->f, 0x5008, fake_kva(g->f, 0x6000) | 2, 8);
	fake_put_uint(g->f, 0x6000, 0, 1);
	fake_put_uint(g->f, 0x6010 + 8 * 5, 1 << 1 | 1, 8);
	fake_put_uint(g->f, 0x6010 + 8 * 8, 2 << 1 | 1, 8);		/* order 2 */
	for (unsigned i = 9; i < 12; i++)
		fake_put_uint(g->f, 0x6010 + 8 * i, 8 << 2 | 2, 8);
	g->files[0] = (struct file){ .kind = FILE_SHMEM, .mapping = fake_kva(g->f, 0x5000),
				     .size = 64 * PAGE, .shmem_swapped = 5 };
	add_mm(g);
	v[0] = add_vma(g, VA, 64 * PAGE, VMA_READ | VMA_WRITE | VMA_SHARED);
	v[1] = add_vma(g, VA + HUGE, 5 * PAGE, VMA_READ);
	v[1]->pgoff = 4;
	v[2] = add_vma(g, VA + 2 * HUGE, 16 * PAGE, VMA_READ | VMA_WRITE);
	for (int i = 0; i < 3; i++)
		v[i]->file = 0;
	map(g, VA + 2 * HUGE + 5 * PAGE, 0, swap_entry(0, 3));	/* a copy, in swap itself */
	run(g);
	CHECK_EQ(v[0]->usage.swap, 5 * PAGE);	/* whole: the object's own count */
	/* 4..8 has the slot at 5 and, whole, the large one that begins at 8 */
	CHECK_EQ(v[1]->usage.swap, 5 * PAGE);
	/* each of the four empty entries finds the large one: so the kernel counts */
	CHECK_EQ(v[2]->usage.swap, (1 + 4 * 4) * PAGE);
	CHECK_EQ(v[2]->usage.swap_ptes, PAGE);
	CHECK_EQ(v[2]->usage.swap_pss, FULL);
	g->f->kernel.rules.on[RULE_SHMEM_ENTRY_ASKED] = false;	/* RHEL 7 */
	run(g);
	CHECK_EQ(v[2]->usage.swap, PAGE);
	g->files[0].shmem_swapped = 0;
	run(g);
	CHECK_EQ(v[0]->usage.swap, 0);
	rig_free(g);
}

/* 2.4: sizes are divided by the count of the walk; the kernel's references are kept too. */
TEST(no_mapcount)
{
	struct rig *g = rig_new();
	struct vma *v[2];

	g->f->kernel.layout.v[M_PAGE_MAPCOUNT].alt = -1;
	g->f->kernel.rules.on[RULE_SINGLE_REF] = false;
	frame(g, 10, FR_CACHE, 5);
	frame(g, 11, FR_CACHE, 0);
	for (int i = 0; i < 2; i++) {
		add_mm(g);
		v[i] = add_vma(g, VA, 8 * PAGE, VMA_READ);
		map(g, VA, 0, 10 << 12 | P);
	}
	map(g, VA + PAGE, 0, 11 << 12 | P);
	run(g);
	CHECK_EQ(g->chunk[10].mapcount, 5);
	CHECK_EQ(g->chunk[11].mapcount, 0);
	CHECK_EQ(g->chunk[10].found, 2);
	CHECK_EQ(v[0]->usage.pss, FULL / 2);
	CHECK_EQ(v[1]->usage.pss, FULL / 2 + FULL);
	CHECK_EQ(v[1]->usage.shared_clean, PAGE);
	rig_free(g);
}

struct walked {
	unsigned n, pages;
	uint64_t last;
};

static bool see(void *arg, const struct vma_page *p)
{
	struct walked *w = arg;

	w->pages += p->frame != NULL;
	w->last = p->va;
	return ++w->n < 3;
}

TEST(walk)
{
	struct rig *g = rig_new();
	struct walked w = { 0 };

	add_mm(g);
	add_vma(g, VA, 64 * PAGE, VMA_READ);
	frame(g, 10, FR_ANON, 1);
	map(g, VA + PAGE, 0, 10 << 12 | P);
	map(g, VA + 9 * PAGE, 0, swap_entry(1, 2));
	map(g, VA + 20 * PAGE, 0, 10 << 12 | P);
	map(g, VA + 21 * PAGE, 0, 10 << 12 | P);
	rig_frames(g);
	vma_walk(&g->s, g->f->r, &g->vmas[0], see, &w);
	CHECK_EQ(w.n, 3);
	CHECK_EQ(w.pages, 2);
	CHECK_EQ(w.last, VA + 20 * PAGE);
	rig_free(g);
}
