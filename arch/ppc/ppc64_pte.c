/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc64_pte.c - page-table entries of 64-bit PowerPC.
 *
 * Sources: include/asm-ppc64/pgtable.h of 2.4.27 and 2.6.11, asm-powerpc/
 * pgtable*.h of 2.6.18, arch/powerpc/include/asm/pgtable-ppc64*.h and
 * pte-hash64*.h of 2.6.32 to 4.4, book3s/64/{pgtable,hash,hash-64k,radix}.h and
 * nohash/pte-book3e.h of 4.9 to 7.3. 4.5 and 4.6 had forms of their own that
 * were not read.
 */
#include "arch/ppc/ppc64.h"

#include "dumpread/base/bytes.h"

#define BIT(n) (UINT64_C(1) << (n))
#define LOW(n) (BIT(n) - 1)

struct form {
	/* of a PTE; 0 where there is no such bit */
	uint64_t present, user, write, exec, dirty, young, special, soft_dirty, devmap;
	uint64_t invalid;	/* with LEAF: cleared for a moment, still counts as present */
	uint64_t ignored;	/* not looked at by pte_none() */
	uint64_t swap;		/* bits of every swap entry; 0: none */
	uint64_t rpn;		/* of the page number ... */
	uint8_t rpn_shift;	/* ... which begins here; 0: at the size of a page */
	uint8_t type_shift, type_bits, offset_shift;	/* of a swap entry */
	/* of a directory entry */
	uint64_t leaf;		/* maps memory itself */
	uint64_t table;		/* without it: maps memory itself */
	uint64_t dir_flags;	/* of the rest, bits that are no address */
	uint64_t dir_bad;
	uint8_t dir_shift;	/* of a page number, in the lowest directory (2.6.11) */
	uint8_t huge_tables;	/* enum huge_tables */
};

/*
 * Huge pages had tables of their own (hugepd) up to 6.10, except with radix and, since
 * 3.10, with hash and 64K pages: hugepd_ok(), hugepd_page() and hugepd_shift() of
 * asm/hugetlb.h (3.10: e2b3d202d1db, cf9427b85e90), nohash/pgtable.h,
 * nohash/hugetlb-e500.h, book3s/64/hash-4k.h and hugetlb.h. Hash tables of 2.6.32 and
 * before had another form, which is not read. Since 6.11 directory entries map their
 * own part of a huge page; on book3e these are the entries without the top bit, which
 * kernel addresses have (7c44202e3609, pmd_leaf()).
 */
enum huge_tables {
	NO_HUGE_TABLES,
	BY_TOP_BIT,	/* clear; the address has it set; size in the low six bits */
	BY_PSIZE,	/* an index of sizes in bits 2 to 5, which is never 0 */
	BY_PSIZE_3_10,	/* the same with other numbers; the address is kernel-virtual */
};

/* MMU_PAGE_4K .. MMU_PAGE_64G (asm/mmu.h), as they are numbered since 4.10 */
static const uint8_t psize_shift[16] = {
	12, 14, 16, 16, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 34, 36
};
/* the numbers before 512K and 2M were added */
static const uint8_t psize_shift_3_10[16] = {
	12, 14, 16, 16, 18, 20, 22, 23, 24, 26, 28, 30, 34, 36
};

/*
 * 4.7: _PAGE_PRESENT 63, _PAGE_PTE 62 (also in swap entries, so that bits which a
 * hash table left in an empty entry are none), _PAGE_INVALID 61 (5.0), SPECIAL
 * SW2, SOFT_DIRTY SW3, DEVMAP SW1; READ 4, WRITE 2, EXEC 1: with none of these
 * it is PROT_NONE. A physical address has 53 bits.
 */
#define BOOK3S_COMMON \
	.present = BIT(63), .user = 0x7, .write = 0x2, .exec = 0x1, .dirty = 0x80,    \
	.young = 0x100, .special = 0x400, .soft_dirty = 0x200, .devmap = 0x800

/* BUSY 0x800, HASHPTE 0x400 and the place of the hash entry, 0xf000 */
#define HASH_COMMON \
	.present = 0x1, .user = 0x2, .write = 0x200, .dirty = 0x80, .young = 0x100,   \
	.rpn = UINT64_MAX, .dir_bad = 0

