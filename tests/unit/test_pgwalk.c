/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walker: the entries that it hands over, clipping, and the pointers that it refuses to
 * follow. */
#include <stdarg.h>

#include "arch/x86/x86_64.h"
#include "tests/unit/check.h"
#include "tests/unit/tables.h"

#define TABLE 0x67	/* _PAGE_TABLE: P, RW, USER, A, D */
#define PTE 0x25	/* P, USER, A */
#define HUGE (PTE | 0x80)

/* All calls of a walk, as text. */
struct story {
	char text[4096];
	size_t len;
	unsigned calls, stop_after;	/* 0: do not stop */
	bool tell_tables;
};

static bool tell(struct story *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool tell(struct story *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(s->text + s->len, sizeof(s->text) - s->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		s->len = min_u64(s->len + (size_t)n, sizeof(s->text) - 1);
	return ++s->calls != s->stop_after;
}

/* "va+n@shift", then each entry that is not empty: index, kind, address */
static bool entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	static const char kind[] = "-TpSB";
	struct story *s = arg;

	tell(s, "E %" PRIx64 "+%u@%u", va, n, shift);
	for (unsigned i = 0; i < n; i++)
		if (pte[i].kind != PTE_NONE) {
			tell(s, " %u%c%" PRIx64, i, kind[pte[i].kind], pte[i].pa);
			s->calls--;
		}
	s->calls--;
	return tell(s, "\n");
}

static bool hole(void *arg, uint64_t va, uint64_t end, unsigned shift)
{
	return tell(arg, "H %" PRIx64 "-%" PRIx64 "@%u\n", va, end, shift);
}

static bool lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	return tell(arg, "L %" PRIx64 "-%" PRIx64 " %s\n", va, end, status_name(st));
}

static bool table(void *arg, uint64_t pa, unsigned level)
{
	struct story *s = arg;

	return !s->tell_tables || tell(s, "T%u %" PRIx64 "\n", level, pa);
}

static const struct pgvisit visit = { .entries = entries, .hole = hole, .lost = lost,
				      .table = table };

static struct paging_env env(void)
{
	struct paging_env e;

	x86_64_env_init(&e, TABLES_PAGES * TABLES_PAGE);
	return e;
}

static bool walk(struct tables *t, const struct paging *p, uint64_t start, uint64_t end,
		 struct story *s)
{
	struct reader *r = reader_new(&t->dump);
	struct paging_env e = env();
	bool whole;

	s->len = 0;
	s->calls = 0;
	s->text[0] = '\0';
	whole = pgwalk(r, p, &e, 0x1000, start, end, &visit, s);
	reader_free(r);
	return whole;
}

/* Root in page 1; 0x400000 is mapped by pages 1, 2, 3 and the PTE table 4. */
static struct tables *four_levels(void)
{
	struct tables *t = tables_new();

	tables_set(t, 1, 0, 0x2000 | TABLE);
	tables_set(t, 2, 0, 0x3000 | TABLE);
	tables_set(t, 3, 2, 0x4000 | TABLE);
	tables_set(t, 4, 0, 0x10000 | PTE);
	tables_set(t, 4, 2, 0x11000 | PTE);
	tables_set(t, 4, 511, 0x12000 | PTE);
	return t;
}

static const struct paging *const four = &x86_64_paging[X86_64_4LEVEL];
static const struct paging *const five = &x86_64_paging[X86_64_5LEVEL];

TEST(leaves)
{
	struct tables *t = four_levels();
	struct story s = { .tell_tables = true };

	CHECK(walk(t, four, 0x400000, 0x600000, &s));
	CHECK_STR(s.text, "T3 1000\nT2 2000\nT1 3000\nT0 4000\n"
			  "E 400000+512@12 0p10000 2p11000 511p12000\n");
	/* Clipped to pages, and to the pages that a crooked range touches. */
	s.tell_tables = false;
	walk(t, four, 0x401000, 0x403000, &s);
	CHECK_STR(s.text, "E 401000+2@12 1p11000\n");
	walk(t, four, 0x401fff, 0x402001, &s);
	CHECK_STR(s.text, "E 401000+2@12 1p11000\n");
	walk(t, four, 0x402000, 0x402000, &s);
	CHECK_STR(s.text, "");
	walk(t, four, 0x402000, 0x401000, &s);
	CHECK_STR(s.text, "");
	tables_free(t);
}

