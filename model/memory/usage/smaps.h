/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smaps.h - page-table entries to numbers, one VMA at a time; private to
 * model/memory/usage.
 *
 *     acct_open(a)                           once a thread
 *     acct_vma(a, v, start, end)             values for all of the VMA; the range to walk
 *     pgwalk(..., &acct_visit, a)            one or more ranges of it
 *     acct_take(a, &usage)                   the sums since acct_vma()
 *
 * Pages are not added to struct usage one by one: they are tallied by the six
 * facts that decide where their bytes go, and the tallies folded at the end.
 */
#ifndef VMCENSUS_SMAPS_H
#define VMCENSUS_SMAPS_H

#include <pthread.h>

#include "dumpread/base/hash.h"
#include "facts/layout/mm.h"
#include "model/kernel/page/swap.h"
#include "model/kernel/page/zero.h"
#include "model/memory/frames/frames.h"
#include "model/memory/usage/kept.h"
#include "model/memory/usage/refs.h"
#include "model/memory/usage/told.h"
#include "model/model.h"

/* Facts of a tallied page. The first five are FR_ANON .. FR_REFERENCED >> 1. */
enum tally_fact {
	TALLY_ANON = 1 << 0, TALLY_KSM = 1 << 1, TALLY_SWAPBACKED = 1 << 2,
	TALLY_DIRTY = 1 << 3, TALLY_REFERENCED = 1 << 4,
	TALLY_PRIVATE = 1 << 5,
	TALLIES = 1 << 6
};

#define PSS_TABLE 256		/* quotients of small mapcounts, computed once */

/* Shared by all threads. */
struct acct_shared {
	const struct snapshot *s;
	struct swaps swaps;
	bool first;			/* of several rounds: counts what is of no frame, and makes
					   issues */
	bool sum_found;			/* adds up the mappings of each chunk */
	bool each_found;		/* counts the mappings of each frame, in chunks that have
					   counters */
	bool make_found;		/* each chunk gets counters when it is met */
	bool by_found;			/* the mappings that were found stand in for mapcount */
	/*
	 * Mappings found by huge entries, by level and by the unit of that size that they map.
	 * Counting each page at once would take hours for a database with a thousand mappings of
	 * its huge pages.
	 */
	uint32_t *huge_found[PAGING_LEVELS];
	uint64_t huge_units[PAGING_LEVELS];
	/*
	 * Hostile tables can describe endless work. No sane machine is near these limits; beyond
	 * them, the first pages walked count.
	 */
	int64_t tables_left;
	uint64_t nodes_left;		/* of trees of pages */
	uint64_t zero_pfn, huge_zero_pfn;	/* of zero_frames() */
	struct refs *refs;		/* to fill beside the mappings; NULL: none */
	struct kept *kept;		/* to fill; NULL: nothing is kept */
	struct told *told;		/* what need not be read; NULL: all is */
	/* Tables that processes share (hugetlb): the index of the vma that counts the pages
	   below each. A key is the table's physical address + 1. */
	struct {
		pthread_mutex_t lock;
		struct hash by_table;
		struct arena mem;
	} claims;
};

void acct_claims_init(struct acct_shared *shared);
/* Call after all threads have ended. */
void acct_claims_release(struct acct_shared *shared);

