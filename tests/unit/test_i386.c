/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * i386 page-table entries, and how the kernel's tables are found.
 *
 * Raw values are composed from the bits of arch/x86/include/asm/
 * pgtable_types.h, pgtable-2level.h and pgtable-3level.h (read 6.1.176).
 */
#include <elf.h>

#include "arch/x86/i386.h"
#include "tests/unit/check.h"
#include "tests/unit/tables.h"

#define BIT(n) (UINT64_C(1) << (n))
#define MASK52 (BIT(52) - BIT(12))

static struct paging_env env_of(unsigned row, unsigned swap_form)
{
	struct paging_env env;

	x86_64_env_init(&env, UINT64_C(1) << 36);
	env.form = row == I386_PAE ? X86_FORM_PAE : X86_FORM_64;
	env.swap_form = (uint8_t)swap_form;
	env.invert_swap = swap_form == X86_SWAP_L1TF;
	return env;
}

static struct pte decode(unsigned row, const struct paging_env *env, unsigned level,
			 uint64_t v)
{
	struct pte p = { .pa = 0x5a5a, .flags = 0x5a5a, .kind = 0x5a, .swap_type = 0x5a };
	uint8_t raw[8];

	store_uint(raw, v, i386_paging[row].entry_size[level], false);
	i386_paging[row].decode(&i386_paging[row], env, level, raw, 1, &p);
	return p;
}

#define CHECK_PTE(p, k, address, f)                                            \
	do {                                                                   \
		struct pte p_ = (p);                                           \
		CHECK_EQ(p_.kind, k);                                          \
		CHECK_EQ(p_.pa, address);                                      \
		CHECK_EQ(p_.flags, f);                                         \
	} while (0)

static void test_2level(void)
{
	struct paging_env env = env_of(I386_2LEVEL, X86_SWAP_2_6);
	unsigned row = I386_2LEVEL;

	/* P 1, RW 2, USER 4, A 0x20, D 0x40, SPECIAL 0x200; PROTNONE 0x100 */
	CHECK_PTE(decode(row, &env, 0, 0x12345067), PTE_PAGE, 0x12345000,
		  PTE_WRITE | PTE_EXEC | PTE_DIRTY | PTE_YOUNG);
	CHECK_PTE(decode(row, &env, 0, 0xfffff205), PTE_PAGE, 0xfffff000,
		  PTE_EXEC | PTE_SPECIAL);
	CHECK_PTE(decode(row, &env, 0, 0x12345100), PTE_PAGE, 0x12345000,
		  PTE_EXEC | PTE_PROTNONE);
	CHECK_PTE(decode(row, &env, 0, 0), PTE_NONE, 0, 0);
	/* bit 10 is dirty only since 6.6 */
	CHECK_PTE(decode(row, &env, 0, 0x12345405), PTE_PAGE, 0x12345000, PTE_EXEC);
	env.saved_dirty = true;
	CHECK_PTE(decode(row, &env, 0, 0x12345405), PTE_PAGE, 0x12345000,
		  PTE_EXEC | PTE_DIRTY);
	/* a directory, and 4 MiB */
	CHECK_PTE(decode(row, &env, 1, 0x12345067), PTE_TABLE, 0x12345000, 0);
	CHECK_PTE(decode(row, &env, 1, 0x124000e7), PTE_PAGE, 0x12400000,
		  PTE_WRITE | PTE_EXEC | PTE_DIRTY | PTE_YOUNG);
	CHECK_EQ(decode(row, &env, 1, 0x124200e7).kind, PTE_BAD);
	CHECK_EQ(decode(row, &env, 1, 0x12400100).kind, PTE_BAD);
	CHECK_PTE(decode(row, &env, 1, 0), PTE_NONE, 0, 0);
}