TEST(huge)
{
	struct tables *t = four_levels();
	struct story s = { .calls = 0 };

	tables_set(t, 3, 3, 0x200000 | HUGE);
	tables_set(t, 3, 4, 0x400000 | HUGE);
	tables_set(t, 2, 1, 0x40000000 | HUGE);
	/* One run of two neighbours; between it and the next, holes. */
	walk(t, four, 0x600000, 0xc00000, &s);
	CHECK_STR(s.text, "E 600000+2@21 0p200000 1p400000\nH a00000-c00000@21\n");
	/* A range inside a huge entry gets the entry whole, with its own base. */
	walk(t, four, 0x7ff000, 0x800000, &s);
	CHECK_STR(s.text, "E 600000+1@21 0p200000\n");
	walk(t, four, 0x40001000, 0x40002000, &s);
	CHECK_STR(s.text, "E 40000000+1@30 0p40000000\n");
	tables_free(t);
}

TEST(holes)
{
	struct tables *t = four_levels();
	struct story s = { .calls = 0 };

	/* One call for each empty entry, clipped, with the entry's own shift. */
	walk(t, four, 0x1ff000, 0x401000, &s);
	CHECK_STR(s.text, "H 1ff000-200000@21\nH 200000-400000@21\nE 400000+1@12 0p10000\n");
	walk(t, four, 0x3fffffff, 0x80000001, &s);
	CHECK_STR(s.text, "H 3fffffff-40000000@21\nH 40000000-80000000@30\n"
			  "H 80000000-80000001@30\n");
	walk(t, four, 0x7fffff000000, 0x800000000000, &s);
	CHECK_STR(s.text, "H 7fffff000000-800000000000@39\n");
	/* The top of the upper half: nothing wraps. */
	walk(t, four, 0xffffffff80000000, UINT64_MAX, &s);
	CHECK_STR(s.text, "H ffffffff80000000-ffffffffffffffff@39\n");
	/* A walk does not go beyond the half that it starts in. */
	walk(t, four, 0xffff00000000, UINT64_MAX, &s);
	CHECK_STR(s.text, "H ffff00000000-1000000000000@39\n");
	tables_free(t);
}

TEST(hostile)
{
	struct tables *t = four_levels();
	struct story s = { .calls = 0 };

	/* Every entry of the root is the root. */
	for (unsigned i = 0; i < 512; i++)
		tables_set(t, 5, i, 0x5000 | TABLE);
	tables_set(t, 1, 1, 0x5000 | TABLE);
	walk(t, four, UINT64_C(1) << 39, (UINT64_C(1) << 39) + (UINT64_C(2) << 30), &s);
	CHECK_STR(s.text, "L 8000000000-8040000000 corrupt\nL 8040000000-8080000000 corrupt\n");
	/* Outside of the memory; not in the dump. */
	tables_set(t, 3, 3, 0x12345000 | TABLE);
	tables_set(t, 3, 4, 0x7000 | TABLE);
	t->absent[7] = true;
	walk(t, four, 0x601000, 0x803000, &s);
	CHECK_STR(s.text, "L 601000-800000 corrupt\nL 800000-803000 nodata\n");
	t->absent[1] = true;
	walk(t, four, 0x1000, 0x2000, &s);
	CHECK_STR(s.text, "L 1000-2000 nodata\n");
	tables_free(t);
}

struct sum {
	unsigned tables, limits;
};

static bool sum_table(void *arg, uint64_t pa, unsigned level)
{
	struct sum *s = arg;

	(void)pa;
	(void)level;
	s->tables++;
	return true;
}

static bool sum_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	struct sum *s = arg;

	s->limits += va < end && st == ST_LIMIT;
	return true;
}

