/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagefmt.c - which struct page this kernel has: members, flag bits, types.
 * Compound pages are in compound.c.
 */
#include "model/kernel/page/pagefmt.h"
#include "facts/layout/holder.h"
#include "facts/layout/page.h"
#include "facts/layout/swap.h"

/*
 * Before enum pageflags (e26831814998, v2.6.26) the numbers were macros, which debug
 * information lacks: include/linux/mm.h of 2.4.27, page-flags.h of 2.6.11, 2.6.18 and
 * 2.6.22.
 */
static const struct {
	enum rule when;
	enum layout_id flag;
	int bit;
} old_bits[] = {
	{ RULE_PAGEFLAGS_2_4, E_PG_REFERENCED, 2 }, { RULE_PAGEFLAGS_2_4, E_PG_DIRTY, 4 },
	{ RULE_PAGEFLAGS_2_4, E_PG_LRU, 6 }, { RULE_PAGEFLAGS_2_4, E_PG_SLAB, 8 },
	{ RULE_PAGEFLAGS_2_4, E_PG_RESERVED, 14 },
	{ RULE_PAGEFLAGS_2_6, E_PG_REFERENCED, 2 }, { RULE_PAGEFLAGS_2_6, E_PG_DIRTY, 4 },
	{ RULE_PAGEFLAGS_2_6, E_PG_LRU, 5 }, { RULE_PAGEFLAGS_2_6, E_PG_SLAB, 7 },
	{ RULE_PAGEFLAGS_2_6_0, E_PG_RESERVED, 11 }, { RULE_PAGEFLAGS_2_6_0, E_PG_COMPOUND, 15 },
	{ RULE_PAGEFLAGS_2_6_0, E_PG_SWAPCACHE, 16 },
	{ RULE_PAGEFLAGS_2_6_13, E_PG_RESERVED, 10 },
	{ RULE_PAGEFLAGS_2_6_13, E_PG_COMPOUND, 14 },
	{ RULE_PAGEFLAGS_2_6_13, E_PG_SWAPCACHE, 15 },
	{ RULE_PAGEFLAGS_2_6_13, E_PG_RECLAIM, 17 }, { RULE_PAGEFLAGS_2_6_13, E_PG_BUDDY, 19 },
};

uint64_t pagefmt_flag(const struct pagefmt *f, enum layout_id e)
{
	int64_t bit = layout_enum(&f->k->layout, e, -1);

	for (size_t i = 0; bit < 0 && i < ARRAY_LEN(old_bits); i++)
		if (old_bits[i].flag == e && kernel_rule(f->k, old_bits[i].when))
			bit = old_bits[i].bit;
	/* names of flags became names of page types, whose values are no bit numbers */
	return bit < 0 || bit >= 8 * f->word ? 0 : UINT64_C(1) << bit;
}

static void init_offsets(struct pagefmt *f)
{
	const struct layout *l = &f->k->layout;

	f->size = layout_size(l, S_PAGE);
	f->page_mask = dump_page_size(f->k->dump) - 1;
	f->size_is_pow2 = !(f->size & (f->size - 1));
	f->word = f->k->dump->word_size;
	f->big = f->k->dump->big_endian;
	f->native64 = f->word == 8 && !f->big;
	f->flags = layout_offset(l, M_PAGE_FLAGS);
	f->flags_size = (uint8_t)l->v[M_PAGE_FLAGS].m.size;
	if (f->flags_size != 4 && f->flags_size != 8)
		f->flags_size = f->word;
	f->native64 = f->native64 && f->flags_size == 8;
	f->mapping = layout_offset(l, M_PAGE_MAPPING);
	f->private = layout_offset(l, M_PAGE_PRIVATE);
	f->lru = layout_offset(l, M_PAGE_LRU);
	f->refcount = layout_offset(l, M_PAGE_REFCOUNT);
	f->count_bias = kernel_rule(f->k, RULE_COUNT_FROM_MINUS_1);
	f->mapcount = layout_offset(l, M_PAGE_MAPCOUNT);
	f->buffers = layout_offset(l, M_PAGE_BUFFERS);
	f->swapper_space = layout_symbol(l, Y_SWAPPER_SPACE);
}