static void test_swap_2level(void)
{
	struct paging_env now = env_of(I386_2LEVEL, X86_SWAP_2_6);
	struct paging_env old = env_of(I386_2LEVEL, X86_SWAP_2_6_0);
	struct paging_env older = env_of(I386_2LEVEL, X86_SWAP_2_4);
	struct pte p = decode(I386_2LEVEL, &now, 0, 0x1234u << 9 | 30 << 1);

	CHECK_EQ(p.kind, PTE_SWAP);
	CHECK_EQ(p.swap_type, 30);
	CHECK_EQ(p.pa, 0x1234);
	/* the exclusive marker, bit 7, belongs to neither */
	p = decode(I386_2LEVEL, &now, 0, 0x1234u << 9 | 0x80 | 1 << 1);
	CHECK_EQ(p.swap_type, 1);
	CHECK_EQ(p.pa, 0x1234);
	p = decode(I386_2LEVEL, &old, 0, 0x1234u << 8 | 30 << 1);
	CHECK_EQ(p.swap_type, 30);
	CHECK_EQ(p.pa, 0x1234);
	p = decode(I386_2LEVEL, &older, 0, 0x1234u << 8 | 60 << 1);
	CHECK_EQ(p.swap_type, 60);
	CHECK_EQ(p.pa, 0x1234);
}

static void test_pae(void)
{
	struct paging_env env = env_of(I386_PAE, X86_SWAP_L1TF);
	uint64_t pa = UINT64_C(0x812345000);
	unsigned row = I386_PAE;

	CHECK_PTE(decode(row, &env, 0, pa | 0x67 | BIT(63)), PTE_PAGE, pa,
		  PTE_WRITE | PTE_DIRTY | PTE_YOUNG);
	CHECK_PTE(decode(row, &env, 0, pa | 0x5), PTE_PAGE, pa, PTE_EXEC);
	CHECK_PTE(decode(row, &env, 0, (~pa & MASK52) | BIT(8) | BIT(63)), PTE_PAGE, pa,
		  PTE_PROTNONE);
	/* bits 10 and 11 mean nothing before 6.6, then 10 is dirty */
	CHECK_PTE(decode(row, &env, 0, pa | 0xc05 | BIT(63)), PTE_PAGE, pa, 0);
	env.saved_dirty = true;
	CHECK_PTE(decode(row, &env, 0, pa | 0xc05 | BIT(63)), PTE_PAGE, pa, PTE_DIRTY);
	CHECK_PTE(decode(row, &env, 0, 0), PTE_NONE, 0, 0);
	CHECK_PTE(decode(row, &env, 1, pa | 0x67), PTE_TABLE, pa, 0);
	CHECK_PTE(decode(row, &env, 1, UINT64_C(0x812200000) | 0xe7 | BIT(63)), PTE_PAGE,
		  UINT64_C(0x812200000), PTE_WRITE | PTE_DIRTY | PTE_YOUNG);
	/* the root: four entries with only P */
	CHECK_PTE(decode(row, &env, 2, pa | 1), PTE_TABLE, pa, 0);
	CHECK_EQ(decode(row, &env, 2, pa | 0x81).kind, PTE_BAD);
	CHECK_EQ(decode(row, &env, 2, 0).kind, PTE_NONE);
}

static void test_swap_pae(void)
{
	struct paging_env now = env_of(I386_PAE, X86_SWAP_L1TF);
	struct paging_env old = env_of(I386_PAE, X86_SWAP_PAE);
	/* type in 63..59, offset inverted in 58..9 */
	uint64_t v = UINT64_C(29) << 59 | (~UINT64_C(0x1234) & (BIT(50) - 1)) << 9;
	struct pte p = decode(I386_PAE, &now, 0, v);

	CHECK_EQ(p.kind, PTE_SWAP);
	CHECK_EQ(p.swap_type, 29);
	CHECK_EQ(p.pa, 0x1234);
	/* up to 4.18: only the upper word */
	p = decode(I386_PAE, &old, 0, (UINT64_C(0x1234) << 5 | 7) << 32);
	CHECK_EQ(p.kind, PTE_SWAP);
	CHECK_EQ(p.swap_type, 7);
	CHECK_EQ(p.pa, 0x1234);
	/* PROT_NONE: bit 8, up to 2.6.31 bit 7 */
	CHECK_PTE(decode(I386_PAE, &old, 0, 0x12345120), PTE_PAGE, 0x12345000,
		  PTE_EXEC | PTE_YOUNG | PTE_PROTNONE);
	old.swap_form = X86_SWAP_PAE_2_6_0;
	CHECK_PTE(decode(I386_PAE, &old, 0, 0x123450a0), PTE_PAGE, 0x12345000,
		  PTE_EXEC | PTE_YOUNG | PTE_PROTNONE);
}

