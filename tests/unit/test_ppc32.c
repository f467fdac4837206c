/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page-table entries of 32-bit PowerPC, family by family and era by era.
 *
 * Raw values are written out here from the bits that the kernel's headers name
 * (arch/powerpc/include/asm/pte-*.h, book3s/32/pgtable.h, nohash/32/pte-*.h and
 * their ancestors in asm-ppc/pgtable.h), not with the decoder's tables.
 */
#include <elf.h>

#include "arch/ppc/ppc32.h"
#include "tests/unit/check.h"
#include "tests/unit/tables.h"

struct sample {
	const char *what;
	enum ppc32_family family;
	unsigned pte_size, major, minor;
	uint64_t raw;
	unsigned kind;
	uint64_t pa;
	unsigned flags;
};

#define RWX (PTE_WRITE | PTE_EXEC)
#define DY (PTE_DIRTY | PTE_YOUNG)

static const struct sample samples[] = {
	/* PRESENT 1, HASHPTE 2, USER 4, DIRTY 0x80, ACCESSED 0x100, EXEC 0x200, RW 0x400 */
	{ "6xx", PPC_6XX, 4, 6, 1, 0x01234787, PTE_PAGE, 0x01234000, RWX | DY },
	{ "6xx clean", PPC_6XX, 4, 6, 1, 0x01234005, PTE_PAGE, 0x01234000, 0 },
	{ "6xx special", PPC_6XX, 4, 6, 1, 0x01234905, PTE_PAGE, 0x01234000,
	  PTE_YOUNG | PTE_SPECIAL },
	{ "6xx PROT_NONE", PPC_6XX, 4, 6, 1, 0x01234001, PTE_PAGE, 0x01234000, PTE_PROTNONE },
	{ "6xx, what the hash table left", PPC_6XX, 4, 6, 1, 0x2, PTE_NONE, 0, 0 },
	{ "6xx swap", PPC_6XX, 4, 6, 1, (0x345u << 5 | 2) << 3, PTE_SWAP, 0x345,
	  PTE_RAW_YOUNG },
	{ "6xx 64-bit", PPC_6XX, 8, 6, 1, 0x900000185, PTE_PAGE, 0x900000000, DY },
	{ "6xx 64-bit none", PPC_6XX, 8, 6, 1, 0x900000002, PTE_NONE, 0, 0 },
	/* PRESENT 2, USER 0x10, RW 0x40 (0x100 in 6.1), DIRTY 0x80, EX 0x200, ACCESSED 0x400 */
	{ "40x", PPC_40X, 4, 4, 4, 0x00abc6d2, PTE_PAGE, 0x00abc000, RWX | DY },
	{ "40x 6.1", PPC_40X, 4, 6, 1, 0x00abc512, PTE_PAGE, 0x00abc000,
	  PTE_WRITE | PTE_YOUNG },
	{ "40x special", PPC_40X, 4, 6, 1, 0x00abc032, PTE_PAGE, 0x00abc000, PTE_SPECIAL },
	/* PRESENT 1, RW 2, USER 0x40; DIRTY 4, then 0x200, then 0x10; ACCESSED 8, then 0x40 */
	{ "44x 2.4", PPC_44X, 8, 2, 427, 0x10234504f, PTE_PAGE, 0x102345000, PTE_WRITE | DY },
	{ "44x 2.6.18", PPC_44X, 8, 2, 618, 0x10234524b, PTE_PAGE, 0x102345000,
	  PTE_WRITE | DY },
	{ "44x 2.6.32", PPC_44X, 8, 2, 632, 0x10234505b, PTE_PAGE, 0x102345000,
	  PTE_WRITE | DY },
	{ "44x 6.1", PPC_44X, 8, 6, 1, 0x10234505f, PTE_PAGE, 0x102345000, RWX | DY },
	{ "44x 6.1 special", PPC_44X, 8, 6, 1, 0x102345069, PTE_PAGE, 0x102345000,
	  PTE_YOUNG | PTE_SPECIAL },
	{ "44x 6.12", PPC_44X, 8, 6, 12, 0x10234505b, PTE_PAGE, 0x102345000, PTE_WRITE | DY },
	{ "44x 6.12 old", PPC_44X, 8, 6, 12, 0x102345009, PTE_PAGE, 0x102345000, 0 },
	{ "44x none", PPC_44X, 8, 6, 1, 0x100000000, PTE_NONE, 0, 0 },
	{ "44x swap", PPC_44X, 8, 6, 1, (0xabcu << 5 | 31) << 3, PTE_SWAP, 0xabc,
	  PTE_RAW_DIRTY | PTE_RAW_YOUNG },
	/* PRESENT 1; the rest moved with each rewrite of the TLB handlers */
	{ "8xx 2.6.18", PPC_8XX, 4, 2, 618, 0x003458e9, PTE_PAGE, 0x00345000, RWX | DY },
	{ "8xx 2.6.18 none", PPC_8XX, 4, 2, 618, 0x80, PTE_NONE, 0, 0 },
	{ "8xx 2.6.32", PPC_8XX, 4, 2, 632, 0x003458a9, PTE_PAGE, 0x00345000,
	  PTE_SPECIAL | DY },
	{ "8xx 3.10", PPC_8XX, 4, 3, 10, 0x00345d21, PTE_PAGE, 0x00345000, PTE_WRITE | DY },
	{ "8xx 4.4", PPC_8XX, 4, 4, 4, 0x00345961, PTE_PAGE, 0x00345000, RWX | DY },
	{ "8xx 4.4 read-only", PPC_8XX, 4, 4, 4, 0x00345e21, PTE_PAGE, 0x00345000, PTE_YOUNG },
	{ "8xx 6.1", PPC_8XX, 4, 6, 1, 0x00345161, PTE_PAGE, 0x00345000, RWX | DY },
	{ "8xx 6.1 read-only", PPC_8XX, 4, 6, 1, 0x003456a1, PTE_PAGE, 0x00345000,
	  PTE_YOUNG | PTE_SPECIAL },
	{ "8xx 6.1 PROT_NONE", PPC_8XX, 4, 6, 1, 0x00345201, PTE_PAGE, 0x00345000,
	  PTE_WRITE | PTE_PROTNONE },
	/* PRESENT 1, USER 2, RW 4, DIRTY 8, HWEXEC 0x10, ACCESSED 0x20, SPECIAL 0x800 */
	{ "e500", PPC_E500, 4, 6, 1, 0x0765403f, PTE_PAGE, 0x07654000, RWX | DY },
	{ "e500 special", PPC_E500, 4, 3, 10, 0x07654803, PTE_PAGE, 0x07654000, PTE_SPECIAL },
	{ "e500 2.6.11", PPC_E500, 4, 2, 611, 0x07654837, PTE_PAGE, 0x07654000, RWX | DY },
	{ "e500 2.6.18 wide", PPC_E500, 8, 2, 618, 0x0765408037, PTE_PAGE, 0x7654000, RWX | DY },
	/* PRESENT 1, BAP_SR 4, UR 8, SW 0x10, UW 0x20, UX 0x80, DIRTY 0x1000, SW0 0x2000,
	   ACCESSED 0x40000, page number from bit 24 */
	{ "book3e", PPC_E500, 8, 6, 1, UINT64_C(0xf0123456) << 24 | 0x4103d, PTE_PAGE,
	  0xf0123456000, PTE_WRITE | DY },
	{ "book3e exec, special", PPC_E500, 8, 6, 1, 0x123450420cd, PTE_PAGE, 0x12345000,
	  PTE_YOUNG | PTE_SPECIAL | PTE_EXEC },
	{ "book3e none", PPC_E500, 8, 6, 1, 0x100000000, PTE_NONE, 0, 0 },
};

