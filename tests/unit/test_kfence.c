/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pool of KFENCE: found by its records, as a static array (5.12 to 6.5) and as memory of its own (6.6 and
 * later); large kmalloc beside it. Layout by mm/kfence/core.c: two guard pages, then object and guard by turns.
 */
#include <stdlib.h>

#include "facts/layout/kmem.h"
#include "model/kernel/source.h"
#include "model/memory/census/claims.h"
#include "model/memory/census/counters.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { POOL = 0x400000, OBJECTS = 5, PAGES = 2 * (OBJECTS + 1), RECORDS = 0x500000, RECORD = 0x488, ADDR = 40 };
enum { POOL_VAR = 0x600000, RECORDS_VAR = 0x600008, INIT_VAR = 0x600010, PAGE = 4096 };
enum { SLABS = 30, COMPOUND = 8, COMPOUND_AT = 0x700 };

static const struct source from_dump = { .has = SOURCE_MEMORY | SOURCE_COUNTERS };
static struct fake *g;
static uint64_t not_mapped = UINT64_MAX;	/* kva */

static enum status kvtop(const struct dump *d, struct reader *r, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	uint64_t no = (kva - fake_kva(g, POOL)) / PAGE;

	(void)d, (void)r;
	if (kva >= fake_kva(g, POOL) && no < PAGES && (no < 2 || no % 2 || kva / PAGE == not_mapped / PAGE))
		return ST_FAULT;
	*pa = kva - FAKE_BASE;
	if (run)
		*run = PAGE - kva % PAGE;
	return ST_OK;
}

static const struct kv_ops guarded = { .kvtop = kvtop };

/* The address of the I-th object: at the right or left end of its page. */
static uint64_t object(uint64_t i)
{
	return fake_kva(g, POOL + 2 * PAGE * (i + 1)) + (i % 2 ? PAGE - 96 : 0);
}

static void machine(bool own_memory)
{
	g = fake_new(8, false);
	g->dump.kv = &guarded;
	g->kernel.source = &from_dump;
	g->kernel.memmap.max_pfn = 1u << 16;
	not_mapped = UINT64_MAX;
	fake_symbol(g, Y_KFENCE_POOL, fake_kva(g, POOL_VAR));
	fake_put_uint(g, POOL_VAR, fake_kva(g, POOL), 8);
	fake_symbol(g, Y_KFENCE_METADATA, fake_kva(g, own_memory ? RECORDS_VAR : RECORDS));
	fake_size(g, S_KFENCE_METADATA, RECORD);
	fake_member(g, M_KFENCE_ADDR, ADDR, 8);
	for (uint64_t i = 0; i < OBJECTS; i++)
		fake_put_uint(g, RECORDS + i * RECORD + ADDR, object(i), 8);
	if (!own_memory)
		return;
	fake_put_uint(g, RECORDS_VAR, fake_kva(g, RECORDS), 8);
	fake_symbol(g, Y_KFENCE_METADATA_INIT, fake_kva(g, INIT_VAR));
	fake_put_uint(g, INIT_VAR, fake_kva(g, RECORDS), 8);
}

static void put_class(struct page_classes *c, uint64_t pfn, enum page_class class)
{
	page_class_move(c, page_class_place(c, pfn), class);
}

/* Made later: guard pages show nothing, pages of objects look like slabs. Others are slabs, and compound. */
static struct page_classes *classes(void)
{
	struct page_classes *c = calloc(1, sizeof(*c));

	c->nchunks = 1;
	c->chunk = calloc(1, sizeof(*c->chunk));
	c->chunk[0] = malloc(FRAME_CHUNK);
	memset(c->chunk[0], CLASS_UNKNOWN, FRAME_CHUNK);
	c->count[CLASS_UNKNOWN].pages = FRAME_CHUNK;
	for (uint64_t i = 0; i < OBJECTS; i++)
		put_class(c, POOL / PAGE + 2 * (i + 1), CLASS_SLAB);
	for (uint64_t i = 0; i < SLABS; i++)
		put_class(c, POOL / PAGE + PAGES + i, CLASS_SLAB);
	for (uint64_t i = 0; i < COMPOUND; i++)
		put_class(c, COMPOUND_AT + i, CLASS_COMPOUND);
	return c;
}

/* FRAMES of the pool and its records; UINT64_MAX: the claim says that they are not known. */
static void expect(uint64_t frames, uint64_t issues)
{
	struct page_classes *c = classes();

	CHECK_EQ(claim_kfence(&g->kernel, g->r, c), frames != UINT64_MAX);
	CHECK_EQ(c->count[CLASS_KFENCE].pages, frames == UINT64_MAX ? 0 : frames);
	CHECK_EQ(c->count[CLASS_SLAB].pages, frames && frames != UINT64_MAX ? SLABS : SLABS + OBJECTS);
	CHECK_EQ(fake_issues(g, "KFENCE pool"), issues);
	page_classes_free(c);
}

