/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc32_pte.c - page-table entries of 32-bit PowerPC.
 *
 * Two levels everywhere. Sources: include/asm-ppc/pgtable.h of 2.4.27, 2.6.11
 * and 2.6.18; arch/powerpc/include/asm/pgtable-ppc32.h and pte-*.h of 2.6.32,
 * 3.10, 4.1 and 4.4; book3s/32/pgtable.h, nohash/32/pgtable.h and nohash/
 * pte-*.h of 4.9 to 7.3. If a bit moved between two of these releases that are
 * far apart, the change is dated to the later one and named there.
 */
#include "arch/ppc/ppc32.h"

#include "dumpread/base/bytes.h"

/*
 * Directory entries. BOOKE machines (44x, e500) keep the kernel-virtual address
 * of the table, the others its physical one; 2.4 kept virtual ones everywhere.
 * Either way env->table_offset makes it physical.
 */
#define TABLE_ADDRESS 0xfffff000u	/* no table is smaller than 4 KiB */

/*
 * Huge pages had tables of their own (hugepd) up to 6.10: on e500 from 3.1
 * (41151e77a4d9), on 8xx from 4.10 (4b9142862292). e500 clears the top bit of the
 * table's address and puts the size in the low six bits. On 8xx, 0xc means 8 MiB;
 * such a page takes two directory entries (include/asm/page.h, nohash/hugetlb-e500.h,
 * nohash/32/hugetlb-8xx.h of 6.1). Since 6.11 directories of e500 with 64-bit PTEs
 * have entries of 64 bits (6b0e82791bd0). Those with a page size are PTEs themselves
 * (7c44202e3609, pmd_leaf()): each maps its own part of a huge page. On 8xx, 8 MiB are
 * then two usual tables; the second continues the first (0549e7666373).
 */
#define E500_HUGE_BIT 0x80000000u
#define E500_SHIFT_MASK 0x3fu
#define M8XX_8M_SHIFT 23

struct form {
	/* of a PTE; 0 where there is no such bit */
	uint64_t present, user, write, dirty, young, special, exec;
	uint64_t read_only;	/* all of these: may not be written */
	uint64_t no_access;	/* only the lower of these two: PROT_NONE */
	uint64_t ignored;	/* not looked at by pte_none() */
	uint8_t rpn_shift;	/* of the page number; 0: the row's page_shift */
	/* of a directory entry */
	uint32_t dir_present, dir_bad;
	uint32_t dir_8m;	/* all of these: table of an 8 MiB page */
	bool dir_e500;		/* without E500_HUGE_BIT: table of a huge page */
	uint32_t dir_leaf;	/* any of these: maps memory itself; entries of 64 bits */
};

#define DIR_PLAIN .dir_present = TABLE_ADDRESS, .dir_bad = ~TABLE_ADDRESS
#define HIGH_WORD UINT64_C(0xffffffff00000000)

/* without the bits of directories for huge pages */
#define M8XX_5_0 \
	.present = 0x1, .read_only = 0x600, .no_access = 0x600, .dirty = 0x100,       \
	.young = 0x20, .special = 0x80, .exec = 0x40, .dir_present = 0x1, .dir_bad = 0xf90

/* BAP_UR 8, UW 0x20, UX 0x80; SW0 is special */
#define BOOK3E \
	.present = 0x1, .user = 0x8, .write = 0x20, .dirty = 0x1000, .young = 0x40000, \
	.special = 0x2000, .exec = 0x80, .ignored = HIGH_WORD, .rpn_shift = 24, DIR_PLAIN

