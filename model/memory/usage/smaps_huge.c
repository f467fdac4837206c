/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smaps_huge.c - entries that map more than one page: smaps_pmd_entry() and
 * smaps_hugetlb_range() of fs/proc/task_mmu.c.
 */
#include "model/memory/usage/smaps.h"

#include "facts/layout/page.h"
#include "model/kernel/kobj.h"
#include "model/memory/usage/account.h"

/* Mappings are counted in units of a level, all of them frames: refs_beside() counts pages. */
static void acct_refer_huge(struct acct *a, uint64_t va, unsigned shift, const struct pte *e,
			    bool mapping)
{
	uint64_t pfn = e->pa >> a->page_shift, n = UINT64_C(1) << (shift - a->page_shift);

	if (!a->refs)
		return;
	if (mapping && (pfn & (n - 1) || pfn + n > a->s->frames.max_pfn || va < a->v->start ||
			a->v->end - va < n << a->page_shift))
		refs_beside_odd(a->refs);
	acct_refer(a, va, shift, e, mapping);
}

/* ---- huge pages --------------------------------------------------------------------- */

/* compound_nr() of the page, at most the size of the entry. */
static uint64_t pages_of(const struct acct *a, const struct frame *f, unsigned shift)
{
	unsigned order = f->flags >> FR_ORDER_SHIFT;

	if (!(f->flags & FR_HEAD))
		return 1;
	return UINT64_C(1) << (order < shift - a->page_shift ? order : shift - a->page_shift);
}

static void count_huge_kind(struct acct *a, const struct frame *f, unsigned shift)
{
	uint64_t bytes = UINT64_C(1) << shift;

	if (f->flags & FR_ANON)
		a->u.anon_huge += bytes;
	else if (f->flags & FR_SWAPBACKED)
		a->u.shmem_huge += bytes;
	else if (!(f->flags & FR_ZONE_DEVICE))
		a->u.file_huge += bytes;
}

static void tally_huge(struct acct *a, const struct frame *f, uint64_t pfn, uint32_t key,
		       uint64_t nr)
{
	uint64_t bytes = nr << a->page_shift;

	if (f->flags & FR_SINGLE && a->single_ref) {
		acct_tally(a, key | TALLY_PRIVATE, bytes, acct_whole_pss(a, bytes));
	} else if (acct_rule(a, RULE_THP_BY_HEAD)) {
		acct_tally(a, f->mapcount < 2 ? key | TALLY_PRIVATE : key, bytes,
			   acct_whole_pss(a, bytes) / (f->mapcount < 2 ? 1 : f->mapcount));
	} else if (acct_spend(a)) {
		for (uint64_t i = 0; i < nr; i++) {
			const struct frame *part = acct_frame(a, pfn + i);

			acct_tally_mapped(a, key, part ? part : f, 1);
		}
	}
}

void acct_hide(struct acct *a, const struct frame *f, uint64_t bytes)
{
	if (f->flags & FR_ANON)
		a->u.hidden_anon += bytes;
	else if (f->flags & FR_SWAPBACKED)
		a->u.hidden_shmem += bytes;
	else
		a->u.hidden_file += bytes;
}

/* smaps leaves it out; the counters of the mm and of the page do not. */
static bool hide_dax(struct acct *a, uint64_t pfn, uint64_t bytes)
{
	const struct frame *f = frame_at(&a->s->frames, pfn);

	if (!f ||
	    (f->flags & (FR_EXISTS | FR_UNREAD | FR_ZONE_DEVICE)) != (FR_EXISTS | FR_ZONE_DEVICE))
		return false;
	acct_count_huge(a, pfn, 1);
	acct_hide(a, f, bytes);
	return true;
}

/* Nobody maps it, and no counter has it (do_huge_pmd_anonymous_page() of 3.10). */
static void huge_zero(struct acct *a, const struct frame *f, uint64_t bytes, unsigned pte_flags)
{
	a->u.anon_huge += bytes;
	acct_tally(a, acct_facts(a, f->flags, pte_flags) | TALLY_PRIVATE, bytes,
		   acct_whole_pss(a, bytes));
	acct_hide(a, f, -bytes);
}

