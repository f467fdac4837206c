/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page-table entries of riscv64, worked out by hand from pgtable-bits.h, pgtable-64.h and pgtable.h (6.12.117, 7.2.13; of
 * 5.10 and 5.19 by their swap entries), and the RISC-V privileged architecture (Svnapot, Svpbmt). The frame at
 * 0x81a00000 has number 0x81a00, which in bits 53:10 is 0x20680000.
 */
#include <elf.h>
#include <stdio.h>

#include "arch/riscv/riscv64.h"
#include "tests/unit/check.h"
#include "tests/unit/tables.h"

#define DY (PTE_DIRTY | PTE_YOUNG)
#define RAW (PTE_RAW_DIRTY | PTE_RAW_YOUNG)

struct sample {
	const char *what;
	int version;
	unsigned level;
	uint64_t raw;
	unsigned kind;
	uint64_t pa;
	unsigned flags, type;
};

static const struct sample samples[] = {
	{ "written", V(6, 12), 0, 0x206800d7, PTE_PAGE, 0x81a00000, PTE_WRITE | DY, 0 },
	{ "not accessed yet", V(6, 12), 0, 0x20680013, PTE_PAGE, 0x81a00000, 0, 0 },
	{ "clean, may be written", V(6, 12), 0, 0x20680057, PTE_PAGE, 0x81a00000, PTE_WRITE | PTE_YOUNG, 0 },
	{ "text", V(6, 12), 0, 0x2068005b, PTE_PAGE, 0x81a00000, PTE_EXEC | PTE_YOUNG, 0 },
	{ "code that cannot be read", V(6, 12), 0, 0x20680059, PTE_PAGE, 0x81a00000, PTE_EXEC | PTE_YOUNG, 0 },
	{ "shadow stack", V(7, 2), 0, 0x206800d5, PTE_PAGE, 0x81a00000, PTE_WRITE | DY, 0 },
	{ "zero page", V(6, 12), 0, 0x20680153, PTE_PAGE, 0x81a00000, PTE_SPECIAL | PTE_YOUNG, 0 },
	{ "devmap", V(6, 12), 0, 0x20680357, PTE_PAGE, 0x81a00000, PTE_SPECIAL | PTE_DEVMAP | PTE_WRITE | PTE_YOUNG, 0 },
	{ "the highest frame", V(6, 12), 0, 0x003ffffffffffcd7, PTE_PAGE, 0x00fffffffffff000, PTE_WRITE | DY, 0 },
	{ "PROT_NONE since 5.17", V(5, 17), 0, 0x206800e2, PTE_PAGE, 0x81a00000, PTE_PROTNONE | DY, 0 },
	{ "PROT_NONE of 5.10", V(5, 10), 0, 0x206800c2, PTE_PAGE, 0x81a00000, PTE_PROTNONE | DY, 0 },
	{ "not cached (Svpbmt)", V(6, 12), 0, 0x20000000206800d7, PTE_PAGE, 0x81a00000, PTE_WRITE | DY, 0 },
	{ "of a device (Svpbmt)", V(6, 12), 0, 0x40000000206801d7, PTE_PAGE, 0x81a00000, PTE_SPECIAL | PTE_WRITE | DY, 0 },
	{ "memory of T-Head", V(6, 12), 0, 0x70000000206800d7, PTE_PAGE, 0x81a00000, PTE_WRITE | DY, 0 },
	{ "device of T-Head", V(6, 12), 0, 0x80000000206805d7, PTE_PAGE, 0x81a01000, PTE_SPECIAL | PTE_WRITE | DY, 0 },
	{ "write-protected by userfaultfd", V(7, 2), 0, 0x1000000020680053, PTE_PAGE, 0x81a00000,
	  PTE_UFFD_WP | PTE_YOUNG, 0 },
	{ "soft-dirty", V(7, 2), 0, 0x08000000206800d7, PTE_PAGE, 0x81a00000, PTE_SOFT_DIRTY | PTE_WRITE | DY, 0 },
	{ "64 KiB (Svnapot)", V(6, 12), 0, 0x80000000206820d7, PTE_PAGE, 0x81a00000, PTE_WRITE | DY, 16 },
	{ "64 KiB under PROT_NONE", V(6, 12), 0, 0x80000000206820e2, PTE_PAGE, 0x81a00000, PTE_PROTNONE | DY, 16 },
	{ "swap, the offset ends in N", V(6, 12), 0, 0x8000000000002180, PTE_SWAP, 0x8000000000002, 0, 3 },
	{ "swap", V(6, 12), 0, 0x777180, PTE_SWAP, 0x777, 0, 3 },
	{ "swap, exclusive", V(6, 12), 0, 0x7771c0, PTE_SWAP, 0x777, 0, 3 },
	{ "swap, write-protected", V(7, 2), 0, 0x777190, PTE_SWAP, 0x777, PTE_UFFD_WP, 3 },
	{ "swap, soft-dirty", V(7, 2), 0, 0x777188, PTE_SWAP, 0x777, PTE_SOFT_DIRTY, 3 },
	{ "swap, the last type and offset", V(6, 12), 0, 0xffffffffffffff80, PTE_SWAP, 0xfffffffffffff, 0, 31 },
	{ "swap of 5.19", V(5, 19), 0, 0x3bb8c0, PTE_SWAP, 0x777, 0, 3 },
	{ "swap of 5.10", V(5, 10), 0, 0x3bb8c, PTE_SWAP, 0x777, 0, 3 },
	{ "none", V(6, 12), 0, 0, PTE_NONE, 0, 0, 0 },
	{ "a table at the lowest level", V(6, 12), 0, 0x20680001, PTE_BAD, 0, 0, 0 },
	{ "written and run, not read", V(6, 12), 0, 0x206800dd, PTE_BAD, 0, 0, 0 },
	{ "a reserved bit", V(6, 12), 0, 0x00400000206800d7, PTE_BAD, 0, 0, 0 },
	/* upper levels */
	{ "table", V(6, 12), 1, 0x20680001, PTE_TABLE, 0x81a00000, 0, 0 },
	{ "table at the top", V(6, 12), 3, 0x20680021, PTE_TABLE, 0x81a00000, 0, 0 },
	{ "a dirty table", V(6, 12), 1, 0x20680081, PTE_BAD, 0, 0, 0 },
	{ "huge", V(6, 12), 1, 0x206800d7, PTE_PAGE, 0x81a00000, PTE_WRITE | DY, 0 },
	{ "1 GiB", V(6, 12), 2, 0x200000d7, PTE_PAGE, 0x80000000, PTE_WRITE | DY, 0 },
	{ "512 GiB of the kernel", V(6, 12), 3, 0x20000000e7, PTE_PAGE, 0x8000000000, PTE_WRITE | DY, 0 },
	{ "not aligned", V(6, 12), 1, 0x206804d7, PTE_BAD, 0, 0, 0 },
	{ "huge, a reserved bit", V(6, 12), 1, 0x00400000206800d7, PTE_BAD, 0, 0, 0 },
	{ "huge, PROT_NONE", V(6, 12), 1, 0x206800e2, PTE_PAGE, 0x81a00000, PTE_PROTNONE | DY, 0 },
	{ "huge, being split", V(6, 12), 1, 0x206800d6, PTE_PAGE, 0x81a00000, PTE_WRITE | DY, 0 },
	{ "huge, migrating", V(6, 12), 1, 0x81a00e80, PTE_SWAP, 0x81a00, 0, 29 },
	{ "1 GiB is not split", V(6, 12), 2, 0x200000c6, PTE_SWAP, 0x20000, 0, 1 },
	{ "1 GiB, migrating", V(6, 12), 2, 0x80000e80, PTE_SWAP, 0x80000, 0, 29 },
};