static struct pte decode_with(const struct paging *p, const struct paging_env *env,
			      unsigned level, uint64_t raw)
{
	struct pte out = { .pa = 0x5a5a, .flags = 0x5a5a, .kind = 0x5a };
	uint8_t bytes[16];

	for (unsigned i = 0; i < 16; i += 4)	/* an 8xx PTE of 16K pages: four times */
		store_uint(bytes + i, raw, 4, true);
	if (!level && p->entry_size[0] == 8)
		store_uint(bytes, raw, 8, true);
	p->decode(p, env, level, bytes, 1, &out);
	return out;
}

TEST(samples)
{
	for (unsigned i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		enum ppc32_form form = ppc32_form(s->family, s->pte_size, mainline(s->major, s->minor));
		const struct paging *p = ppc32_paging(s->family, form, 12, s->pte_size);
		struct paging_env env = { .max_pa = UINT64_MAX, .form = (uint8_t)form };
		struct pte got;

		got = decode_with(p, &env, 0, s->raw);
		if (got.kind != s->kind || got.pa != s->pa || got.flags != s->flags)
			fprintf(stderr, "%s\n", s->what);
		CHECK_EQ(got.kind, s->kind);
		CHECK_EQ(got.pa, s->pa);
		CHECK_EQ(got.flags, s->flags);
	}
}

