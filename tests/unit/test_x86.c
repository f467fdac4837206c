/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86-64 page-table entries, and how the kernel's tables are found.
 *
 * Expectations are composed here bit by bit from the layout that the kernel
 * documents (arch/x86/include/asm/pgtable_types.h, pgtable_64.h "Encode and
 * de-code a swap entry", pgtable-invert.h; read 6.1.192), not with our masks;
 * raw values said to be real were taken from dumps whose /proc/PID/pagemap is
 * known.
 */
#include <elf.h>

#include "arch/x86/x86_64.h"
#include "tests/unit/check.h"
#include "tests/unit/tables.h"

#define BIT(n) (UINT64_C(1) << (n))

static struct pte decode(const struct paging_env *env, unsigned level, uint64_t v)
{
	struct pte p = { .pa = 0x5a5a, .flags = 0x5a5a, .kind = 0x5a, .swap_type = 0x5a };
	uint8_t raw[8];

	store_uint(raw, v, 8, false);
	x86_64_decode(&x86_64_paging[X86_64_4LEVEL], env, level, raw, 1, &p);
	return p;
}

static struct paging_env modern(void)
{
	struct paging_env env;

	x86_64_env_init(&env, BIT(40));
	env.saved_dirty = true;
	return env;
}

static struct paging_env older(void)	/* 4.19..6.5 */
{
	struct paging_env env = modern();

	env.saved_dirty = false;
	return env;
}

#define CHECK_PTE(p, k, address, f)                                            \
	do {                                                                   \
		struct pte p_ = (p);                                           \
		CHECK_EQ(p_.kind, k);                                          \
		CHECK_EQ(p_.pa, address);                                      \
		CHECK_EQ(p_.flags, f);                                         \
	} while (0)

/* ------------------------------------------------------------------------
 * Entries
 */

static void test_present(void)
{
	struct paging_env env = older();
	uint64_t pa = UINT64_C(0xabcdef000);

	CHECK_PTE(decode(&env, 0, pa | BIT(0)), PTE_PAGE, pa, PTE_EXEC);
	CHECK_PTE(decode(&env, 0, pa | BIT(0) | BIT(63)), PTE_PAGE, pa, 0);
	CHECK_PTE(decode(&env, 0, pa | BIT(0) | BIT(1) | BIT(63)), PTE_PAGE, pa, PTE_WRITE);
	CHECK_PTE(decode(&env, 0, pa | BIT(0) | BIT(5) | BIT(63)), PTE_PAGE, pa, PTE_YOUNG);
	CHECK_PTE(decode(&env, 0, pa | BIT(0) | BIT(6) | BIT(63)), PTE_PAGE, pa, PTE_DIRTY);
	CHECK_PTE(decode(&env, 0, pa | BIT(0) | BIT(9) | BIT(63)), PTE_PAGE, pa, PTE_SPECIAL);
	CHECK_PTE(decode(&env, 0, pa | BIT(0) | BIT(10) | BIT(63)), PTE_PAGE, pa,
		  PTE_UFFD_WP);
	CHECK_PTE(decode(&env, 0, pa | BIT(0) | BIT(11) | BIT(63)), PTE_PAGE, pa,
		  PTE_SOFT_DIRTY);
	/* USER, PWT, PCD, PAT, GLOBAL and the protection key set no flag. */
	CHECK_PTE(decode(&env, 0, pa | BIT(0) | BIT(2) | BIT(3) | BIT(4) | BIT(7) | BIT(8) |
			 UINT64_C(0xf) << 59 | BIT(63)), PTE_PAGE, pa, 0);
	/* The highest frame of 52 bits; PAT_LARGE means nothing at this level. */
	CHECK_PTE(decode(&env, 0, BIT(51) | BIT(12) | BIT(0) | BIT(63)), PTE_PAGE,
		  BIT(51) | BIT(12), 0);
	/* Real: special page, 5.10; anonymous dirty read-only page, 6.12. */
	CHECK_PTE(decode(&env, 0, 0x800000001d015225), PTE_PAGE, 0x1d015000,
		  PTE_YOUNG | PTE_SPECIAL);
	env = modern();
	CHECK_PTE(decode(&env, 0, 0x840000003e8ff825), PTE_PAGE, 0x3e8ff000,
		  PTE_YOUNG | PTE_DIRTY | PTE_SOFT_DIRTY);
}

/* Bit 58: DEVMAP to 6.5, SAVED_DIRTY since 6.6, which moved DEVMAP to 57. */
static void test_bit_58(void)
{
	struct paging_env old = older(), new = modern();
	uint64_t v = 0x1000 | BIT(0) | BIT(63);

	CHECK_EQ(decode(&old, 0, v | BIT(58)).flags, PTE_DEVMAP);
	CHECK_EQ(decode(&new, 0, v | BIT(58)).flags, PTE_DIRTY);
	CHECK_EQ(decode(&new, 0, v | BIT(57)).flags, PTE_DEVMAP);
	CHECK_EQ(decode(&old, 0, v | BIT(57)).flags, 0);
	CHECK_EQ(decode(&new, 1, 0x200000 | BIT(0) | BIT(7) | BIT(58) | BIT(63)).flags,
		 PTE_DIRTY);
}

/* pte_none() ignores A and D, which Knights Landing may set by itself (4.8). */
static void test_none(void)
{
	struct paging_env env = modern();

	for (unsigned level = 0; level < 5; level++) {
		CHECK_PTE(decode(&env, level, 0), PTE_NONE, 0, 0);
		CHECK_PTE(decode(&env, level, BIT(5)), PTE_NONE, 0, 0);
		CHECK_PTE(decode(&env, level, BIT(6)), PTE_NONE, 0, 0);
		CHECK_PTE(decode(&env, level, BIT(5) | BIT(6)), PTE_NONE, 0, 0);
	}
}

/* Not present with bit 8: mapped PROT_NONE, its frame bits 12..51 inverted. */
static void test_protnone(void)
{
	struct paging_env env = older();
	uint64_t pa = UINT64_C(0x2c6f000), frame = BIT(52) - BIT(12);

	CHECK_PTE(decode(&env, 0, (~pa & frame) | BIT(8) | BIT(63)), PTE_PAGE, pa,
		  PTE_PROTNONE);
	/* Real, 6.1: pagemap said pfn 0x2c6f. */
	CHECK_PTE(decode(&env, 0, 0x000ffffffd390120), PTE_PAGE, pa,
		  PTE_PROTNONE | PTE_YOUNG | PTE_EXEC);
	/* Before L1TF nothing was inverted. */
	env.invert_swap = false;
	CHECK_PTE(decode(&env, 0, pa | BIT(8) | BIT(63)), PTE_PAGE, pa, PTE_PROTNONE);
}

static uint64_t swap_l1tf(uint64_t type, uint64_t offset)
{
	return type << 59 | (~offset & (BIT(50) - 1)) << 9;
}

static void test_swap(void)
{
	struct paging_env env = older();
	struct pte p;

	for (unsigned type = 0; type < 32; type++) {
		p = decode(&env, 0, swap_l1tf(type, 0x123456789));
		CHECK_PTE(p, PTE_SWAP, 0x123456789, 0);
		CHECK_EQ(p.swap_type, type);
	}
	CHECK_PTE(decode(&env, 0, swap_l1tf(3, BIT(50) - 1) | BIT(3)), PTE_SWAP, BIT(50) - 1,
		  0);
	CHECK_PTE(decode(&env, 0, swap_l1tf(3, 7) | BIT(1)), PTE_SWAP, 7, PTE_SOFT_DIRTY);
	CHECK_PTE(decode(&env, 0, swap_l1tf(3, 7) | BIT(2)), PTE_SWAP, 7, PTE_UFFD_WP);
	CHECK_PTE(decode(&env, 0, swap_l1tf(3, 7) | BIT(5)), PTE_SWAP, 7, PTE_RAW_YOUNG);
	CHECK_PTE(decode(&env, 0, swap_l1tf(3, 7) | BIT(6)), PTE_SWAP, 7, PTE_RAW_DIRTY);
	/* Real, 5.10: pagemap said type 0, offset 1. */
	CHECK_PTE(decode(&env, 0, 0x07fffffffffffc02), PTE_SWAP, 1, PTE_SOFT_DIRTY);
	/* 6.6+: pte_dirty() asks bit 58 too, which is set in an inverted offset. */
	env = modern();
	CHECK_PTE(decode(&env, 0, swap_l1tf(3, 7)), PTE_SWAP, 7, PTE_RAW_DIRTY);
	/* The same form in a pmd (THP) and in a pud (hugetlb). */
	env = older();
	CHECK_PTE(decode(&env, 1, swap_l1tf(30, 0x200) | BIT(2)), PTE_SWAP, 0x200,
		  PTE_UFFD_WP);
	CHECK_PTE(decode(&env, 2, swap_l1tf(30, 0x40000)), PTE_SWAP, 0x40000, 0);
}

static void test_old_swap(void)
{
	struct paging_env env = older();
	struct pte p;

	env.invert_swap = false;
	env.swap_form = X86_SWAP_4_6;
	p = decode(&env, 0, UINT64_C(0x1234) << 14 | 5 << 9 | BIT(1));
	CHECK_PTE(p, PTE_SWAP, 0x1234, PTE_SOFT_DIRTY);
	CHECK_EQ(p.swap_type, 5);
	env.swap_form = X86_SWAP_2_6;
	p = decode(&env, 0, UINT64_C(0x1234) << 9 | 5 << 1);
	CHECK_PTE(p, PTE_SWAP, 0x1234, 0);
	CHECK_EQ(p.swap_type, 5);
	env.swap_form = X86_SWAP_2_4;
	p = decode(&env, 0, UINT64_C(0x1235) << 8 | 45 << 1);	/* bit 8 is the offset's */
	CHECK_PTE(p, PTE_SWAP, 0x1235, PTE_RAW_DIRTY);	/* a bit of the type */
	CHECK_EQ(p.swap_type, 45);
	/* PROT_NONE: bit 7, where P is 0; global pages have bit 8 with P */
	CHECK_PTE(decode(&env, 0, 0x4600000 | BIT(7) | BIT(5)), PTE_PAGE, 0x4600000,
		  PTE_PROTNONE | PTE_YOUNG | PTE_EXEC);
	CHECK_EQ(decode(&env, 0, 0x4600000 | BIT(8) | BIT(1)).kind, PTE_SWAP);
	env.swap_form = X86_SWAP_3_15;
	p = decode(&env, 0, UINT64_C(0x1234) << 10 | 5 << 1);
	CHECK_PTE(p, PTE_SWAP, 0x1234, 0);
	CHECK_EQ(p.swap_type, 5);
}

static void test_huge(void)
{
	struct paging_env env = older();
	uint64_t pa = UINT64_C(0x4600000), frame = BIT(52) - BIT(21);

	/* Real, 6.1: a huge page. */
	CHECK_PTE(decode(&env, 1, 0x80000000046008e7), PTE_PAGE, pa,
		  PTE_WRITE | PTE_DIRTY | PTE_YOUNG | PTE_SOFT_DIRTY);
	/* PAT_LARGE, bit 12, is no part of the address. */
	CHECK_PTE(decode(&env, 1, pa | BIT(0) | BIT(7) | BIT(12) | BIT(63)), PTE_PAGE, pa, 0);
	CHECK_PTE(decode(&env, 2, BIT(30) | BIT(0) | BIT(7) | BIT(12) | BIT(63)), PTE_PAGE,
		  BIT(30), 0);
	/* Other bits below the size are reserved. */
	CHECK_EQ(decode(&env, 1, pa | BIT(0) | BIT(7) | BIT(13)).kind, PTE_BAD);
	CHECK_EQ(decode(&env, 1, pa | BIT(0) | BIT(7) | BIT(20)).kind, PTE_BAD);
	CHECK_EQ(decode(&env, 2, BIT(30) | BIT(0) | BIT(7) | BIT(29)).kind, PTE_BAD);
	/* only PSE: being split, pmd_mkinvalid(); PROT_NONE: bit 8 as well. */
	CHECK_PTE(decode(&env, 1, (~pa & frame) | BIT(7) | BIT(63)), PTE_PAGE, pa,
		  PTE_PROTNONE);
	CHECK_PTE(decode(&env, 1, (~pa & frame) | BIT(7) | BIT(8) | BIT(63)), PTE_PAGE, pa,
		  PTE_PROTNONE);
	CHECK_PTE(decode(&env, 1, (~pa & frame) | BIT(12) | BIT(7) | BIT(8) | BIT(63)),
		  PTE_PAGE, pa, PTE_PROTNONE);
	/* hugetlb under PROT_NONE: the bits below the size are inverted too, bit 12 (PAT_LARGE) with them */
	CHECK_PTE(decode(&env, 1, (~pa & (BIT(52) - BIT(12))) | BIT(7) | BIT(8) | BIT(63)),
		  PTE_PAGE, pa, PTE_PROTNONE);
	CHECK_PTE(decode(&env, 2, (~BIT(30) & (BIT(52) - BIT(12))) | BIT(7) | BIT(8) | BIT(63)),
		  PTE_PAGE, BIT(30), PTE_PROTNONE);
	/* some of them, or of a page that is present, or before 4.19 */
	CHECK_EQ(decode(&env, 1, (~pa & (BIT(52) - BIT(14))) | BIT(7) | BIT(8)).kind, PTE_BAD);
	CHECK_EQ(decode(&env, 1, pa | (BIT(21) - BIT(12)) | BIT(7) | BIT(0)).kind, PTE_BAD);
	env.invert_swap = false;
	CHECK_EQ(decode(&env, 1, pa | (BIT(21) - BIT(12)) | BIT(7) | BIT(8)).kind, PTE_BAD);
	CHECK_PTE(decode(&env, 1, pa | BIT(7) | BIT(8) | BIT(63)), PTE_PAGE, pa, PTE_PROTNONE);
}

static void test_tables(void)
{
	struct paging_env env = modern();

	for (unsigned level = 1; level < 5; level++) {
		CHECK_PTE(decode(&env, level, 0x1234567000 | 0x67), PTE_TABLE, 0x1234567000,
			  0);
		/* Page-table isolation: NX on what maps user memory. */
		CHECK_PTE(decode(&env, level, 0x1234567000 | 0x67 | BIT(63)), PTE_TABLE,
			  0x1234567000, 0);
	}
	/* No huge pages and no swap entries above the pud. */
	CHECK_EQ(decode(&env, 3, 0x1234567000 | 0xe7).kind, PTE_BAD);
	CHECK_EQ(decode(&env, 4, 0x1234567000 | 0xe7).kind, PTE_BAD);
	CHECK_EQ(decode(&env, 3, swap_l1tf(3, 7)).kind, PTE_BAD);
	/* PROTNONE is for leaves. */
	CHECK_EQ(decode(&env, 1, 0x1234567000 | BIT(8)).kind, PTE_BAD);
}

/* One that follows the others, as random numbers say: mostly the next page with the same flags. */
static uint64_t next_entry(uint64_t v, uint32_t *seed)
{
	uint32_t r = *seed = *seed * 1664525 + 1013904223;

	r >>= 16;
	if (r % 100 < 85)
		return v + BIT(12);
	switch (r % 8) {
	case 0: return v + BIT(12) + BIT(6);	/* dirty, or no longer */
	case 1: return v ^ BIT(63);
	case 2: return v ^ BIT(0);
	case 3: return swap_l1tf(3, r);
	case 4: return 0;
	case 5: return v + BIT(13);
	case 6: return (UINT64_C(0xfffffffffd) << 12 | BIT(0) | BIT(5));
	default: return (uint64_t)r << 12 | BIT(0) | BIT(1) | BIT(5) | BIT(63);
	}
}

/* Does each entry of the run that is said to begin at P map the page after the one before? */
static bool run_is_true(const struct pte *p, unsigned left)
{
	if (p->run > left || (p->run && p->kind != PTE_PAGE))
		return false;
	for (unsigned i = 1; i < p->run; i++)
		if (p[i].kind != p->kind || p[i].flags != p->flags || p[i].pa != p->pa + i * BIT(12))
			return false;
	return true;
}

/* A table gives what its entries give one by one, in whatever order they come. Returns how many
   are in runs. */
static unsigned check_table(const struct paging_env *env, const uint64_t *v)
{
	enum { N = 512 };
	static struct pte got[N];
	uint8_t raw[8 * N];
	unsigned in_runs = 0;

	memset(got, 0x5a, sizeof(got));
	for (unsigned i = 0; i < N; i++)
		store_uint(raw + (size_t)i * 8, v[i], 8, false);
	x86_64_decode(&x86_64_paging[X86_64_4LEVEL], env, 0, raw, N, got);
	for (unsigned i = 0; i < N; i++) {
		struct pte one = decode(env, 0, v[i]);

		CHECK_PTE(got[i], one.kind, one.pa, one.flags);
		CHECK(one.kind != PTE_SWAP || got[i].swap_type == one.swap_type);
		CHECK(run_is_true(&got[i], N - i));
		in_runs += got[i].run;
	}
	return in_runs;
}

static void test_table_at_once(void)
{
	struct paging_env env = modern();
	unsigned rounds = 60, in_runs = 0;
	uint64_t v[512] = { 0 };
	uint32_t seed = 1;

	for (unsigned round = 0; round < rounds; round++) {
		/* addresses with a hole, as those of encrypted memory have */
		env.sme_mask = round % 3 ? 0 : BIT(20);
		v[0] = v[511];
		for (unsigned i = 1; i < 512; i++)
			v[i] = next_entry(v[i - 1], &seed);
		in_runs += check_table(&env, v);
	}
	CHECK(in_runs > rounds * 512 / 8);
}

/* The encryption bit is in every entry, and in no address. */
static void test_sme(void)
{
	struct paging_env env = older();
	uint64_t c = BIT(47), frame = BIT(52) - BIT(12);

	env.sme_mask = c;
	CHECK_PTE(decode(&env, 0, 0x1000 | c | BIT(0) | BIT(63)), PTE_PAGE, 0x1000, 0);
	CHECK_PTE(decode(&env, 1, 0x200000 | c | BIT(0) | BIT(7) | BIT(63)), PTE_PAGE,
		  0x200000, 0);
	for (unsigned level = 1; level < 5; level++)
		CHECK_PTE(decode(&env, level, 0x1000 | c | 0x67), PTE_TABLE, 0x1000, 0);
	/* PHYSICAL_MASK leaves it out, so the inversion does not touch it. */
	CHECK_PTE(decode(&env, 0, (~UINT64_C(0x1000) & frame & ~c) | c | BIT(8) | BIT(63)),
		  PTE_PAGE, 0x1000, PTE_PROTNONE);
}

/* ------------------------------------------------------------------------
 * A kernel in 256 KiB: text at TEXT is one huge page at 0, the direct map too.
 */

#define TEXT UINT64_C(0xffffffff81000000)
#define DIRECT UINT64_C(0xffff888000000000)
#define DIRECT5 UINT64_C(0xff11000000000000)
#define ROOT 5			/* page frames */
#define TABLE 0x63		/* _KERNPG_TABLE: P, RW, A, D */
#define PAGE_HUGE 0xe3

static void set(struct tables *t, uint64_t pfn, unsigned index, uint64_t v, uint64_t sme)
{
	tables_set(t, pfn, index, v | sme);
}

/* pgd in page 5, or p4d if there are five levels, and the pgd in page 10. */
static struct tables *kernel_new(unsigned levels, uint64_t sme)
{
	struct tables *t = tables_new();

	t->dump.elf_machine = EM_X86_64;
	t->dump.word_size = 8;
	set(t, ROOT, 511, 6 << 12 | TABLE, sme);	/* pud of text */
	set(t, 6, 510, 7 << 12 | TABLE, sme);
	set(t, 7, 8, 0 | PAGE_HUGE, sme);		/* 0xffffffff81000000 */
	set(t, ROOT, 273, 8 << 12 | TABLE, sme);	/* pud of the direct map */
	set(t, 8, 0, 9 << 12 | TABLE, sme);
	set(t, 9, 0, 0 | PAGE_HUGE, sme);
	if (levels == 5) {
		memcpy(t->page[11], t->page[ROOT], TABLES_PAGE);
		memset(t->page[ROOT], 0, TABLES_PAGE);
		set(t, ROOT, 511, 11 << 12 | TABLE, sme);
		set(t, ROOT, 273, 12 << 12 | TABLE, sme);
		set(t, 12, 0, 8 << 12 | TABLE, sme);
	}
	return t;
}

/* Attach; everything mapped must then be found. */
static void check_kernel(struct tables *t, bool five)
{
	uint64_t direct = five ? DIRECT5 : DIRECT, pa = 0, run = 0;
	const struct arch *a;
	struct reader *r;

	if (!CHECK_EQ(arch_attach(&t->dump, &a), ST_OK))
		return;
	CHECK_STR(a->name, "x86_64");
	r = reader_new(&t->dump);
	CHECK_EQ(reader_kvtop(r, TEXT + 0x5123, &pa, &run), ST_OK);
	CHECK_EQ(pa, 0x5123);
	CHECK_EQ(run, 0x200000 - 0x5123);
	CHECK_EQ(reader_kvtop(r, direct + 0x3000, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x3000);
	CHECK_EQ(reader_kvtop(r, direct + 0x200000, &pa, NULL), ST_FAULT);
	CHECK_EQ(reader_kvtop(r, 0x400000, &pa, NULL), ST_FAULT);
	CHECK_EQ(reader_kvtop(r, UINT64_C(0x1234567812345678), &pa, NULL), ST_FAULT);
	CHECK_EQ(a->user_end(&t->dump), BIT(five ? 56 : 47));
	CHECK(a->is_kernel_addr(&t->dump, TEXT) && a->is_kernel_addr(&t->dump, direct));
	CHECK(!a->is_kernel_addr(&t->dump, BIT(47)));
	CHECK_EQ(a->is_kernel_addr(&t->dump, DIRECT5), five);
	reader_free(r);
}

#define SYMBOL_LINE "SYMBOL(swapper_pg_dir)=ffffffff81005000\n"

static void test_attach_told(void)
{
	static const struct {
		unsigned levels;
		uint64_t sme;
		const char *vmcoreinfo;
	} cases[] = {
		{ 4, 0, SYMBOL_LINE "NUMBER(phys_base)=-16777216\n"
			"NUMBER(pgtable_l5_enabled)=0\nNUMBER(sme_mask)=0\n" },
		{ 5, 0, SYMBOL_LINE "NUMBER(phys_base)=-16777216\n"
			"NUMBER(pgtable_l5_enabled)=1\n" },
		{ 4, BIT(51), SYMBOL_LINE "NUMBER(phys_base)=-16777216\n"
			"NUMBER(sme_mask)=2251799813685248\n" },
		/* Older kernels export less: levels, mask, phys_base are probed. */
		{ 5, 0, SYMBOL_LINE "NUMBER(phys_base)=-16777216\n" },
		{ 4, BIT(47), SYMBOL_LINE "NUMBER(phys_base)=-16777216\n" },
		{ 5, BIT(51), SYMBOL_LINE "SYMBOL(phys_base)=ffffffff81002000\n" },
		{ 4, 0, "SYMBOL(init_level4_pgt)=ffffffff81005000\n" },
		/* A wrong number of levels is corrected. */
		{ 4, 0, SYMBOL_LINE "NUMBER(pgtable_l5_enabled)=1\n" },
		/* Nothing useful at all: the root is found by its mappings. */
		{ 4, 0, "OSRELEASE=2.6.18\n" },
		{ 5, BIT(47), "OSRELEASE=2.6.18\n" },
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct tables *t = kernel_new(cases[i].levels, cases[i].sme);

		t->dump.vmcoreinfo = cases[i].vmcoreinfo;
		check_kernel(t, cases[i].levels == 5);
		tables_free(t);
	}
}

#define INFO "OSRELEASE=6.1.0-test\nBUILD-ID=0123abcd\nPAGESIZE=4096\n" SYMBOL_LINE \
	"SIZE(page)=64\nOFFSET(page.flags)=0\nNUMBER(phys_base)=-16777216\n"
#define OTHER "OSRELEASE=9.9.9\nPAGESIZE=4096\nSYMBOL(x)=1\nSIZE(y)=2\nOFFSET(z)=3\n"

/* The text in memory: one that is there twice counts. */
static void test_scan(void)
{
	struct tables *t = kernel_new(4, 0);

	memcpy(&t->page[13][0], OTHER, sizeof(OTHER) - 1);
	memcpy(&t->page[20][24], INFO, sizeof(INFO) - 1);
	memcpy(&t->page[21][100], "OSRELEASE=%s\nPAGESIZE=%ld\n", 26);
	memcpy(&t->page[30][0], INFO, sizeof(INFO) - 1);
	check_kernel(t, false);
	CHECK_STR(t->dump.vmcoreinfo, INFO);
	CHECK_STR(t->dump.release, "6.1.0-test");
	CHECK_EQ(t->dump.build_id_len, 4);
	CHECK_EQ(load32(t->dump.build_id, true), 0x0123abcd);
	tables_free(t);

	/* A static array of older kernels may cross a page; if the dump ends
	   inside it, it is not accepted. */
	t = kernel_new(4, 0);
	memcpy(&t->page[20][TABLES_PAGE - 32], INFO, sizeof(INFO) - 1);
	CHECK(vmcoreinfo_scan(&t->dump));
	CHECK_STR(t->dump.vmcoreinfo, INFO);
	tables_free(t);
	t = kernel_new(4, 0);
	memcpy(&t->page[20][TABLES_PAGE - 32], INFO, 32);
	t->absent[21] = true;
	CHECK(!vmcoreinfo_scan(&t->dump));
	tables_free(t);
}

/* CR3 of a process in a QEMU note: no text maps its root, but it maps text. */
static void test_cr3(uint64_t cr3, bool five)
{
	struct tables *t = kernel_new(five ? 5 : 4, 0);
	uint8_t notes[12 + 8 + 440] = { 0 };
	struct image im = { .notes = notes, .notes_len = sizeof(notes) };

	store_uint(notes, 5, 4, false);
	store_uint(notes + 4, 440, 4, false);
	memcpy(notes + 12, "QEMU", 5);
	store_uint(notes + 20, 1, 4, false);
	store_uint(notes + 24, 440, 4, false);
	store_uint(notes + 20 + 392 + 24, cr3, 8, false);
	store_uint(notes + 20 + 392 + 32, five ? BIT(12) : 0, 8, false);
	t->dump.image = &im;
	t->dump.vmcoreinfo = "OSRELEASE=2.6.18\n";
	check_kernel(t, five);
	tables_free(t);
}

/* EM_386 without a word size: x86 in either mode. CR3 of a CPU that was reset says nothing. */
static void test_mode_unknown(void)
{
	struct tables *t = kernel_new(4, 0);
	const struct arch *a;

	t->dump.elf_machine = EM_386;
	t->dump.word_size = 0;
	t->dump.vmcoreinfo = SYMBOL_LINE;
	CHECK_EQ(arch_attach(&t->dump, &a), ST_OK);
	CHECK(a == &arch_x86_64);
	CHECK_EQ(t->dump.elf_machine, EM_X86_64);
	CHECK_EQ(t->dump.word_size, 8);
	tables_free(t);
}

/* /proc/vmcore's program headers give phys_base, and help if tables are lost. */
static void test_linear(void)
{
	struct tables *t = kernel_new(4, 0);
	struct image_mapped mapped[] = { { TEXT, 0, 0x20000 }, { DIRECT, 0, 0x40000 } };
	struct image im = { .mapped = mapped, .nmapped = 2 };
	const struct arch *a;
	struct reader *r;
	uint64_t pa;

	t->dump.image = &im;
	t->dump.vmcoreinfo = SYMBOL_LINE;
	check_kernel(t, false);
	tables_free(t);

	t = kernel_new(4, 0);
	t->absent[8] = true;		/* a pud of the direct map is lost */
	t->dump.image = &im;
	t->dump.vmcoreinfo = SYMBOL_LINE;
	CHECK_EQ(arch_attach(&t->dump, &a), ST_OK);
	r = reader_new(&t->dump);
	CHECK_EQ(reader_kvtop(r, DIRECT + 0x3000, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x3000);
	CHECK_EQ(reader_kvtop(r, DIRECT + 0x40000, &pa, NULL), ST_NODATA);
	reader_free(r);
	tables_free(t);
}

#define PHYS_BASE SYMBOL_LINE "NUMBER(phys_base)=-16777216\n"

/* The root of a process in page PFN: the pud of text, user memory, and the kernel's half. */
static void process_root(struct tables *t, uint64_t pfn, uint64_t text)
{
	set(t, pfn, 0, 14 << 12 | TABLE | 4, 0);
	set(t, pfn, 273, 8 << 12 | TABLE, 0);
	set(t, pfn, 402, 15 << 12 | TABLE, 0);		/* vmalloc */
	set(t, pfn, 468, 15 << 12 | TABLE, 0);		/* vmemmap */
	set(t, pfn, 511, text << 12 | TABLE, 0);
}

/* The root is lost. The first page has as many tables, but does not map data: the user's, with isolation. */
static void test_copy(bool whole)
{
	struct tables *t = kernel_new(4, 0);
	const struct arch *a;

	t->absent[ROOT] = true;
	process_root(t, 30, 15);
	set(t, 31, 511, 6 << 12 | TABLE, 0);		/* the trampoline's: text alone */
	if (whole)
		process_root(t, 40, 6);
	t->dump.vmcoreinfo = PHYS_BASE;
	if (whole)
		check_kernel(t, false);
	else
		CHECK_EQ(arch_attach(&t->dump, &a), ST_OK);
	CHECK(issues_reason(&t->dump.issues, "kernel page tables"));
	CHECK_EQ(((struct x86_64 *)t->dump.kv_self)->map.has_root, whole);
	tables_free(t);
}

#define BASES 30u		/* the page of both variables */

/* A pud of the direct map is lost: what it mapped is where the variables say, up to vmalloc(). */
static void test_direct(uint64_t base, bool known)
{
	struct tables *t = kernel_new(4, 0);
	const struct arch *a;
	struct reader *r;
	uint64_t pa;

	t->absent[8] = true;
	set(t, BASES, 0, base, 0);
	set(t, BASES, 1, DIRECT + 0x30000, 0);
	t->dump.vmcoreinfo = PHYS_BASE "SYMBOL(page_offset_base)=ffffffff8101e000\n"
				       "SYMBOL(vmalloc_base)=ffffffff8101e008\n";
	CHECK_EQ(arch_attach(&t->dump, &a), ST_OK);
	r = reader_new(&t->dump);
	CHECK_EQ(reader_kvtop(r, DIRECT + 0x3000, &pa, NULL), ST_NODATA);
	CHECK_EQ(a->attach_late(&t->dump), ST_OK);
	CHECK_EQ(reader_kvtop(r, DIRECT + 0x3000, &pa, NULL), known ? ST_OK : ST_NODATA);
	if (known)
		CHECK_EQ(pa, 0x3000);
	CHECK_EQ(reader_kvtop(r, DIRECT + 0x30000, &pa, NULL), ST_NODATA);
	reader_free(r);
	tables_free(t);
}

/* Of the root's tables, that of text is lost: text is found by rule, all else by the others. */
static void test_without_text(void)
{
	struct tables *t = kernel_new(4, 0);
	const struct arch *a;
	struct reader *r;
	uint64_t pa;

	t->absent[6] = true;
	t->dump.vmcoreinfo = PHYS_BASE;
	CHECK_EQ(arch_attach(&t->dump, &a), ST_OK);
	r = reader_new(&t->dump);
	CHECK_EQ(reader_kvtop(r, TEXT + 0x3000, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x3000);
	CHECK_EQ(reader_kvtop(r, DIRECT + 0x3000, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x3000);
	reader_free(r);
	tables_free(t);
}

static void test_damaged(void)
{
	struct tables *t = kernel_new(4, 0);
	const struct arch *a;
	struct reader *r;
	uint64_t pa;

	/* The root is lost: text by phys_base, nothing else; said once. */
	t->absent[ROOT] = true;
	t->dump.vmcoreinfo = SYMBOL_LINE "NUMBER(phys_base)=-16777216\n";
	CHECK_EQ(arch_attach(&t->dump, &a), ST_OK);
	CHECK_EQ(issues_total(&t->dump.issues), 1);
	r = reader_new(&t->dump);
	CHECK_EQ(reader_kvtop(r, TEXT + 0x3000, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x3000);
	CHECK_EQ(reader_kvtop(r, DIRECT + 0x3000, &pa, NULL), ST_NODATA);
	reader_free(r);
	tables_free(t);

	/* Nothing at all: a sentence. */
	t = tables_new();
	t->dump.elf_machine = EM_X86_64;
	t->dump.word_size = 8;
	CHECK_EQ(arch_attach(&t->dump, &a), ST_UNSUPPORTED);
	CHECK(strstr(t->dump.diag.text, "page tables") && !a);
	tables_free(t);

	/* No machine is named: the message is not that of the last row tried. */
	t = tables_new();
	CHECK_EQ(arch_attach(&t->dump, &a), ST_UNSUPPORTED);
	CHECK(strstr(t->dump.diag.text, "does not tell its machine") && !a);
	tables_free(t);

	/* An unknown machine. */
	t = tables_new();
	t->dump.elf_machine = EM_S390;
	CHECK_EQ(arch_attach(&t->dump, &a), ST_UNSUPPORTED);
	CHECK(strstr(t->dump.diag.text, "a s390x machine"));
	tables_free(t);

	/* One that has no name here. */
	t = tables_new();
	t->dump.elf_machine = EM_ARC;
	CHECK_EQ(arch_attach(&t->dump, &a), ST_UNSUPPORTED);
	CHECK(strstr(t->dump.diag.text, "ELF machine 45"));
	tables_free(t);
}

/* ------------------------------------------------------------------------
 * Variants of kernels
 */

struct named {
	const char *name;
	uint64_t addr;
};

static bool find_named(void *self, const char *name, uint64_t *addr)
{
	const struct named *n = self;

	if (strcmp(n->name, name))
		return false;
	*addr = n->addr;
	return true;
}

static enum status no_member(void *self, const char *path, struct member *ret)
{
	(void)self;
	(void)path;
	(void)ret;
	return ST_NOTMINE;
}

static enum status shstk_size(void *self, const char *type, uint32_t *bytes)
{
	(void)self;
	*bytes = 24;
	return strcmp(type, "thread_shstk") ? ST_NOTMINE : ST_OK;
}

static struct paging_env late(const char *release, struct named *n, bool shstk)
{
	struct symbol_source syms = { .name = "test", .find = find_named, .self = n };
	struct type_source types = { .name = "test", .member = no_member,
				     .size = shstk_size };
	struct tables *t = kernel_new(4, 0);
	const struct paging *p;
	struct paging_env env;
	const struct arch *a;

	snprintf(t->dump.release, sizeof(t->dump.release), "%s", release);
	t->dump.vmcoreinfo = SYMBOL_LINE "NUMBER(phys_base)=-16777216\n";
	/* physical_mask of a machine whose bit 47 encrypts */
	store_uint(&t->page[3][0x10], (BIT(52) - 1) & ~BIT(47), 8, false);
	if (n)
		symbols_add(&t->dump.symbols, &syms);
	if (shstk)
		types_add(&t->dump.types, &types);
	CHECK_EQ(arch_attach(&t->dump, &a), ST_OK);
	CHECK_EQ(arch_attach_late(&t->dump, a), ST_OK);
	arch_user_paging(&t->dump, &p, &env);
	CHECK_STR(p->name, "x86-64 4-level");
	tables_free(t);
	return env;
}

static void test_variants(void)
{
	struct named l1tf = { "l1tf_mitigation", TEXT }, numa = { "task_numa_work", TEXT };
	struct named mask = { "physical_mask", TEXT + 0x3010 };
	struct paging_env env;

	CHECK(late("6.6.0-rc1", NULL, false).saved_dirty);
	CHECK(late("7.3.4+deb13-amd64", NULL, false).saved_dirty);
	CHECK(!late("6.5.13", NULL, false).saved_dirty);
	CHECK(!late("5.14.0-503.el9", NULL, false).saved_dirty);
	CHECK(late("5.14.0-503.el9", NULL, true).saved_dirty);
	CHECK(late("", NULL, false).saved_dirty);

	env = late("4.19.0", NULL, false);
	CHECK(env.invert_swap && env.swap_form == X86_SWAP_L1TF);
	env = late("4.18.0-80.el8", NULL, false);
	CHECK(!env.invert_swap && env.swap_form == X86_SWAP_4_6);
	env = late("4.4.155", &l1tf, false);
	CHECK(env.invert_swap && env.swap_form == X86_SWAP_L1TF);
	CHECK_EQ(late("4.5.7", NULL, false).swap_form, X86_SWAP_2_6);
	CHECK_EQ(late("3.16.1", &numa, false).swap_form, X86_SWAP_3_15);
	CHECK_EQ(late("3.16.1", NULL, false).swap_form, X86_SWAP_2_6);
	CHECK_EQ(late("4.1.0", &numa, false).swap_form, X86_SWAP_2_6);
	CHECK_EQ(late("2.6.32-754.el6", NULL, false).swap_form, X86_SWAP_2_6);
	CHECK_EQ(late("2.6.18-398.el5", NULL, false).swap_form, X86_SWAP_2_4);

	/* 4.15.0-213-generic with the L1TF patches: pagemap said pfn 0x3a136 */
	env = late("4.15.0-213-generic", &l1tf, false);
	CHECK_PTE(decode(&env, 0, (~UINT64_C(0x3a136000) & (BIT(46) - BIT(12))) | BIT(8)),
		  PTE_PAGE, 0x3a136000, PTE_PROTNONE | PTE_EXEC);

	CHECK_EQ(late("4.16.18", NULL, false).pa_mask, BIT(46) - BIT(12));
	CHECK_EQ(late("4.17.0", NULL, false).pa_mask, BIT(52) - BIT(12));
	CHECK_EQ(late("", NULL, false).pa_mask, BIT(52) - BIT(12));
	CHECK_EQ(late("6.1", NULL, false).pa_mask, BIT(52) - BIT(12));
	CHECK_EQ(late("6.1", &mask, false).pa_mask, (BIT(52) - BIT(12)) & ~BIT(47));
}

int main(void)
{
	test_present();
	test_bit_58();
	test_none();
	test_protnone();
	test_swap();
	test_old_swap();
	test_huge();
	test_tables();
	test_table_at_once();
	test_sme();
	test_attach_told();
	test_scan();
	test_cr3(ROOT << 12 | 5 /* PCID */, false);
	test_cr3((ROOT << 12 | 0x1000), false);
	test_cr3(ROOT << 12, true);
	test_linear();
	test_mode_unknown();
	test_copy(true);
	test_copy(false);
	test_without_text();
	test_direct(DIRECT, true);
	test_direct(DIRECT | 8, false);
	test_damaged();
	test_variants();
	return check_done();
}
