/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pgwalk.c - the one page-table walker, for every CPU.
 *
 * A table is decoded in pieces that lie in one page of the dump, at most
 * PIECE entries at a time; the borrowed page is given back before a lower
 * table is entered, so a walk never holds more than one page.
 *
 * The dump is not trusted: depth is the number of levels of the row; a table
 * that appears again below itself is refused; and no more tables are entered
 * than fit into the machine's memory, because a few pages that point at each
 * other could otherwise describe 2^36 entries.
 */
#include "arch/arch.h"

#include "dumpread/base/bytes.h"

#define PIECE 512	/* entries decoded at once: a whole table on most CPUs */
#define RUN_PIECE 16	/* entries looked at together to extend a run */
#define RUN_ENOUGH (UINT64_C(2) << 20)	/* bytes; longer runs help no reader */
/* More tables than fit into memory: one mm may map a shared hugetlb table twice. */
#define TABLES_SLACK 512

struct walk {
	struct reader *r;
	const struct paging *p;
	const struct paging_env *env;
	const struct pgvisit *visit;
	void *arg;
	unsigned page_shift;		/* of the dump's pages */
	uint64_t tables_left;
	bool over;			/* tables_left ran out */
	uint64_t beyond;		/* end of the last page that was wider than
					   the directory entry that led to it */
	uint64_t path[PAGING_LEVELS];	/* tables above, by level */
	uint8_t shift[PAGING_LEVELS];
};

unsigned paging_shift(const struct paging *p, unsigned level)
{
	unsigned shift = p->page_shift;

	for (unsigned i = 0; i < level; i++)
		shift += p->bits[i];
	return shift;
}

