/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * riscv64_pte.c - page-table entries of riscv64: three rows and one decoder.
 *
 * Bits of an entry, from arch/riscv/include/asm/pgtable-bits.h and pgtable-64.h (read 6.12.117,
 * 7.2.13) unless said:
 *      0 V valid     4 U user       8 SPECIAL                    53:10 page number
 *      1 R           5 G global     9 DEVMAP (6.11 to 6.15)      59 soft-dirty, 60 uffd-wp (7.0,
 *      2 W           6 A accessed                                   with Svrsw60t59b)
 *      3 X           7 D dirty                                   62:61 memory type (Svpbmt)
 *                                                                63 N (Svnapot)
 * A valid entry without R, W and X is a table. W alone is a shadow stack (7.0). Bits 58:54 are
 * reserved. CPUs of T-Head have a memory type in 63:59, and 11100 in all of usual memory: 11 in
 * 62:61 is reserved elsewhere, and shows that 60 and 59 are no marks.
 *
 * Svnapot: with N, 1000 in the low bits of the page number says that 16 entries, all with this
 * value, map 64 KiB together. Kernels use no other size (asm/pgtable-64.h, NAPOT_ORDER_MAX). Young
 * and dirty of one belong to all: huge_ptep_get() (mm/hugetlbpage.c; 82a1a1f3bfb6, v6.4). So it is under
 * PROT_NONE: pte_pfn() does not ask whether an entry is valid.
 *
 * Not valid and not 0:
 *      bit 5 (G; until 5.16 bit 1, R)     PROT_NONE
 *      R, W or X of a huge page           it is being split: pmd_present() (since 5.17)
 *      else                               swap: type 6:2 and offset 63:7; type 10:6 and offset
 *                                         63:11 since 5.17; type 11:7 and offset 63:12 since
 *                                         6.3 (51a1007d4113), with bit 6 exclusive, and since 7.0
 *                                         bit 3 soft-dirty and 4 uffd-wp
 */
#include "arch/riscv/riscv64.h"

#include "arch/runs.h"

#define BIT(n) (UINT64_C(1) << (n))

#define PAGE_SHIFT  12u
#define NAPOT_ORDER 4u

#define VALID	    BIT(0)
#define READ	    BIT(1)
#define WRITE	    BIT(2)
#define EXEC	    BIT(3)
#define LEAF	    (READ | WRITE | EXEC)
#define USER	    BIT(4)
#define GLOBAL	    BIT(5)
#define ACCESSED    BIT(6)
#define DIRTY	    BIT(7)
#define SPECIAL	    BIT(8)
#define DEVMAP	    BIT(9)
#define PPN_SHIFT   10u
#define PPN	    (BIT(54) - BIT(PPN_SHIFT))
#define RESERVED    (BIT(59) - BIT(54))
#define SOFT_DIRTY  BIT(59)
#define UFFD_WP	    BIT(60)
#define MEMORY_TYPE (BIT(61) | BIT(62))
#define NAPOT	    BIT(63)

#define SWP_SOFT_DIRTY BIT(3)
#define SWP_UFFD_WP    BIT(4)

static const struct swap_form {
	uint8_t type_shift, offset_shift;
	uint64_t prot_none;
	uint64_t splitting; /* of a huge page: any of these */
	bool marks;	    /* may have those of 7.0 */
} swap_forms[] = {
	[RISCV64_SWAP_4_15] = { 2, 7, READ, 0, false },
	[RISCV64_SWAP_5_17] = { 6, 11, GLOBAL, LEAF, false },
	[RISCV64_SWAP_6_3] = { 7, 12, GLOBAL, LEAF, true },
};

static inline uint64_t address(uint64_t v)
{
	return (v & PPN) << (PAGE_SHIFT - PPN_SHIFT);
}

static bool is_napot(uint64_t v)
{
	return v & NAPOT && (v >> PPN_SHIFT & (BIT(NAPOT_ORDER) - 1)) == BIT(NAPOT_ORDER - 1);
}

