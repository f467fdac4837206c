/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page-table entries of 64-bit PowerPC, and reading an LE guest under a BE header.
 *
 * Raw values are written out here from the bits that the kernel's headers name
 * (arch/powerpc/include/asm/book3s/64/pgtable.h, hash.h, radix.h; pgtable-ppc64.h
 * and pte-hash64*.h up to 4.4; nohash/pte-book3e.h), not with the decoder's tables.
 */
#include <elf.h>

#include "arch/ppc/ppc64.h"
#include "tests/unit/check.h"
#include "tests/unit/tables.h"

enum mmu { HASH, RADIX, BOOK3E };

struct sample {
	const char *what;
	enum mmu mmu;
	unsigned page_shift, major, minor, level;
	uint64_t raw;
	unsigned kind;
	uint64_t pa;
	unsigned flags;
};

#define P 0x8000000000000000	/* _PAGE_PRESENT */
#define PTE 0x4000000000000000	/* _PAGE_PTE */
#define INVALID 0x2000000000000000
#define DY (PTE_DIRTY | PTE_YOUNG)

static const struct sample samples[] = {
	/* EXEC 1, WRITE 2, READ 4, PRIVILEGED 8, DIRTY 0x80, ACCESSED 0x100, SOFT_DIRTY 0x200,
	   SPECIAL 0x400, DEVMAP 0x800 */
	{ "radix", RADIX, 16, 6, 1, 0, P | PTE | 0x12340000 | 0x186, PTE_PAGE, 0x12340000,
	  PTE_WRITE | DY },
	{ "radix exec", RADIX, 16, 6, 1, 0, P | PTE | 0x12340000 | 0x705, PTE_PAGE, 0x12340000,
	  PTE_EXEC | PTE_YOUNG | PTE_SOFT_DIRTY | PTE_SPECIAL },
	{ "radix devmap", RADIX, 12, 6, 1, 0, P | PTE | 0x12345000 | 0x804, PTE_PAGE, 0x12345000,
	  PTE_DEVMAP },
	{ "radix PROT_NONE", RADIX, 16, 6, 1, 0, P | PTE | 0x12340000, PTE_PAGE, 0x12340000,
	  PTE_PROTNONE },
	{ "to be present again", RADIX, 16, 6, 1, 0, INVALID | PTE | 0x12340004, PTE_PAGE,
	  0x12340000, 0 },
	{ "swap", RADIX, 16, 6, 1, 0, PTE | 0x777u << 16 | 0x3, PTE_SWAP, 0x777, 0 },
	{ "migration", RADIX, 16, 6, 1, 0, PTE | 0x777u << 16 | 0x1e, PTE_SWAP, 0x777, 0 },
	{ "none", RADIX, 16, 6, 1, 0, 0, PTE_NONE, 0, 0 },
	{ "hash, what its slot left", HASH, 16, 6, 1, 0, 0x0400000000000040, PTE_NONE, 0, 0 },
	{ "hash", HASH, 16, 6, 1, 0, P | PTE | 0x0400000012341186, PTE_PAGE, 0x12340000,
	  PTE_WRITE | DY },
	{ "hash 4K 4.9", HASH, 12, 4, 9, 0, P | PTE | 0x12345104, PTE_PAGE, 0x12345000,
	  PTE_YOUNG },
	/* directories: P and the size of the table below in five bits (radix), physical */
	{ "radix table", RADIX, 16, 6, 1, 1, P | 0x1230500 | 5, PTE_TABLE, 0x1230500, 0 },
	{ "radix table 4", RADIX, 16, 6, 1, 3, P | 0x1231000 | 9, PTE_TABLE, 0x1231000, 0 },
	{ "hash table", HASH, 16, 6, 1, 1, P | 0x1231000, PTE_TABLE, 0x1231000, 0 },
	{ "hash table 4.9", HASH, 16, 4, 9, 1, 0x1231000, PTE_TABLE, 0x1231000, 0 },
	{ "bad", RADIX, 16, 6, 1, 1, P | 0x1230560, PTE_BAD, 0x1230500, 0 },
	/* huge: 2 MiB radix, 16 MiB hash with 64K pages; H_PAGE_THP_HUGE 0x2000 */
	{ "radix huge", RADIX, 16, 6, 1, 1, P | PTE | 0x40200000 | 0x186, PTE_PAGE, 0x40200000,
	  PTE_WRITE | DY },
	{ "radix 1 GiB", RADIX, 16, 6, 1, 2, P | PTE | 0x40000000 | 0x104, PTE_PAGE, 0x40000000,
	  PTE_YOUNG },
	{ "hash huge", HASH, 16, 6, 1, 1, P | PTE | 0x41000000 | 0x2186, PTE_PAGE, 0x41000000,
	  PTE_WRITE | DY },
	{ "huge, migrating", RADIX, 16, 6, 1, 1, PTE | 0x8000u << 16 | 0x1d, PTE_SWAP, 0x8000,
	  0 },
	/* to 4.6: PRESENT 1, USER 2, DIRTY 0x80, ACCESSED 0x100, RW 0x200; native order */
	{ "4K 3.10", HASH, 12, 3, 10, 0, (UINT64_C(0x12345) << 17) | 0x383, PTE_PAGE, 0x12345000,
	  PTE_WRITE | DY },
	{ "4K 3.10 special", HASH, 12, 3, 10, 0, (UINT64_C(0x12345) << 17) | 0x10103, PTE_PAGE,
	  0x12345000, PTE_YOUNG | PTE_SPECIAL },
	{ "4K 3.10 none", HASH, 12, 3, 10, 0, 0xf400, PTE_NONE, 0, 0 },
	{ "4K 3.10 swap", HASH, 12, 3, 10, 0, (UINT64_C(0x777) << 8 | 3 << 1) << 17, PTE_SWAP,
	  0x777, 0 },
	{ "64K 2.6.32", HASH, 16, 2, 632, 0, (UINT64_C(0x1234) << 30) | 0x10ffff83, PTE_PAGE,
	  0x12340000, PTE_DIRTY | PTE_WRITE | PTE_YOUNG | PTE_SPECIAL },
	{ "64K 2.6.18", HASH, 16, 2, 618, 0, (UINT64_C(0x1234) << 32) | 0x103, PTE_PAGE,
	  0x12340000, PTE_YOUNG },
	{ "64K 4.4 swap", HASH, 16, 4, 4, 0, (UINT64_C(0x777) << 30) | 3 << 2, PTE_SWAP, 0x777, 0 },
	{ "64K 3.10 huge", HASH, 16, 3, 10, 1, (UINT64_C(0x4100) << 30) | 0x20000183, PTE_PAGE,
	  0x41000000, DY },
	/* hugetlb: pmd_huge(), the low two bits */
	{ "64K 3.10 hugetlb", HASH, 16, 3, 10, 1, (UINT64_C(0x4100) << 30) | 0x183, PTE_PAGE,
	  0x41000000, DY },
	{ "2.6.11", HASH, 12, 2, 611, 0, (UINT64_C(0x12345) << 17) | 0x187, PTE_PAGE, 0x12345000,
	  PTE_WRITE | DY },
	{ "2.4", HASH, 12, 2, 427, 0, (UINT64_C(0x12345) << 16) | 0x187, PTE_PAGE, 0x12345000,
	  PTE_WRITE | DY },
	{ "2.4 table", HASH, 12, 2, 427, 1, 0x1234, PTE_TABLE, 0x1234000, 0 },
	{ "2.6.11 table", HASH, 12, 2, 611, 1, 0x1234 << 2, PTE_TABLE, 0x1234000, 0 },
	/* book3e: as on 32 bits; page number from bit 24 (4K), 28 (64K) */
	{ "book3e", BOOK3E, 12, 6, 1, 0, (UINT64_C(0x12345) << 24) | 0x4103d, PTE_PAGE,
	  0x12345000, PTE_WRITE | DY },
	{ "book3e 64K", BOOK3E, 16, 4, 14, 0, (UINT64_C(0x1234) << 28) | 0x4008d, PTE_PAGE,
	  0x12340000, PTE_YOUNG | PTE_EXEC },
	{ "book3e 3.10 swap", BOOK3E, 12, 3, 10, 0, (UINT64_C(0x777) << 8 | 3 << 1) << 24,
	  PTE_SWAP, 0x777, 0 },
	{ "book3e 64K 3.10 swap", BOOK3E, 16, 3, 10, 0, (UINT64_C(0x777) << 8 | 3 << 1) << 28,
	  PTE_SWAP, 0x777, 0 },
	{ "book3e swap", BOOK3E, 12, 6, 1, 0, (UINT64_C(0x777) << 24) | 3 << 2, PTE_SWAP, 0x777,
	  0 },
	{ "book3e 64K swap", BOOK3E, 16, 4, 14, 0, (UINT64_C(0x777) << 28) | 3 << 2, PTE_SWAP,
	  0x777, 0 },
};

