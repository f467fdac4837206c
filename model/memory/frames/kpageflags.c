/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kpageflags.c - stable_page_flags() of fs/proc/page.c, read in 3.10, 4.4, 5.10, 6.1, 6.10,
 * 6.12 and 7.3. Until 6.9 it looks at the flags of each page itself, and at the head
 * where the test macros do; since then at those of the folio.
 */
#include "model/memory/frames/kpageflags.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "facts/layout/page.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/page/zero.h"
#include "model/memory/frames/frames.h"

static const struct { enum kpf bit; enum layout_id flag; } copied[] = {
	{ KPF_LOCKED, E_PG_LOCKED }, { KPF_ERROR, E_PG_ERROR }, { KPF_DIRTY, E_PG_DIRTY },
	{ KPF_UPTODATE, E_PG_UPTODATE }, { KPF_WRITEBACK, E_PG_WRITEBACK },
	{ KPF_LRU, E_PG_LRU }, { KPF_REFERENCED, E_PG_REFERENCED },
	{ KPF_ACTIVE, E_PG_ACTIVE }, { KPF_RECLAIM, E_PG_RECLAIM },
	{ KPF_SWAPBACKED, E_PG_SWAPBACKED }, { KPF_UNEVICTABLE, E_PG_UNEVICTABLE },
	{ KPF_MLOCKED, E_PG_MLOCKED }, { KPF_UNCACHED, E_PG_UNCACHED },
	{ KPF_RESERVED, E_PG_RESERVED }, { KPF_MAPPEDTODISK, E_PG_MAPPEDTODISK },
	{ KPF_PRIVATE, E_PG_PRIVATE }, { KPF_PRIVATE_2, E_PG_PRIVATE_2 },
	{ KPF_OWNER_PRIVATE, E_PG_OWNER_PRIV_1 }, { KPF_ARCH, E_PG_ARCH_1 },
	{ KPF_ARCH_2, E_PG_ARCH_2 }, { KPF_ARCH_3, E_PG_ARCH_3 }, { KPF_IDLE, E_PG_IDLE },
	{ KPF_SLAB, E_PG_SLAB },
};

/* The folio of the latest request. */
struct folio {
	struct folio_view view;
	enum status status;
	bool mapped;			/* some part of it is */
};

#define SUBSECTION_SHIFT 21	/* include/linux/mmzone.h, since ba72b4c8cf60 (v5.3) */

/* One word of mem_section.usage->subsection_map, of the latest request. */
struct subsections {
	uint64_t kva;			/* of the word; 0: none was read */
	uint64_t word;			/* all ones if it could not be read */
};

struct kpageflags {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct pagefmt fmt;
	struct { unsigned bit; uint64_t mask; } copy[ARRAY_LEN(copied)];
	unsigned ncopies;
	bool of_folio, thp_rmappable, asks_subsections;
	uint64_t end_pfn;		/* from here on pfn_to_online_page() returns nothing */
	struct subsections subsections;
	uint64_t rmappable;		/* bit of page[1].flags */
	uint64_t zero_pfn, huge_zero_pfn;
	struct folio folio;
	uint64_t parts_left;		/* frames that may still be read for folio.mapped, for
					   all folios */
};

/*
 * The memory map of the last section is complete, but pfn_section_valid() checks which
 * subsections have memory.
 */
static uint64_t end_of_memory(const struct kernel *k, struct reader *r)
{
	uint64_t max_pfn, n = UINT64_C(1) << (SUBSECTION_SHIFT - k->page_shift);

	if (k->page_shift > SUBSECTION_SHIFT || !has(k, M_SECTION_USAGE) ||
	    kvar_u64(k, r, Y_MAX_PFN, 0, &max_pfn) || !max_pfn)
		return UINT64_MAX;
	return (max_pfn + n - 1) & ~(n - 1);
}

/* pfn_section_valid(): has the subsection of PFN memory? Yes, if this dump does not tell. */
static bool in_subsection(struct kpageflags *q, uint64_t pfn)
{
	const struct kernel *k = q->k;
	const struct memmap_sections *m = &k->memmap.sections;
	unsigned bits = k->page_shift < SUBSECTION_SHIFT ? SUBSECTION_SHIFT - k->page_shift : 0;
	uint64_t section, usage, at, n;

	if (!q->asks_subsections || !m->pages)
		return true;
	section = memmap_section_kva(&k->memmap, q->r, pfn);
	if (!section || kmember_u64(k, q->r, section, M_SECTION_USAGE, &usage) || !usage)
		return true;
	n = pfn % m->pages >> bits;
	at = usage + layout_offset(&k->layout, M_SUBSECTION_MAP) +
	     n / (8 * q->fmt.word) * q->fmt.word;
	if (at != q->subsections.kva) {
		q->subsections.kva = at;
		if (read_kva_word(q->r, at, &q->subsections.word))
			q->subsections.word = UINT64_MAX;
	}
	return q->subsections.word >> n % (8 * q->fmt.word) & 1;
}

struct kpageflags *kpageflags_new(const struct snapshot *s)
{
	struct kpageflags *q = heap_array(struct kpageflags, 1);
	const struct kernel *k = s->k;