/* Three levels that each point 512 times to the next: 2^27 PTE tables. */
TEST(budget)
{
	static const struct pgvisit count = { .table = sum_table, .lost = sum_lost };
	struct tables *t = tables_new();
	struct paging_env e = env();
	struct sum s = { 0, 0 };
	struct reader *r;

	for (unsigned level = 1; level < 4; level++)
		for (unsigned i = 0; i < 512; i++)
			tables_set(t, level, i, (level + 1) << 12 | TABLE);
	r = reader_new(&t->dump);
	CHECK(pgwalk(r, four, &e, 0x1000, 0, UINT64_C(1) << 47, &count, &s));
	CHECK(s.tables > TABLES_PAGES && s.tables < 1024);
	CHECK_EQ(s.limits, 1);
	/* A range that is walked in pieces, like vmas, is not refused. */
	s = (struct sum){ 0, 0 };
	for (uint64_t va = 0; va < UINT64_C(4) << 30; va += UINT64_C(512) << 20)
		pgwalk(r, four, &e, 0x1000, va, va + (UINT64_C(512) << 20), &count, &s);
	CHECK_EQ(s.tables, 8 * (3 + 256));
	CHECK_EQ(s.limits, 0);
	reader_free(r);
	tables_free(t);
}

TEST(stop)
{
	struct tables *t = four_levels();
	struct story s = { .stop_after = 1 };

	CHECK(!walk(t, four, 0x1ff000, 0x401000, &s));
	CHECK_STR(s.text, "H 1ff000-200000@21\n");
	tables_free(t);
}

TEST(five_levels)
{
	struct tables *t = four_levels();
	struct story s = { .calls = 0 };
	struct paging_env e = env();
	struct reader *r;
	uint64_t pa, run;

	tables_set(t, 6, 0, 0x1000 | TABLE);	/* pgd[0] -> the old root as p4d */
	tables_set(t, 6, 511, 0x1000 | TABLE);
	r = reader_new(&t->dump);
	pgwalk(r, five, &e, 0x6000, 0x402000, 0x403000, &visit, &s);
	pgwalk(r, five, &e, 0x6000, UINT64_C(1) << 48, UINT64_C(1) << 49, &visit, &s);
	CHECK_STR(s.text, "E 402000+1@12 0p11000\nH 1000000000000-2000000000000@48\n");
	CHECK_EQ(pgtrans(r, five, &e, 0x6000, 0x402abc, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x11abc);
	/* Sign extension does not matter to a table: ff... is index 511. */
	CHECK_EQ(pgtrans(r, five, &e, 0x6000, 0xffff000000402abc, &pa, &run), ST_OK);
	reader_free(r);
	tables_free(t);
}

/* Neighbours mapped to one page, as the tails of a large hugetlb page are. */
TEST(translate_same)
{
	struct tables *t = four_levels();
	struct paging_env e = env();
	uint64_t pa, run;
	struct reader *r;

	for (unsigned i = 4; i < 8; i++)
		tables_set(t, 4, i, 0x13000 | PTE);
	tables_set(t, 4, 8, 0x14000 | PTE);
	tables_set(t, 6, 0, 0x1000 | TABLE);
	r = reader_new(&t->dump);
	for (unsigned i = 4; i < 8; i++) {
		CHECK_EQ(pgtrans(r, four, &e, 0x1000, 0x400345 + i * 0x1000, &pa, &run), ST_OK);
		CHECK_EQ(pa, 0x13345);
		CHECK_EQ(run, 0x1000 - 0x345);
	}
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 0x408345, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x14345);
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 0x405000, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x13000);
	/* The same addresses in other tables. */
	CHECK_EQ(pgtrans(r, four, &e, 0x7000, 0x405000, &pa, &run), ST_FAULT);
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 0x405000, &pa, &run), ST_OK);
	CHECK_EQ(pgtrans(r, five, &e, 0x6000, 0x406000, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x13000);
	reader_free(r);
	tables_free(t);
}