TEST(samples)
{
	for (unsigned i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		struct paging_env env = { .max_pa = UINT64_MAX };
		struct pte got = { .kind = 0x5a };
		struct ppc64_variant v;
		uint8_t raw[8];

		CHECK_EQ(ppc64_variant(mainline(s->major, s->minor), s->page_shift, s->mmu == BOOK3E,
				       s->mmu == RADIX, &v), ST_OK);
		env.form = (uint8_t)v.form;
		env.big_endian = true;
		store_uint(raw, s->raw, v.paging->entry_size[s->level], true);
		v.paging->decode(v.paging, &env, s->level, raw, 1, &got);
		if (got.kind != s->kind || got.pa != s->pa || got.flags != s->flags)
			printf("%s:\n", s->what);
		CHECK_EQ(got.kind, s->kind);
		CHECK_EQ(got.pa, s->pa);
		CHECK_EQ(got.flags, s->flags);
		if (s->kind == PTE_SWAP && s->raw >> 62 == 1)
			CHECK_EQ(got.swap_type, s->raw & 31);
		else if (s->kind == PTE_SWAP)
			CHECK_EQ(got.swap_type, 3);
	}
}

/* hugepd: HUGEPD_VAL_BITS, MMU_PAGE_16M 10 << 2; PD_HUGE cleared and a shift. */
TEST(huge_tables)
{
	static const struct {
		bool book3e;
		unsigned major, minor;
		uint64_t raw;
		unsigned kind, shift;
		uint64_t pa;
	} huge[] = {
		{ false, 6, 1, P | 0x1231040 | 0x28, PTE_HUGE_TABLE, 24, 0x1231040 },
		{ false, 6, 1, P | 0x1231080 | 0x8, PTE_HUGE_TABLE, 16, 0x1231080 },
		{ false, 6, 11, P | 0x1231000 | 0x28, PTE_BAD, 0, 0x1231000 },	/* no more */
		{ true, 6, 1, 0x4000000001231040 | 22, PTE_HUGE_TABLE, 22, 0x1231040 },
		{ true, 6, 1, 0xc000000001231000, PTE_TABLE, 0, 0x1231000 },
		/* MMU_PAGE_16M was 8; a pointer of the linear map */
		{ false, 3, 10, 0xc000000001231000 | 8 << 2, PTE_HUGE_TABLE, 24, 0x1231000 },
		{ false, 4, 4, 0xc000000001231000 | 8 << 2, PTE_HUGE_TABLE, 24, 0x1231000 },
		{ false, 3, 9, 0x4000000001231000 | 24, PTE_HUGE_TABLE, 24, 0x1231000 },
		{ false, 2, 632, 0xc000000001231000, PTE_TABLE, 0, 0x1231000 },
		/* each entry a part of 1 GiB; page size 0xf00 */
		{ true, 6, 11, UINT64_C(0x50000) << 24 | 0x4143d, PTE_PAGE, 0, 0x50000000 },
		{ true, 6, 11, 0xc000000001231000, PTE_TABLE, 0, 0x1231000 },
		{ true, 6, 11, 0, PTE_NONE, 0, 0 },
	};

	for (unsigned i = 0; i < ARRAY_LEN(huge); i++) {
		struct paging_env env = { .max_pa = UINT64_MAX, .big_endian = true };
		struct ppc64_variant v;
		struct pte got;
		uint8_t raw[8];

		CHECK_EQ(ppc64_variant(mainline(huge[i].major, huge[i].minor), 12, huge[i].book3e,
				       false, &v), ST_OK);
		env.form = (uint8_t)v.form;
		env.table_offset = v.virtual ? -UINT64_C(0xc000000000000000) : 0;
		store_uint(raw, huge[i].raw, 8, true);
		v.paging->decode(v.paging, &env, 2, raw, 1, &got);
		CHECK_EQ(got.kind, huge[i].kind);
		CHECK_EQ(got.pa, huge[i].pa);
		if (got.kind == PTE_HUGE_TABLE)
			CHECK_EQ(got.shift, huge[i].shift);
	}
}

