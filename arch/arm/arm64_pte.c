/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arm64_pte.c - page-table entries of arm64: ten rows and one decoder.
 *
 * Bits of a leaf, from arch/arm64/include/asm/pgtable-hwdef.h and pgtable-prot.h (read 4.19,
 * 5.4.61, 5.10.262, 5.19, 6.1.192, 6.12, 7.2, 7.3) unless said:
 *      0 valid     7 read-only   11 nG         53 PXN    57 DEVMAP (5.4 to 6.12; absent in 7.2)
 *      1 page      8,9 SH        51 DBM,WRITE  54 UXN    58 PROT_NONE, since 6.10 UFFD_WP
 *      6 user     10 AF          52 CONT       55 dirty  59 see below
 *                                              56 SPECIAL
 * A page is dirty by the software's bit, or by hardware: DBM and not read-only.
 *
 * The address lies in bits 47:page_shift. Two forms have more: LPA2 (6.9, pages of 4K and 16K
 * with 52 bits of virtual address) has bits 49:48 in place and 51:50 in 9:8; pages of 64K with
 * 52 bits have bits 51:48 in 15:12.
 *
 * Not valid (bit 0) and not 0:
 *      until 6.9     bit 58 PROT_NONE; bit 59 of a block: pmd_mkinvalid() (5.10 to 6.9)
 *      since 6.10    bit 11 PTE_PRESENT_INVALID; PROT_NONE if it is for the kernel and UXN
 *                    (55564814a838)
 *      else          swap: type 7:2 and offset 57:8; type 7:3 since 5.19, with bit 2
 *                    exclusive; type 10:6 and offset 61:12 since 6.10, with bit 3 UFFD_WP
 *
 * Entries of a contiguous block share young and dirty: contpte_ptep_get() (6.9) and
 * huge_ptep_get() (5.19 was read with it, 5.10 without) collect them. The kernel sets bit 52 in
 * the entries of processes in these two cases only.
 */
#include "arch/arm/arm64.h"

#include "arch/runs.h"

#define BIT(n) (UINT64_C(1) << (n))

#define VALID BIT(0)
#define TABLE BIT(1)		/* a table, at the lowest level a page; else a block */
#define USER BIT(6)
#define RDONLY BIT(7)
#define AF BIT(10)
#define NG BIT(11)
#define PRESENT_INVALID NG
#define DBM BIT(51)
#define CONT BIT(52)
#define UXN BIT(54)
#define DIRTY BIT(55)
#define SPECIAL BIT(56)
#define DEVMAP BIT(57)
#define BIT58 BIT(58)		/* PROT_NONE or UFFD_WP */
#define PMD_PRESENT_INVALID BIT(59)

#define SWP_UFFD_WP BIT(3)

static const struct {
	uint8_t type_shift, types, offset_shift, offset_bits;
} swap_forms[] = {
	[ARM64_SWAP_4_0] = { 2, 0x3f, 8, 50 },
	[ARM64_SWAP_5_19] = { 3, 0x1f, 8, 50 },
	[ARM64_SWAP_6_10] = { 6, 0x1f, 12, 50 },
};

/* The part of the environment that decoding needs, computed once per table. */
struct masks {
	uint64_t frame;		/* address bits in their place */
	uint64_t above;		/* bits that are moved up by above_shift */
	uint64_t page;		/* bytes of a page */
	uint64_t uffd_wp;
	unsigned above_shift;
	unsigned swap_form;
	bool gather, pmd_invalid;
};

static struct masks masks_of(const struct paging *p, const struct paging_env *env)
{
	bool lpa2 = env->form & ARM64_LPA2, lpa = env->form & ARM64_LPA_64K;

	return (struct masks){
		.frame = (BIT(lpa2 ? 50 : 48) - BIT(p->page_shift)) & env->pa_mask,
		.above = lpa2  ? BIT(8) | BIT(9)
			 : lpa ? BIT(16) - BIT(12)
			       : 0,
		.above_shift = lpa2 ? 50 - 8 : 48 - 12,
		.page = BIT(p->page_shift),
		.uffd_wp = env->swap_form == ARM64_SWAP_6_10 ? BIT58 : 0,
		.swap_form = env->swap_form,
		.gather = env->form & ARM64_GATHER,
		.pmd_invalid = env->form & ARM64_PMD_INVALID,
	};
}

static inline uint64_t address(const struct masks *m, uint64_t v)
{
	return (v & m->frame) | (v & m->above) << m->above_shift;
}