TEST(pool)
{
	machine(false);
	expect(PAGES, 0);
	fake_free(g);
	machine(true);
	expect(PAGES + 2, 0);		/* 5 records of 1160 bytes */
	fake_put_uint(g, POOL_VAR, 0, 8);	/* kfence.sample_interval=0 */
	expect(0, 0);
	fake_put_uint(g, POOL_VAR, fake_kva(g, POOL), 8);	/* the same on riscv64 */
	fake_put_uint(g, RECORDS_VAR, 0, 8);
	fake_put_uint(g, INIT_VAR, 0, 8);
	expect(0, 0);
	fake_free(g);
	machine(true);
	g->kernel.layout.v[Y_KFENCE_POOL].alt = -1;
	expect(UINT64_MAX, 0);		/* KFENCE is built in, and nothing says where */
	g->kernel.layout.v[S_KFENCE_METADATA].alt = -1;
	expect(0, 0);			/* it is not built in */
	fake_free(g);
}

static enum status by_rule(const struct dump *d, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	(void)d;
	*pa = kva - FAKE_BASE;
	*run = PAGE;
	return ST_OK;
}

/* Pages of freed objects are not mapped, either: if no page is, the rule of the linear map says. */
TEST(all_freed)
{
	machine(false);
	for (uint64_t i = 1; i < OBJECTS; i++)
		fake_put_uint(g, RECORDS + i * RECORD + ADDR, 0, 8);
	not_mapped = object(0);
	expect(UINT64_MAX, 1);
	g->arch.by_rule = by_rule;
	g->kernel.arch = &g->arch;
	for (uint64_t i = 1; i < OBJECTS; i++)
		fake_put_uint(g, RECORDS + i * RECORD + ADDR, object(i), 8);
	expect(PAGES, 1);
	fake_free(g);
}

/* A record that is damaged is not the end of the array; neither is one that is not in the dump. */
TEST(damaged)
{
	machine(false);
	fake_put_uint(g, RECORDS + 2 * RECORD + ADDR, 0, 8);
	expect(UINT64_MAX, 1);
	fake_put_uint(g, RECORDS + 2 * RECORD + ADDR, object(2) + PAGE, 8);
	expect(UINT64_MAX, 2);
	fake_put_uint(g, RECORDS + 2 * RECORD + ADDR, object(2), 8);
	fake_put_uint(g, POOL_VAR, fake_kva(g, POOL) + 8, 8);
	expect(UINT64_MAX, 3);
	fake_drop(g, POOL_VAR);
	expect(UINT64_MAX, 4);
	fake_free(g);
	machine(true);
	fake_drop(g, RECORDS);
	expect(UINT64_MAX, 1);
	fake_put_uint(g, RECORDS_VAR, 0, 8);	/* the machine died while it made them */
	expect(UINT64_MAX, 2);
	fake_free(g);
}

/* The counter of slab has slabs and large kmalloc, and no page of KFENCE: with STRAY other compound pages. */
static void settle(uint64_t kmalloc, uint64_t stray)
{
	struct zone_count lines[] = { { .name = "SReclaimable", .value = SLABS * PAGE },
				      { .name = "SUnreclaim", .value = kmalloc * PAGE } };
	struct snapshot s = { .k = &g->kernel };
	struct page_classes *c = classes();
	struct census census = { .classes = c };
	uint64_t unknown = c->count[CLASS_UNKNOWN].pages - (PAGES - OBJECTS);

	s.machine.meminfo = lines;
	s.machine.nmeminfo = 2;
	CHECK(claim_kfence(&g->kernel, g->r, c));
	census_settle(&s, g->r, &census);
	CHECK_EQ(c->count[CLASS_KMALLOC].pages, kmalloc);
	CHECK_EQ(c->count[CLASS_UNKNOWN].pages, unknown + stray);
	CHECK_EQ(census.undecided.frames, stray ? COMPOUND : 0);
	CHECK_EQ(census.undecided.pages, stray ? kmalloc : 0);
	CHECK_EQ(page_class_at(c, COMPOUND_AT), stray ? CLASS_UNKNOWN : CLASS_KMALLOC);
	page_classes_free(c);
}

TEST(large_kmalloc)
{
	machine(false);
	settle(COMPOUND, 0);
	settle(COMPOUND - 1, 1);
	fake_free(g);
}