static const struct form forms[PPC32_FORMS] = {
	/* HASHPTE, 2, stays set when an entry is cleared */
	[PPC32_6XX] = { .present = 0x1, .user = 0x4, .write = 0x400, .dirty = 0x80,
			.young = 0x100, .special = 0x800, .exec = 0x200,
			.ignored = HIGH_WORD | 0x2, DIR_PLAIN },
	[PPC32_40X] = { .present = 0x2, .user = 0x10, .write = 0x40, .dirty = 0x80,
			.young = 0x400, .special = 0x20, .exec = 0x200,
			.dir_present = 0x400, .dir_bad = 0x802 },
	/* _PAGE_HWWRITE merged into _PAGE_RW (5.x to 6.1) */
	[PPC32_40X_6_0] = { .present = 0x2, .user = 0x10, .write = 0x100, .dirty = 0x80,
			    .young = 0x400, .special = 0x20, .exec = 0x200,
			    .dir_present = 0x400, .dir_bad = 0x802 },
	/* the two words of a 64-bit PTE are not written at once */
	[PPC32_44X_2_4] = { .present = 0x1, .user = 0x40, .write = 0x2, .dirty = 0x4,
			    .young = 0x8, .exec = 0x20, .ignored = HIGH_WORD, DIR_PLAIN },
	[PPC32_44X_2_6_18] = { .present = 0x1, .user = 0x40, .write = 0x2, .dirty = 0x200,
			       .young = 0x8, .exec = 0x20, .ignored = HIGH_WORD, DIR_PLAIN },
	[PPC32_44X_2_6_26] = { .present = 0x1, .user = 0x40, .write = 0x2, .dirty = 0x10,
			       .young = 0x8, .special = 0x20, .exec = 0x4,
			       .ignored = HIGH_WORD, DIR_PLAIN },
	/* 93820bfeefc4 (v6.7): _PAGE_READ takes the place of _PAGE_ACCESSED */
	[PPC32_44X_6_7] = { .present = 0x1, .user = 0x8, .write = 0x2, .dirty = 0x10,
			    .young = 0x40, .special = 0x20, .exec = 0x4,
			    .ignored = HIGH_WORD, DIR_PLAIN },
	/* a cleared entry may keep ACCESSED */
	[PPC32_8XX_2_4] = { .present = 0x1, .user = 0x800, .write = 0x40, .dirty = 0x20,
			    .young = 0x80, .exec = 0x8, .ignored = 0x80,
			    .dir_present = 0x1, .dir_bad = 0xff0 },
	[PPC32_8XX_2_6_26] = { .present = 0x1, .user = 0x800, .write = 0x40, .dirty = 0x20,
			       .young = 0x80, .special = 0x8, .ignored = 0x80,
			       .dir_present = 0x1, .dir_bad = 0xff0 },
	[PPC32_8XX_2_6_33] = { .present = 0x1, .user = 0x800, .write = 0x400, .dirty = 0x100,
			       .young = 0x20, .special = 0x8, .ignored = 0x20,
			       .dir_present = 0x1, .dir_bad = 0xff0 },
	[PPC32_8XX_4_0] = { .present = 0x1, .user = 0x20, .read_only = 0x600, .dirty = 0x100,
			    .young = 0x800, .special = 0x8, .exec = 0x40,
			    .dir_present = 0x1, .dir_bad = 0xff0, .dir_8m = 0xc },
	[PPC32_8XX_5_0] = { M8XX_5_0, .dir_8m = 0xc },
	[PPC32_8XX_6_11] = { M8XX_5_0 },
	[PPC32_E500_2_6] = { .present = 0x1, .user = 0x2, .write = 0x10, .dirty = 0x800,
			     .young = 0x4, .exec = 0x20, DIR_PLAIN },
	[PPC32_E500_2_6_18_WIDE] = { .present = 0x1, .user = 0x2, .write = 0x10,
				     .dirty = 0x8000, .young = 0x4, .exec = 0x20,
				     .ignored = HIGH_WORD | 0xffff0000, .rpn_shift = 20,
				     DIR_PLAIN },
	[PPC32_E500_2_6_26] = { .present = 0x1, .user = 0x2, .write = 0x4, .dirty = 0x8,
				.young = 0x20, .special = 0x800, .exec = 0x10, DIR_PLAIN,
				.dir_e500 = true },
	[PPC32_BOOK3E] = { BOOK3E, .dir_e500 = true },
	/* a page's size is encoded in 0xf00 */
	[PPC32_BOOK3E_6_11] = { BOOK3E, .dir_leaf = 0xf00 },
};