static void init_flags(struct pagefmt *f)
{
	f->referenced = pagefmt_flag(f, E_PG_REFERENCED);
	f->dirty = pagefmt_flag(f, E_PG_DIRTY);
	f->lru_bit = pagefmt_flag(f, E_PG_LRU);
	f->slab_bit = pagefmt_flag(f, E_PG_SLAB);
	f->reserved = pagefmt_flag(f, E_PG_RESERVED);
	f->swapbacked = pagefmt_flag(f, E_PG_SWAPBACKED);
	f->hwpoison = pagefmt_flag(f, E_PG_HWPOISON);
	f->young = pagefmt_flag(f, E_PG_YOUNG);
	f->buddy_bit = pagefmt_flag(f, E_PG_BUDDY);
	f->swapcache = pagefmt_flag(f, E_PG_SWAPCACHE);
	/* shares its bit since 6326fec1122c (v4.10): valid only with PG_swapbacked */
	if (f->swapcache && f->swapcache == pagefmt_flag(f, E_PG_OWNER_PRIV_1))
		f->swapcache |= f->swapbacked;
	f->young_of_folio = kernel_rule(f->k, RULE_YOUNG_OF_FOLIO);
}

static void init_types_cleared(struct pagefmt *f)
{
	const struct layout *l = &f->k->layout;

	f->type_form = TYPE_CLEARED;
	if (layout_enum(l, E_PG_BUDDY, 0) > 64) { /* 6.11 names them */
		f->type_base = 0x80000000u;
		f->type_reserve = (int32_t)0xffff0000u;
		f->type_buddy = (uint32_t)layout_enum(l, E_PG_BUDDY, 0);
		f->type_offline = (uint32_t)layout_enum(l, E_PG_OFFLINE, 0);
		f->type_table = (uint32_t)layout_enum(l, E_PG_TABLE, 0);
		f->type_hugetlb = (uint32_t)layout_enum(l, E_PG_HUGETLB, 0);
		f->type_slab = (uint32_t)layout_enum(l, E_PG_SLAB, 0);
		return;
	}
	/* include/linux/page-flags.h, 4.18 to 6.10: macros */
	f->type_base = 0xf0000000u;
	f->type_reserve = -128;
	f->type_buddy = 0x80;
	f->type_offline = 0x100;
	f->type_table = kernel_rule(f->k, RULE_PAGE_TYPE_KMEMCG) ? 0x400 : 0x200;
	if (!f->slab_bit) { /* 46df8e73a4a3 (v6.10) */
		f->type_hugetlb = 0x800;
		f->type_slab = 0x1000;
	}
}

static void init_types(struct pagefmt *f)
{
	const struct layout *l = &f->k->layout;

	if (has(f->k, E_PGTY_BUDDY)) {
		f->type_form = TYPE_BYTE;
		/* PGTY_mapcount_underflow << 24 */
		f->type_reserve = (int32_t)0xff000000u;
		f->type_buddy = (uint32_t)layout_enum(l, E_PGTY_BUDDY, 0);
		f->type_offline = (uint32_t)layout_enum(l, E_PGTY_OFFLINE, 0);
		f->type_table = (uint32_t)layout_enum(l, E_PGTY_TABLE, 0);
		f->type_hugetlb = (uint32_t)layout_enum(l, E_PGTY_HUGETLB, 0);
		f->type_slab = (uint32_t)layout_enum(l, E_PGTY_SLAB, 0);
	} else if (has(f->k, M_PAGE_TYPE)) {
		init_types_cleared(f);
	} else if (has(f->k, M_PAGE_MAPCOUNT)) {
		f->type_form = TYPE_VALUE;
		f->type_reserve = -1;
		/* PAGE_BUDDY_MAPCOUNT_VALUE: ef2b4b95a63a (v2.6.39) */
		f->type_buddy = f->buddy_bit ? 0 : (uint32_t)-128;
	}
}

static bool is_cleared(const struct pagefmt *f, uint32_t type, uint32_t bit)
{
	return bit && (type & (f->type_base | bit)) == f->type_base;
}