TEST(samples)
{
	for (unsigned i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		const struct paging *p = riscv64_row(48);
		struct paging_env env;
		struct pte got = { .kind = 0x5a };
		uint8_t raw[8];

		riscv64_env_init(&env, UINT64_MAX);
		riscv64_env_of(&env, s->version);
		store_uint(raw, s->raw, 8, false);
		p->decode(p, &env, s->level, raw, 1, &got);
		if (got.kind != s->kind || (s->kind != PTE_BAD && (got.pa != s->pa || (got.flags & ~RAW) != s->flags)))
			printf("%s: kind %u, %#llx, flags %#x\n", s->what, got.kind, (unsigned long long)got.pa, got.flags);
		CHECK_EQ(got.kind, s->kind);
		if (s->kind == PTE_BAD)
			continue;
		CHECK_EQ(got.pa, s->pa);
		CHECK_EQ(got.flags & ~RAW, s->flags);
		CHECK_EQ(got.swap_type, s->type);	/* of a page: its shift */
	}
}

/* Bits of raw entries that pte_dirty() and pte_young() look at. */
TEST(raw_flags)
{
	static const struct { uint64_t raw; unsigned flags; } of[] = {
		{ 0x777180, PTE_RAW_DIRTY }, { 0x777140, PTE_RAW_YOUNG }, { 0x777100, 0 },
	};

	for (unsigned i = 0; i < ARRAY_LEN(of); i++) {
		const struct paging *p = riscv64_row(39);
		struct paging_env env;
		struct pte got;
		uint8_t raw[8];

		riscv64_env_init(&env, UINT64_MAX);
		store_uint(raw, of[i].raw, 8, false);
		p->decode(p, &env, 0, raw, 1, &got);
		CHECK_EQ(got.flags, of[i].flags);
	}
}