static void decode_swap(const struct swap_form *f, uint64_t v, struct pte *out)
{
	*out = (struct pte){
		.kind = PTE_SWAP,
		.swap_type = (uint8_t)(v >> f->type_shift & 0x1f),
		.swap_offset = v >> f->offset_shift,
		.flags = (uint16_t)((f->marks && v & SWP_UFFD_WP ? PTE_UFFD_WP : 0) |
				    (f->marks && v & SWP_SOFT_DIRTY ? PTE_SOFT_DIRTY : 0) |
				    (v & DIRTY ? PTE_RAW_DIRTY : 0) |
				    (v & ACCESSED ? PTE_RAW_YOUNG : 0)),
	};
}

static inline void decode_page(const struct swap_form *f, uint64_t v, struct pte *out)
{
	bool marks = (v & MEMORY_TYPE) != MEMORY_TYPE;
	unsigned flags = (v & WRITE ? PTE_WRITE : 0) | (v & DIRTY ? PTE_DIRTY : 0) |
			 (v & ACCESSED ? PTE_YOUNG : 0) | (v & SPECIAL ? PTE_SPECIAL : 0) |
			 (v & DEVMAP ? PTE_DEVMAP : 0) | (v & EXEC ? PTE_EXEC : 0) |
			 (marks && v & UFFD_WP ? PTE_UFFD_WP : 0) |
			 (marks && v & SOFT_DIRTY ? PTE_SOFT_DIRTY : 0) |
			 (!(v & VALID) && v & f->prot_none ? PTE_PROTNONE : 0);

	*out = (struct pte){ .pa = address(v), .kind = PTE_PAGE, .flags = (uint16_t)flags };
}

/* Of a valid entry that maps memory. */
static inline bool is_sound(uint64_t v)
{
	return !(v & RESERVED) && (v & LEAF) != (WRITE | EXEC);
}

/* V is not valid, and of the lowest level or, if HUGE, of the one above. */
static void decode_invalid(const struct swap_form *f, uint64_t v, bool huge, struct pte *out)
{
	if (!v)
		*out = (struct pte){ .kind = PTE_NONE };
	else if (v & f->prot_none || (huge && v & f->splitting))
		decode_page(f, v, out);
	else
		decode_swap(f, v, out);
}

/* A page that is told by its entry alone. */
static inline bool is_plain(uint64_t v)
{
	return (v & (VALID | NAPOT)) == VALID && v & LEAF && is_sound(v);
}

/* V is not plain, of the lowest level, and in PLACE of the block that it may belong to. */
static void decode_other(const struct swap_form *f, uint64_t v, unsigned place, struct pte *out)
{
	if (!(v & VALID)) {
		decode_invalid(f, v, false, out);
	} else {
		decode_page(f, v, out);
		if (!(v & LEAF) || !is_sound(v))
			out->kind = PTE_BAD;
	}
	if (out->kind != PTE_PAGE || !is_napot(v))
		return;
	out->shift = PAGE_SHIFT + NAPOT_ORDER;
	out->pa &= ~(BIT(PAGE_SHIFT + NAPOT_ORDER) - 1);
	out->pa += (uint64_t)place << PAGE_SHIFT;
}

static inline void decode_pte(const struct swap_form *f, uint64_t v, unsigned place,
			      struct last_page *last, struct pte *out)
{
	if (last->v && !((v ^ last->v) & ~PPN)) {
		decode_like(last, address(v), out);
	} else if (is_plain(v)) {
		decode_page(f, v, out);
		last_page_keep(last, v, out);
	} else {
		decode_other(f, v, place, out);
	}
}

