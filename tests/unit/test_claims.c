/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of which the struct page shows nothing: page tables of older kernels, holes. */
#include "model/kernel/hugetlb/hugetlb.h"
#include "model/kernel/vmalloc/vmalloc.h"
#include "model/memory/census/claims.h"
#include "model/memory/census/misplaced.h"

#include <stdlib.h>

#include "arch/linear.h"
#include "facts/layout/base.h"
#include "facts/layout/census.h"
#include "facts/layout/cpu.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "facts/layout/page.h"
#include "facts/layout/system.h"
#include "model/kernel/zone/zones.h"
#include "tests/unit/check.h"
#include "tests/unit/rig.h"

enum { PAGES_AT = 0x800000, STRUCT_PAGE = 64, LRU = 8, PMD_HUGE_PTE = 16, TYPE = 48 };
enum { IOMEM = 0x700000, RES_SIZE = 64, RES_NAMES = 0x701000 };
enum { FIRST_SPARE = 0x600, SPARES = 2 };

static uint64_t user_end(const struct dump *d)
{
	(void)d;
	return 1ull << 47;
}

/* An mm of one page and one huge page, each of which needs three tables below the root. */
static struct rig *machine(void)
{
	struct rig *g = rig_new();

	g->f->arch.user_end = user_end;
	g->f->kernel.arch = &g->f->arch;
	g->range.page_kva = fake_kva(g->f, PAGES_AT);
	fake_members(g->f, { M_PAGE_LRU, LRU, 16 }, { M_LIST_NEXT, 0, 8 }, { M_LIST_PREV, 8, 8 });
	add_mm(g);
	map(g, VA, 0, 10 << 12 | P | RW);
	map(g, VA + 512 * HUGE, 1, 512 << 12 | P | RW | PSE);
	return g;
}

static struct page_classes *classes(void)
{
	struct page_classes *c = calloc(1, sizeof(*c));

	c->nchunks = 1;
	c->chunk = calloc(1, sizeof(*c->chunk));
	c->chunk[0] = malloc(1u << FRAME_CHUNK_SHIFT);
	memset(c->chunk[0], CLASS_UNKNOWN, 1u << FRAME_CHUNK_SHIFT);
	c->count[CLASS_UNKNOWN].pages = 1u << FRAME_CHUNK_SHIFT;
	return c;
}

static uint64_t page_at(const struct rig *g, uint64_t pfn)
{
	return fake_kva(g->f, PAGES_AT + pfn * STRUCT_PAGE);
}

/* Two tables in reserve, in a ring that the word at physical address AT points to. */
static void put_reserve(struct rig *g, uint64_t at)
{
	fake_put_uint(g->f, at, page_at(g, FIRST_SPARE), 8);
	for (uint64_t i = 0; i < SPARES; i++) {
		uint64_t other = page_at(g, FIRST_SPARE + (i + 1) % SPARES) + LRU;
		uint64_t lru = PAGES_AT + (FIRST_SPARE + i) * STRUCT_PAGE + LRU;

		fake_put_uint(g->f, lru, other, 8);
		fake_put_uint(g->f, lru + 8, other, 8);
	}
}

static void expect(struct rig *g, uint64_t tables, uint64_t own, bool known)
{
	struct page_classes *c = classes();
	bool counted;

	claim_tables(&g->s, g->f->r, c, &counted);
	CHECK_EQ(c->count[CLASS_TABLES].pages, tables);
	CHECK_EQ(c->count[CLASS_TABLES_OWN].pages, own);
	CHECK_EQ(counted, known);
	page_classes_free(c);
}