TEST(rows)
{
	static const struct { unsigned bits, levels; } known[] = { { 39, 3 }, { 48, 4 }, { 57, 5 } };

	for (unsigned i = 0; i < ARRAY_LEN(known); i++) {
		const struct paging *p = riscv64_row(known[i].bits);

		if (CHECK(p))
			CHECK_EQ(p->nlevels, known[i].levels);
	}
	CHECK(!riscv64_row(32) && !riscv64_row(47) && !riscv64_row(64));
}

/* Pages that follow each other, with some that do not, and eight entries that map nothing: a table decodes as its
   entries do one by one. */
TEST(runs)
{
	enum { N = 40 };
	const struct paging *p = riscv64_row(39);
	struct pte one, all[N];
	struct paging_env env;
	uint8_t raw[N * 8];

	riscv64_env_init(&env, UINT64_MAX);
	for (unsigned i = 0; i < N; i++) {
		uint64_t low = i / 8 == 3 ? 0x01 : i == 33 ? 0x53 : 0xd7;

		store_uint(raw + (size_t)i * 8, i == 21 ? 0x777180 : 0x20680000 + (i << 10) + low, 8, false);
	}
	p->decode(p, &env, 0, raw, N, all);
	for (unsigned i = 0; i < N; i++) {
		p->decode(p, &env, 0, raw + (size_t)i * 8, 1, &one);
		CHECK(one.pa == all[i].pa && one.flags == all[i].flags && one.kind == all[i].kind &&
		      one.shift == all[i].shift);
	}
	CHECK_EQ(all[8].run, 8);
}

/* ---- NAPOT ------------------------------------------------------------------------------ */

#define ROOT 1
/* The 64 KiB from frame 0x20 on: the low bits of the number are 1000. */
#define NAPOT_20 (UINT64_C(0x8000000000000000) | 0x28 << 10 | 0x16)

/* Tables for 0x0 on: a page, at 0x10000 64 KiB, under PROT_NONE if VALID is 0x20, and a page after them, which follows
   in memory. */
static struct tables *napot_tables(uint64_t valid)
{
	struct tables *t = tables_new();

	tables_set(t, ROOT, 0, 2 << 10 | 1);
	tables_set(t, 2, 0, 3 << 10 | 1);
	tables_set(t, 3, 15, 0x1f << 10 | 0x17);
	for (unsigned i = 16; i < 32; i++)
		tables_set(t, 3, i, NAPOT_20 | valid | (i == 21 ? 0x40 : 0) | (i == 25 ? 0x80 : 0));
	tables_set(t, 3, 32, 0x30 << 10 | 0x17);
	return t;
}

struct seen {
	unsigned n, young, dirty;
	uint64_t pa;		/* of the last */
};

static bool see(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct seen *s = arg;

	for (unsigned i = 0; i < n; i++) {
		if (pte[i].kind != PTE_PAGE)
			continue;
		/* each page is 0x10 frames above its address */
		CHECK_EQ(pte[i].pa, va + ((uint64_t)i << shift) + 0x10000);
		s->n++;
		s->young += (pte[i].flags & PTE_YOUNG) != 0;
		s->dirty += (pte[i].flags & PTE_DIRTY) != 0;
		s->pa = pte[i].pa;
	}
	return true;
}

static void check_walk(struct tables *t, unsigned from, unsigned to, struct seen want)
{
	static const struct pgvisit visit = { .entries = see };
	struct reader *r = reader_new(&t->dump);
	struct paging_env env;
	struct seen got = { 0 };

	riscv64_env_init(&env, TABLES_PAGES << 12);
	CHECK(pgwalk(r, riscv64_row(39), &env, ROOT << 12, from << 12, to << 12, &visit, &got));
	CHECK_EQ(got.n, want.n);
	CHECK_EQ(got.young, want.young);
	CHECK_EQ(got.dirty, want.dirty);
	CHECK_EQ(got.pa, want.pa);
	reader_free(r);
}

/* Each of the sixteen has its own part of the 64 KiB, wherever the walk begins, and young and dirty of one are of all. */
TEST(napot_walk)
{
	for (uint64_t valid = 1; valid <= 0x20; valid += 0x1f) {
		struct tables *t = napot_tables(valid);

		check_walk(t, 0, 64, (struct seen){ 18, 16, 16, 0x30000 });
		check_walk(t, 19, 20, (struct seen){ 1, 1, 1, 0x23000 });
		check_walk(t, 28, 40, (struct seen){ 5, 4, 4, 0x30000 });
		tables_free(t);
	}
}

