/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compound.c - compound pages: heads, tails, and how often each page is mapped.
 *
 * page_mapcount() of a page in a compound page, own = its _mapcount + 1:
 *     to 4.4    own (a tail of a huge page counts pins there, and is not mapped by itself)
 *     4.5-4.7   own + entire - double                  mm.h, __page_mapcount()
 *     4.8-6.1   the same if anonymous or hugetlb; else own: mappings of a whole file
 *               page are counted in each part (dd78fedde4b9)
 *     6.2-      own + entire                           cb67f4282bf9
 *     6.15-     with CONFIG_NO_PAGE_MAPCOUNT own is not kept: the folio's average
 *               (ae4192b76937, folio_average_page_mapcount())
 */
#include "facts/layout/page.h"
#include "model/kernel/page/pagefmt.h"

static void init_tails(struct pagefmt *f)
{
	const struct layout *l = &f->k->layout;

	f->head = pagefmt_flag(f, E_PG_HEAD);
	if (has(f->k, M_PAGE_COMPOUND_INFO)) {
		f->compound_form = COMPOUND_INFO;
		f->compound = layout_offset(l, M_PAGE_COMPOUND_INFO);
	} else if (has(f->k, M_PAGE_COMPOUND_HEAD)) {
		f->compound_form = COMPOUND_HEAD;
		f->compound = layout_offset(l, M_PAGE_COMPOUND_HEAD);
	} else if (has(f->k, M_PAGE_FIRST_PAGE)) {
		f->compound_form = COMPOUND_FIRST_PAGE;
		f->compound = layout_offset(l, M_PAGE_FIRST_PAGE);
		f->tail = pagefmt_flag(f, E_PG_TAIL);
		if (!f->tail) {
			/* PG_head_tail_mask of 32-bit kernels: d85f33855c303 (v2.6.22) */
			f->head = pagefmt_flag(f, E_PG_COMPOUND);
			f->tail = f->head | pagefmt_flag(f, E_PG_RECLAIM);
		}
	} else if (pagefmt_flag(f, E_PG_COMPOUND)) {
		f->compound_form = COMPOUND_PRIVATE;
		f->compound = f->private;
		f->head = f->tail = pagefmt_flag(f, E_PG_COMPOUND);
	}
}

static void init_order(struct pagefmt *f)
{
	const struct layout *l = &f->k->layout;
	enum layout_id id = M_PAGE_COMPOUND_ORDER;

	f->order_form = ORDER_COMPOUND;
	if (has(f->k, M_PAGE_COMPOUND_ORDER)) {
		f->order_off = f->size + layout_offset(l, id);
	} else if (has(f->k, M_FOLIO_ORDER)) {
		id = M_FOLIO_ORDER;
		f->order_off = layout_offset(l, id);
	} else if (has(f->k, M_FOLIO_FLAGS_1)) {
		id = M_FOLIO_FLAGS_1;
		f->order_form = ORDER_FLAGS_1;
		f->order_off = layout_offset(l, id);
	} else {
		f->order_form = ORDER_LRU_PREV;
		f->order_off = f->size + f->lru + f->word;
		f->order_size = f->word;
		return;
	}
	f->order_size = l->v[id].m.size;
}

static void init_hugetlb(struct pagefmt *f)
{
	const struct layout *l = &f->k->layout;

	f->hugetlb_bit = pagefmt_flag(f, E_PG_HUGETLB);
	if (has(f->k, E_HUGETLB_PAGE_DTOR)) {
		bool folio = !has(f->k, M_PAGE_COMPOUND_DTOR);
		enum layout_id id = folio ? M_FOLIO_DTOR : M_PAGE_COMPOUND_DTOR;

		if (has(f->k, id)) {
			f->dtor_off = (folio ? 0 : f->size) + layout_offset(l, id);
			f->dtor_size = l->v[id].m.size;
			f->dtor_hugetlb = (uint32_t)layout_enum(l, E_HUGETLB_PAGE_DTOR, 0);
		}
	} else {
		f->dtor_hugetlb_kva = layout_symbol(l, Y_FREE_HUGE_PAGE);
	}
}