TEST(untyped)
{
	struct rig *g = machine();
	uint64_t pmd = entry_of(g, g->mms[0].pgd_pa, VA + 512 * HUGE, 1) >> 12;

	/* a table of PTEs; a root, a PUD and two PMDs */
	expect(g, 1, 4, true);
	/* page->pmd_huge_pte: with the tables that wait for a split */
	fake_member(g->f, M_PAGE_PMD_HUGE_PTE, PMD_HUGE_PTE, 8);
	fake_put_uint(g->f, PAGES_AT + (entry_of(g, g->mms[0].pgd_pa, VA, 1) >> 12) * STRUCT_PAGE +
				    PMD_HUGE_PTE, 0, 8);
	put_reserve(g, PAGES_AT + pmd * STRUCT_PAGE + PMD_HUGE_PTE);
	expect(g, 1 + SPARES, 4, true);
	/* it points nowhere: not all are known */
	fake_put_uint(g->f, PAGES_AT + pmd * STRUCT_PAGE + PMD_HUGE_PTE, 0xffff8880deadb000, 8);
	expect(g, 1, 4, false);
	/* mm->pmd_huge_pte: struct page has the member all the same */
	g->mms[0].addr = fake_kva(g->f, IOMEM);
	fake_member(g->f, M_MM_PMD_HUGE_PTE, 32, 8);
	put_reserve(g, IOMEM + 32);
	expect(g, 1 + SPARES, 4, true);
	rig_free(g);
}

/* A table that cannot be read is told, of a process and of the kernel: others hang on it, perhaps. */
TEST(lost_tables)
{
	struct rig *g = machine();
	struct kernel_map own = { .paging = g->f->kernel.paging,
				  .env = g->f->kernel.env,
				  .low.va = 0xffff800000000000,
				  .root = g->mms[0].pgd_pa,
				  .has_root = true };

	expect(g, 1, 4, true);
	CHECK_EQ(issues_total(g->f->kernel.issues), 0);
	fake_drop(g->f, entry_of(g, g->mms[0].pgd_pa, VA, 1));
	expect(g, 0, 4, false);
	CHECK_EQ(issues_total(g->f->kernel.issues), 1);
	fake_drop(g->f, g->mms[0].pgd_pa);
	g->s.nmms = 0;
	g->f->dump.kv_self = &own;
	expect(g, 0, 1, true);
	CHECK_EQ(issues_total(g->f->kernel.issues), 2);
	g->f->dump.kv_self = NULL;
	rig_free(g);
}

/* 4.18: tables of PTEs have a type; since 5.10 those of PMDs, too. */
TEST(typed)
{
	struct rig *g = machine();

	fake_member(g->f, M_PAGE_TYPE, TYPE, 4);
	fake_member(g->f, M_MM_PMD_HUGE_PTE, 32, 8);
	g->f->kernel.rules.on[RULE_PMD_TABLES_MARKED] = false;
	expect(g, 0, 4, true);
	g->f->kernel.rules.on[RULE_PMD_TABLES_MARKED] = true;
	expect(g, 0, 2, true);
	rig_free(g);
}

enum { REFCOUNT = 52, KERNEL_ROOT = 0x5000, SEEN_BY_USERS = 0x8000 };

/* Page-table isolation: a root is a pair of pages, the kernel's own too. */
TEST(two_roots)
{
	struct rig *g = machine();
	uint64_t second = (add_mm(g)->pgd_pa >> 12) + 1;
	struct kernel_map own = { .paging = g->f->kernel.paging,
				  .env = g->f->kernel.env,
				  .low.va = 0xffff800000000000,
				  .root = KERNEL_ROOT,
				  .has_root = true };

	g->f->kernel.rules.on[RULE_COUNT_FROM_MINUS_1] = false;
	g->f->arch.two_roots = Y_PTI_INIT;
	fake_size(g->f, S_PAGE, STRUCT_PAGE);
	fake_member(g->f, M_PAGE_REFCOUNT, REFCOUNT, 4);
	fake_put_uint(g->f, PAGES_AT + second * STRUCT_PAGE + REFCOUNT, 0, 4);
	expect(g, 1, 5, true);
	fake_symbol(g->f, Y_PTI_INIT, fake_kva(g->f, IOMEM));
	expect(g, 1, 6, true);
	/* somebody else's: isolation is off */
	fake_put_uint(g->f, PAGES_AT + second * STRUCT_PAGE + REFCOUNT, 1, 4);
	expect(g, 1, 5, true);
	fake_put_uint(g->f, PAGES_AT + second * STRUCT_PAGE + REFCOUNT, 0, 4);
	/* two tables of what processes see of the kernel, and the pair itself */
	g->f->dump.kv_self = &own;
	fake_put_uint(g->f, KERNEL_ROOT, 0, 8);
	fake_put_uint(g->f, KERNEL_ROOT + PAGE + 8 * 256, SEEN_BY_USERS | P | RW, 8);
	fake_put_uint(g->f, KERNEL_ROOT + PAGE + 8 * 511, (SEEN_BY_USERS + PAGE) | P | RW, 8);
	fake_put_uint(g->f, SEEN_BY_USERS, 0, 8);
	fake_put_uint(g->f, SEEN_BY_USERS + PAGE, 0, 8);
	expect(g, 1, 6 + 4, true);
	g->f->arch.two_roots = 0;
	expect(g, 1, 5 + 1, true);
	g->f->dump.kv_self = NULL;
	rig_free(g);
}