static const struct ppc_form {
	enum ppc32_family family;
	uint8_t pte_size;		/* 0: any */
	int since;			/* mainline version, V() */
	enum ppc32_form form;
} forms_since[] = {	/* within a family, the latest first */
	{ PPC_6XX, 0, 0, PPC32_6XX },
	{ PPC_40X, 0, V(6, 0), PPC32_40X_6_0 },
	{ PPC_40X, 0, 0, PPC32_40X },
	{ PPC_44X, 0, V(6, 7), PPC32_44X_6_7 },
	{ PPC_44X, 0, V26(26), PPC32_44X_2_6_26 },
	{ PPC_44X, 0, V26(14), PPC32_44X_2_6_18 },
	{ PPC_44X, 0, 0, PPC32_44X_2_4 },
	{ PPC_8XX, 0, V(6, 11), PPC32_8XX_6_11 },
	{ PPC_8XX, 0, V(5, 0), PPC32_8XX_5_0 },
	{ PPC_8XX, 0, V(4, 0), PPC32_8XX_4_0 },
	{ PPC_8XX, 0, V26(33), PPC32_8XX_2_6_33 },
	{ PPC_8XX, 0, V26(26), PPC32_8XX_2_6_26 },
	{ PPC_8XX, 0, 0, PPC32_8XX_2_4 },
	{ PPC_E500, 8, V(6, 11), PPC32_BOOK3E_6_11 },
	{ PPC_E500, 8, V26(26), PPC32_BOOK3E },
	{ PPC_E500, 8, 0, PPC32_E500_2_6_18_WIDE },
	{ PPC_E500, 0, V26(26), PPC32_E500_2_6_26 },
	{ PPC_E500, 0, 0, PPC32_E500_2_6 },
};

enum ppc32_form ppc32_form(enum ppc32_family family, unsigned pte_size, int version)
{
	for (unsigned i = 0; i < ARRAY_LEN(forms_since); i++) {
		const struct ppc_form *e = &forms_since[i];

		if (e->family == family && (!e->pte_size || e->pte_size == pte_size) &&
		    version >= e->since)
			return e->form;
	}
	return PPC32_6XX;
}

/* ---- the decoder -------------------------------------------------------------------- */

static const struct {
	uint8_t shift, type_bits;
} swap_forms[] = {
	[PPC32_SWAP_2_6] = { 3, 5 },
	[PPC32_SWAP_2_4] = { 2, 6 },
};

/* swp_entry_t is one word: it loses the high word of a 64-bit PTE. */
static void decode_swap(const struct paging_env *env, const struct form *f, uint64_t v,
			struct pte *out)
{
	unsigned bits = swap_forms[env->swap_form].type_bits;
	uint32_t e = (uint32_t)(v >> swap_forms[env->swap_form].shift);

	*out = (struct pte){
		.kind = PTE_SWAP,
		.swap_type = (uint8_t)(e & ((1u << bits) - 1)),
		.swap_offset = e >> bits,
		.flags = (uint16_t)((v & f->dirty ? PTE_RAW_DIRTY : 0) |
				    (v & f->young ? PTE_RAW_YOUNG : 0)),
	};
}

static bool may_access(const struct form *f, uint64_t v)
{
	if (f->no_access)
		return (v & f->no_access) != (f->no_access & -f->no_access);
	return !f->user || v & f->user;
}

static bool may_write(const struct form *f, uint64_t v)
{
	return f->read_only ? (v & f->read_only) != f->read_only : (v & f->write) != 0;
}

static void decode_pte(const struct paging_env *env, const struct form *f, unsigned page_shift,
		       uint64_t v, struct pte *out)
{
	unsigned rpn = f->rpn_shift ? f->rpn_shift : page_shift;

	*out = (struct pte){ .kind = PTE_NONE };
	if (!(v & ~f->ignored))
		return;
	if (!(v & f->present)) {
		decode_swap(env, f, v, out);
		return;
	}
	out->kind = PTE_PAGE;
	out->pa = v >> rpn << page_shift;
	out->flags =
		(uint16_t)((may_write(f, v) ? PTE_WRITE : 0) | (v & f->dirty ? PTE_DIRTY : 0) |
			   (v & f->young ? PTE_YOUNG : 0) | (v & f->special ? PTE_SPECIAL : 0) |
			   (v & f->exec ? PTE_EXEC : 0) | (may_access(f, v) ? 0 : PTE_PROTNONE));
}