void pagefmt_init_compound(struct pagefmt *f)
{
	const struct layout *l = &f->k->layout;

	init_tails(f);
	init_order(f);
	init_hugetlb(f);
	f->mapcount_form = has(f->k, M_PAGE_MAPCOUNT) ? MAPCOUNT_OWN : MAPCOUNT_NONE;
	if (has(f->k, M_FOLIO_ENTIRE_MAPCOUNT)) {
		f->mapcount_form = MAPCOUNT_ENTIRE;
		f->entire_off = layout_offset(l, M_FOLIO_ENTIRE_MAPCOUNT);
	} else if (has(f->k, M_PAGE_COMPOUND_MAPCOUNT)) {
		f->mapcount_form = kernel_rule(f->k, RULE_FILE_THP_OWN) ? MAPCOUNT_DOUBLE_ANON
									: MAPCOUNT_DOUBLE;
		f->entire_off = f->size + layout_offset(l, M_PAGE_COMPOUND_MAPCOUNT);
		f->double_map = pagefmt_flag(f, E_PG_DOUBLE_MAP);
	}
	f->large_off = layout_offset(l, M_FOLIO_LARGE_MAPCOUNT);
	f->mm_ids_off = layout_offset(l, M_FOLIO_MM_IDS);
	f->view_size = (f->entire_off >= 2 * f->size ? 3 : 2) * f->size;
}

/* ---- tails ------------------------------------------------------------------------ */

/*
 * compound_info is a mask if the size of struct page is a power of two and hugetlb's
 * memmap can be shared (compound_info_has_mask(), 7.1). No type shows which it is, but a
 * mask is ones above and zeros below, and no pointer is.
 */
static bool is_mask(const struct pagefmt *f, uint64_t info)
{
	uint64_t ones = f->word == 4 ? (uint32_t)~info : ~info;

	return f->size_is_pow2 && !(ones & (ones + 1));
}

bool page_is_tail(const struct pagefmt *f, const uint8_t *p, uint64_t kva, const uint8_t *next,
		  uint64_t *head)
{
	uint64_t v;

	switch (f->compound_form) {
	case COMPOUND_HEAD:
	case COMPOUND_INFO:
		v = page_word(f, p, f->compound);
		if (v & 1) {
			v &= ~UINT64_C(1);
			*head = f->compound_form == COMPOUND_INFO && is_mask(f, v) ? kva & v : v;
			return true;
		}
		/*
		 * A page of struct pages that stands for many begins with a struct page that
		 * looks like a head: page_fixed_fake_head(), e7d324850bfc (v5.18).
		 */
		if (!next || f->compound_form == COMPOUND_INFO)
			return false;
		v = page_word(f, next, f->compound);
		*head = v & ~UINT64_C(1);
		return v & 1 && *head != kva;
	case COMPOUND_FIRST_PAGE:
	case COMPOUND_PRIVATE:
		if (!f->tail || (page_flags(f, p) & f->tail) != f->tail)
			return false;
		*head = page_word(f, p, f->compound);
		return *head != kva;
	case COMPOUND_UNKNOWN: break;
	}
	return false;
}

/* ---- folios ------------------------------------------------------------------------ */

static unsigned folio_order(const struct pagefmt *f, const uint8_t *p)
{
	uint64_t order = load_uint(p + f->order_off, f->order_size, f->big);

	if (f->order_form == ORDER_FLAGS_1)
		order &= 0xff;
	return order > 40 ? 0 : (unsigned)order;
}

static bool is_hugetlb(const struct pagefmt *f, const uint8_t *p)
{
	if (f->hugetlb_bit)
		return page_flags(f, p + f->size) & f->hugetlb_bit;
	if (f->dtor_off)
		return load_uint(p + f->dtor_off, f->dtor_size, f->big) == f->dtor_hugetlb;
	if (f->dtor_hugetlb_kva)
		return page_word(f, p + f->size, f->lru) == f->dtor_hugetlb_kva;
	return false;
}

/* An atomic_t that starts at -1. */
static uint32_t count_at(const struct pagefmt *f, const uint8_t *p, uint32_t off)
{
	int32_t n = (int32_t)(load32(p + off, f->big) + 1);

	return off && n > 0 ? (uint32_t)n : 0;
}