TEST(translate)
{
	struct tables *t = four_levels();
	struct paging_env e = env();
	uint64_t pa, run;
	struct reader *r;

	tables_set(t, 3, 3, 0x200000 | HUGE);
	tables_set(t, 3, 4, 0x400000 | HUGE);
	tables_set(t, 4, 3, 0x12000 | PTE);
	tables_set(t, 4, 4, 0x13000 | PTE);
	tables_set(t, 3, 9, 0x12345000 | TABLE);
	tables_set(t, 3, 10, 0x7000 | TABLE);
	t->absent[7] = true;
	r = reader_new(&t->dump);
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 0x402345, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x11345);
	CHECK_EQ(run, 0x3000 - 0x345);
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 0x612345, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x212345);
	CHECK_EQ(run, 0x400000 - 0x12345);
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 0x401000, &pa, NULL), ST_FAULT);
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 0x1000, &pa, NULL), ST_FAULT);
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 9 << 21, &pa, NULL), ST_CORRUPT);
	CHECK_EQ(pgtrans(r, four, &e, 0x1000, 10 << 21, &pa, NULL), ST_NODATA);
	CHECK_EQ(pgtrans(r, four, &e, 0xfff000, 0, &pa, NULL), ST_CORRUPT);
	reader_free(r);
	tables_free(t);
}

/*
 * An invented CPU: 4-byte directory entries over 8-byte PTEs, a root of
 * two pages that begins where a page ends, tables of 1 KiB. Low 2 bits: kind.
 */
static void toy_decode(const struct paging *p, const struct paging_env *e, unsigned level,
		       const uint8_t *raw, unsigned n, struct pte *out)
{
	unsigned size = p->entry_size[level];

	for (unsigned i = 0; i < n; i++) {
		uint64_t v = load_uint(raw + i * size, size, e->big_endian);

		out[i] = (struct pte){ .kind = v & 3, .pa = v & ~UINT64_C(3) };
	}
}

static const struct paging toy = { "toy", 12, { 8, 4 }, 2, { 7, 11 }, 1, toy_decode, { 0 } };

TEST(geometry)
{
	struct tables *t = tables_new();
	struct paging_env e = { .max_pa = TABLES_PAGES * TABLES_PAGE, .big_endian = true };
	struct story s = { .calls = 0 };
	struct reader *r;

	CHECK_EQ(paging_shift(&toy, 0), 12);
	CHECK_EQ(paging_shift(&toy, 1), 19);
	/* The root is at 0x1e00: entry 127 ends the page, 1151 the next. */
	store_uint(&t->page[1][0xe00 + 127 * 4], 0x8400 | PTE_TABLE, 4, true);
	store_uint(&t->page[2][1023 * 4], 0x8400 | PTE_TABLE, 4, true);
	store_uint(&t->page[3][0], 0x8402 | PTE_TABLE, 4, true);	/* kind 3: no */
	store_uint(&t->page[3][4], 0x8404 | PTE_TABLE, 4, true);	/* not aligned */
	store_uint(&t->page[8][0x400 + 127 * 8], 0xabc000 | PTE_PAGE, 8, true);
	r = reader_new(&t->dump);
	pgwalk(r, &toy, &e, 0x1e00, UINT64_C(127) << 19, UINT64_C(129) << 19, &visit, &s);
	pgwalk(r, &toy, &e, 0x1e00, UINT64_C(1151) << 19, UINT64_C(1154) << 19, &visit, &s);
	CHECK_STR(s.text, "E 3f80000+128@12 127pabc000\n"
			  "H 4000000-4080000@19\n"
			  "E 23f80000+128@12 127pabc000\n"
			  "E 24000000+1@19 0S8400\n"
			  "L 24080000-24100000 corrupt\n");
	reader_free(r);
	tables_free(t);
}

/*
 * Huge pages with sizes of their own, like ppc's hugepd: the low three bits are the
 * kind; in a directory, six more are the size.
 */