struct acct {
	/* for all VMAs */
	struct acct_shared *shared;
	const struct snapshot *s;
	const struct kernel *k;
	const struct swaps *swaps;
	struct reader *r;
	struct swap_cursor cursor;
	uint8_t page_shift;
	uint8_t level_shift[PAGING_LEVELS];
	bool first, each_found, by_found;	/* of shared */
	const uint8_t *turn;		/* of chunks, in the walk; NULL: all are counted now */
	uint64_t *seen;			/* of chunks: sums of their mappings; NULL: not wanted */
	struct frame stand_in[2];	/* for by_found; the last two */
	unsigned nstand_in;
	bool single_ref;		/* RULE_SINGLE_REF */
	bool average;			/* frames.average */
	uint32_t page_facts;		/* facts to take from a frame's flags */
	uint64_t zero_pfn, huge_zero_pfn;	/* UINT64_MAX: none */
	uint64_t pss_of[PSS_TABLE];	/* of one page, by mapcount */
	/* tables of the walk, and those counted last, by level */
	uint64_t table_pa[PAGING_LEVELS], counted_pa[PAGING_LEVELS];
	uint64_t shared_table;		/* the last argument of table_is_shared() */
	bool shared_answer;
	struct refs_walker *refs;	/* of shared; NULL: none */
	struct kept_writer *kept;
	uint64_t told_pages;		/* that were told: told.pages */
	/* of the VMA */
	const struct vma *v;
	uint32_t weight;		/* references that an entry of it is */
	struct shmem_swap shmem;
	uint64_t huge_size;		/* hugetlb: bytes of one page, else 0 */
	bool check_pages;		/* no pte_special: each entry must be looked at */
	const struct told *told;	/* its entries may tell; NULL: they do not */
	bool over;			/* tables_left ran out */
	struct usage u;			/* all except the tallies */
	struct tally { uint64_t bytes, pss; } tally[TALLIES];
};

void acct_open(struct acct *a, struct acct_shared *shared, struct reader *r);
void acct_close(struct acct *a);

void acct_vma(struct acct *a, const struct vma *v, uint64_t start, uint64_t end);
void acct_take(struct acct *a, struct usage *sum);

/* ---- for smaps.c, ptes.c and smaps_huge.c ------------------------------------------------ */

static inline bool acct_rule(const struct acct *a, enum rule r)
{
	return kernel_rule(a->k, r);
}

/* A huge entry of the pmd level that is present: pmd_protnone() in follow_trans_huge_pmd(). */
static inline bool smaps_passes_over(const struct kernel *k, unsigned pte_flags)
{
	return pte_flags & PTE_PROTNONE && kernel_rule(k, RULE_PMD_PROTNONE_SKIPPED) &&
	       has(k, M_MM_NUMA_SCAN_SEQ);
}

/* Is an entry that maps PFN counted in this round? */
static inline bool acct_now(const struct acct *a, uint64_t pfn)
{
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	uint8_t turn;

	if (!a->turn)
		return true;
	if (c >= a->s->frames.nchunks)
		return a->first;
	turn = __atomic_load_n(&a->turn[c], __ATOMIC_ACQUIRE);
	return turn == TURN_NOW || (turn == TURN_OPEN && frames_admit(&a->s->frames, c));
}

/* The same for a huge entry: where mappings of single frames are counted, those of all huge
   entries must be noted, for they may be in several chunks. */
static inline bool acct_huge_now(const struct acct *a, uint64_t pfn)
{
	return a->each_found || acct_now(a, pfn);
}

const struct frame *acct_stand_in(struct acct *a, const struct frame *f, uint64_t pfn);

static inline const struct frame *acct_frame(struct acct *a, uint64_t pfn)
{
	const struct frame *f = frame_at(&a->s->frames, pfn);

	return a->by_found && f ? acct_stand_in(a, f, pfn) : f;
}

void acct_count_each(const struct acct *a, uint64_t pfn);

/* One more mapping of each of the N frames from PFN on, all in one chunk. */
static inline void acct_count_run(const struct acct *a, uint64_t pfn, uint64_t n)
{
	if (a->seen)
		a->seen[pfn >> FRAME_CHUNK_SHIFT] += frame_weights(pfn, n);
	for (uint64_t i = 0; a->each_found && i < n; i++)
		acct_count_each(a, pfn + i);
}

/* One more mapping of PFN, which has a frame. */
static inline void acct_count_found(const struct acct *a, uint64_t pfn)
{
	acct_count_run(a, pfn, 1);
}

/* An entry of LEVEL that maps memory from PFN on. */
static inline void acct_count_huge(const struct acct *a, uint64_t pfn, unsigned level)
{
	uint64_t unit = pfn >> (a->level_shift[level] - a->page_shift);

	if ((a->seen || a->each_found) && unit < a->shared->huge_units[level])
		__atomic_fetch_add(&a->shared->huge_found[level][unit], 1, __ATOMIC_RELAXED);
}

/* An entry of the VMA; MAPPING: frames count it as found. */
static inline void acct_refer(struct acct *a, uint64_t va, unsigned shift, const struct pte *e,
			      bool mapping)
{
	if (a->refs && (!mapping || a->weight > 1))
		refs_beside(a->refs, va, shift, e, mapping);
}