/* Before 4.7 directories hold addresses of the linear map. */
TEST(virtual)
{
	struct paging_env env = { .max_pa = UINT64_MAX, .big_endian = true,
				  .table_offset = -UINT64_C(0xc000000000000000) };
	struct ppc64_variant v;
	struct pte got;
	uint8_t raw[8];

	CHECK_EQ(ppc64_variant(V(3, 10), 16, false, false, &v), ST_OK);
	CHECK(v.virtual && !v.big_endian);
	env.form = (uint8_t)v.form;
	store_uint(raw, 0xc000000001230000, 8, true);
	v.paging->decode(v.paging, &env, 1, raw, 1, &got);
	CHECK_EQ(got.kind, PTE_TABLE);
	CHECK_EQ(got.pa, 0x1230000);
	CHECK_EQ(ppc64_variant(V(4, 7), 16, false, false, &v), ST_OK);
	CHECK(!v.virtual && v.big_endian);
	CHECK_EQ(ppc64_variant(V(6, 1), 14, false, true, &v), ST_ABSENT);
}

/* Bits of an address that the tables translate: 46 (64 TiB) to 52 (4 PiB). */
TEST(geometries)
{
	static const struct {
		uint64_t bits[4];
		unsigned page_shift, total;
	} known[] = {
		{ { 5, 9, 9, 13 }, 16, 52 }, { { 9, 9, 9, 13 }, 12, 52 },
		{ { 8, 10, 10, 8 }, 16, 52 }, { { 8, 10, 7, 8 }, 16, 49 },
		{ { 8, 5, 5, 12 }, 16, 46 }, { { 8, 10, 0, 12 }, 16, 46 },
		{ { 9, 7, 9, 9 }, 12, 46 },
	};
	const uint64_t odd[4] = { 9, 9, 9, 9 };

	for (unsigned i = 0; i < ARRAY_LEN(known); i++) {
		const struct paging *p = ppc64_geometry(known[i].page_shift, known[i].bits);

		if (!CHECK(p))
			continue;
		CHECK_EQ(paging_shift(p, p->nlevels), known[i].total);
		for (unsigned k = 0, l = 0; k < 4; k++)
			if (known[i].bits[k])
				CHECK_EQ(p->bits[l++], known[i].bits[k]);
	}
	CHECK(!ppc64_geometry(12, odd));
}