static struct pte directory(enum ppc32_family family, unsigned minor, uint64_t offset,
			    uint32_t raw)
{
	unsigned size = family == PPC_44X ? 8 : 4;
	struct paging_env env = { .max_pa = UINT64_MAX, .table_offset = offset };

	env.form = (uint8_t)ppc32_form(family, size, V(6, minor));
	return decode_with(ppc32_paging(family, env.form, 12, size), &env, 1, raw);
}

TEST(directories)
{
	uint64_t booke = -UINT64_C(0xc0000000);

	CHECK_EQ(directory(PPC_44X, 1, booke, 0).kind, PTE_NONE);
	CHECK_EQ(directory(PPC_44X, 1, booke, 0xc1234000).kind, PTE_TABLE);
	CHECK_EQ(directory(PPC_44X, 1, booke, 0xc1234000).pa, 0x1234000);
	CHECK_EQ(directory(PPC_44X, 1, booke, 0xc1234001).kind, PTE_BAD);
	/* memory from 64 MiB on, as a relocated e500 kernel has it */
	CHECK_EQ(directory(PPC_E500, 1, 0x4000000 + booke, 0xc1234000).pa, 0x5234000);
	CHECK_EQ(directory(PPC_6XX, 1, 0, 0x1234000).kind, PTE_TABLE);
	CHECK_EQ(directory(PPC_6XX, 1, 0, 0x1234000).pa, 0x1234000);
	CHECK_EQ(directory(PPC_40X, 1, 0, 0x1234400).kind, PTE_TABLE);
	CHECK_EQ(directory(PPC_40X, 1, 0, 0x1234400).pa, 0x1234000);
	CHECK_EQ(directory(PPC_40X, 1, 0, 0x1234000).kind, PTE_BAD);
	CHECK_EQ(directory(PPC_8XX, 1, 0, 0x1234041).kind, PTE_TABLE);
	CHECK_EQ(directory(PPC_8XX, 1, 0, 0x1234041).pa, 0x1234000);
}

/* hugepd: e500's without the top bit, size in the low six; 8xx: 0xc are 8 MiB. */
TEST(huge_tables)
{
	struct pte got = directory(PPC_E500, 1, -UINT64_C(0xc0000000), 0x41234dd6);

	CHECK_EQ(got.kind, PTE_HUGE_TABLE);
	CHECK_EQ(got.shift, 22);
	CHECK_EQ(got.pa, 0x1234dc0);
	got = directory(PPC_8XX, 1, 0, 0x0123404d);
	CHECK_EQ(got.kind, PTE_HUGE_TABLE);
	CHECK_EQ(got.shift, 23);
	CHECK_EQ(got.pa, 0x1234000);
	/* two usual tables since 6.11 */
	got = directory(PPC_8XX, 11, 0, 0x0123404d);
	CHECK_EQ(got.kind, PTE_TABLE);
	CHECK_EQ(got.pa, 0x1234000);
	/* e500 has them with 64-bit entries too, 44x does not */
	CHECK_EQ(directory(PPC_44X, 1, -UINT64_C(0xc0000000), 0x41234dd6).kind, PTE_BAD);
}