/* The VMA has something that cannot be kept as a run of pages. */
static inline void acct_spoil(struct acct *a)
{
	if (a->kept)
		kept_spoil(a->kept);
}

static inline uint32_t acct_facts(const struct acct *a, uint32_t frame_flags,
				  unsigned pte_flags)
{
	return (frame_flags >> 1 & a->page_facts) | (pte_flags & (PTE_DIRTY | PTE_YOUNG)) << 2;
}

static inline void acct_tally(struct acct *a, uint32_t key, uint64_t bytes, uint64_t pss)
{
	a->tally[key].bytes += bytes;
	a->tally[key].pss += pss;
}

/* N pages like F, of folios that have more than one reference. */
static inline void acct_tally_mapped(struct acct *a, uint32_t key, const struct frame *f,
				     uint64_t n)
{
	uint64_t page = UINT64_C(1) << a->page_shift, pss;
	bool private = a->average ? !(f->flags & FR_SHARED_FOLIO) : f->mapcount < 2;

	if (f->mapcount < PSS_TABLE)
		pss = a->pss_of[f->mapcount];
	else
		pss = (page << PSS_SHIFT) / f->mapcount;
	acct_tally(a, private ? key | TALLY_PRIVATE : key, n * page, n * pss);
}

/* smaps_account() of N pages like F, each mapped by an entry with PTE_FLAGS. */
static inline void acct_tally_pages(struct acct *a, const struct frame *f, unsigned pte_flags,
				    uint64_t n)
{
	uint64_t bytes = n << a->page_shift;
	uint32_t key = acct_facts(a, f->flags, pte_flags);

	if (f->flags & FR_SINGLE && a->single_ref)
		acct_tally(a, key | TALLY_PRIVATE, bytes, bytes << PSS_SHIFT);
	else
		acct_tally_mapped(a, key, f, n);
}

/* N pages that their entries tell: anonymous, mapped once. Whether they are clean is not known. */
static inline void acct_tell(struct acct *a, uint64_t n)
{
	uint64_t bytes = n << a->page_shift;

	acct_tally(a, TALLY_ANON | TALLY_SWAPBACKED | TALLY_PRIVATE, bytes, bytes << PSS_SHIFT);
	a->told_pages += n;
}

uint64_t acct_whole_pss(const struct acct *a, uint64_t bytes);
/* Is F a page to account? If not, BYTES are counted as special or unknown. */
bool acct_usable(struct acct *a, const struct frame *f, uint64_t pfn, uint64_t bytes);
/* Not in smaps, but in the counters of the mm. */
void acct_hide(struct acct *a, const struct frame *f, uint64_t bytes);
bool acct_may_be_page(const struct acct *a, uint64_t va, uint64_t pfn);
bool acct_kind_is_page(const struct acct *a, enum swap_kind kind, bool huge);
void acct_absent(struct acct *a, const struct frame *f, uint64_t pfn, uint32_t key,
		 uint64_t nr, bool present, bool migration);
unsigned acct_raw_bits(const struct pte *e);
bool acct_spend(struct acct *a);
void acct_bad_entry(struct acct *a, uint64_t va, unsigned shift);
/* The N entries PTE of the lowest level, of which the first maps VA; one of any kind. */
void acct_ptes(struct acct *a, uint64_t va, const struct pte *pte, unsigned n);
void acct_slow_pte(struct acct *a, const struct pte *e, uint64_t va);

/* BYTES of the page of F that are in the counters of the mm but not in smaps; below 0: the
   reverse. */
void acct_hide(struct acct *a, const struct frame *f, uint64_t bytes);
void acct_huge_entries(struct acct *a, uint64_t va, unsigned shift, const struct pte *pte,
		       unsigned n);
void acct_hugetlb_entries(struct acct *a, uint64_t va, unsigned shift, const struct pte *pte,
			  unsigned n);

/* ---- the visitor -------------------------------------------------------------------- */

extern const struct pgvisit acct_visit;
/* Only notes the tables above an address: they were counted. */
extern const struct pgvisit acct_visit_tables;

#endif