	q->s = s;
	q->k = k;
	q->r = kernel_reader(k);
	pagefmt_init(&q->fmt, k);
	for (unsigned i = 0; i < ARRAY_LEN(copied); i++) {
		uint64_t mask = pagefmt_flag(&q->fmt, copied[i].flag);

		if (!mask)
			continue;
		q->copy[q->ncopies].bit = copied[i].bit;
		q->copy[q->ncopies++].mask = mask;
	}
	q->of_folio = kernel_rule(k, RULE_KPF_OF_FOLIO);
	q->rmappable = pagefmt_flag(&q->fmt, E_PG_LARGE_RMAPPABLE);
	q->thp_rmappable = kernel_rule(k, RULE_KPF_THP_RMAPPABLE) && q->rmappable;
	zero_frames(k, q->r, &q->zero_pfn, &q->huge_zero_pfn);
	q->end_pfn = end_of_memory(k, q->r);
	q->asks_subsections = kernel_rule(k, RULE_KPAGE_SUBSECTION) && has(k, M_SECTION_USAGE) &&
			      has(k, M_SUBSECTION_MAP);
	q->parts_left = 4 * s->frames.max_pfn;
	return q;
}

void kpageflags_free(struct kpageflags *q)
{
	reader_free(q->r);
	free(q);
}

/* ---- the folio ------------------------------------------------------------------------ */

/* Is any page of the folio from PFN on mapped? The first page usually decides. */
static bool any_mapped(struct kpageflags *q, uint64_t pfn, unsigned order)
{
	uint64_t n = UINT64_C(1) << (order < 32 ? order : 0);

	for (uint64_t i = 0; i < n && q->parts_left; i++, q->parts_left--) {
		const struct frame *f = frame_at(&q->s->frames, pfn + i);

		if (f && f->mapcount)
			return true;
	}
	return false;
}

static void read_folio(struct kpageflags *q, uint64_t kva, unsigned order)
{
	uint8_t raw[3 * STRUCT_PAGE_MAX];
	struct folio *h = &q->folio;
	uint64_t pfn;

	*h = (struct folio){ .view.kva = kva };
	h->status = read_kva(q->r, kva, raw, q->fmt.view_size);
	if (h->status)
		return;
	folio_view(&q->fmt, raw, kva, &h->view);
	if (memmap_page_pfn(&q->k->memmap, kva, &pfn))
		h->mapped = any_mapped(q, pfn, order);
}

/* ---- the bits --------------------------------------------------------------------------- */

static uint64_t copy_bits(const struct kpageflags *q, uint64_t flags)
{
	uint64_t u = 0;

	for (unsigned i = 0; i < q->ncopies; i++)
		u |= (uint64_t) !!(flags & q->copy[i].mask) << q->copy[i].bit;
	return u;
}

/* Bits that snapshot.frames has; both are those of the folio. */
static uint64_t frame_bits(const struct frame *f)
{
	uint64_t u = 0;

	u |= f->flags & FR_ANON ? KPF(ANON) : 0;
	u |= f->flags & FR_KSM ? KPF(KSM) : 0;
	u |= f->flags & FR_BUDDY ? KPF(BUDDY) : 0;
	u |= f->flags & FR_SLAB ? KPF(SLAB) : 0;
	u |= f->flags & FR_PGTABLE ? KPF(PGTABLE) : 0;
	u |= f->flags & FR_OFFLINE ? KPF(OFFLINE) : 0;
	u |= f->flags & FR_HUGETLB ? KPF(HUGE) : 0;
	u |= f->flags & FR_SWAPCACHE ? KPF(SWAPCACHE) : 0;
	return u;
}

static bool rule(const struct kpageflags *q, enum rule r)
{
	return kernel_rule(q->k, r);
}

static bool in_huge_zero(const struct kpageflags *q, const struct frame *f, uint64_t pfn)
{
	unsigned order = f->flags >> FR_ORDER_SHIFT;

	return q->huge_zero_pfn != UINT64_MAX && order < 32 &&
	       pfn - q->huge_zero_pfn < UINT64_C(1) << order;
}

/* THP and ZERO_PAGE, for pages that are not hugetlb. */
static uint64_t huge_bits(const struct kpageflags *q, const struct frame *f, uint64_t pfn,
			  bool compound)
{
	const struct folio_view *h = &q->folio.view;
	bool thp = compound && (q->thp_rmappable ? h->second_flags & q->rmappable
						 : h->flags & q->fmt.lru_bit || f->flags & FR_ANON);

	if (thp && rule(q, RULE_KPF_THP))
		return KPF(THP);
	if (!rule(q, RULE_KPF_ZERO))
		return 0;
	if (compound && in_huge_zero(q, f, pfn))
		return KPF(ZERO_PAGE) | KPF(THP);
	if (pfn == q->zero_pfn && (q->of_folio || !compound))
		return KPF(ZERO_PAGE);
	return 0;
}

/* To 4.4 a tail has the bits of its own words: page_mapped(), PageAnon() and PageSlab() did not ask
   the head (822cdd115226; of slabs 0a71649cb724, v4.6). */