#define BOOK3E_COMMON \
	.present = 0x1, .user = 0x8, .write = 0x20, .exec = 0x80, .dirty = 0x1000,    \
	.young = 0x40000, .special = 0x2000, .rpn = UINT64_MAX

static const struct form forms[PPC64_FORMS] = {
	[PPC64_BOOK3S] = { BOOK3S_COMMON, .invalid = BIT(61), .swap = BIT(62),
			   .rpn = LOW(53), .type_bits = 5, .leaf = BIT(62),
			   .dir_flags = BIT(63) | BIT(62) | 0xff,
			   .dir_bad = BIT(62) | BIT(61) | 0xe0 },
	[PPC64_BOOK3S_4K] = { BOOK3S_COMMON, .invalid = BIT(61), .swap = BIT(62),
			      .rpn = LOW(53), .type_bits = 5, .leaf = BIT(62),
			      .dir_flags = BIT(63) | BIT(62) | 0xff,
			      .dir_bad = BIT(62) | BIT(61) | 0xe0, .huge_tables = BY_PSIZE },
	[PPC64_HASH_4K_2_6] = { HASH_COMMON, .special = 0x10000, .ignored = 0xfc00,
				.rpn_shift = 17, .type_shift = 18, .type_bits = 6,
				.offset_shift = 25, .huge_tables = BY_TOP_BIT },
	[PPC64_HASH_4K] = { HASH_COMMON, .special = 0x10000, .ignored = 0xfc00,
			    .rpn_shift = 17, .type_shift = 18, .type_bits = 6,
			    .offset_shift = 25, .leaf = 0x3, .huge_tables = BY_PSIZE_3_10 },
	[PPC64_HASH_4K_4_0] = { HASH_COMMON, .special = 0x10000, .ignored = 0xfc00,
				.rpn_shift = 17, .type_shift = 2, .type_bits = 5,
				.offset_shift = 17, .leaf = 0x3,
				.huge_tables = BY_PSIZE_3_10 },
	/* COMBO 0x10000000, sub-pages 0x0ffff000 */
	[PPC64_HASH_64K_2_6] = { HASH_COMMON, .special = 0x400, .ignored = 0x1ffff800,
				 .rpn_shift = 30, .type_shift = 31, .type_bits = 6,
				 .offset_shift = 38, .dir_flags = 0x1ff,
				 .huge_tables = BY_TOP_BIT },
	/* pmd_huge(), pmd_trans_huge() of 3.10 to 4.4: PRESENT or USER, which no address has */
	[PPC64_HASH_64K] = { HASH_COMMON, .special = 0x400, .ignored = 0x1ffff800,
			     .rpn_shift = 30, .type_shift = 31, .type_bits = 6,
			     .offset_shift = 38, .leaf = 0x3, .dir_flags = 0x1ff },
	[PPC64_HASH_64K_4_0] = { HASH_COMMON, .special = 0x400, .ignored = 0x1ffff800,
				 .rpn_shift = 30, .type_shift = 2, .type_bits = 5,
				 .offset_shift = 30, .leaf = 0x3,
				 .dir_flags = 0x1ff },
	[PPC64_HASH_64K_2_6_18] = { HASH_COMMON, .ignored = 0x1ffff800, .rpn_shift = 32,
				    .type_shift = 33, .type_bits = 6, .offset_shift = 40,
				    .dir_flags = 0x1ff },
	[PPC64_HASH_2_6_11] = { .present = 0x1, .user = 0x2, .write = 0x4, .dirty = 0x80,
				.young = 0x100, .ignored = 0xfc00, .rpn = UINT64_MAX,
				.rpn_shift = 17, .type_shift = 18, .type_bits = 6,
				.offset_shift = 25, .dir_shift = 2 },
	[PPC64_HASH_2_4] = { .present = 0x1, .user = 0x2, .write = 0x4, .dirty = 0x80,
			     .young = 0x100, .ignored = 0x7e00, .rpn = UINT64_MAX,
			     .rpn_shift = 16, .type_shift = 17, .type_bits = 6,
			     .offset_shift = 24 },
	/*
	 * nohash/pte-book3e.h: BAP_UR 8, UW 0x20, UX 0x80, SW0 0x2000. Swap entries
	 * are those of hash tables at that time (pgtable-ppc64.h, nohash/64/pgtable.h).
	 */
	[PPC64_BOOK3E_4K_6_11] = { BOOK3E_COMMON, .rpn_shift = 24, .type_shift = 2,
				   .type_bits = 5, .offset_shift = 24, .table = BIT(63) },
	[PPC64_BOOK3E_4K] = { BOOK3E_COMMON, .rpn_shift = 24, .type_shift = 2, .type_bits = 5,
			      .offset_shift = 24, .huge_tables = BY_TOP_BIT },
	[PPC64_BOOK3E_4K_2_6] = { BOOK3E_COMMON, .rpn_shift = 24, .type_shift = 25,
				  .type_bits = 6, .offset_shift = 32,
				  .huge_tables = BY_TOP_BIT },
	[PPC64_BOOK3E_64K] = { BOOK3E_COMMON, .rpn_shift = 28, .type_shift = 2, .type_bits = 5,
			       .offset_shift = 28, .dir_flags = 0x1ff,
			       .huge_tables = BY_TOP_BIT },
	[PPC64_BOOK3E_64K_2_6] = { BOOK3E_COMMON, .rpn_shift = 28, .type_shift = 29,
				   .type_bits = 6, .offset_shift = 36, .dir_flags = 0x1ff,
				   .huge_tables = BY_TOP_BIT },
};