static uint32_t average(uint32_t large, uint32_t entire, unsigned order)
{
	uint64_t avg;

	if (!large)
		return 0;
	if (large <= entire)
		return entire;
	avg = (large - entire + (UINT64_C(1) << order) / 2) >> order;
	return avg + entire ? (uint32_t)(avg + entire) : 1;
}

/*
 * Is it mapped by more than one mm? folio_maybe_mapped_shared() since 6.15,
 * folio_likely_mapped_shared() before; until 6.9 smaps asked page_mapcount().
 */
static bool is_shared(const struct pagefmt *f, const uint8_t *p, const struct folio_view *v)
{
	uint32_t large = count_at(f, p, f->large_off);
	uint32_t first = page_own_mapcount(f, page_type(f, p));

	if (!f->large_off)
		return first + v->add > 1;
	if (v->fr & FR_HUGETLB || large <= 1)
		return large > 1;
	if (f->mm_ids_off) /* FOLIO_MM_IDS_SHARED_BITNUM is the top bit */
		return page_word(f, p, f->mm_ids_off) >> (8 * f->word - 1) & 1;
	return v->entire || large > UINT64_C(1) << v->order || first > 1;
}

static uint32_t added(const struct pagefmt *f, const struct folio_view *v)
{
	bool doubled = v->second_flags & f->double_map;

	switch (f->mapcount_form) {
	case MAPCOUNT_DOUBLE_ANON:
		if (!(v->fr & (FR_ANON | FR_HUGETLB)))
			return 0;
		/* fallthrough */
	case MAPCOUNT_DOUBLE: return v->entire - (doubled && v->entire);
	case MAPCOUNT_ENTIRE: return v->entire;
	case MAPCOUNT_OWN:
	case MAPCOUNT_NONE: break;
	}
	return 0;
}

void folio_view(const struct pagefmt *f, const uint8_t *p, uint64_t kva, struct folio_view *v)
{
	uint32_t large;

	*v = (struct folio_view){
		.kva = kva,
		.readable = true,
		.flags = page_flags(f, p),
		.second_flags = page_flags(f, p + f->size),
		.mapping = page_mapping(f, p),
		.refcount = page_refcount(f, p),
		.type = page_type(f, p),
	};
	v->fr = flags_class(f, v->flags) | type_class(f, v->type);
	if (is_hugetlb(f, p))
		v->fr |= FR_HUGETLB;
	else
		v->fr &= ~(uint32_t)FR_HWPOISON; /* of each page */
	v->fr |= mapping_class(f, v->mapping, v->fr);
	if (v->refcount == 1)
		v->fr |= FR_SINGLE;
	v->order = folio_order(f, p);
	/* 32-bit kernels keep it in the third page, which a folio of two pages lacks (6.15) */
	if (v->order > 1 || f->entire_off < 2 * f->size)
		v->entire = count_at(f, p, f->entire_off);
	v->add = added(f, v);
	if (is_shared(f, p, v))
		v->fr |= FR_SHARED_FOLIO;
	v->fr |= v->order << FR_ORDER_SHIFT;
	v->fr &= ~(uint32_t)FR_RESERVED; /* of each page */
	if (f->large_off) {
		large = count_at(f, p, f->large_off);
		v->pte_mapped = large > v->entire && !(v->fr & FR_HUGETLB);
		v->average = average(large, v->entire, v->order);
	}
}

bool folio_read(const struct pagefmt *f, struct reader *r, uint64_t kva, const uint8_t *here,
		uint64_t here_kva, size_t len, struct folio_view *v)
{
	uint8_t raw[3 * STRUCT_PAGE_MAX];
	uint64_t off = kva - here_kva;
	const uint8_t *p = raw;

	if (off < len && len - off >= f->view_size) {
		p = here + off;
	} else if (read_kva(r, kva, raw, f->view_size)) {
		*v = (struct folio_view){ .kva = kva };
		return false;
	}
	folio_view(f, p, kva, v);
	return true;
}
