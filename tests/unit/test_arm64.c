/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page-table entries of arm64. Raw values were seen in dumps of 6.1.192 (4K, 48 bits), 6.18.15 (4K) and
 * 6.12.118 (16K, LPA2), or are written out from pgtable-hwdef.h and pgtable.h of the release named.
 */
#include <elf.h>
#include <stdio.h>

#include "arch/arm/arm64.h"
#include "tests/unit/check.h"
#include "tests/unit/tables.h"

#define DY (PTE_DIRTY | PTE_YOUNG)

struct sample {
	const char *what;
	unsigned page_shift, bits;
	int version;
	unsigned level;
	uint64_t raw;
	unsigned kind;
	uint64_t pa;
	unsigned flags, type;
};

static const struct sample samples[] = {
	{ "written", 12, 48, V(6, 1), 0, 0x00e8000041a00f43, PTE_PAGE, 0x41a00000, PTE_WRITE | DY, 0 },
	{ "clean, may be written", 12, 48, V(6, 1), 0, 0x0068000041a00fc3, PTE_PAGE, 0x41a00000,
	  PTE_WRITE | PTE_YOUNG, 0 },
	{ "dirty by hardware", 12, 48, V(6, 1), 0, 0x0068000041a00f43, PTE_PAGE, 0x41a00000, PTE_WRITE | DY, 0 },
	{ "PROT_NONE of 6.1", 12, 48, V(6, 1), 0, 0x0460000041b00f82, PTE_PAGE, 0x41b00000,
	  PTE_YOUNG | PTE_PROTNONE, 0 },
	{ "PROT_NONE of 6.18", 12, 48, V(6, 18), 0, 0x00e0000048190b82, PTE_PAGE, 0x48190000,
	  PTE_DIRTY | PTE_PROTNONE, 0 },
	{ "to be valid again", 12, 48, V(6, 18), 0, 0x00a0000048190bc2, PTE_PAGE, 0x48190000,
	  PTE_DIRTY | PTE_EXEC, 0 },
	{ "poisoned, 6.1", 12, 48, V(6, 1), 0, 0x41b20d8, PTE_SWAP, 0x41b20, 0, 27 },
	{ "poisoned, 6.18", 12, 48, V(6, 18), 0, 0x481a0600, PTE_SWAP, 0x481a0, 0, 24 },
	{ "poisoned, 16K", 14, 52, V(6, 12), 0, 0x108306c0, PTE_SWAP, 0x10830, 0, 27 },
	{ "a guard", 12, 52, V(6, 18), 0, 0x47c0, PTE_SWAP, 4, 0, 31 },
	{ "swap of 4.19", 12, 48, V(4, 19), 0, 0x777 << 8 | 3 << 2, PTE_SWAP, 0x777, 0, 3 },
	{ "exclusive of 5.19", 12, 48, V(5, 19), 0, 0x777 << 8 | 3 << 3 | 4, PTE_SWAP, 0x777, 0, 3 },
	{ "swap, write-protected", 12, 48, V(6, 10), 0, 0x777000 | 3 << 6 | 8, PTE_SWAP, 0x777, PTE_UFFD_WP, 3 },
	{ "write-protected by userfaultfd", 12, 48, V(6, 10), 0, 0x04e0000041a00fc3, PTE_PAGE, 0x41a00000,
	  DY | PTE_UFFD_WP, 0 },
	{ "zero page", 12, 48, V(6, 18), 0, 0x0160000042bbffc3, PTE_PAGE, 0x42bbf000, PTE_SPECIAL | PTE_YOUNG, 0 },
	{ "devmap", 12, 48, V(6, 1), 0, 0x0360000042bbf7c3, PTE_PAGE, 0x42bbf000,
	  PTE_SPECIAL | PTE_DEVMAP | PTE_YOUNG, 0 },
	{ "text", 12, 48, V(6, 1), 0, 0x0020000042bbffc3, PTE_PAGE, 0x42bbf000, PTE_EXEC | PTE_YOUNG, 0 },
	{ "LPA2: 9:8 are 51:50", 14, 52, V(6, 12), 0, 0x00e8000041f70f43, PTE_PAGE, 0xc000041f70000, PTE_WRITE | DY, 0 },
	{ "LPA2: 49:48 in place", 12, 52, V(6, 12), 0, 0x00eb000041f70c43, PTE_PAGE, 0x3000041f70000, PTE_WRITE | DY, 0 },
	{ "64K: 15:12 are 51:48", 16, 52, V(6, 12), 0, 0x00e8000041f75f43, PTE_PAGE, 0x5000041f70000, PTE_WRITE | DY, 0 },
	{ "none", 12, 48, V(6, 1), 0, 0, PTE_NONE, 0, 0, 0 },
	{ "a block at the lowest level", 12, 48, V(6, 1), 0, 0x00e8000041a00f41, PTE_BAD, 0, 0, 0 },
	/* upper levels */
	{ "table", 12, 48, V(6, 1), 1, 0x0800000041a00003, PTE_TABLE, 0x41a00000, 0, 0 },
	{ "table of the kernel", 12, 52, V(6, 18), 3, 0x100000006ffff003, PTE_TABLE, 0x6ffff000, 0, 0 },
	{ "huge", 12, 48, V(6, 1), 1, 0x00e8000041a00f41, PTE_PAGE, 0x41a00000, PTE_WRITE | DY, 0 },
	{ "1 GiB", 12, 48, V(6, 1), 2, 0x00e8000040000f41, PTE_PAGE, 0x40000000, PTE_WRITE | DY, 0 },
	{ "512 GiB: nobody has them", 12, 48, V(6, 1), 3, 0x00e8000000000f41, PTE_BAD, 0, 0, 0 },
	{ "32 MiB", 14, 47, V(6, 12), 1, 0x00e8000042000f41, PTE_PAGE, 0x42000000, PTE_WRITE | DY, 0 },
	{ "512 MiB", 16, 48, V(6, 12), 1, 0x00e8000040000f41, PTE_PAGE, 0x40000000, PTE_WRITE | DY, 0 },
	{ "not aligned", 12, 48, V(6, 1), 1, 0x00e8000041a01f41, PTE_BAD, 0, 0, 0 },
	{ "huge, being split (6.1)", 12, 48, V(6, 1), 1, 0x08e8000041a00f40, PTE_PAGE, 0x41a00000, PTE_WRITE | DY, 0 },
	{ "huge, being split (6.12)", 12, 48, V(6, 12), 1, 0x00e8000041a00f40, PTE_PAGE, 0x41a00000,
	  PTE_WRITE | DY, 0 },
	{ "huge, migrating", 12, 48, V(6, 12), 1, 0x41a00000 | 29 << 6, PTE_SWAP, 0x41a00, 0, 29 },
};