/* One address at a time, in order and back: neighbours with the same entry are not the same page. */
TEST(napot_translate)
{
	struct tables *t = napot_tables(1);
	struct reader *r = reader_new(&t->dump);
	struct paging_env env;
	uint64_t pa, run;

	riscv64_env_init(&env, TABLES_PAGES << 12);
	for (unsigned k = 0; k < 36; k++) {
		unsigned i = k < 18 ? 15 + k : 32 - (k - 18);
		uint64_t va = ((uint64_t)i << 12) + 0x123;

		CHECK_EQ(pgtrans(r, riscv64_row(39), &env, ROOT << 12, va, &pa, &run), ST_OK);
		CHECK_EQ(pa, va + 0x10000);
		CHECK(run && va + run <= 33 << 12);
		if (i >= 16 && i < 32 && k < 18)
			CHECK_EQ(run, (UINT64_C(32) << 12) - va);
	}
	reader_free(r);
	tables_free(t);
}

/* ---- attach ------------------------------------------------------------------------------- */

static enum status attach(const char *text, struct tables *t, const struct arch **a)
{
	t->dump.elf_machine = EM_RISCV;
	t->dump.word_size = 8;
	t->dump.vmcoreinfo = text;
	return arch_attach(&t->dump, a);
}

#define KERNEL "OSRELEASE=6.12.0\nSYMBOL(swapper_pg_dir)=ffffffff80011000\nSYMBOL(_stext)=ffffffff80002000\n"
#define OFFSET "NUMBER(va_kernel_pa_offset)=0xffffffff80000000\n"
#define LINEAR "NUMBER(phys_ram_base)=8192\nNUMBER(PAGE_OFFSET)=0xffffffd600000000\n"

/* 0xffffffff80011000 with 3 levels: entries 510, 0 and 17; page 17 is the root. */
static void lay_root(struct tables *t)
{
	tables_set(t, 17, 510, 18 << 10 | 1);
	tables_set(t, 18, 0, 19 << 10 | 1);
	tables_set(t, 19, 17, 17 << 10 | 0xe7);
}

TEST(attach_refuses)
{
	static const struct { const char *text, *says; } bad[] = {
		{ KERNEL OFFSET "NUMBER(VA_BITS)=47\n", "contradicts" },
		{ KERNEL OFFSET "NUMBER(VA_BITS)=48\nNUMBER(satp)=0x8000000000000011\n", "contradicts" },
		{ OFFSET "NUMBER(VA_BITS)=39\n", "swapper_pg_dir" },
		{ "SYMBOL(swapper_pg_dir)=ffffffff80011000\nNUMBER(VA_BITS)=39\n" OFFSET, "not where" },
		{ KERNEL, "not where" },
		{ "SYMBOL(swapper_pg_dir)=11000\n", "not where" },
	};
	struct tables *t = tables_new();
	const struct arch *a;

	for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK_EQ(attach(bad[i].text, t, &a), ST_UNSUPPORTED);
		CHECK(strstr(t->dump.diag.text, bad[i].says));
	}
	/* without its tables the image is translated, and an issue says so */
	CHECK_EQ(attach(KERNEL OFFSET "NUMBER(VA_BITS)=39\n", t, &a), ST_OK);
	CHECK_EQ(t->dump.issues.n, 1);
	tables_free(t);
}

static void check_attached(struct tables *t, const char *text)
{
	const struct arch *a;
	struct reader *r;
	uint64_t pa;

	if (!CHECK_EQ(attach(text, t, &a), ST_OK))
		return;
	r = reader_new(&t->dump);
	CHECK_EQ(reader_kvtop(r, 0xffffffff80011008, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x11008);
	CHECK(a->is_kernel_addr(&t->dump, 0xffffffc000000000) && !a->is_kernel_addr(&t->dump, 0xffffffbfffffffff));
	CHECK_EQ(a->user_end(&t->dump), UINT64_C(1) << 38);
	reader_free(r);
}

TEST(attach_finds)
{
	struct tables *t = tables_new();
	uint64_t pa, run;

	lay_root(t);
	check_attached(t, KERNEL OFFSET LINEAR "NUMBER(VA_BITS)=39\nNUMBER(satp)=0x8000000000000011\n");
	CHECK_EQ(arch_riscv64.by_rule(&t->dump, 0xffffffd600001000, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x3000);
	CHECK_EQ(run, ((uint64_t)TABLES_PAGES << 12) - 0x3000);
	CHECK_EQ(arch_riscv64.by_rule(&t->dump, 0xffffffff80001000, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x1000);
	CHECK_EQ(arch_riscv64.by_rule(&t->dump, 0xffffffd5fffff000, &pa, &run), ST_NODATA);
	tables_free(t);
	/* before 6.2 VMCOREINFO says nothing of that: the root maps itself, by 3 levels */
	t = tables_new();
	lay_root(t);
	check_attached(t, KERNEL);
	CHECK_EQ(t->dump.issues.n, 0);
	tables_free(t);
}