static void decode_ptes(const struct swap_form *f, const uint8_t *raw, unsigned n, struct pte *out)
{
	const uint64_t page = BIT(PPN_SHIFT);
	struct last_page last = { 0 };
	unsigned at = 0;

	for (unsigned some; at < n; at += some, raw += (size_t)some * 8, out += some) {
		uint64_t v = raw_entry(raw, 0);

		some = n - at < RUN_GROUP ? n - at : RUN_GROUP;
		if (some == RUN_GROUP && is_plain(v) && is_run(raw, v, PPN, page)) {
			decode_pte(f, v, 0, &last, &out[0]);
			decode_run(&last, BIT(PAGE_SHIFT), out);
			continue;
		}
		for (unsigned i = 0; i < some; i++)
			decode_pte(f, raw_entry(raw, i), (at + i) & ((1u << NAPOT_ORDER) - 1),
				   &last, &out[i]);
	}
}

/* An entry of LEVEL, above the lowest. */
static void decode_upper(const struct paging *p, const struct swap_form *f, unsigned level,
			 uint64_t v, struct pte *out)
{
	uint64_t below = BIT(paging_shift(p, level)) - 1;

	if (v & VALID && !(v & LEAF)) {
		*out = (struct pte){ .kind = v & (USER | ACCESSED | DIRTY | RESERVED) ? PTE_BAD
										      : PTE_TABLE,
				     .pa = address(v) };
		return;
	}
	if (v & VALID)
		decode_page(f, v, out);
	else
		decode_invalid(f, v, level == 1, out);
	if (out->kind == PTE_PAGE && (out->pa & below || (v & VALID && !is_sound(v))))
		out->kind = PTE_BAD;
}

static void riscv64_decode(const struct paging *p, const struct paging_env *env, unsigned level,
			   const uint8_t *raw, unsigned n, struct pte *out)
{
	const struct swap_form *f = &swap_forms[env->swap_form];

	if (level) {
		for (unsigned i = 0; i < n; i++)
			decode_upper(p, f, level, raw_entry(raw, i), &out[i]);
		return;
	}
	decode_ptes(f, raw, n, out);
	for (unsigned i = 0; i + (1u << NAPOT_ORDER) <= n; i += 1u << NAPOT_ORDER)
		if (out[i].kind == PTE_PAGE && out[i].shift)
			gather_flags(raw + (size_t)i * 8, 1u << NAPOT_ORDER, NAPOT, out + i);
}

/* ---- rows ---------------------------------------------------------------------------------- */

#define EIGHT                                                                                      \
	{                                                                                          \
		8, 8, 8, 8, 8                                                                      \
	}

/* Memory may be mapped at each level; processes have huge pages of 2 MiB and 1 GiB. */
static const struct paging rows[] = {
	{ "riscv64 Sv39",
	  PAGE_SHIFT,
	  EIGHT,
	  3,
	  { 9, 9, 9 },
	  0x07,
	  riscv64_decode,
	  { NAPOT_ORDER } },
	{ "riscv64 Sv48",
	  PAGE_SHIFT,
	  EIGHT,
	  4,
	  { 9, 9, 9, 9 },
	  0x0f,
	  riscv64_decode,
	  { NAPOT_ORDER } },
	{ "riscv64 Sv57",
	  PAGE_SHIFT,
	  EIGHT,
	  5,
	  { 9, 9, 9, 9, 9 },
	  0x1f,
	  riscv64_decode,
	  { NAPOT_ORDER } },
};

const struct paging *riscv64_row(unsigned bits)
{
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		if (paging_shift(&rows[i], rows[i].nlevels) == bits)
			return &rows[i];
	return NULL;
}

void riscv64_env_init(struct paging_env *env, uint64_t max_pa)
{
	*env = (struct paging_env){
		.pa_mask = BIT(56) - 1,
		.max_pa = max_pa < BIT(56) ? max_pa : BIT(56),
	};
	riscv64_env_of(env, V(7, 0));
}

void riscv64_env_of(struct paging_env *env, int version)
{
	env->swap_form = version >= V(6, 3)    ? RISCV64_SWAP_6_3
			 : version >= V(5, 17) ? RISCV64_SWAP_5_17
					       : RISCV64_SWAP_4_15;
}
