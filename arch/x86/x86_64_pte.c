/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86_64_pte.c - page-table entries of x86-64: two rows and one decoder.
 *
 * Bits, from arch/x86/include/asm/pgtable_types.h (read 6.1.192) unless said:
 *      0 P          5 A                 9 SPECIAL (SOFTW1)    58 see below
 *      1 RW         6 D                10 UFFD_WP (5.7+)      59-62 pkey
 *      2 USER       7 PAT; PSE above   11 SOFT_DIRTY (3.11+)  63 NX
 *      3,4 PWT,PCD  8 G; PROTNONE if !P   12 PAT_LARGE in a huge leaf
 * Bit 58 is DEVMAP (SOFTW4) from 4.5 to 6.5. The shadow stack series, "x86/mm:
 * Introduce _PAGE_SAVED_DIRTY" (6.6), makes 58 SAVED_DIRTY and moves SOFTW4,
 * hence DEVMAP, to 57, where it stays until its removal (absent in 7.3).
 *
 * Not present and not none, since the L1TF patches (4.19, pgtable_64.h):
 *     63..59 type   58..9 ~offset   8 PROTNONE 0   7 PSE 0   3 exclusive
 *     2 uffd-wp   1 soft-dirty   0 P 0
 */
#include "arch/x86/x86_64.h"

#include "arch/runs.h"
#include "dumpread/base/bytes.h"

#define BIT(n) (UINT64_C(1) << (n))

#define P BIT(0)
#define RW BIT(1)
#define USER BIT(2)
#define A BIT(5)
#define D BIT(6)
#define PSE BIT(7)
#define PROTNONE BIT(8)
#define SPECIAL BIT(9)
#define UFFD_WP BIT(10)
#define SOFT_DIRTY BIT(11)
#define PAT_LARGE BIT(12)
#define SOFTW57 BIT(57)
#define SOFTW58 BIT(58)
#define NX BIT(63)

/* Bits that hardware may set in an empty entry, _PAGE_KNL_ERRATUM_MASK (4.8,
   "x86/mm: Ignore A/D bits in pte/pmd/pud_none()"). */
#define STRAY (A | D)
/* __PHYSICAL_MASK: bits 12..51; the environment narrows it for kernels before 4.17. */
#define PA_MASK (BIT(52) - BIT(12))

#define SWP_SOFT_DIRTY RW	/* 4.6+ */
#define SWP_UFFD_WP USER	/* 5.7+ */

static const struct {
	uint8_t type_shift, offset_shift, types;
} swap_forms[] = {
	[X86_SWAP_4_6] = { 9, 14, 0x1f },
	[X86_SWAP_2_6] = { 1, 9, 0x1f },
	[X86_SWAP_3_15] = { 1, 10, 0x1f },
	[X86_SWAP_PAE] = { 32, 37, 0x1f },
	[X86_SWAP_PAE_2_6_0] = { 32, 37, 0x1f },
	[X86_SWAP_2_4] = { 1, 8, 0x3f },
};

/* The part of the environment that decoding needs, computed once per table. */
struct masks {
	uint64_t frame;		/* address bits of an entry that points to 4 KiB */
	uint64_t dirty, devmap;
	uint64_t stray;		/* an entry with only these is still none */
	uint64_t uffd_wp, soft_dirty;
	uint64_t present;	/* pte_present(): P or PROTNONE, formerly bit 7 */
	uint64_t invert;	/* flipped in entries that are not present */
	unsigned swap_form;
};

/*
 * i386 has neither the erratum nor the flags in bits 10 and 11. SAVED_DIRTY is bit 10
 * there, and DEVMAP of PAE moved together with that of 64 bits.
 */
static struct masks masks_of(const struct paging_env *env)
{
	bool is64 = env->form == X86_FORM_64;
	bool bit7 = env->swap_form == X86_SWAP_2_4 || env->swap_form == X86_SWAP_PAE_2_6_0;
	uint64_t saved = is64 ? SOFTW58 : UFFD_WP;

