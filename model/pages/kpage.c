/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kpage.c - stable_page_flags() of fs/proc/page.c, read in 5.10 ... 7.3: what
 * struct frame says of a page, and bits of page->flags, from 6.10 on those of
 * the folio.
 */
#include "model/pages/kpage.h"

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/kobj.h"
#include "model/pages/account.h"
#include "model/pages/pagefmt.h"

#define BIT(n) (UINT64_C(1) << (n))
#define RUN_BYTES 4096u
#define SUBSECTION UINT64_C(512)	/* PAGES_PER_SUBSECTION */

/* Bits that are copied as they stand. */
static const struct copied {
	enum kpf to;
	enum layout_id flag;
} copied[] = {
	{ KPF_LOCKED, E_PG_LOCKED }, { KPF_ERROR, E_PG_ERROR }, { KPF_DIRTY, E_PG_DIRTY },
	{ KPF_UPTODATE, E_PG_UPTODATE }, { KPF_WRITEBACK, E_PG_WRITEBACK },
	{ KPF_LRU, E_PG_LRU }, { KPF_REFERENCED, E_PG_REFERENCED }, { KPF_ACTIVE, E_PG_ACTIVE },
	{ KPF_RECLAIM, E_PG_RECLAIM }, { KPF_SWAPBACKED, E_PG_SWAPBACKED },
	{ KPF_UNEVICTABLE, E_PG_UNEVICTABLE }, { KPF_MLOCKED, E_PG_MLOCKED },
	{ KPF_UNCACHED, E_PG_UNCACHED }, { KPF_RESERVED, E_PG_RESERVED },
	{ KPF_MAPPEDTODISK, E_PG_MAPPEDTODISK }, { KPF_PRIVATE, E_PG_PRIVATE },
	{ KPF_PRIVATE_2, E_PG_PRIVATE_2 }, { KPF_OWNER_PRIVATE, E_PG_OWNER_PRIV_1 },
	{ KPF_ARCH, E_PG_ARCH_1 }, { KPF_ARCH_2, E_PG_ARCH_2 }, { KPF_ARCH_3, E_PG_ARCH_3 },
	{ KPF_IDLE, E_PG_IDLE },
};

struct walk {
	const struct snapshot *s;
	struct reader *r;
	struct pagefmt f;
	uint64_t mask[ARRAY_LEN(copied)];	/* of page->flags */
	uint64_t rmappable, hwpoison;
	bool of_folio, thp_rmappable, ksm_anon;
	uint64_t nopage;		/* the word of no page */
	uint64_t zero, huge_zero;
	uint64_t end;			/* frames from here on have no valid struct page */
	/* the compound page that is being passed */
	uint64_t head_pfn, head_flags, second_flags;
	bool head_mapped;
	void (*fn)(void *arg, uint64_t pfn, uint64_t flags);
	void *arg;
};

static void init(struct walk *w, const struct snapshot *s, struct reader *r)
{
	*w = (struct walk){ .s = s, .r = r, .head_pfn = UINT64_MAX };
	pagefmt_init(&w->f, s->k);
	for (size_t i = 0; i < ARRAY_LEN(copied); i++)
		w->mask[i] = pagefmt_flag(&w->f, copied[i].flag);
	w->rmappable = pagefmt_flag(&w->f, E_PG_LARGE_RMAPPABLE);
	w->hwpoison = pagefmt_flag(&w->f, E_PG_HWPOISON);
	w->of_folio = s->k->rules.on[RULE_KPF_OF_FOLIO];
	w->ksm_anon = s->k->rules.on[RULE_KPF_KSM_ANON];
	w->nopage = s->k->rules.on[RULE_KPF_NOPAGE] ? BIT(KPF_NOPAGE) : 0;
	w->thp_rmappable = s->k->rules.on[RULE_KPF_THP_RMAPPABLE];
	zero_frames(s->k, r, &w->zero, &w->huge_zero);
	/* a section of memory is valid in parts of 2 MiB (f46edbd1b151, v5.3) */
	w->end = UINT64_MAX;
	if (has(s->k, Y_MAX_PFN) && !kvar_u64(s->k, r, Y_MAX_PFN, 0, &w->end))
		w->end = (w->end + SUBSECTION - 1) & ~(SUBSECTION - 1);
}

/* ---- compound pages ------------------------------------------------------------------ */

static uint64_t raw_flags(const struct walk *w, uint64_t pfn)
{
	uint64_t kva = memmap_page_kva(&w->s->k->memmap, pfn), v;

	return kva && !read_kva_uint(w->r, kva + w->f.flags, w->f.flags_size, &v) ? v : 0;
}