/* Radix with 4K pages: a walk through four levels, the pgd of 64 KiB. */
TEST(walk)
{
	struct tables *t = tables_new();
	struct paging_env env = { .max_pa = TABLES_PAGES << 12, .big_endian = true };
	struct ppc64_variant v;
	struct reader *r;
	uint64_t pa = 0, run = 0;

	ppc64_variant(V(6, 1), 12, false, true, &v);
	/* 0x0008000000405000: pgd entry 4096 lies in the ninth page of the pgd at page 16 */
	store_uint(&t->page[24][0], P | 0x1000 | 9, 8, true);
	store_uint(&t->page[1][0], P | 0x2000 | 9, 8, true);
	store_uint(&t->page[2][2 * 8], P | 0x3000 | 9, 8, true);
	store_uint(&t->page[3][5 * 8], P | PTE | 0x2b186, 8, true);
	store_uint(&t->page[3][6 * 8], P | PTE | 0x2c186, 8, true);
	r = reader_new(&t->dump);
	CHECK_EQ(pgtrans(r, v.paging, &env, 16 << 12, 0xc008000000405123, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x2b123);
	CHECK_EQ(run, 0x2000 - 0x123);
	CHECK_EQ(pgtrans(r, v.paging, &env, 16 << 12, 0xc008000000407000, &pa, NULL), ST_FAULT);
	reader_free(r);
	tables_free(t);
}

/* The header says big-endian, as QEMU's for a pseries guest; prb points into memory. */
TEST(byte_order)
{
	struct tables *t = tables_new();
	const struct arch *a = NULL;

	t->dump.elf_machine = EM_PPC64;
	t->dump.word_size = 8;
	t->dump.big_endian = true;
	t->dump.vmcoreinfo = "SYMBOL(init_uts_ns)=c000000000003000\n"
			     "SYMBOL(prb)=c000000000003400\n";
	memcpy(t->page[3], "Linux", 6);
	memcpy(t->page[3] + 4 * 65, "ppc64le", 8);
	store_uint(&t->page[3][0x400], 0xc000000000004000, 8, false);
	CHECK_EQ(arch_attach(&t->dump, &a), ST_OK);
	CHECK(a == &arch_ppc64);
	CHECK(!t->dump.big_endian);
	/* pages of 64K in a dump that is read by 4K */
	t->dump.kv = NULL;
	t->dump.vmcoreinfo = "SYMBOL(init_uts_ns)=c000000000003000\nPAGESIZE=65536\n";
	CHECK_EQ(arch_attach(&t->dump, &a), ST_UNSUPPORTED);
	tables_free(t);
}