/* 6.11: entries of 8 bytes; one with a page size (TSIZE << 8, 0xc00: 4 MiB) is a PTE. */
TEST(wide_directory)
{
	struct paging_env env = { .max_pa = UINT64_MAX, .form = PPC32_BOOK3E_6_11,
				  .table_offset = -UINT64_C(0xc0000000) };
	const struct paging *p = ppc32_paging(PPC_E500, env.form, 12, 8);
	static const struct {
		uint64_t raw;
		unsigned kind;
		uint64_t pa;
	} entries[] = {
		{ 0, PTE_NONE, 0 },
		{ 0xc1234000, PTE_TABLE, 0x1234000 },
		{ UINT64_C(0x4000) << 24 | 0x41c3d, PTE_PAGE, 0x4000000 },
		/* the second half of the same page; and one above 4 GiB */
		{ UINT64_C(0x4200) << 24 | 0x41c3d, PTE_PAGE, 0x4200000 },
		{ UINT64_C(0x100400) << 24 | 0x41c3d, PTE_PAGE, UINT64_C(0x100400000) },
		{ 0xc1234001, PTE_BAD, 0x1234000 },
	};

	CHECK_EQ(ppc32_form(PPC_E500, 8, V(6, 11)), PPC32_BOOK3E_6_11);
	CHECK_EQ(ppc32_form(PPC_E500, 8, V(6, 10)), PPC32_BOOK3E);
	CHECK_EQ(p->entry_size[1], 8);
	CHECK_EQ(paging_shift(p, 1), 21);
	for (unsigned i = 0; i < ARRAY_LEN(entries); i++) {
		struct pte got;
		uint8_t raw[8];

		store_uint(raw, entries[i].raw, 8, true);
		p->decode(p, &env, 1, raw, 1, &got);
		CHECK_EQ(got.kind, entries[i].kind);
		CHECK_EQ(got.pa, entries[i].pa);
	}
}

/* All rows cover 32 bits; the indexes are those of page_32.h. */
TEST(rows)
{
	static const struct {
		enum ppc32_family family;
		unsigned page_shift, pte_size, low, high;
	} rows[] = {
		{ PPC_6XX, 12, 4, 10, 10 }, { PPC_44X, 12, 8, 9, 11 },
		{ PPC_44X, 14, 8, 11, 7 }, { PPC_44X, 16, 8, 13, 3 },
		{ PPC_44X, 18, 8, 13, 1 }, { PPC_8XX, 14, 4, 8, 10 },
	};

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		const struct paging *p = ppc32_paging(rows[i].family, PPC32_6XX,
						      rows[i].page_shift, rows[i].pte_size);

		CHECK(p);
		CHECK_EQ(p->bits[0], rows[i].low);
		CHECK_EQ(p->bits[1], rows[i].high);
		CHECK_EQ(paging_shift(p, p->nlevels), 32);
	}
	CHECK(!ppc32_paging(PPC_6XX, PPC32_6XX, 13, 4));
	CHECK_EQ(ppc32_paging(PPC_8XX, PPC32_8XX_5_0, 14, 4)->entry_size[0], 16);
}

/* A pgd of 8 KiB in two pages, 64-bit PTEs, tables by kernel-virtual address. */
TEST(walk_44x)
{
	struct tables *t = tables_new();
	struct paging_env env = { .max_pa = TABLES_PAGES << 12,
				  .table_offset = -UINT64_C(0xc0000000) };
	const struct paging *p = ppc32_paging(PPC_44X, PPC32_44X_2_6_26, 12, 8);
	struct reader *r;
	uint64_t pa = 0;

	env.form = (uint8_t)ppc32_form(PPC_44X, 8, V(6, 1));
	/* 0xbfe03000: directory entry 0x5ff (of the page at 5), PTE 3 */
	store_uint(&t->page[5][0x1ff * 4], 0xc0007000, 4, true);
	store_uint(&t->page[7][3 * 8], 0x2a000 | 0x59, 8, true);
	t->dump.big_endian = true;
	r = reader_new(&t->dump);
	CHECK_EQ(pgtrans(r, p, &env, 4 << 12, 0xbfe03456, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x2a456);
	CHECK_EQ(pgtrans(r, p, &env, 4 << 12, 0xbfe04000, &pa, NULL), ST_FAULT);
	CHECK_EQ(pgtrans(r, p, &env, 4 << 12, 0x10000000, &pa, NULL), ST_FAULT);
	reader_free(r);
	tables_free(t);
}