/* page_mapped() is true for each page of a compound page if it is for one. */
static void enter_head(struct walk *w, const struct frame *f, uint64_t pfn, uint64_t k)
{
	uint64_t n = UINT64_C(1) << (f->flags >> FR_ORDER_SHIFT & 31);

	w->head_pfn = pfn;
	w->head_flags = k;
	w->second_flags = raw_flags(w, pfn + 1);
	w->head_mapped = false;
	for (uint64_t i = 0; i < n && !w->head_mapped; i++) {
		const struct frame *part = frame_at(&w->s->frames, pfn + i);

		if (!part || (i && !(part->flags & FR_TAIL)))
			break;
		w->head_mapped = part->mapcount != 0;
	}
}

static uint64_t compound_bits(const struct walk *w, const struct frame *f)
{
	uint64_t u = BIT(f->flags & FR_TAIL ? KPF_COMPOUND_TAIL : KPF_COMPOUND_HEAD);
	bool huge_zero = w->head_pfn == w->huge_zero;

	if (f->flags & FR_HUGETLB)
		return u | BIT(KPF_HUGE);
	if (w->thp_rmappable)
		u |= w->second_flags & w->rmappable ? BIT(KPF_THP) : 0;
	else if (w->head_flags & w->f.lru_bit || f->flags & FR_ANON)
		u |= BIT(KPF_THP);
	if (huge_zero)
		u |= BIT(KPF_THP) | BIT(KPF_ZERO_PAGE);
	return u;
}

/* ---- one page ---------------------------------------------------------------------------- */

static uint64_t frame_bits(const struct walk *w, const struct frame *f, uint64_t pfn)
{
	static const struct { uint32_t fr; enum kpf to; } same[] = {
		{ FR_ANON, KPF_ANON }, { FR_KSM, KPF_KSM }, { FR_BUDDY, KPF_BUDDY },
		{ FR_OFFLINE, KPF_OFFLINE }, { FR_PGTABLE, KPF_PGTABLE }, { FR_SLAB, KPF_SLAB },
		{ FR_SWAPCACHE, KPF_SWAPCACHE },
	};
	uint64_t u = 0;

	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		u |= f->flags & same[i].fr ? BIT(same[i].to) : 0;
	if (w->ksm_anon && f->flags & FR_ANON)
		u |= BIT(KPF_KSM);
	if (f->flags & (FR_HEAD | FR_TAIL))
		u |= compound_bits(w, f);
	else if (pfn == w->zero)
		u |= BIT(KPF_ZERO_PAGE);
	return u;
}

static uint64_t bits_of(struct walk *w, uint64_t pfn, uint64_t k)
{
	const struct frame *f = frame_at(&w->s->frames, pfn);
	uint64_t u, own = k;
	bool mapped;

	if (pfn >= w->end || !f)
		return w->nopage;
	if (!(f->flags & FR_EXISTS))
		return f->flags & FR_UNREAD ? 0 : w->nopage;
	if (f->flags & FR_HEAD)
		enter_head(w, f, pfn, k);
	mapped = f->flags & (FR_HEAD | FR_TAIL) ? w->head_mapped : f->mapcount != 0;
	u = frame_bits(w, f, pfn);
	if (mapped && !(f->flags & FR_SLAB))
		u |= BIT(KPF_MMAP);
	if (w->of_folio && f->flags & FR_TAIL)
		k = w->head_flags;
	for (size_t i = 0; i < ARRAY_LEN(copied); i++)
		u |= k & w->mask[i] ? BIT(copied[i].to) : 0;
	if (own & w->hwpoison)
		u |= BIT(KPF_HWPOISON);
	return u;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Struct pages of [pfn, end) from KVA on, some at a time. */
static void walk_range(struct walk *w, uint64_t pfn, uint64_t end, uint64_t kva)
{
	uint8_t *raw = heap_calloc(RUN_BYTES / w->f.size + 1, w->f.size);
	uint64_t most = RUN_BYTES / w->f.size + 1;

	while (pfn < end) {
		uint64_t n = min_u64(most, end - pfn);
		bool there = !read_kva(w->r, kva, raw, n * w->f.size);

		for (uint64_t i = 0; i < n; i++)
			w->fn(w->arg, pfn + i, bits_of(w, pfn + i, there
				? page_flags(&w->f, raw + i * w->f.size) : raw_flags(w, pfn + i)));
		pfn += n;
		kva += n * w->f.size;
	}
	free(raw);
}

void kpageflags_walk(const struct snapshot *s, struct reader *r,
		     void (*fn)(void *arg, uint64_t pfn, uint64_t flags), void *arg)
{
	const struct memmap *m = &s->k->memmap;
	uint64_t pfn = 0;
	struct walk w;

	if (!m->n)
		return;
	init(&w, s, r);
	w.fn = fn;
	w.arg = arg;
	for (uint32_t i = 0; i < m->n; i++) {
		for (; pfn < m->v[i].pfn; pfn++)
			fn(arg, pfn, w.nopage);
		walk_range(&w, m->v[i].pfn, m->v[i].end, m->v[i].page_kva);
		pfn = max_u64(pfn, m->v[i].end);
	}
}