/* ppc64 with pages of 4 KiB: a root has 16 pages. */
TEST(wide_root)
{
	struct rig *g = machine();
	uint64_t root = add_mm(g)->pgd_pa >> 12;
	struct paging wide = *g->f->kernel.paging;

	wide.bits[wide.nlevels - 1] = 13;
	g->f->kernel.paging = &wide;
	g->f->kernel.rules.on[RULE_COUNT_FROM_MINUS_1] = false;
	fake_size(g->f, S_PAGE, STRUCT_PAGE);
	fake_member(g->f, M_PAGE_REFCOUNT, REFCOUNT, 4);
	for (uint64_t i = 1; i < 20; i++)
		fake_put_uint(g->f, PAGES_AT + (root + i) * STRUCT_PAGE + REFCOUNT, 0, 4);
	/* the first process's root is followed by its other tables */
	fake_put_uint(g->f, PAGES_AT + ((g->mms[0].pgd_pa >> 12) + 1) * STRUCT_PAGE + REFCOUNT, 1, 4);
	expect(g, 1, 5 + 15, true);
	/* somebody else's, from the fourth on */
	fake_put_uint(g->f, PAGES_AT + (root + 3) * STRUCT_PAGE + REFCOUNT, 1, 4);
	expect(g, 1, 5 + 2, true);
	rig_free(g);
}

enum { SECTIONS = 0x704000, PAGE_CGROUPS = 0x900000 };

/* page_cgroup of 2.6.28 to 3.18: an array for each of two sections. */
TEST(page_cgroup)
{
	struct rig *g = machine();
	struct kernel *k = &g->f->kernel;
	struct page_classes *c = classes();

	k->memmap.sections = (struct memmap_sections){ .kva = fake_kva(g->f, SECTIONS),
						       .per_root = 1,
						       .bytes = 32,
						       .pages = 1 << 15,
						       .n = 2 };
	for (uint64_t i = 0; i < 2; i++)
		fake_put_uint(g->f, SECTIONS + i * 32 + 16,
			      fake_kva(g->f, PAGE_CGROUPS + (i << 20)) - (i << 15) * 16, 8);
	fake_member(g->f, M_SECTION_PAGE_CGROUP, 16, 8);
	CHECK(!claim_page_ext(k, g->f->r, c));		/* of how many bytes? */
	fake_size(g->f, S_PAGE_CGROUP, 16);
	CHECK(claim_page_ext(k, g->f->r, c));
	CHECK_EQ(c->count[CLASS_PAGE_EXT].pages, 2 * 128);
	CHECK_EQ(page_class_at(c, (PAGE_CGROUPS + (1 << 20)) >> 12), CLASS_PAGE_EXT);
	fake_drop(g->f, SECTIONS);
	CHECK(!claim_page_ext(k, g->f->r, c));
	page_classes_free(c);
	rig_free(g);
}

/* ---- holes -------------------------------------------------------------------------------- */

static uint64_t names;