static uint64_t own_bits(const struct kpageflags *q, const struct frame *f, const uint8_t *raw)
{
	uint64_t u = copy_bits(q, page_flags(&q->fmt, raw));

	u |= f->flags & FR_HUGETLB ? KPF(HUGE) : 0;
	u |= page_mapping(&q->fmt, raw) & 1 ? KPF(ANON) : 0;
	if (!(u & KPF(SLAB)) && page_own_mapcount(&q->fmt, page_type(&q->fmt, raw)))
		u |= KPF(MMAP);
	return u;
}

static uint64_t usual_bits(const struct kpageflags *q, const struct frame *f, bool compound,
			   uint64_t mapping, uint64_t own_flags)
{
	const struct folio_view *folio = &q->folio.view;
	uint64_t u = copy_bits(q, compound && q->of_folio ? folio->flags : own_flags) |
		     frame_bits(f);

	if (compound)
		mapping = folio->mapping;
	if (rule(q, RULE_KPF_ANON_TYPED) && mapping & 1)
		u |= KPF(ANON);
	if (rule(q, RULE_KPF_KSM_ANON) && u & KPF(ANON))
		u |= KPF(KSM);
	if (compound ? q->folio.mapped : f->mapcount != 0)
		u |= KPF(MMAP);
	return u;
}

/* RAW is the struct page itself. */
static void set_kpf(struct kpageflags *q, const struct frame *f, uint64_t pfn, enum page_role role,
		    const uint8_t *raw, struct page_words *ret)
{
	const struct folio_view *folio = &q->folio.view;
	bool compound = role != PAGE_SINGLE;
	bool own = role == PAGE_TAIL && q->fmt.mapcount_form == MAPCOUNT_OWN;
	uint64_t u = own ? own_bits(q, f, raw)
			 : usual_bits(q, f, compound, page_mapping(&q->fmt, raw), ret->flags);

	if (role == PAGE_TAIL && !rule(q, RULE_KPF_TYPE_OF_FOLIO))
		u &= ~(KPF(PGTABLE) | KPF(OFFLINE));
	u |= role == PAGE_HEAD ? KPF(COMPOUND_HEAD) : compound ? KPF(COMPOUND_TAIL) : 0;
	if (!(f->flags & FR_HUGETLB))
		u |= huge_bits(q, f, pfn, compound);
	if (f->flags & FR_HUGETLB && q->of_folio ? folio->flags & q->fmt.hwpoison
						 : ret->flags & q->fmt.hwpoison)
		u |= KPF(HWPOISON);
	ret->kpf = u;
}

/* Struct pages that were never set up are all ones (PAGE_POISON_PATTERN). That is no damage. */
static void refuse_refcount(const struct kpageflags *q, uint64_t pfn, struct page_words *ret)
{
	uint64_t ones = q->fmt.word == 8 ? UINT64_MAX : UINT32_MAX;

	if (ret->flags != ones)
		issue_add(q->k->issues, ST_CORRUPT, "page refcount", 1,
			  "pfn %#" PRIx64 " has %" PRId64 " references", pfn, ret->refcount);
	ret->refcount = INT64_MIN;
}

enum status kpageflags_read(struct kpageflags *q, uint64_t pfn, struct page_words *ret)
{
	const struct pagefmt *fmt = &q->fmt;
	const struct frame *f = frame_of_all(&q->s->frames, pfn);
	uint64_t kva = memmap_page_kva(&q->k->memmap, pfn), head = kva;
	uint8_t raw[2 * STRUCT_PAGE_MAX];
	enum page_role role;
	enum status st;

	*ret = (struct page_words){ .kpf = rule(q, RULE_KPF_NOPAGE) ? KPF(NOPAGE) : 0,
				    .none = true };
	if (!kva || !f || !(f->flags & (FR_EXISTS | FR_UNREAD)) || pfn >= q->end_pfn ||
	    !in_subsection(q, pfn))
		return ST_OK;
	ret->none = false;
	st = read_kva(q->r, kva, raw, page_role_size(fmt, kva));
	if (st)
		return st;
	ret->flags = page_flags(fmt, raw);
	ret->refcount = (int32_t)page_refcount(fmt, raw);
	role = page_role(fmt, raw, kva, page_role_size(fmt, kva), &head);
	if (role == PAGE_ASTRAY || role == PAGE_UNSET)
		return ST_CORRUPT;
	if (role != PAGE_SINGLE && q->folio.view.kva != head)
		read_folio(q, head, f->flags >> FR_ORDER_SHIFT);
	if (role != PAGE_SINGLE && q->folio.status)
		return q->folio.status;
	if (role == PAGE_TAIL)
		ret->refcount = (int32_t)q->folio.view.refcount;
	if (ret->refcount < 0)
		refuse_refcount(q, pfn, ret);
	if (!rule(q, RULE_KPAGE_ONLINE) || memmap_is_online(&q->k->memmap, pfn))
		set_kpf(q, f, pfn, role, raw, ret);
	return ST_OK;
}