/* ---- the decoder -------------------------------------------------------------------- */

static unsigned rpn_shift(const struct form *f, unsigned page_shift)
{
	return f->rpn_shift ? f->rpn_shift : page_shift;
}

static void decode_swap(const struct form *f, unsigned page_shift, uint64_t v, struct pte *out)
{
	unsigned shift = f->offset_shift ? f->offset_shift : page_shift;

	*out = (struct pte){
		.kind = PTE_SWAP,
		.swap_type = (uint8_t)(v >> f->type_shift & LOW(f->type_bits)),
		.swap_offset = (v & f->rpn) >> shift,
		.flags = (uint16_t)((v & f->dirty ? PTE_RAW_DIRTY : 0) |
				    (v & f->young ? PTE_RAW_YOUNG : 0)),
	};
}

static bool is_present(const struct form *f, uint64_t v)
{
	return v & f->present || (f->invalid && !(~v & (f->invalid | f->leaf)));
}

/* An entry that maps 1 << SHIFT bytes, or is not present, or none. */
static void decode_leaf(const struct form *f, unsigned page_shift, unsigned shift, uint64_t v,
			struct pte *out)
{
	*out = (struct pte){ .kind = PTE_NONE };
	if (!is_present(f, v)) {
		if (v & ~f->ignored && (!f->swap || v & f->swap))
			decode_swap(f, page_shift, v, out);
		return;
	}
	out->kind = PTE_PAGE;
	out->pa = ((v & f->rpn) >> rpn_shift(f, page_shift) << page_shift) & ~LOW(shift);
	out->flags =
		(uint16_t)((v & f->write ? PTE_WRITE : 0) | (v & f->dirty ? PTE_DIRTY : 0) |
			   (v & f->young ? PTE_YOUNG : 0) | (v & f->special ? PTE_SPECIAL : 0) |
			   (v & f->soft_dirty ? PTE_SOFT_DIRTY : 0) |
			   (v & f->devmap ? PTE_DEVMAP : 0) | (v & f->exec ? PTE_EXEC : 0) |
			   (v & f->user ? 0 : PTE_PROTNONE));
}

/* Is it a pointer to a huge page's table? */
static bool decode_huge_table(const struct paging_env *env, const struct form *f, uint64_t v,
			      struct pte *out)
{
	uint64_t address = v & ~UINT64_C(0x3f);

	if (f->huge_tables == BY_TOP_BIT && !(v & BIT(63)))
		*out = (struct pte){ .kind = PTE_HUGE_TABLE,
				     .shift = v & 0x3f,
				     .pa = (address | BIT(63)) + env->table_offset };
	else if (f->huge_tables == BY_PSIZE && v & f->present && v & 0x3f)
		*out = (struct pte){ .kind = PTE_HUGE_TABLE,
				     .shift = psize_shift[v >> 2 & 15],
				     .pa = address & LOW(60) };
	else if (f->huge_tables == BY_PSIZE_3_10 && v & 0x3c)
		*out = (struct pte){ .kind = PTE_HUGE_TABLE,
				     .shift = psize_shift_3_10[v >> 2 & 15],
				     .pa = address + env->table_offset };
	else
		return false;
	return true;
}