static void put_resource(struct rig *g, unsigned no, uint64_t start, uint64_t end, const char *name,
			 unsigned child, unsigned sibling)
{
	uint64_t at = IOMEM + no * RES_SIZE;

	fake_put_uint(g->f, at, start, 8);
	fake_put_uint(g->f, at + 8, end, 8);
	fake_put_uint(g->f, at + 16, fake_kva(g->f, RES_NAMES + names), 8);
	fake_put(g->f, RES_NAMES + names, name, strlen(name) + 1);
	names += strlen(name) + 1;
	fake_put_uint(g->f, at + 24, child ? fake_kva(g->f, IOMEM + child * RES_SIZE) : 0, 8);
	fake_put_uint(g->f, at + 32, sibling ? fake_kva(g->f, IOMEM + sibling * RES_SIZE) : 0, 8);
}

TEST(holes)
{
	struct rig *g = machine();
	struct page_classes *c = classes();
	struct arena mem = { 0 };

	g->range.end = g->f->kernel.memmap.max_pfn = 0x100;
	fake_size(g->f, S_RESOURCE, RES_SIZE);
	fake_members(g->f, { M_RES_START, 0, 8 }, { M_RES_END, 8, 8 }, { M_RES_NAME, 16, 8 },
		     { M_RES_CHILD, 24, 8 }, { M_RES_SIBLING, 32, 8 });
	claim_holes(&g->f->kernel, g->f->r, &mem, c);
	CHECK_EQ(c->count[CLASS_HOLE].pages, 0);	/* there is no tree */
	fake_symbol(g->f, Y_IOMEM_RESOURCE, fake_kva(g->f, IOMEM));
	put_resource(g, 0, 0, UINT64_MAX, "PCI mem", 1, 0);
	put_resource(g, 1, 0x1000, 0x9fbff, "System RAM", 2, 3);	/* its last page is cut */
	put_resource(g, 2, 0x2000, 0x2fff, "Kernel code", 0, 0);
	put_resource(g, 3, 0xa0000, 0xbffff, "Persistent Memory (legacy)", 4, 0);
	put_resource(g, 4, 0xb0000, 0xb3fff, "System RAM (kmem)", 0, 0);
	page_classes_claim(c, 0xc0, CLASS_STACK);
	claim_holes(&g->f->kernel, g->f->r, &mem, c);
	/* 0; 0x9f to 0xaf; 0xb4 to 0xff without the one that is claimed */
	CHECK_EQ(c->count[CLASS_HOLE].pages, 1 + 0x11 + 0x4c - 1);
	CHECK_EQ(page_class_at(c, 2), CLASS_UNKNOWN);
	CHECK_EQ(page_class_at(c, 0xb0), CLASS_UNKNOWN);
	CHECK_EQ(page_class_at(c, 0xc0), CLASS_STACK);
	page_classes_free(c);
	arena_release(&mem);
	rig_free(g);
}

/* ---- per-CPU variables ------------------------------------------------------------------- */

enum { CHUNK = 0x702000, SLOT = 0x702100, AREAS = 0x702200, VARS = 0x702300, UNIT = 0x300000 };

static struct rig *percpu(void)
{
	static uint32_t possible[1];
	struct rig *g = machine();
	const struct { enum layout_id id; uint64_t value; unsigned size; } vars[] = {
		{ Y_PCPU_BASE, fake_kva(g->f, UNIT), 8 },
		{ Y_PCPU_LISTS, fake_kva(g->f, SLOT), 8 },
		{ Y_PCPU_NR_SLOTS, 1, 4 },
		{ Y_PCPU_UNIT_OFFSETS, fake_kva(g->f, VARS + 8 * 8), 8 },
		{ Y_PCPU_UNIT_PAGES, 8, 4 },
	};