TEST(samples)
{
	for (unsigned i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		const struct paging *p = arm64_row(s->page_shift, s->bits);
		struct paging_env env;
		struct pte got = { .kind = 0x5a };
		uint8_t raw[8];

		if (!CHECK(p))
			continue;
		arm64_env_init(&env, s->page_shift, s->bits, UINT64_MAX);
		arm64_env_of(&env, s->version);
		store_uint(raw, s->raw, 8, false);
		p->decode(p, &env, s->level, raw, 1, &got);
		CHECK_EQ(got.kind, s->kind);
		if (s->kind != PTE_BAD && (got.pa != s->pa || (got.flags & ~(PTE_RAW_DIRTY | PTE_RAW_YOUNG)) != s->flags))
			printf("%s: %#llx, flags %#x\n", s->what, (unsigned long long)got.pa, got.flags);
		if (s->kind != PTE_BAD) {
			CHECK_EQ(got.pa, s->pa);
			CHECK_EQ(got.flags & ~(PTE_RAW_DIRTY | PTE_RAW_YOUNG), s->flags);
		}
		if (s->kind == PTE_SWAP)
			CHECK_EQ(got.swap_type, s->type);
	}
}

/* Table sizes of asm/pgtable-hwdef.h: bits that each level translates, the lowest first. */
TEST(rows)
{
	static const struct { unsigned page_shift, bits, levels, root; } known[] = {
		{ 12, 39, 3, 512 }, { 12, 48, 4, 512 }, { 12, 52, 5, 16 }, { 14, 36, 2, 2048 },
		{ 14, 47, 3, 2048 }, { 14, 48, 4, 2 }, { 14, 52, 4, 32 }, { 16, 42, 2, 8192 },
		{ 16, 48, 3, 64 }, { 16, 52, 3, 1024 },
	};

	for (unsigned i = 0; i < ARRAY_LEN(known); i++) {
		const struct paging *p = arm64_row(known[i].page_shift, known[i].bits);

		if (!CHECK(p))
			continue;
		CHECK_EQ(p->nlevels, known[i].levels);
		CHECK_EQ(1u << p->bits[p->nlevels - 1], known[i].root);
	}
	CHECK(!arm64_row(12, 47) && !arm64_row(14, 39) && !arm64_row(16, 39) && !arm64_row(13, 48));
}

/* One entry of sixteen is young, another dirty: so are all, wherever the walk begins. */
struct seen { unsigned n, young, dirty; };

static bool see(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct seen *s = arg;

	(void)va, (void)shift;
	for (unsigned i = 0; i < n; i++) {
		s->n += pte[i].kind == PTE_PAGE;
		s->young += pte[i].kind == PTE_PAGE && pte[i].flags & PTE_YOUNG;
		s->dirty += pte[i].kind == PTE_PAGE && pte[i].flags & PTE_DIRTY;
	}
	return true;
}