/* True: it is a mapping of its frames. */
static bool huge_present(struct acct *a, uint64_t va, unsigned shift, const struct pte *e)
{
	uint64_t bytes = UINT64_C(1) << shift, pfn = e->pa >> a->page_shift;
	bool devmap = e->flags & PTE_DEVMAP && !acct_rule(a, RULE_PMD_DEVMAP_IS_PAGE);
	const struct frame *f;

	/* smaps looks only at huge entries of the pmd level */
	if (shift != a->level_shift[1] || e->flags & PTE_SPECIAL || devmap ||
	    !acct_may_be_page(a, va, pfn)) {
		if (a->first)
			a->u.special += bytes;
		return e->flags & PTE_SPECIAL && acct_rule(a, RULE_PMD_DAX_SPECIAL) &&
		       acct_huge_now(a, pfn) && hide_dax(a, pfn, bytes);
	}
	if (!acct_huge_now(a, pfn))
		return false;
	f = acct_frame(a, pfn);
	if (!acct_usable(a, f, pfn, bytes))
		return false;
	if (pfn == a->huge_zero_pfn) {
		huge_zero(a, f, bytes, e->flags);
		return false;
	}
	acct_count_huge(a, pfn, 1);
	if (smaps_passes_over(a->k, e->flags)) {
		acct_hide(a, f, bytes);
		return true;
	}
	count_huge_kind(a, f, shift);
	tally_huge(a, f, pfn, acct_facts(a, f->flags, e->flags), pages_of(a, f, shift));
	/* insert_pfn_pmd() counts nothing */
	if (e->flags & PTE_DEVMAP)
		acct_hide(a, f, -(pages_of(a, f, shift) << a->page_shift));
	return true;
}

static void huge_absent(struct acct *a, unsigned shift, const struct pte *e)
{
	enum swap_kind kind = a->swaps->kind[e->swap_type & (SWAP_TYPES - 1)];
	uint64_t pfn = e->swap_offset & a->swaps->pfn_mask;
	const struct frame *f;

	if (shift != a->level_shift[1] || kind == SWAP_SLOT || !acct_now(a, pfn))
		return;
	f = acct_frame(a, pfn);
	if (!acct_kind_is_page(a, kind, true)) {
		if (kind == SWAP_MIGRATION && f)
			acct_hide(a, f, UINT64_C(1) << shift);
		return;
	}
	if (!acct_usable(a, f, pfn, UINT64_C(1) << shift) || !acct_spend(a))
		return;
	count_huge_kind(a, f, shift);
	/* pmd_young() and pmd_dirty() are tested for any entry, in all versions */
	acct_absent(a, f, pfn, acct_facts(a, f->flags, acct_raw_bits(e)), pages_of(a, f, shift),
		    false, kind == SWAP_MIGRATION);
}

void acct_huge_entries(struct acct *a, uint64_t va, unsigned shift, const struct pte *pte,
		       unsigned n)
{
	acct_spoil(a);
	for (unsigned i = 0; i < n; i++, va += UINT64_C(1) << shift) {
		bool mapping = false;

		if (pte[i].kind == PTE_PAGE)
			mapping = huge_present(a, va, shift, &pte[i]);
		else if (pte[i].kind == PTE_SWAP)
			huge_absent(a, shift, &pte[i]);
		else
			acct_bad_entry(a, va, shift);
		acct_refer_huge(a, va, shift, &pte[i], mapping);
	}
}

/* ---- hugetlb ------------------------------------------------------------------------- */

static unsigned level_of(const struct acct *a, unsigned shift)
{
	unsigned level = 0;

	while (level + 1u < a->k->paging->nlevels && a->level_shift[level] != shift)
		level++;
	return level;
}

bool hugetlb_table_shared(const struct kernel *k, struct reader *r, uint64_t pa)
{
	uint64_t page = memmap_page_kva(&k->memmap, pa >> k->page_shift), v = 0;
	bool counted = has(k, M_PT_SHARE_COUNT);

	return page && !kmember_u64(k, r, page, counted ? M_PT_SHARE_COUNT : M_PAGE_REFCOUNT, &v) &&
	       (int32_t)v > (counted ? 0 : 1);
}

bool hugetlb_sharing_seen(const struct kernel *k)
{
	return !has(k, M_PT_SHARE_COUNT) || kernel_rule(k, RULE_HUGETLB_SHARE_SEEN);
}

static bool table_is_shared(struct acct *a, uint64_t pa)
{
	if (pa != a->shared_table) {
		a->shared_table = pa;
		a->shared_answer = hugetlb_table_shared(a->k, a->r, pa);
	}
	return a->shared_answer;
}