	for (size_t i = 0; i < sizeof(vars) / sizeof(vars[0]); i++) {
		fake_symbol(g->f, vars[i].id, fake_kva(g->f, VARS + 8 * i));
		fake_put_uint(g->f, VARS + 8 * i, vars[i].value, vars[i].size);
	}
	fake_put_uint(g->f, VARS + 8 * 8, 0, 8);
	g->f->kernel.ncpus = g->f->kernel.cpus_possible = 1;
	g->f->kernel.possible = possible;
	fake_size(g->f, S_PCPU_CHUNK, 64);
	fake_member(g->f, M_PCPU_CHUNK_LIST, 0, 16);
	fake_member(g->f, M_PCPU_CHUNK_BASE, 16, 8);
	fake_array(g->f, M_PCPU_CHUNK_POPULATED, 24, 8, 1);
	fake_put_uint(g->f, CHUNK + 16, fake_kva(g->f, UNIT), 8);
	fake_put_uint(g->f, CHUNK + 24, 0xff, 8);
	fake_put_uint(g->f, CHUNK + 32, fake_kva(g->f, AREAS), 8);
	fake_put_uint(g->f, CHUNK + 40, 2, 4);
	for (int i = 0; i < 2; i++) {
		fake_put_uint(g->f, CHUNK + 8 * i, fake_kva(g->f, SLOT), 8);
		fake_put_uint(g->f, SLOT + 8 * i, fake_kva(g->f, CHUNK), 8);
	}
	return g;
}

static void expect_percpu(struct rig *g, uint64_t pages, bool whole)
{
	struct page_classes *c = classes();

	CHECK_EQ(claim_percpu(&g->f->kernel, g->f->r, c), whole);
	CHECK_EQ(c->count[CLASS_PERCPU].pages, pages);
	page_classes_free(c);
}

/* The first chunk of 3.10 and of 4.9: its bitmap is full, its areas end within the unit. */
TEST(first_chunk)
{
	struct rig *g = percpu();

	expect_percpu(g, 8, true);
	fake_member(g->f, M_PCPU_CHUNK_MAP, 32, 8);
	fake_member(g->f, M_PCPU_CHUNK_MAP_USED, 40, 4);
	fake_put_uint(g->f, AREAS, (uint32_t)-0x2800, 4);	/* lengths */
	fake_put_uint(g->f, AREAS + 4, 0x2400, 4);
	expect_percpu(g, 5, true);
	fake_put_uint(g->f, AREAS, 1, 4);			/* offsets */
	fake_put_uint(g->f, AREAS + 4, 0x2800, 4);
	fake_put_uint(g->f, AREAS + 8, 0x3001, 4);
	expect_percpu(g, 3, true);
	g->f->kernel.cpus_possible = 2;				/* of one nothing is known */
	expect_percpu(g, 3, false);
	g->f->kernel.cpus_possible = 1;
	fake_put_uint(g->f, CHUNK + 40, 0x7fffffff, 4);		/* cannot be */
	expect_percpu(g, 0, false);
	CHECK_EQ(fake_issues(g->f, "per-CPU chunk"), 1);
	rig_free(g);
}

/* The kernel's own count of pages is held against those of one CPU. */
TEST(no_cpus)
{
	struct rig *g = percpu();
	struct page_classes *c = classes();

	fake_symbol(g->f, Y_PCPU_POPULATED, fake_kva(g->f, VARS + 9 * 8));
	fake_put_uint(g->f, VARS + 9 * 8, 8, 8);
	fake_member(g->f, M_PCPU_CHUNK_PAGES, 44, 4);
	fake_put_uint(g->f, CHUNK + 44, 8, 4);
	g->f->kernel.ncpus = 0;
	CHECK(!claim_percpu(&g->f->kernel, g->f->r, c));
	page_classes_free(c);
	rig_free(g);
}

/* ---- lists of free pages that CPUs keep -------------------------------------------------- */

enum { ZONE = 0x703000, PAGESETS = 0x80, PAGESET_SIZE = 0x40, SECOND = 0x703800 };