static void hugepd_decode(const struct paging *p, const struct paging_env *e, unsigned level,
			  const uint8_t *raw, unsigned n, struct pte *out)
{
	(void)p;
	(void)e;
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = load32(raw + i * 4, true);

		out[i] = (struct pte){ .kind = v & 7, .pa = v & ~UINT64_C(0x1ff) };
		if (level && out[i].kind == PTE_HUGE_TABLE)
			out[i].shift = v >> 3 & 63;
	}
}

static const struct paging hugepd = { "hugepd", 12, { 4, 4 }, 2, { 9, 11 }, 3, hugepd_decode, { 0 } };

static uint32_t huge_table(uint32_t pa, unsigned shift)
{
	return pa | shift << 3 | PTE_HUGE_TABLE;
}

static void put(struct tables *t, unsigned page, unsigned i, uint32_t v)
{
	store_uint(&t->page[page][4 * i], v, 4, true);
}

/* Root in page 1, two directory entries for each page of 4 MiB, in page 3; then smaller pages. */
static struct tables *huge_tables(void)
{
	struct tables *t = tables_new();

	for (unsigned i = 4; i < 8; i++)
		put(t, 1, i, huge_table(i < 6 ? 0x3200 : 0x3400, 22));
	put(t, 3, 0x200 / 4, 0x800000 | PTE_PAGE);
	put(t, 1, 8, huge_table(0x4000, 20));		/* 1 MiB: two in an entry */
	put(t, 4, 1, 0xa00000 | PTE_PAGE);
	put(t, 1, 9, huge_table(0xff000, 22));		/* outside */
	put(t, 1, 10, huge_table(0x3200, 5));		/* less than a page */
	put(t, 1, 11, huge_table(0x3200, 63));
	/* a second half without its first; a first whose second is something else */
	put(t, 1, 13, huge_table(0x3200, 22));
	put(t, 1, 14, huge_table(0x3200, 22));
	return t;
}

TEST(huge_tables)
{
	struct paging_env e = { .max_pa = TABLES_PAGES * TABLES_PAGE };
	struct tables *t = huge_tables();
	struct reader *r = reader_new(&t->dump);
	struct story s = { .calls = 0 };
	uint64_t pa, run;

	/* each once, whole, though the walk begins and ends inside */
	pgwalk(r, &hugepd, &e, 0x1000, 0xa00000, 0xb00000, &visit, &s);
	CHECK_STR(s.text, "E 800000+1@22 0p800000\n");
	s.len = 0;
	pgwalk(r, &hugepd, &e, 0x1000, 0x800000, 0x1800000, &visit, &s);
	CHECK_STR(s.text, "E 800000+1@22 0p800000\n"
			  "H c00000-1000000@22\n"
			  "H 1000000-1100000@20\n"
			  "E 1100000+1@20 0pa00000\n"
			  "L 1200000-1400000 corrupt\n"
			  "L 1400000-1600000 corrupt\n"
			  "L 1600000-1800000 corrupt\n");
	s.len = 0;
	pgwalk(r, &hugepd, &e, 0x1000, 0x1800000, 0x2000000, &visit, &s);
	CHECK_STR(s.text, "H 1800000-1a00000@21\n"
			  "L 1a00000-1c00000 corrupt\n"
			  "E 1c00000+1@22 0p800000\n");
	CHECK_EQ(pgtrans(r, &hugepd, &e, 0x1000, 0xa12345, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0xa12345);
	CHECK_EQ(run, 0xc00000 - 0xa12345);
	CHECK_EQ(pgtrans(r, &hugepd, &e, 0x1000, 0x1112345, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0xa12345);
	CHECK_EQ(pgtrans(r, &hugepd, &e, 0x1000, 0xc00000, &pa, NULL), ST_FAULT);
	CHECK_EQ(pgtrans(r, &hugepd, &e, 0x1000, 0x1200000, &pa, NULL), ST_CORRUPT);
	CHECK_EQ(pgtrans(r, &hugepd, &e, 0x1000, 0x1600000, &pa, NULL), ST_CORRUPT);
	reader_free(r);
	tables_free(t);
}
