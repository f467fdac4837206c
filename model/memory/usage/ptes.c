/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ptes.c - the entries of one table of the lowest level: most of a walk is here. Neighbours mostly
 * map neighbouring frames of one kind, with the same flags: such runs are counted together.
 * Every other entry is counted alone, by smaps.c.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/memory/usage/smaps.h"

#define GROUP 512u	/* entries whose frames are asked for together: a table on most CPUs */
#define KINDS_A_LINE (64 / sizeof(uint16_t))	/* of a cache line */

/* N entries of the same flags, from VA on, that map pages like F. */
static inline void keep_pages(struct acct *a, uint64_t va, const struct pte *pte, unsigned n,
			      const struct frame *f)
{
	if (!a->kept)
		return;
	if (frame_counts_by_head(a->s->frames.store, f))
		kept_spoil(a->kept);
	else
		kept_add(a->kept, va, pte, n, f);
}

static inline bool is_plain(const struct pte *e)
{
	return e->kind == PTE_PAGE && !(e->flags & PTE_SPECIAL);
}

static inline void any_pte(struct acct *a, const struct pte *e, uint64_t va)
{
	uint64_t pfn = e->pa >> a->page_shift;
	const struct frame *f = NULL;

	if (e->kind == PTE_NONE && !a->shmem.by_hole)
		return;
	if (is_plain(e) && !a->check_pages) {
		if (!acct_now(a, pfn))
			return;
		f = acct_frame(a, pfn);
	}
	if (f && (f->flags & (FR_EXISTS | FR_UNREAD)) == FR_EXISTS) {
		acct_count_found(a, pfn);
		acct_tally_pages(a, f, e->flags, 1);
		acct_refer(a, va, a->page_shift, e, true);
		keep_pages(a, va, e, 1, f);
	} else {
		acct_slow_pte(a, e, va);
	}
}

/*
 * Entries with the same flags, one after the other, that map frames one after the other in one
 * chunk: what is needed of their frames is found once.
 */
struct pte_run {
	const uint16_t *kind;	/* of the first frame; NULL: see any_pte() */
	uint32_t first, n;	/* entries */
};

/* How many of the N entries from E on are in its run; frame_at() has a chunk for the first. */
static inline unsigned run_length(const struct acct *a, const struct pte *e, unsigned n)
{
	uint64_t pfn = e->pa >> a->page_shift, page = UINT64_C(1) << a->page_shift;
	unsigned most = (unsigned)min_u64(n, FRAME_CHUNK - (pfn & (FRAME_CHUNK - 1))), i = 0;

	do {
		i += e[i].run ? e[i].run : 1;
	} while (i < most && e[i].pa == e->pa + i * page && e[i].flags == e->flags &&
		 e[i].kind == e->kind);
	return i < most ? i : most;
}

/*
 * How many of the N entries from E on need no look at their frames: they tell what these are. They are
 * counted in the first round, which is the only one for them: no chunk has its turn for their sake.
 */
static inline unsigned tell_run(struct acct *a, const struct pte *e, unsigned n)
{
	uint64_t pfn = e->pa >> a->page_shift, of_chunk = FRAME_CHUNK - (pfn & (FRAME_CHUNK - 1));
	unsigned run = e->run ? e->run : 1;

	if (!told_entry(e) || !told_unread(a->told, pfn))
		return 0;
	run = (unsigned)min_u64(run, min_u64(n, of_chunk));
	if (a->first)
		acct_tell(a, run);
	return run;
}

/*
 * Frames come in any order, and each run of them is a cache miss: all are asked for before any
 * is used. Returns the number of runs.
 */
static unsigned find_runs(struct acct *a, const struct pte *pte, unsigned n, struct pte_run *runs)
{
	struct frame_chunk *const *chunks = a->s->frames.chunk;
	uint64_t nchunks = a->s->frames.nchunks;
	bool holes = a->shmem.by_hole;
	unsigned nruns = 0;

	for (unsigned i = 0; i < n;) {
		uint64_t pfn = pte[i].pa >> a->page_shift, c = pfn >> FRAME_CHUNK_SHIFT;
		const struct frame_chunk *chunk = NULL;
		struct pte_run *r = &runs[nruns];

		unsigned told = a->told ? tell_run(a, &pte[i], n - i) : 0;

		if (told || (pte[i].kind == PTE_NONE && !holes)) {
			i += told ? told : 1;
			continue;
		}
		if (c < nchunks && is_plain(&pte[i]))
			chunk = __atomic_load_n(&chunks[c], __ATOMIC_ACQUIRE);
		*r = (struct pte_run){ .first = i, .n = 1 };
		if (chunk) {
			r->kind = &chunk->kind[pfn & (FRAME_CHUNK - 1)];
			r->n = run_length(a, &pte[i], n - i);
			for (uint32_t j = 0; j < r->n; j += KINDS_A_LINE)
				__builtin_prefetch(r->kind + j);
			__builtin_prefetch(r->kind + r->n - 1);
		}
		i += r->n;
		nruns++;
	}
	return nruns;
}