/* What zone_of_cpu() says of CPU 1, the second of two. */
static uint64_t second_cpu(struct rig *g, enum status want)
{
	static uint64_t percpu[] = { 0x10000, 0x20000 };
	static uint32_t possible[] = { 0, 1 };
	uint64_t at;

	g->f->kernel.ncpus = 2;
	g->f->kernel.percpu = percpu;
	g->f->kernel.possible = possible;
	CHECK(zone_of_cpu(&g->f->kernel, g->f->r, fake_kva(g->f, ZONE), M_ZONE_PCP, 1, &at) ==
	      want);
	return want ? 0 : at - fake_kva(g->f, 0);
}

/* To 2.6.33 an array of structs, with CONFIG_NUMA of pointers; per-CPU data since. */
TEST(zone_of_cpu)
{
	struct rig *g = rig_new();

	fake_put_uint(g->f, ZONE + PAGESETS + 8, fake_kva(g->f, SECOND), 8);
	fake_array(g->f, M_ZONE_PCP, PAGESETS, PAGESET_SIZE, 4);
	CHECK_EQ(second_cpu(g, ST_OK), ZONE + PAGESETS + PAGESET_SIZE);
	fake_array(g->f, M_ZONE_PCP, PAGESETS, PAGESET_SIZE, 1);
	second_cpu(g, ST_CORRUPT);
	fake_array(g->f, M_ZONE_PCP, PAGESETS, 8, 4);
	CHECK_EQ(second_cpu(g, ST_OK), SECOND);
	fake_put_uint(g->f, ZONE + PAGESETS + 8, 0, 8);
	second_cpu(g, ST_ABSENT);
	fake_member(g->f, M_ZONE_PCP, PAGESETS, 8);
	fake_put_uint(g->f, ZONE + PAGESETS, fake_kva(g->f, SECOND), 8);
	CHECK_EQ(second_cpu(g, ST_OK), SECOND + 0x20000);
	fake_put_uint(g->f, ZONE + PAGESETS, 0, 8);
	second_cpu(g, ST_CORRUPT);
	rig_free(g);
}

/* Pools of 4 and 16 MiB, as on e500; then also one of what a directory entry maps, 2 MiB. */
TEST(block_order)
{
	enum { HSTATES = 0x702000, HSTATE = 64, NUMBER = 0x703000 };
	struct rig *g = rig_new();
	const struct kernel *k = &g->f->kernel;

	CHECK_EQ(pageblock_order(k, g->f->r, 11), 10);
	fake_symbol(g->f, Y_HSTATES, fake_kva(g->f, HSTATES));
	CHECK_EQ(pageblock_order(k, g->f->r, 11), 9);
	fake_size(g->f, S_HSTATE, HSTATE);
	fake_member(g->f, M_HSTATE_ORDER, 8, 4);
	fake_symbol(g->f, Y_MAX_HSTATE, fake_kva(g->f, NUMBER));
	fake_put_uint(g->f, NUMBER, 2, 4);
	fake_put_uint(g->f, HSTATES + 8, 12, 4);
	fake_put_uint(g->f, HSTATES + HSTATE + 8, 10, 4);
	CHECK_EQ(pageblock_order(k, g->f->r, 14), 10);
	fake_put_uint(g->f, NUMBER, 3, 4);
	fake_put_uint(g->f, HSTATES + 2 * HSTATE + 8, 9, 4);
	CHECK_EQ(pageblock_order(k, g->f->r, 14), 9);
	rig_free(g);
}

/* The number of sizes says that there are none, and the first has an order. */
TEST(huge_page_sizes)
{
	enum { HSTATES = 0x702000, HSTATE = 64, NUMBER = 0x703000, ORDER = 8 };
	struct rig *g = rig_new();
	const struct kernel *k = &g->f->kernel;
	uint64_t n;

	CHECK_EQ(huge_page_sizes(k, g->f->r, &n), ST_ABSENT);
	fake_symbol(g->f, Y_HSTATES, fake_kva(g->f, HSTATES));
	fake_symbol(g->f, Y_MAX_HSTATE, fake_kva(g->f, NUMBER));
	fake_size(g->f, S_HSTATE, HSTATE);
	fake_member(g->f, M_HSTATE_ORDER, ORDER, 4);
	fake_put_uint(g->f, HSTATES + ORDER, 0, 4);
	fake_put_uint(g->f, NUMBER, 0, 4);
	CHECK(!huge_page_sizes(k, g->f->r, &n) && n == 0);
	fake_put_uint(g->f, HSTATES + ORDER, 9, 4);
	CHECK_EQ(huge_page_sizes(k, g->f->r, &n), ST_CORRUPT);
	fake_put_uint(g->f, NUMBER, 1, 4);
	CHECK(!huge_page_sizes(k, g->f->r, &n) && n == 1);
	fake_put_uint(g->f, NUMBER, HSTATES_MAX + 1, 4);
	CHECK(huge_page_sizes(k, g->f->r, &n) == ST_CORRUPT && n == 0);
	rig_free(g);
}