	return (struct masks){
		.frame = env->pa_mask & PA_MASK & ~env->sme_mask,
		.dirty = env->saved_dirty ? D | saved : D,
		.devmap = env->saved_dirty ? SOFTW57 : SOFTW58,
		.stray = is64 ? STRAY : 0,
		.uffd_wp = is64 ? UFFD_WP : 0,
		.soft_dirty = is64 ? SOFT_DIRTY : 0,
		.invert = env->invert_swap ? UINT64_MAX : 0,
		.present = P | (bit7 ? PSE : PROTNONE),
		.swap_form = env->swap_form,
	};
}

static void decode_swap(const struct masks *m, uint64_t v, struct pte *out)
{
	unsigned flags = (v & SWP_SOFT_DIRTY ? PTE_SOFT_DIRTY : 0) |
			 (v & SWP_UFFD_WP ? PTE_UFFD_WP : 0);

	if (m->swap_form == X86_SWAP_L1TF) {
		/* __swp_type(), __swp_offset() of pgtable_64.h */
		out->swap_type = (uint8_t)(v >> 59);
		out->swap_offset = ~v << 5 >> 14;
	} else {
		/* Before 4.6 the soft bits lay elsewhere (bit 7), or not at all. */
		if (m->swap_form != X86_SWAP_4_6)
			flags = 0;
		out->swap_type = (uint8_t)(v >> swap_forms[m->swap_form].type_shift &
					   swap_forms[m->swap_form].types);
		out->swap_offset = v >> swap_forms[m->swap_form].offset_shift;
	}
	out->kind = PTE_SWAP;
	out->run = 0;
	out->flags = (uint16_t)(flags | (v & m->dirty ? PTE_RAW_DIRTY : 0) |
				(v & A ? PTE_RAW_YOUNG : 0));
}

/* A leaf whose frame lies in the bits of FRAME. */
static inline void decode_page(const struct masks *m, uint64_t v, uint64_t frame, struct pte *out)
{
	unsigned flags = (v & RW ? PTE_WRITE : 0) | (v & m->dirty ? PTE_DIRTY : 0) |
			 (v & A ? PTE_YOUNG : 0) | (v & SPECIAL ? PTE_SPECIAL : 0) |
			 (v & m->uffd_wp ? PTE_UFFD_WP : 0) |
			 (v & m->soft_dirty ? PTE_SOFT_DIRTY : 0) |
			 (v & m->devmap ? PTE_DEVMAP : 0) | (v & NX ? 0 : PTE_EXEC) |
			 (v & P ? 0 : PTE_PROTNONE);

	/* pte_pfn(): "pfn ^= protnone_mask(pfn)", pgtable-invert.h */
	out->pa = (v ^ (v & P ? 0 : m->invert)) & frame;
	out->flags = (uint16_t)flags;
	out->kind = PTE_PAGE;
	out->swap_type = 0;
	out->run = 0;
}

static inline void decode_pte(const struct masks *m, uint64_t v, struct last_page *last,
			      struct pte *out)
{
	if (v & P && !((v ^ last->v) & ~m->frame)) {
		decode_like(last, v & m->frame, out);
	} else if (v & m->present) {
		decode_page(m, v, m->frame, out);
		last_page_keep(last, v, out);
	} else if (v & ~m->stray) {
		decode_swap(m, v, out);
	} else {
		*out = (struct pte){ .kind = PTE_NONE };
	}
}

#define PAGE BIT(12)

static void decode_ptes(const struct masks *m, const uint8_t *raw, unsigned n, struct pte *out)
{
	struct last_page last = { 0 };

	for (unsigned left = n, some; left; left -= some, raw += (size_t)some * 8, out += some) {
		uint64_t v = raw_entry(raw, 0);

		some = left < RUN_GROUP ? left : RUN_GROUP;
		if (some == RUN_GROUP && v & P && is_run(raw, v, m->frame, PAGE)) {
			decode_pte(m, v, &last, &out[0]);
			decode_run(&last, PAGE, out);
			continue;
		}
		for (unsigned i = 0; i < some; i++)
			decode_pte(m, raw_entry(raw, i), &last, &out[i]);
	}
}