static void decode_directory(const struct paging_env *env, const struct form *f,
			     unsigned page_shift, uint64_t entry, struct pte *out)
{
	uint32_t v = (uint32_t)entry;

	*out = (struct pte){ .kind = PTE_NONE };
	if (!entry)
		return;
	if (v & f->dir_leaf) {
		decode_pte(env, f, page_shift, entry, out);
		return;
	}
	if (f->dir_8m && (v & f->dir_8m) == f->dir_8m) {
		*out = (struct pte){ .kind = PTE_HUGE_TABLE,
				     .shift = M8XX_8M_SHIFT,
				     .pa = (v & TABLE_ADDRESS) + env->table_offset };
		return;
	}
	if (f->dir_e500 && !(v & E500_HUGE_BIT)) {
		*out = (struct pte){ .kind = PTE_HUGE_TABLE,
				     .shift = v & E500_SHIFT_MASK,
				     .pa = ((v & ~E500_SHIFT_MASK) | E500_HUGE_BIT) +
					   env->table_offset };
		return;
	}
	out->kind = v & f->dir_present && !(v & f->dir_bad) ? PTE_TABLE : PTE_BAD;
	out->pa = (v & TABLE_ADDRESS) + env->table_offset;
}

/* In entries of 16 bytes (8xx) all four words are the same. */
static void ppc32_decode(const struct paging *p, const struct paging_env *env, unsigned level,
			 const uint8_t *raw, unsigned n, struct pte *out)
{
	const struct form *f = &forms[env->form];
	unsigned size = p->entry_size[level];

	for (unsigned i = 0; i < n; i++, out++, raw += size) {
		uint64_t v = load_uint(raw, size == 16 ? 4 : size, true);

		if (level)
			decode_directory(env, f, p->page_shift, v, out);
		else
			decode_pte(env, f, p->page_shift, v, out);
	}
}

enum row { R_4K_32, R_4K_64, R_4K_64_WIDE, R_16K_64, R_16K_8XX, R_64K_64, R_256K_64, ROWS };

/* Huge pages, where there are any, are multiples of the range of a directory entry. */
#define ROW(row, name, shift, size, dir_size, low, high)                              \
	[row] = { name, shift, { size, dir_size }, 2, { low, high }, 3, ppc32_decode, { 0 } }

/*
 * PTE_SHIFT is PAGE_SHIFT - log2(sizeof(pte_t)), and two less with 256K pages
 * and on the 8xx with 16K pages (arch/powerpc/include/asm/page_32.h).
 */
static const struct paging rows[ROWS] = {
	ROW(R_4K_32, "ppc32 4K, 32-bit PTEs", 12, 4, 4, 10, 10),
	ROW(R_4K_64, "ppc32 4K, 64-bit PTEs", 12, 8, 4, 9, 11),
	ROW(R_4K_64_WIDE, "ppc32 4K, 64-bit PTEs and directory", 12, 8, 8, 9, 11),
	ROW(R_16K_64, "ppc32 16K, 64-bit PTEs", 14, 8, 4, 11, 7),
	ROW(R_16K_8XX, "ppc32 16K, 8xx", 14, 16, 4, 8, 10),
	ROW(R_64K_64, "ppc32 64K, 64-bit PTEs", 16, 8, 4, 13, 3),
	ROW(R_256K_64, "ppc32 256K, 64-bit PTEs", 18, 8, 4, 13, 1),
};

const struct paging *ppc32_paging(enum ppc32_family family, enum ppc32_form form,
				  unsigned page_shift, unsigned pte_size)
{
	unsigned dir_size = forms[form].dir_leaf ? 8 : 4;

	if (family == PPC_8XX && page_shift == 14)
		pte_size = 16;
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].page_shift == page_shift && rows[i].entry_size[0] == pte_size &&
		    rows[i].entry_size[1] == dir_size)
			return &rows[i];
	return NULL;
}