/* A stack in a page that a process maps, one in a page that is no RAM; packet rings are mapped. */
TEST(conflicts)
{
	struct page_classes *c = classes();

	c->chunk[0][5] |= BYTE_MAPPED;
	c->chunk[0][6] |= BYTE_MAPPED;
	c->chunk[0][7] = CLASS_HOLE;
	c->count[CLASS_UNKNOWN].mapped = 2;
	page_classes_claim(c, 4, CLASS_STACK);
	page_classes_claim(c, 5, CLASS_PACKET);
	page_classes_claim(c, 7, CLASS_VMAP);
	page_classes_claim(c, 7, CLASS_TABLES_OWN);
	CHECK_EQ(misplaced_claims(c), 0);
	CHECK_EQ(page_classes_claim(c, 6, CLASS_STACK), CLAIM_TAKEN);
	CHECK_EQ(misplaced_claims(c), 1);
	CHECK_EQ(page_classes_claim(c, 7, CLASS_STACK), CLAIM_NONE);
	CHECK_EQ(misplaced_claims(c), 2);
	page_classes_free(c);
}

/* Nothing of the kernel's image lies below the text: an address there is of the heap. */
TEST(static_start)
{
	struct rig *g = machine();
	const struct kernel *k = &g->f->kernel;

	CHECK(kernel_static_ok(k, fake_kva(g->f, IOMEM), 8));
	g->f->arch.static_start = fake_kva(g->f, IOMEM) + 8;
	CHECK(!kernel_static_ok(k, fake_kva(g->f, IOMEM), 8));
	CHECK(kernel_static_ok(k, fake_kva(g->f, IOMEM) + 8, 8));
	rig_free(g);
}

/* vm_area_map_pages(): a sparse area has no array of pages, and those it has are mapped here and there. */
TEST(sparse_area)
{
	enum { END = 0x1000000, PAGES = 2 };	/* of memory, which ends within the area */
	struct rig *g = rig_new();
	struct page_classes *c = classes();
	struct vmalloc_area a = { .kind = AREA_OF_VM, .flags = AREA_SPARSE, .size = 8 << 12,
				  .start = fake_kva(g->f, END - (PAGES << 12)) };
	const struct vmalloc areas = { .v = &a, .n = 1 };
	uint64_t n = 0;

	g->f->kernel.memmap.max_pfn = END >> 12;
	CHECK_EQ(vmalloc_sparse_pages(&g->f->kernel, g->f->r, &a, &n, NULL, NULL), ST_OK);
	CHECK_EQ(n, PAGES);
	CHECK(claim_vmalloc(&g->f->kernel, g->f->r, &areas, c));
	CHECK_EQ(c->count[CLASS_VMALLOC].pages, PAGES);
	page_classes_free(c);
	rig_free(g);
}

/* Rows that were stored know a class by its id, people by its words. */
TEST(names)
{
	for (unsigned i = 0; i < PAGE_CLASSES; i++) {
		const struct class_facts *f = &class_facts[i];

		CHECK_EQ(page_class_of_id(f->id), i);
		CHECK(f->id[strspn(f->id, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0');
		for (unsigned j = 0; j < i; j++)
			CHECK(strcmp(f->words, class_facts[j].words));
	}
	CHECK_EQ(page_class_of_id("free on CPUs"), PAGE_CLASSES);
}