/*
 * A huge leaf of 1 << SHIFT bytes. Frame bits below its size are reserved and never set, except
 * PAT_LARGE. Where a frame is inverted they stay 0 in a transparent huge page, since pmd_modify() and
 * pmd_mkinvalid() invert those of PHYSICAL_PMD_PAGE_MASK. In a hugetlb page they are all 1:
 * huge_pte_modify() is pte_modify(), which inverts those of PTE_PFN_MASK (asm/pgtable.h, 6.12).
 */
static void decode_huge(const struct masks *m, uint64_t v, unsigned shift, struct pte *out)
{
	uint64_t below = (BIT(shift) - 1) & PA_MASK & ~PAT_LARGE;
	uint64_t low = v & below;

	decode_page(m, v, m->frame & ~(BIT(shift) - 1), out);
	if (low && (low != below || v & P || !m->invert))
		out->kind = PTE_BAD;
}

/*
 * Levels 1 and 2 (pmd, pud): pmd_present() is P, PROTNONE or PSE; only PSE is
 * set while a huge page is being split. Hugetlb entries of either level
 * follow the rules of pte_present(), with PSE set, which is the same.
 */
static void decode_middle(const struct masks *m, unsigned level, uint64_t v, struct pte *out)
{
	if (!(v & ~m->stray))
		*out = (struct pte){ .kind = PTE_NONE };
	else if (v & PSE)
		decode_huge(m, v, 12 + 9 * level, out);
	else if (v & P)
		*out = (struct pte){ .kind = PTE_TABLE, .pa = v & m->frame };
	else if (v & PROTNONE)
		*out = (struct pte){ .kind = PTE_BAD };
	else
		decode_swap(m, v, out);
}

/* Levels 3 and 4 (p4d, pgd): no leaves, and only P says "table". */
static void decode_top(const struct masks *m, uint64_t v, struct pte *out)
{
	*out = (struct pte){ .kind = PTE_NONE };
	if (!(v & ~m->stray))
		return;
	if ((v & (P | PSE)) == P) {
		out->kind = PTE_TABLE;
		out->pa = v & m->frame;
	} else {
		out->kind = PTE_BAD;
	}
}

void x86_64_decode(const struct paging *p, const struct paging_env *env, unsigned level,
		   const uint8_t *raw, unsigned n, struct pte *out)
{
	struct masks m = masks_of(env);
	unsigned top = env->form == X86_FORM_64 ? 3 : 2; /* first level without leaves */

	(void)p;
	if (level == 0) {
		decode_ptes(&m, raw, n, out);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = load64(raw + (size_t)i * 8, false);

		if (level < top)
			decode_middle(&m, level, v, &out[i]);
		else
			decode_top(&m, v, &out[i]);
	}
}

void x86_64_env_init(struct paging_env *env, uint64_t max_pa)
{
	*env = (struct paging_env){
		.pa_mask = PA_MASK,
		.max_pa = max_pa < BIT(52) ? max_pa : BIT(52),
		.invert_swap = true,
		.swap_form = X86_SWAP_L1TF,
	};
}

const struct paging x86_64_paging[X86_64_ROWS] = {
	[X86_64_4LEVEL] = { "x86-64 4-level", 12, { 8, 8, 8, 8 }, 4, { 9, 9, 9, 9 },
			    1 << 0 | 1 << 1 | 1 << 2, x86_64_decode, { 0 } },
	[X86_64_5LEVEL] = { "x86-64 5-level", 12, { 8, 8, 8, 8, 8 }, 5,
			    { 9, 9, 9, 9, 9 }, 1 << 0 | 1 << 1 | 1 << 2,
			    x86_64_decode, { 0 } },
};