/* Does any_pte() look at nothing else of a plain entry of this kind? */
static inline bool is_counted(const struct frames *frames, uint16_t kind)
{
	return kind != FRAME_RARE &&
	       (frames->kind[kind].flags & (FR_EXISTS | FR_UNREAD)) == FR_EXISTS;
}

/* The end of the frames of R from I on that are of kind KIND, of which the first is one. */
static inline uint32_t kind_end(const struct pte_run *r, uint32_t i, uint16_t kind)
{
	uint64_t same = kind * UINT64_C(0x0001000100010001), four;

	for (; i + 4 <= r->n; i += 4) {
		memcpy(&four, &r->kind[i], sizeof(four));
		if (four != same)
			break;
	}
	while (i < r->n && r->kind[i] == kind)
		i++;
	return i;
}

/* Neighbours mostly have one kind and the same flags: they are tallied together. */
struct alike {
	uint32_t first, n;	/* entries that are not tallied yet, one after the other */
	uint16_t kind;
	unsigned flags;
};

static inline void tally_alike(struct acct *a, uint64_t va, const struct pte *pte,
			       struct alike *same)
{
	const struct frame *f = &a->s->frames.kind[same->kind];

	if (!same->n)
		return;
	acct_tally_pages(a, f, same->flags, same->n);
	keep_pages(a, va + ((uint64_t)same->first << a->page_shift), &pte[same->first], same->n, f);
	same->n = 0;
}

/* The run R of the entries PTE, of which the first maps VA. */
static void account_run(struct acct *a, uint64_t va, const struct pte *pte, const struct pte_run *r,
			struct alike *same)
{
	const struct pte *e = &pte[r->first];
	uint64_t pfn = e->pa >> a->page_shift;

	for (uint32_t i = 0, end; i < r->n; i = end) {
		uint32_t at = r->first + i;
		uint16_t kind = r->kind[i];

		end = i + 1;
		if (!is_counted(&a->s->frames, kind)) {
			tally_alike(a, va, pte, same);
			any_pte(a, &e[i], va + ((uint64_t)at << a->page_shift));
			continue;
		}
		end = kind_end(r, i, kind);
		if (kind != same->kind || e->flags != same->flags || at != same->first + same->n) {
			tally_alike(a, va, pte, same);
			*same = (struct alike){ .first = at, .kind = kind, .flags = e->flags };
		}
		same->n += end - i;
		acct_count_run(a, pfn + i, end - i);
	}
}

static void group(struct acct *a, uint64_t va, const struct pte *pte, const struct pte_run *runs,
		  unsigned n)
{
	struct alike same = { .n = 0 };

	for (unsigned i = 0; i < n; i++) {
		const struct pte_run *r = &runs[i];

		if (r->kind) {
			account_run(a, va, pte, r, &same);
			continue;
		}
		tally_alike(a, va, pte, &same);
		any_pte(a, &pte[r->first], va + ((uint64_t)r->first << a->page_shift));
	}
	tally_alike(a, va, pte, &same);
}

static void each_pte(struct acct *a, uint64_t va, const struct pte *pte, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (i + FRAME_AHEAD < n && is_plain(&pte[i + FRAME_AHEAD]))
			frame_prefetch(&a->s->frames, pte[i + FRAME_AHEAD].pa >> a->page_shift);
		any_pte(a, &pte[i], va + ((uint64_t)i << a->page_shift));
	}
}

void acct_ptes(struct acct *a, uint64_t va, const struct pte *pte, unsigned n)
{
	/* In rounds, chunks that are kept have their turn, except where only some are counted;
	   the others look at each page. */
	bool plain = !(a->turn && a->each_found) && !a->check_pages && !a->by_found &&
		     a->weight == 1;
	struct pte_run runs[GROUP];

	if (!plain) {
		each_pte(a, va, pte, n);
		return;
	}
	for (unsigned i = 0, m; i < n; i += m, va += (uint64_t)m << a->page_shift) {
		m = n - i < GROUP ? n - i : GROUP;
		group(a, va, pte + i, runs, find_runs(a, pte + i, m, runs));
	}
}