static void check_block(struct tables *t, int version, unsigned from, unsigned to, struct seen want)
{
	static const struct pgvisit visit = { .entries = see };
	const struct paging *p = arm64_row(12, 39);
	struct reader *r = reader_new(&t->dump);
	struct paging_env env;
	struct seen got = { 0 };

	arm64_env_init(&env, 12, 39, TABLES_PAGES << 12);
	arm64_env_of(&env, version);
	CHECK(pgwalk(r, p, &env, 1 << 12, from << 12, to << 12, &visit, &got));
	CHECK_EQ(got.n, want.n);
	CHECK_EQ(got.young, want.young);
	CHECK_EQ(got.dirty, want.dirty);
	reader_free(r);
}

TEST(contiguous)
{
	struct tables *t = tables_new();

	store_uint(&t->page[1][0], 0x2003, 8, false);
	store_uint(&t->page[2][0], 0x3003, 8, false);
	for (unsigned i = 0; i < 32; i++) {
		uint64_t v = 0x00700000000108c3 + ((uint64_t)i << 12);

		v |= i == 5 ? 0x400 : 0;			/* AF */
		v |= i == 9 ? UINT64_C(0x0080000000000000) : 0;	/* the software's dirty bit */
		v &= i < 16 ? UINT64_MAX : ~UINT64_C(0x0010000000000000);
		store_uint(&t->page[3][(size_t)i * 8], v, 8, false);
	}
	check_block(t, V(6, 12), 0, 32, (struct seen){ 32, 16, 16 });
	check_block(t, V(6, 12), 7, 8, (struct seen){ 1, 1, 1 });
	check_block(t, V(6, 12), 12, 20, (struct seen){ 8, 4, 4 });
	check_block(t, V(5, 10), 0, 32, (struct seen){ 32, 1, 1 });
	tables_free(t);
}

/* What VMCOREINFO says, and what it contradicts. */
static enum status attach(const char *text, struct tables *t, const struct arch **a)
{
	t->dump.elf_machine = EM_AARCH64;
	t->dump.word_size = 8;
	t->dump.vmcoreinfo = text;
	return arch_attach(&t->dump, a);
}

#define SYMBOLS "SYMBOL(swapper_pg_dir)=ffff800080011000\nNUMBER(kimage_voffset)=0xffff800080000000\n"

TEST(attach)
{
	static const struct { const char *text, *says; } bad[] = {
		{ "PAGESIZE=4096\n", "VA_BITS" },
		{ "PAGESIZE=16384\nNUMBER(VA_BITS)=48\n" SYMBOLS, "page size" },
		{ "PAGESIZE=4096\nNUMBER(VA_BITS)=47\n" SYMBOLS, "contradicts" },
		{ "PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0xc\n" SYMBOLS, "contradicts" },
		{ "PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x10\n", "swapper_pg_dir" },
		{ "PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x10\nNUMBER(kimage_voffset)=0x1000\n"
		  "SYMBOL(swapper_pg_dir)=ffff800080011000\n", "not where" },
	};
	struct tables *t = tables_new();
	const struct arch *a;
	uint64_t pa;
	struct reader *r;

	for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK_EQ(attach(bad[i].text, t, &a), ST_UNSUPPORTED);
		CHECK(strstr(t->dump.diag.text, bad[i].says));
	}
	/* 0xffff800080011000 by 4 levels: entries 256, 2, 0 and 17 */
	store_uint(&t->page[17][256 * 8], 0x12003, 8, false);
	store_uint(&t->page[18][2 * 8], 0x13003, 8, false);
	store_uint(&t->page[19][0], 0x14003, 8, false);
	store_uint(&t->page[20][17 * 8], 0x0078000000011703, 8, false);
	CHECK_EQ(attach("PAGESIZE=4096\nNUMBER(VA_BITS)=52\nNUMBER(TCR_EL1_T1SZ)=0x10\nOSRELEASE=6.12.0\n"
			"NUMBER(PHYS_OFFSET)=0xfff1000000000000\n" SYMBOLS, t, &a), ST_OK);
	r = reader_new(&t->dump);
	CHECK_EQ(reader_kvtop(r, 0xffff800080011008, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x11008);
	/* memory: PHYS_OFFSET is so negative that a map of 48 bits begins at 0xffff000000000000 */
	CHECK_EQ(a->by_rule(&t->dump, 0xffff000000005000, &pa, &(uint64_t){ 0 }), ST_OK);
	CHECK_EQ(pa, 0x5000);
	CHECK_EQ(a->by_rule(&t->dump, 0x0fff000000005000, &pa, &(uint64_t){ 0 }), ST_OK);	/* a tag */
	CHECK_EQ(a->by_rule(&t->dump, 0xfff0000000005000, &pa, &(uint64_t){ 0 }), ST_NODATA);
	CHECK(a->is_kernel_addr(&t->dump, 0xffff800080011000) && !a->is_kernel_addr(&t->dump, 0xfff0000000000000));
	CHECK_EQ(a->user_end(&t->dump), UINT64_C(1) << 48);
	reader_free(r);
	tables_free(t);
}