static uint64_t low_mask(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/*
 * Borrow the page that holds entry I of the table at PA and say how many
 * entries (at most WANT) from there on lie in it; *raw is the first.
 */
static enum status borrow_entries(const struct walk *w, unsigned level, uint64_t pa, unsigned i,
				  unsigned want, struct page_ref *ref, const uint8_t **raw,
				  unsigned *n)
{
	uint32_t esize = w->p->entry_size[level];
	uint64_t at = pa + (uint64_t)i * esize;
	uint32_t off = (uint32_t)(at & low_mask(w->page_shift));
	unsigned fit = ((1u << w->page_shift) - off) / esize;
	enum status st;

	*n = want < fit ? want : fit;
	if ((pa & (esize - 1)) || at >= w->env->max_pa) {
		*n = want;
		return ST_CORRUPT;
	}
	st = reader_page(w->r, at >> w->page_shift, ref);
	if (!st)
		*raw = ref->data + off;
	return st;
}

static bool is_on_path(const struct walk *w, unsigned level, uint64_t pa)
{
	for (unsigned l = level + 1; l < w->p->nlevels; l++)
		if (w->path[l] == pa)
			return true;
	return false;
}

/* log2 of the bytes that a table of LEVEL maps. */
static unsigned table_shift(const struct walk *w, unsigned level)
{
	return w->shift[level] + w->p->bits[level];
}

static bool say_lost(struct walk *w, uint64_t va, uint64_t last, enum status st)
{
	return !w->visit->lost || w->visit->lost(w->arg, va, last + 1, st);
}

static bool walk_table(struct walk *w, unsigned level, uint64_t pa, uint64_t start,
		       uint64_t last);

/* Enter a lower table for [start, last], or say why not. */
static bool descend(struct walk *w, unsigned level, uint64_t pa, uint64_t start, uint64_t last)
{
	enum status st = is_on_path(w, level, pa) ? ST_CORRUPT : ST_OK;

	if (!st && w->visit->enter)
		st = w->visit->enter(w->arg, pa, level, start & ~low_mask(table_shift(w, level)));
	if (st)
		return say_lost(w, start, last, st);
	if (!w->tables_left) {
		w->over = true;
		return say_lost(w, start, last, ST_LIMIT);
	}
	w->tables_left--;
	w->path[level] = pa;
	return walk_table(w, level, pa, start, last);
}

static bool walk_huge_table(struct walk *w, unsigned level, const struct pte *dir,
			    uint64_t va, uint64_t start, uint64_t last);

/*
 * Hand over N decoded entries of 1 << SHIFT bytes each; the first maps VA. They are
 * entries of a directory, or (LEVEL 0) those that a PTE_HUGE_TABLE points to.
 */
static bool visit_directory(struct walk *w, unsigned level, unsigned shift, const struct pte *pte,
			    unsigned n, uint64_t va, uint64_t start, uint64_t last)
{
	unsigned i = 0;

	while (i < n && !w->over) {
		uint64_t at = va + ((uint64_t)i << shift);
		uint64_t lo = max_u64(at, start);
		uint64_t hi = min_u64(at + low_mask(shift), last);
		unsigned run = i;
		bool go = true;

		if (at < w->beyond) { /* covered by an earlier huge page */
			i++;
			continue;
		}
		switch (pte[i].kind) {
		case PTE_NONE:
			if (w->visit->hole)
				go = w->visit->hole(w->arg, lo, hi + 1, shift);
			i++;
			break;
		case PTE_TABLE:
			go = descend(w, level - 1, pte[i].pa, lo, hi);
			i++;
			break;
		case PTE_HUGE_TABLE:
			go = walk_huge_table(w, level, &pte[i], at, start, last);
			i++;
			break;
		default:
			while (i < n && pte[i].kind != PTE_NONE && pte[i].kind != PTE_TABLE &&
			       pte[i].kind != PTE_HUGE_TABLE)
				i++;
			if (w->visit->entries)
				go = w->visit->entries(w->arg, at, shift, pte + run, i - run);
		}
		if (!go)
			return false;
	}
	return true;
}

/* May huge pages have 1 << SHIFT bytes? */
static bool is_huge_shift(const struct walk *w, unsigned shift)
{
	return shift > w->p->page_shift && shift < paging_shift(w->p, w->p->nlevels);
}

/* Entries that DIR, an entry of LEVEL that maps VA, points to: at most those in one page, and up to that of LAST. */
static enum status borrow_huge(const struct walk *w, unsigned level, const struct pte *dir,
			       uint64_t va, uint64_t last, struct page_ref *ref,
			       const uint8_t **raw, unsigned *n)
{
	unsigned shift = w->shift[level], want = 1, i = 0;

	if (dir->shift < shift) {
		i = (unsigned)((va & low_mask(shift)) >> dir->shift);
		want = (unsigned)((last - va) >> dir->shift) + 1;
	}
	return borrow_entries(w, 0, dir->pa, i, want, ref, raw, n);
}

/*
 * Pages of a size of their own. If they are wider than the range of DIR, its
 * neighbours point to the same entry; only the first of them is followed.
 */
static bool walk_huge_table(struct walk *w, unsigned level, const struct pte *dir, uint64_t va,
			    uint64_t start, uint64_t last)
{
	uint64_t dir_last = min_u64(va + low_mask(w->shift[level]), last);
	uint64_t at = max_u64(va, start) & ~low_mask(dir->shift);
	bool go = true;

	if (!is_huge_shift(w, dir->shift) || (at < va && start < va))
		return say_lost(w, max_u64(va, start), dir_last, ST_CORRUPT);
	if (!w->tables_left) {
		w->over = true;
		return say_lost(w, max_u64(va, start), dir_last, ST_LIMIT);
	}
	w->tables_left--;
	while (go && at <= dir_last) {
		struct page_ref ref = { 0 };
		struct pte pte[PIECE];
		const uint8_t *raw;
		unsigned n;
		enum status st = borrow_huge(w, level, dir, at, dir_last, &ref, &raw, &n);

		if (st)
			return say_lost(w, max_u64(max_u64(at, va), start), dir_last, st);
		n = n < PIECE ? n : PIECE;
		w->p->decode(w->p, w->env, 0, raw, n, pte);
		reader_release(w->r, &ref);
		go = visit_directory(w, 0, dir->shift, pte, n, at, start, last);
		at += (uint64_t)n << dir->shift;
	}
	w->beyond = at;
	return go;
}

/* [start, last] lies within the one table of LEVEL at PA. */
static bool walk_table(struct walk *w, unsigned level, uint64_t pa, uint64_t start, uint64_t last)
{
	unsigned shift = w->shift[level];
	uint64_t index_mask = low_mask(w->p->bits[level]);
	unsigned group = (unsigned)low_mask(w->p->group_bits[level]);
	unsigned i = (unsigned)(start >> shift & index_mask);
	unsigned end = (unsigned)(last >> shift & index_mask);
	uint64_t va = start & ~low_mask(shift);
	struct pte pte[PIECE];

	if (w->visit->table && !w->visit->table(w->arg, pa, level))
		return false;
	while (i <= end && !w->over) {
		unsigned first = i & ~group, whole = (end | group) - first + 1, n;
		unsigned lead = i - first, want = whole < PIECE ? whole : PIECE;
		struct page_ref ref = { 0 };
		const uint8_t *raw;
		enum status st = borrow_entries(w, level, pa, first, want, &ref, &raw, &n);
		unsigned some = (n < end - first + 1 ? n : end - first + 1) - lead;
		bool go = true;

		if (st) {
			uint64_t hi = va + ((uint64_t)(some - 1) << shift) + low_mask(shift);

			go = say_lost(w, max_u64(va, start), min_u64(hi, last), st);
		} else {
			w->p->decode(w->p, w->env, level, raw, n, pte);
			reader_release(w->r, &ref);
			if (level)
				go = visit_directory(w, level, shift, pte + lead, some, va, start,
						     last);
			else if (w->visit->entries)
				go = w->visit->entries(w->arg, va, shift, pte + lead, some);
		}
		if (!go)
			return false;
		i += some;
		va += (uint64_t)some << shift;
	}
	return true;
}

static void walk_init(struct walk *w, struct reader *r, const struct paging *p,
		      const struct paging_env *env)
{
	uint64_t smallest = UINT64_MAX;
	uint8_t shift = p->page_shift;

	*w = (struct walk){ .r = r, .p = p, .env = env };
	w->page_shift = reader_dump(r)->page_shift;
	for (unsigned l = 0; l < p->nlevels; shift += p->bits[l++]) {
		w->shift[l] = shift;
		smallest = min_u64(smallest, (uint64_t)p->entry_size[l] << p->bits[l]);
	}
	w->tables_left = env->max_pa / smallest + TABLES_SLACK;
}

/* Bits of a virtual address that the tables of P translate. */
static unsigned va_bits(const struct paging *p)
{
	return paging_shift(p, p->nlevels);
}

bool pgwalk(struct reader *r, const struct paging *p, const struct paging_env *env, uint64_t root,
	    uint64_t start, uint64_t end, const struct pgvisit *visit, void *arg)
{
	unsigned top = p->nlevels - 1u;
	struct walk w;

	if (start >= end)
		return true;
	walk_init(&w, r, p, env);
	w.visit = visit;
	w.arg = arg;
	return descend(&w, top, root, start, min_u64(end - 1, start | low_mask(va_bits(p))));
}

/* Bytes mapped in one piece by RAW[0..n), whose first maps physical PA; not
   looked for beyond ENOUGH. */
static uint64_t contiguous(const struct walk *w, unsigned level, const uint8_t *raw, unsigned n,
			   uint64_t pa, uint64_t enough)
{
	uint64_t size = UINT64_C(1) << w->shift[level], bytes = 0;
	struct pte pte[RUN_PIECE];

	/* many runs have one entry (the tails of a hugetlb page share their struct pages) */
	for (unsigned i = 0, m = 2; i < n && bytes < enough; i += m, m = RUN_PIECE) {
		m = n - i < m ? n - i : m;
		w->p->decode(w->p, w->env, level, raw + (size_t)i * w->p->entry_size[level], m,
			     pte);
		for (unsigned k = 0; k < m; k++, bytes += size)
			if (pte[k].kind != PTE_PAGE || pte[k].shift || pte[k].pa != pa + bytes)
				return bytes;
	}
	return bytes;
}

/* How many of the N entries at RAW are as the first? Tails of a large hugetlb page share struct pages. */
static unsigned repeats(const uint8_t *raw, unsigned n, size_t size)
{
	unsigned i = 1;

	while (i < n && !memcmp(raw + i * size, raw, size))
		i++;
	return i;
}

/* pgtrans() found that PTE, N of whose level lie at RAW, maps VA. */
static void found(const struct walk *w, unsigned level, const struct pte *pte, const uint8_t *raw,
		  unsigned n, uint64_t va, uint64_t *pa, uint64_t *run)
{
	struct reader_path *path = reader_path(w->r);
	unsigned shift = w->shift[level];
	uint64_t in = va & low_mask(shift), off = va & low_mask(pte->shift ? pte->shift : shift);

	*pa = pte->pa + off;
	if (!level) {
		uint64_t same = pte->shift ? 1 : repeats(raw, n, w->p->entry_size[0]);

		path->same = va - in;
		path->same_end = path->same + (same << shift);
		path->same_pa = *pa - in;
	}
	if (run)
		*run = pte->shift ? (UINT64_C(1) << pte->shift) - off
				  : contiguous(w, level, raw, n, pte->pa, off + RUN_ENOUGH) - off;
}

/* pgtrans() where DIR, an entry of LEVEL, points to pages of a size of their own. */
static enum status trans_huge(const struct walk *w, unsigned level, const struct pte *dir,
			      uint64_t va, uint64_t *pa, uint64_t *run)
{
	struct page_ref ref = { 0 };
	const uint8_t *raw;
	struct pte pte;
	unsigned n;
	enum status st = ST_CORRUPT;

	if (is_huge_shift(w, dir->shift))
		st = borrow_huge(w, level, dir, va, va, &ref, &raw, &n);
	if (st)
		return st;
	w->p->decode(w->p, w->env, 0, raw, 1, &pte);
	reader_release(w->r, &ref);
	if (pte.kind != PTE_PAGE)
		return pte.kind == PTE_BAD ? ST_CORRUPT : ST_FAULT;
	*pa = pte.pa + (va & low_mask(dir->shift));
	if (run)
		*run = (UINT64_C(1) << dir->shift) - (va & low_mask(dir->shift));
	return ST_OK;
}

enum status pgtrans(struct reader *r, const struct paging *p, const struct paging_env *env,
		    uint64_t root, uint64_t va, uint64_t *pa, uint64_t *run)
{
	struct reader_path *path = reader_path(r);
	unsigned level = p->nlevels, range;
	uint64_t table = root;
	struct walk w;

	if (path->of == p && path->root == root && va >= path->same && va < path->same_end) {
		uint64_t off = va & low_mask(p->page_shift);

		*pa = path->same_pa + off;
		if (run)
			*run = (UINT64_C(1) << p->page_shift) - off;
		return ST_OK;
	}
	walk_init(&w, r, p, env);
	range = table_shift(&w, 0);
	if (path->of == p && path->root == root && path->range == va >> range) {
		level = 1;
		table = path->table;
	}
	while (level-- > 0) {
		unsigned index_end = 1u << p->bits[level], shift = w.shift[level], n;
		unsigned i = (unsigned)(va >> shift & (index_end - 1));
		struct page_ref ref = { 0 };
		const uint8_t *raw;
		enum status st = borrow_entries(&w, level, table, i, index_end - i, &ref, &raw, &n);
		struct pte pte;

		if (st)
			return st;
		if (!level)
			*path = (struct reader_path){
				.of = p, .root = root, .range = va >> range, .table = table
			};
		p->decode(p, env, level, raw, 1, &pte);
		if (level && pte.kind == PTE_HUGE_TABLE) {
			reader_release(r, &ref);
			return trans_huge(&w, level, &pte, va, pa, run);
		}
		if (pte.kind == PTE_PAGE)
			found(&w, level, &pte, raw, n, va, pa, run);
		reader_release(r, &ref);
		if (pte.kind == PTE_PAGE)
			return ST_OK;
		if (pte.kind != PTE_TABLE)
			return pte.kind == PTE_BAD ? ST_CORRUPT : ST_FAULT;
		table = pte.pa;
	}
	return ST_CORRUPT;
}