static void decode_directory(const struct paging_env *env, const struct form *f, uint64_t v,
			     struct pte *out)
{
	if (decode_huge_table(env, f, v, out))
		return;
	out->kind = v & f->dir_bad ? PTE_BAD : PTE_TABLE;
	out->pa = (v & ~f->dir_flags) + env->table_offset;
}

static void ppc64_decode(const struct paging *p, const struct paging_env *env, unsigned level,
			 const uint8_t *raw, unsigned n, struct pte *out)
{
	const struct form *f = &forms[env->form];
	unsigned size = p->entry_size[level], shift = paging_shift(p, level);

	for (unsigned i = 0; i < n; i++, out++, raw += size) {
		uint64_t v = load_uint(raw, size, env->big_endian);

		*out = (struct pte){ .kind = PTE_NONE };
		if (!level || v & f->leaf || (f->table && !(v & f->table)))
			decode_leaf(f, p->page_shift, shift, v, out);
		else if (v && size == 4)
			*out = (struct pte){ .kind = PTE_TABLE,
					     .pa = (level == 1 ? v >> f->dir_shift : v) << 12 };
		else if (v)
			decode_directory(env, f, v, out);
	}
}

/* ---- geometries ---------------------------------------------------------------------- */

enum row {
	RADIX_4K, RADIX_64K, HASH_64K_4_17, HASH_64K_4_11, HASH_64K_4_7, HASH_64K_3_10,
	HASH_64K_2_6, HASH_4K_3_10, HASH_4K_2_6, HASH_4K_OLD, E_4K, E_4K_6_11, E_64K, ROWS
};

#define WORDS { 8, 8, 8, 8 }

/*
 * With hash tables and 64K pages, hash slots follow each PTE table and take as many
 * bytes; a table of level 1 is found by the size of the first half.
 */
static const struct paging rows[ROWS] = {
	[RADIX_4K] = { "ppc64 radix 4K", 12, WORDS, 4, { 9, 9, 9, 13 }, 7, ppc64_decode, { 0 } },
	[RADIX_64K] = { "ppc64 radix 64K", 16, WORDS, 4, { 5, 9, 9, 13 }, 7, ppc64_decode, { 0 } },
	[HASH_64K_4_17] = { "ppc64 hash 64K", 16, WORDS, 4, { 8, 10, 10, 8 }, 7, ppc64_decode, { 0 } },
	[HASH_64K_4_11] = { "ppc64 hash 64K (4.11)", 16, WORDS, 4, { 8, 10, 7, 8 }, 7,
			  ppc64_decode, { 0 } },
	[HASH_64K_4_7] = { "ppc64 hash 64K (4.7)", 16, WORDS, 4, { 8, 5, 5, 12 }, 7, ppc64_decode, { 0 } },
	[HASH_64K_3_10] = { "ppc64 hash 64K (3.10)", 16, WORDS, 3, { 8, 10, 12 }, 3, ppc64_decode, { 0 } },
	[HASH_64K_2_6] = { "ppc64 hash 64K (2.6)", 16, WORDS, 3, { 12, 12, 4 }, 1, ppc64_decode, { 0 } },
	[HASH_4K_3_10] = { "ppc64 hash 4K", 12, WORDS, 4, { 9, 7, 9, 9 }, 7, ppc64_decode, { 0 } },
	[HASH_4K_2_6] = { "ppc64 hash 4K (2.6)", 12, WORDS, 4, { 9, 7, 7, 9 }, 1, ppc64_decode, { 0 } },
	[HASH_4K_OLD] = { "ppc64 hash 4K (2.6.11)", 12, { 8, 4, 4 }, 3, { 9, 10, 10 }, 1,
			  ppc64_decode, { 0 } },
	[E_4K] = { "ppc64 book3e 4K", 12, WORDS, 4, { 9, 7, 9, 9 }, 1, ppc64_decode, { 0 } },
	[E_4K_6_11] = { "ppc64 book3e 4K (6.11)", 12, WORDS, 4, { 9, 7, 9, 9 }, 7, ppc64_decode, { 0 } },
	[E_64K] = { "ppc64 book3e 64K", 16, WORDS, 3, { 8, 10, 12 }, 1, ppc64_decode, { 0 } },
};