static bool is_dirty(uint64_t v)
{
	return v & DIRTY || (v & (DBM | RDONLY)) == DBM;
}

static void decode_swap(const struct masks *m, uint64_t v, struct pte *out)
{
	unsigned form = m->swap_form;

	out->kind = PTE_SWAP;
	out->run = 0;
	out->swap_type = (uint8_t)(v >> swap_forms[form].type_shift & swap_forms[form].types);
	out->swap_offset = v >> swap_forms[form].offset_shift &
			   (BIT(swap_forms[form].offset_bits) - 1);
	out->flags = (uint16_t)((form == ARM64_SWAP_6_10 && v & SWP_UFFD_WP ? PTE_UFFD_WP : 0) |
				(is_dirty(v) ? PTE_RAW_DIRTY : 0) | (v & AF ? PTE_RAW_YOUNG : 0));
}

/* pte_protnone() of an entry that is not valid. */
static bool is_protnone(const struct masks *m, uint64_t v)
{
	return m->swap_form == ARM64_SWAP_6_10 ? (v & (USER | UXN)) == UXN : v & BIT58;
}

static inline void decode_page(const struct masks *m, uint64_t v, struct pte *out)
{
	unsigned flags = (v & DBM ? PTE_WRITE : 0) | (is_dirty(v) ? PTE_DIRTY : 0) |
			 (v & AF ? PTE_YOUNG : 0) | (v & SPECIAL ? PTE_SPECIAL : 0) |
			 (v & m->uffd_wp ? PTE_UFFD_WP : 0) | (v & DEVMAP ? PTE_DEVMAP : 0) |
			 (v & UXN ? 0 : PTE_EXEC) |
			 (!(v & VALID) && is_protnone(m, v) ? PTE_PROTNONE : 0);

	*out = (struct pte){ .pa = address(m, v), .kind = PTE_PAGE, .flags = (uint16_t)flags };
}

/* pte_present() without bit 0, of an entry of the lowest level or a BLOCK. */
static bool is_present_invalid(const struct masks *m, uint64_t v, bool block)
{
	if (m->swap_form == ARM64_SWAP_6_10)
		return v & PRESENT_INVALID;
	return v & (BIT58 | (block && m->pmd_invalid ? PMD_PRESENT_INVALID : 0));
}

static void decode_invalid(const struct masks *m, uint64_t v, bool block, struct pte *out)
{
	if (!v)
		*out = (struct pte){ .kind = PTE_NONE };
	else if (is_present_invalid(m, v, block))
		decode_page(m, v, out);
	else
		decode_swap(m, v, out);
}

static inline void decode_pte(const struct masks *m, uint64_t v, struct last_page *last,
			      struct pte *out)
{
	if (v & VALID && last->v && !((v ^ last->v) & ~(m->frame | m->above))) {
		decode_like(last, address(m, v), out);
	} else if ((v & (VALID | TABLE)) == (VALID | TABLE)) {
		decode_page(m, v, out);
		last_page_keep(last, v, out);
	} else if (v & VALID) {
		*out = (struct pte){ .kind = PTE_BAD };
	} else {
		decode_invalid(m, v, false, out);
	}
}

static void decode_ptes(const struct masks *m, const uint8_t *raw, unsigned n, struct pte *out)
{
	const uint64_t page = VALID | TABLE;
	struct last_page last = { 0 };

	for (unsigned left = n, some; left; left -= some, raw += (size_t)some * 8, out += some) {
		uint64_t v = raw_entry(raw, 0);

		some = left < RUN_GROUP ? left : RUN_GROUP;
		if (some == RUN_GROUP && (v & page) == page && is_run(raw, v, m->frame, m->page)) {
			decode_pte(m, v, &last, &out[0]);
			decode_run(&last, m->page, out);
			continue;
		}
		for (unsigned i = 0; i < some; i++)
			decode_pte(m, raw_entry(raw, i), &last, &out[i]);
	}
}

/* An entry of LEVEL, above the lowest. */
static void decode_upper(const struct paging *p, const struct masks *m, unsigned level, uint64_t v,
			 struct pte *out)
{
	uint64_t below = BIT(paging_shift(p, level)) - 1;

	if ((v & (VALID | TABLE)) == (VALID | TABLE)) {
		*out = (struct pte){ .kind = PTE_TABLE, .pa = address(m, v) };
		return;
	}
	if (v & VALID)
		decode_page(m, v, out);
	else
		decode_invalid(m, v, true, out);
	if (out->kind == PTE_PAGE && out->pa & below)
		out->kind = PTE_BAD;
	if (out->kind != PTE_NONE && !(p->leaf_levels >> level & 1))
		out->kind = PTE_BAD;
}