/* A root of 32 bytes that is not at the start of its page. */
static void test_walk_pae(void)
{
	struct tables *t = tables_new();
	struct paging_env env = env_of(I386_PAE, X86_SWAP_L1TF);
	const struct paging *p = &i386_paging[I386_PAE];
	struct reader *r;
	uint64_t pa = 0;

	env.max_pa = TABLES_PAGES << 12;
	tables_set(t, 1, 4 + 2, 0x2000 | 1);		/* 0x80000000 */
	tables_set(t, 2, 3, 0x3000 | 0x67);		/* + 6 MiB */
	tables_set(t, 3, 9, 0x2a000 | 0x67);
	r = reader_new(&t->dump);
	CHECK_EQ(pgtrans(r, p, &env, 0x1020, 0x80609abc, &pa, NULL), ST_OK);
	CHECK_EQ(pa, 0x2aabc);
	CHECK_EQ(pgtrans(r, p, &env, 0x1020, 0x8060aabc, &pa, NULL), ST_FAULT);
	CHECK_EQ(pgtrans(r, p, &env, 0x1020, 0x40000000, &pa, NULL), ST_FAULT);
	reader_free(r);
	tables_free(t);
}

/* swapper_pg_dir maps itself: this shows the row, and where low memory begins. */
static void test_attach(bool pae, uint64_t offset, uint16_t said)
{
	struct tables *t = tables_new();
	const struct arch *a = NULL;
	struct paging_env env;
	const struct paging *p;
	uint64_t pa = 0;
	char info[64];

	t->dump.elf_machine = said;
	t->dump.word_size = said == EM_386 ? 4 : 8;
	snprintf(info, sizeof(info), "SYMBOL(swapper_pg_dir)=%" PRIx64 "\n", offset + 0x5000);
	t->dump.vmcoreinfo = info;
	if (pae) {
		tables_set(t, 5, offset >> 30, 0x6000 | 1);
		tables_set(t, 6, offset >> 21 & 511, 0x7000 | 0x63);
		tables_set(t, 7, 5, 0x5000 | 0x63);
		tables_set(t, 7, 9, 0x20000 | 0x63);
	} else {
		store_uint(&t->page[5][(offset >> 22) * 4], 0x7000 | 0x63, 4, false);
		store_uint(&t->page[7][5 * 4], 0x5000 | 0x63, 4, false);
		store_uint(&t->page[7][9 * 4], 0x20000 | 0x63, 4, false);
	}
	if (CHECK_EQ(arch_attach(&t->dump, &a), ST_OK)) {
		struct reader *r = reader_new(&t->dump);

		CHECK(a == &arch_i386);
		CHECK_EQ(t->dump.elf_machine, EM_386);
		CHECK_EQ(t->dump.word_size, 4);
		arch_user_paging(&t->dump, &p, &env);
		CHECK(p == &i386_paging[pae ? I386_PAE : I386_2LEVEL]);
		CHECK_EQ(a->user_end(&t->dump), offset);
		CHECK_EQ(reader_kvtop(r, offset + 0x9123, &pa, NULL), ST_OK);
		CHECK_EQ(pa, 0x20123);
		CHECK_EQ(reader_kvtop(r, offset - 0x1000, &pa, NULL), ST_FAULT);
		reader_free(r);
	}
	tables_free(t);
}

int main(void)
{
	test_2level();
	test_swap_2level();
	test_pae();
	test_swap_pae();
	test_walk_pae();
	test_attach(false, 0xc0000000, EM_386);
	test_attach(false, 0x80000000, EM_386);
	test_attach(true, 0xc0000000, EM_386);
	test_attach(true, 0x40000000, EM_386);
	test_attach(true, 0xc0000000, EM_X86_64);	/* as QEMU's kdump says */
	return check_done();
}
