/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The struct pages of a huge page, by include/linux/{mm,mm_types,page-flags}.h and
 * mm/{page_alloc,rmap,hugetlb}.c of 2.6.18, 2.6.32, 3.10, 3.16, 5.10, 6.1, 6.12 and
 * 7.2, where pages of large folios count their mappings (CONFIG_PAGE_MAPCOUNT).
 */
#include <string.h>

#include "facts/layout/page.h"
#include "tests/machine/machine.h"

/* of 2.6.18, whose flags have no enum */
#define PG_COMPOUND_2_6_18 0x4000u

#define DTOR_OF_THP 3u			/* TRANSHUGE_PAGE_DTOR, 4.5 to 6.5 */
#define TAIL_MAPPING 0x400u

struct compound {
	struct machine *m;
	const struct mframe *f;
	uint64_t head, second;		/* struct pages */
	uint64_t flags;
	uint32_t pages, of_parts;	/* mappings of single pages */
};

static bool has_fact(const struct compound *c, enum layout_id id)
{
	return layout_has(&c->m->layout, id);
}

static uint64_t word_mask(const struct compound *c)
{
	return c->m->cpu->word == 8 ? UINT64_MAX : UINT32_MAX;
}

/* PAGEFLAGS_EXTENDED has two flags; others one, with PG_reclaim for tails. */
static uint64_t head_flags(const struct compound *c)
{
	if (mpage_flag(c->m, E_PG_HEAD, 0))
		return mpage_flag(c->m, E_PG_HEAD, 0);
	return has_fact(c, E_PG_COMPOUND) ? mpage_flag(c->m, E_PG_COMPOUND, 0) : PG_COMPOUND_2_6_18;
}

static uint64_t tail_flags(const struct compound *c)
{
	if (!has_fact(c, M_PAGE_FIRST_PAGE))
		return has_fact(c, M_PAGE_COMPOUND_HEAD) || has_fact(c, M_PAGE_COMPOUND_INFO)
			       ? 0
			       : PG_COMPOUND_2_6_18;
	if (has_fact(c, E_PG_TAIL))
		return mpage_flag(c->m, E_PG_TAIL, 0);
	return head_flags(c) | mpage_flag(c->m, E_PG_RECLAIM, 0);
}

/*
 * The word that leads from a tail to its head: a mask (set_compound_head()) since 7.1, with
 * HUGETLB_PAGE_OPTIMIZE_VMEMMAP and a size of struct page that is a power of two.
 */
static void put_link(const struct compound *c, uint64_t tail)
{
	uint32_t size = layout_size(&c->m->layout, S_PAGE);
	uint64_t mask = ~((uint64_t)size * c->pages - 1);

	if (has_fact(c, M_PAGE_COMPOUND_INFO))
		mput(c->m, tail, M_PAGE_COMPOUND_INFO, size & (size - 1) ? c->head | 1 : mask | 1);
	else if (has_fact(c, M_PAGE_COMPOUND_HEAD))
		mput(c->m, tail, M_PAGE_COMPOUND_HEAD, c->head | 1);
	else if (has_fact(c, M_PAGE_FIRST_PAGE))
		mput(c->m, tail, M_PAGE_FIRST_PAGE, c->head);
	else
		mput(c->m, tail, M_PAGE_PRIVATE, c->head);
}

/* _mapcount of the K-th page, as a count from 0. */
static uint32_t own_count(const struct compound *c, uint32_t k)
{
	const struct mframe *f = c->f;
	bool doubled = f->entire && c->of_parts;

	if (has_fact(c, M_FOLIO_ENTIRE_MAPCOUNT) || f->hugetlb)
		return f->parts[k];
	/* page_add_file_rmap() of 4.8 to 6.1 counts each page of a page that it maps whole */
	if (f->file >= 0 && c->m->number >= 4008)
		return f->parts[k] + f->entire;
	return f->parts[k] + doubled;
}

static void put_order(const struct compound *c)
{
	struct machine *m = c->m;
	uint64_t bit = mpage_flag(m, E_PG_HUGETLB, 0);

	if (has_fact(c, M_PAGE_COMPOUND_ORDER))
		mput(m, c->second, M_PAGE_COMPOUND_ORDER, c->f->order);
	else if (has_fact(c, M_FOLIO_ORDER))
		mput(m, c->head, M_FOLIO_ORDER, c->f->order);
	else if (has_fact(c, M_FOLIO_FLAGS_1))
		mput(m, c->head, M_FOLIO_FLAGS_1, c->f->order | (c->f->hugetlb ? bit : 0));
	else /* set_compound_order(): page[1].lru.prev */
		mset(m, c->second + layout_offset(&m->layout, M_PAGE_LRU) + m->cpu->word,
		     c->f->order, m->cpu->word);
}