/* ---- contiguous blocks ------------------------------------------------------------------- */

static void gather_blocks(const struct paging *p, unsigned level, const uint8_t *raw, unsigned n,
			  struct pte *out)
{
	unsigned block = 1u << p->group_bits[level];

	for (unsigned i = 0; i + block <= n; i += block)
		if ((raw_entry(raw, i) & (CONT | VALID)) == (CONT | VALID))
			gather_flags(raw + (size_t)i * 8, block, CONT | VALID, out + i);
}

static void arm64_decode(const struct paging *p, const struct paging_env *env, unsigned level,
			 const uint8_t *raw, unsigned n, struct pte *out)
{
	struct masks m = masks_of(p, env);

	if (!level)
		decode_ptes(&m, raw, n, out);
	else
		for (unsigned i = 0; i < n; i++)
			decode_upper(p, &m, level, raw_entry(raw, i), &out[i]);
	if (m.gather && p->group_bits[level])
		gather_blocks(p, level, raw, n, out);
}

/* ---- rows ---------------------------------------------------------------------------------- */

#define EIGHT { 8, 8, 8, 8, 8 }
/* CONT_PTE and CONT_PMD: 16 and 16 entries of 4K, 128 and 32 of 16K, 32 and 32 of 64K */
#define GROUPS_4K { 4, 4 }
#define GROUPS_16K { 7, 5 }
#define GROUPS_64K { 5, 5 }

/* Blocks: at the two levels above the lowest with pages of 4K, else at one (pud_sect_supported()). */
static const struct paging rows[] = {
	{ "arm64 4K 39-bit", 12, EIGHT, 3, { 9, 9, 9 }, 0x7, arm64_decode, GROUPS_4K },
	{ "arm64 4K 48-bit", 12, EIGHT, 4, { 9, 9, 9, 9 }, 0x7, arm64_decode, GROUPS_4K },
	{ "arm64 4K 52-bit", 12, EIGHT, 5, { 9, 9, 9, 9, 4 }, 0x7, arm64_decode, GROUPS_4K },
	{ "arm64 16K 36-bit", 14, EIGHT, 2, { 11, 11 }, 0x3, arm64_decode, GROUPS_16K },
	{ "arm64 16K 47-bit", 14, EIGHT, 3, { 11, 11, 11 }, 0x3, arm64_decode, GROUPS_16K },
	{ "arm64 16K 48-bit", 14, EIGHT, 4, { 11, 11, 11, 1 }, 0x3, arm64_decode, GROUPS_16K },
	{ "arm64 16K 52-bit", 14, EIGHT, 4, { 11, 11, 11, 5 }, 0x3, arm64_decode, GROUPS_16K },
	{ "arm64 64K 42-bit", 16, EIGHT, 2, { 13, 13 }, 0x3, arm64_decode, GROUPS_64K },
	{ "arm64 64K 48-bit", 16, EIGHT, 3, { 13, 13, 6 }, 0x3, arm64_decode, GROUPS_64K },
	{ "arm64 64K 52-bit", 16, EIGHT, 3, { 13, 13, 10 }, 0x3, arm64_decode, GROUPS_64K },
};

const struct paging *arm64_row(unsigned page_shift, unsigned bits)
{
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].page_shift == page_shift &&
		    paging_shift(&rows[i], rows[i].nlevels) == bits)
			return &rows[i];
	return NULL;
}

void arm64_env_init(struct paging_env *env, unsigned page_shift, unsigned bits, uint64_t max_pa)
{
	*env = (struct paging_env){
		.pa_mask = BIT(52) - 1,
		.max_pa = max_pa < BIT(52) ? max_pa : BIT(52),
		.form = page_shift == 16 ? ARM64_LPA_64K
			: bits == 52	 ? ARM64_LPA2
					 : 0,
	};
	arm64_env_of(env, V(7, 0));
}

void arm64_env_of(struct paging_env *env, int version)
{
	env->form &= ARM64_LPA2 | ARM64_LPA_64K;
	env->swap_form = version >= V(6, 10)   ? ARM64_SWAP_6_10
			 : version >= V(5, 19) ? ARM64_SWAP_5_19
					       : ARM64_SWAP_4_0;
	env->form |= version >= V(5, 19) ? ARM64_GATHER : 0;
	env->form |= version >= V(5, 10) && version < V(6, 10) ? ARM64_PMD_INVALID : 0;
}