static uint32_t cleared_class(const struct pagefmt *f, uint32_t type)
{
	if (is_cleared(f, type, f->type_buddy))
		return FR_BUDDY;
	if (is_cleared(f, type, f->type_slab))
		return FR_SLAB;
	if (is_cleared(f, type, f->type_table))
		return FR_PGTABLE;
	if (is_cleared(f, type, f->type_offline))
		return FR_OFFLINE;
	if (is_cleared(f, type, f->type_hugetlb))
		return FR_HUGETLB;
	return 0;
}

static uint32_t byte_class(const struct pagefmt *f, uint32_t type)
{
	type >>= 24;
	if (type == f->type_buddy)
		return FR_BUDDY;
	if (type == f->type_slab)
		return FR_SLAB;
	if (type == f->type_table)
		return FR_PGTABLE;
	if (type == f->type_offline)
		return FR_OFFLINE;
	if (type == f->type_hugetlb)
		return FR_HUGETLB;
	return 0;
}

uint32_t typed_class(const struct pagefmt *f, uint32_t type)
{
	switch (f->type_form) {
	case TYPE_BYTE: return byte_class(f, type);
	case TYPE_CLEARED: return cleared_class(f, type);
	case TYPE_VALUE: return f->type_buddy && type == f->type_buddy ? FR_BUDDY : 0;
	case TYPE_NONE: break;
	}
	return 0;
}

/*
 * Bits 0 and 1 of page->mapping: 1 anonymous, 1|2 KSM, 2 movable (4.8 to 6.16).
 * KSM pages of 2.6.32 have no anon_vma: 1 with all else zero (PageKsm(); RHEL 6 has
 * the bit). Pages of slabs, page tables and the allocator use the word for something else.
 */
uint32_t mapping_class(const struct pagefmt *f, uint64_t mapping, uint32_t others)
{
	if (!mapping || others & (FR_SLAB | FR_BUDDY | FR_PGTABLE | FR_OFFLINE | FR_RESERVED))
		return 0;
	if (mapping & 1)
		return mapping & 2 || mapping == 1 ? FR_ANON | FR_KSM : FR_ANON;
	if (mapping & 2 || !kernel_ptr_ok(f->k, mapping, f->word))
		return 0;
	return FR_CACHE;
}

uint32_t page_counted(const struct pagefmt *f, const uint8_t *p, uint32_t refs, uint32_t *fr)
{
	uint64_t mapping = page_mapping(f, p);
	uint32_t others =
		(mapping != 0 ? 1u : 0) + (f->buffers && page_word(f, p, f->buffers) ? 1u : 0);

	if ((int32_t)refs <= 0 || *fr & (FR_RESERVED | FR_SLAB))
		return 0;
	if (!mapping && *fr & FR_LRU) {
		*fr |= FR_ANON;
	} else if (mapping && mapping == f->swapper_space) {
		*fr &= ~(uint32_t)FR_CACHE;
		*fr |= FR_ANON | FR_SWAPCACHE;
	} else if (!mapping) {
		return 0; /* the kernel's own */
	}
	return refs > others ? refs - others : 0;
}

bool page_is_blank(const struct pagefmt *f, const uint8_t *p, uint64_t kva)
{
	uint64_t lru = page_word(f, p, f->lru);

	return f->mapcount_form != MAPCOUNT_NONE && !(page_flags(f, p) & ~f->reserved) &&
	       !page_refcount(f, p) && !page_mapping(f, p) && !page_type(f, p) &&
	       (!lru || lru == kva + f->lru);
}

uint32_t page_block_order(const struct pagefmt *f, const uint8_t *p, uint64_t pfn)
{
	uint64_t order = page_word(f, p, f->private);

	return order >= FRAME_CHUNK_SHIFT || pfn & ((UINT64_C(1) << order) - 1) ? 0
										: (uint32_t)order;
}

void pagefmt_init(struct pagefmt *f, const struct kernel *k)
{
	*f = (struct pagefmt){ .k = k };
	init_offsets(f);
	init_flags(f);
	init_types(f);
	pagefmt_init_compound(f);
	if (has(k, M_PP_MAGIC))
		f->pool_mark = (uint32_t)layout_offset(&k->layout, M_PP_MAGIC);
}