/*
 * The first release of each form. Releases between those named at the top were not
 * read, except for the commits named here.
 */
struct ppc_form {
	int since;			/* mainline version, V() */
	uint8_t page_shift;
	enum row row;
	enum ppc64_form form;
};

/* the latest first */
static const struct ppc_form hash_forms[] = {
	{ V(4, 17), 16, HASH_64K_4_17, PPC64_BOOK3S },	/* c2b4d8b7417a: 4 PiB */
	{ V(4, 11), 16, HASH_64K_4_11, PPC64_BOOK3S },
	{ V(4, 7), 16, HASH_64K_4_7, PPC64_BOOK3S },
	{ V(6, 11), 12, HASH_4K_3_10, PPC64_BOOK3S },
	{ V(4, 10), 12, HASH_4K_3_10, PPC64_BOOK3S_4K },
	{ V(4, 7), 12, HASH_4K_3_10, PPC64_BOOK3S },
	{ V(4, 0), 16, HASH_64K_3_10, PPC64_HASH_64K_4_0 },
	{ V(4, 0), 12, HASH_4K_3_10, PPC64_HASH_4K_4_0 },
	{ V(3, 10), 16, HASH_64K_3_10, PPC64_HASH_64K },
	{ V(3, 10), 12, HASH_4K_3_10, PPC64_HASH_4K },
	{ V26(26), 16, HASH_64K_2_6, PPC64_HASH_64K_2_6 },
	{ V26(14), 16, HASH_64K_2_6, PPC64_HASH_64K_2_6_18 },
	{ V26(14), 12, HASH_4K_2_6, PPC64_HASH_4K_2_6 },
	{ V26(0), 12, HASH_4K_OLD, PPC64_HASH_2_6_11 },
	{ V(2, 0), 12, HASH_4K_OLD, PPC64_HASH_2_4 },
	{ 0 }
};

static const struct ppc_form book3e_forms[] = {
	{ V(6, 11), 12, E_4K_6_11, PPC64_BOOK3E_4K_6_11 },
	{ V(4, 0), 12, E_4K, PPC64_BOOK3E_4K },
	{ 0, 12, E_4K, PPC64_BOOK3E_4K_2_6 },
	{ V(4, 0), 16, E_64K, PPC64_BOOK3E_64K },
	{ 0, 16, E_64K, PPC64_BOOK3E_64K_2_6 },
	{ 0 }
};

enum status ppc64_variant(int version, unsigned page_shift, bool book3e, bool radix,
			  struct ppc64_variant *ret)
{
	const struct ppc_form *e = book3e ? book3e_forms : hash_forms;
	bool be = book3e || version >= V(4, 7);

	*ret = (struct ppc64_variant){ .big_endian = be, .virtual = book3e || !be };
	if (page_shift != 12 && page_shift != 16)
		return ST_ABSENT;
	if (radix) {
		ret->form = PPC64_BOOK3S;
		ret->paging = &rows[page_shift == 16 ? RADIX_64K : RADIX_4K];
		return ST_OK;
	}
	for (; e->page_shift; e++)
		if (e->page_shift == page_shift && version >= e->since) {
			ret->form = e->form;
			ret->paging = &rows[e->row];
			return ST_OK;
		}
	return ST_ABSENT;
}

const struct paging *ppc64_geometry(unsigned page_shift, const uint64_t bits[4])
{
	for (unsigned i = 0; i < ROWS; i++) {
		const struct paging *p = &rows[i];
		unsigned level = 0;

		if (p->page_shift != page_shift || p->nlevels != 3 + (bits[2] != 0))
			continue;
		for (unsigned k = 0; k < 4; k++)
			if (bits[k] && bits[k] == p->bits[level])
				level++;
		if (level == p->nlevels)
			return p;
	}
	return NULL;
}