void acct_claims_init(struct acct_shared *shared)
{
	pthread_mutex_init(&shared->claims.lock, NULL);
	shared->claims.by_table.mem = &shared->claims.mem;
}

void acct_claims_release(struct acct_shared *shared)
{
	arena_release(&shared->claims.mem);
	shared->claims.by_table = (struct hash){ .mem = &shared->claims.mem };
}

/*
 * A page under a shared table is mapped once, however many vmas use the table. The first
 * vma counts it.
 */
static bool claim_table(struct acct *a, uint64_t pa)
{
	struct hash *h = &a->shared->claims.by_table;
	uint32_t mine = (uint32_t)(a->v - a->s->vmas), owner;

	pthread_mutex_lock(&a->shared->claims.lock);
	owner = hash_get(h, pa + 1);
	if (owner == HASH_NONE)
		hash_put(h, pa + 1, mine);
	pthread_mutex_unlock(&a->shared->claims.lock);
	return owner == HASH_NONE || owner == mine;
}

/*
 * Notes one more mapping of the pages of an entry of 1 << SHIFT bytes, by the largest
 * units that it consists of. Entries of a PTE_HUGE_TABLE have sizes of no level.
 */
static void count_hugetlb(struct acct *a, uint64_t pfn, unsigned shift)
{
	unsigned level = a->k->paging->nlevels - 1u;
	uint64_t n, step;

	while (level && (!a->shared->huge_units[level] || a->level_shift[level] > shift))
		level--;
	n = UINT64_C(1) << (shift - a->level_shift[level]);
	step = UINT64_C(1) << (a->level_shift[level] - a->page_shift);
	for (uint64_t i = 0; i < n; i++, pfn += step) {
		if ((i & 511) == 511 && !acct_spend(a))
			return;
		if (level)
			acct_count_huge(a, pfn, level);
		else if (frame_at(&a->s->frames, pfn))
			acct_count_found(a, pfn);
	}
}

/* True: it is a mapping of its frames. */
static bool hugetlb_entry(struct acct *a, uint64_t va, unsigned shift, const struct pte *e)
{
	uint64_t size = a->huge_size ? a->huge_size : UINT64_C(1) << shift, pfn;
	unsigned level = level_of(a, shift);
	uint64_t table = a->table_pa[level];
	bool present = e->kind == PTE_PAGE, under_shared, shared, mapping;
	const struct frame *f;

	pfn = present ? e->pa >> a->page_shift : e->swap_offset & a->swaps->pfn_mask;
	if (!present &&
	    !acct_kind_is_page(a, a->swaps->kind[e->swap_type & (SWAP_TYPES - 1)], false))
		return false;
	if (!acct_huge_now(a, pfn))
		return false;
	f = acct_frame(a, pfn);
	if (!acct_usable(a, f, pfn, UINT64_C(1) << shift))
		return false;
	under_shared = table_is_shared(a, table);
	mapping = present && (a->seen || a->each_found) && (!under_shared || claim_table(a, table));
	if (mapping)
		count_hugetlb(a, pfn, shift);
	/* several entries may make one page: the first counts for all */
	if (va & (size - 1) || !acct_rule(a, RULE_LINE_SHARED_HUGETLB))
		return mapping;
	shared = f->flags & FR_SHARED_FOLIO ||
		 (under_shared && acct_rule(a, RULE_HUGETLB_PMD_SHARED) &&
		  hugetlb_sharing_seen(a->k)) ||
		 (!present && acct_rule(a, RULE_NONPRESENT_SHARED));
	if (shared)
		a->u.shared_hugetlb += size;
	else
		a->u.private_hugetlb += size;
	return mapping;
}

void acct_hugetlb_entries(struct acct *a, uint64_t va, unsigned shift, const struct pte *pte,
			  unsigned n)
{
	acct_spoil(a);
	for (unsigned i = 0; i < n; i++, va += UINT64_C(1) << shift) {
		bool mapping = false;

		if (pte[i].kind == PTE_PAGE || pte[i].kind == PTE_SWAP)
			mapping = hugetlb_entry(a, va, shift, &pte[i]);
		else if (pte[i].kind == PTE_BAD)
			acct_bad_entry(a, va, shift);
		acct_refer_huge(a, va, shift, &pte[i], mapping);
	}
}