/* Its destructor, or since 6.11 its type, marks a page of hugetlb. */
static void put_kind(const struct compound *c)
{
	struct machine *m = c->m;
	int64_t dtor = layout_enum(&m->layout, E_HUGETLB_PAGE_DTOR, -1);
	int64_t type = layout_enum(&m->layout, E_PGTY_HUGETLB, -1);

	if (dtor >= 0) {
		dtor = c->f->hugetlb ? dtor : DTOR_OF_THP;
		mput(m, c->second, M_PAGE_COMPOUND_DTOR, (uint64_t)dtor);
		mput(m, c->head, M_FOLIO_DTOR, (uint64_t)dtor);
	} else if (type >= 0 && c->f->hugetlb) {
		mput(m, c->head, M_PAGE_MAPCOUNT, (uint64_t)type << 24);
	} else if (m->number < 4004 && c->f->hugetlb) {
		mset(m, c->second + layout_offset(&m->layout, M_PAGE_LRU),
		     msymbol(m, "free_huge_page"), m->cpu->word);
	}
}

static void put_counts(const struct compound *c)
{
	const struct mframe *f = c->f;
	struct machine *m = c->m;

	for (uint32_t k = 0; k < c->pages; k++)
		mput(m, mpage_struct(m, f->pfn + k), M_PAGE_MAPCOUNT,
		     (uint32_t)(own_count(c, k) - 1));
	mput(m, c->head, M_FOLIO_ENTIRE_MAPCOUNT, (uint32_t)(f->entire - 1));
	mput(m, c->second, M_PAGE_COMPOUND_MAPCOUNT, (uint32_t)(f->entire - 1));
	mput(m, c->head, M_FOLIO_LARGE_MAPCOUNT, (uint32_t)(f->entire + c->of_parts - 1));
	/* FOLIO_MM_IDS_SHARED_BITNUM is the top bit */
	if (f->mms > 1)
		mput(m, c->head, M_FOLIO_MM_IDS,
		     word_mask(c) & (UINT64_C(1) << (8 * m->cpu->word - 1)));
	/* to 4.4 the head counts mappings of all of it; its parts are not mapped */
	if (!has_fact(c, M_FOLIO_ENTIRE_MAPCOUNT) && !has_fact(c, M_PAGE_COMPOUND_MAPCOUNT)) {
		if (c->of_parts)
			mdie("%s: huge pages of %s are mapped whole", f->name, m->release);
		/* pages of hugetlb were not counted before 0fe6e20b9c4c (v2.6.36) */
		if (!f->hugetlb || m->number >= 2636)
			mput(m, c->head, M_PAGE_MAPCOUNT, (uint32_t)(f->entire - 1));
	} else if (f->entire && c->of_parts && has_fact(c, E_PG_DOUBLE_MAP) && f->file < 0) {
		mput(m, c->second, M_PAGE_FLAGS, mpage_flag(m, E_PG_DOUBLE_MAP, 0));
	}
}

void compound_lay(struct machine *m, const struct mframe *f, uint64_t flags, uint64_t mapping)
{
	struct compound c = { .m = m, .f = f, .pages = 1u << f->order };

	c.head = mpage_struct(m, f->pfn);
	c.second = mpage_struct(m, f->pfn + 1);
	for (uint32_t k = 0; k < c.pages; k++)
		c.of_parts += f->parts[k];
	/* pages of hugetlb are on no LRU list */
	if (f->hugetlb)
		flags &= ~mpage_flag(m, E_PG_LRU, 0);
	mput(m, c.head, M_PAGE_FLAGS, flags | head_flags(&c));
	mput(m, c.head, M_PAGE_MAPPING, mapping);
	/* before 2.6.22 the head points to itself */
	if (tail_flags(&c) == PG_COMPOUND_2_6_18)
		put_link(&c, c.head);
	for (uint32_t k = 1; k < c.pages; k++) {
		uint64_t tail = mpage_struct(m, f->pfn + k);

		mput(m, tail, M_PAGE_FLAGS, tail_flags(&c));
		/* before 3.16 or so: not initialised */
		mput(m, tail, M_PAGE_MAPPING, m->number >= 4000 ? TAIL_MAPPING : 0);
		mput(m, tail, M_PAGE_REFCOUNT, 0);
		put_link(&c, tail);
	}
	put_counts(&c);
	put_order(&c);
	put_kind(&c);
}
