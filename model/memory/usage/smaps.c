/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smaps.c - the account of one page-table entry, from fs/proc/task_mmu.c: smaps_account(),
 * smaps_pte_entry(), smaps_pmd_entry(), smaps_hugetlb_range(). The rules describe
 * differences between kernels; rules.def has versions and commits.
 */
#include "model/memory/usage/smaps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/kernel/kobj.h"
#include "model/memory/usage/account.h"

_Static_assert(TALLY_ANON == FR_ANON >> 1 && TALLY_KSM == FR_KSM >> 1 &&
	       TALLY_SWAPBACKED == FR_SWAPBACKED >> 1 && TALLY_DIRTY == FR_DIRTY >> 1 &&
	       TALLY_REFERENCED == FR_REFERENCED >> 1, "facts are frame flags");
_Static_assert(TALLY_DIRTY == PTE_DIRTY << 2 && TALLY_REFERENCED == PTE_YOUNG << 2,
	       "facts are pte flags");

/* ---- pages --------------------------------------------------------------------- */

/*
 * size << PSS_SHIFT, in the kernel's own unsigned long: on 32-bit machines a huge page of
 * 2 MiB adds nothing to Pss.
 */
uint64_t acct_whole_pss(const struct acct *a, uint64_t bytes)
{
	uint64_t pss = bytes << PSS_SHIFT;

	return pss_overflows(a->k) ? (uint32_t)pss : pss;
}

/* Mapped, but no page for smaps. */
static void special(struct acct *a, uint64_t bytes)
{
	a->u.special += bytes;
	if (acct_rule(a, RULE_RSS_HAS_SPECIAL))
		a->u.rss += bytes;
}

const struct frame *acct_stand_in(struct acct *a, const struct frame *f, uint64_t pfn)
{
	struct frame *to = &a->stand_in[a->nstand_in++ % 2];

	*to = *f;
	to->mapcount = frame_found(&a->s->frames, pfn);
	return to;
}

void acct_count_each(const struct acct *a, uint64_t pfn)
{
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	uint32_t *found = a->s->frames.store->found[c];

	if (a->shared->make_found)
		found = frames_found_make(&a->s->frames, c);
	if (found)
		__atomic_fetch_add(&found[pfn & (FRAME_CHUNK - 1)], 1, __ATOMIC_RELAXED);
}

bool acct_usable(struct acct *a, const struct frame *f, uint64_t pfn, uint64_t bytes)
{
	if (f && (f->flags & (FR_EXISTS | FR_UNREAD)) == FR_EXISTS)
		return true;
	if ((f && f->flags & FR_UNREAD) || memmap_may_have_page(&a->k->memmap, pfn))
		a->u.unknown += bytes;
	else
		special(a, bytes);
	return false;
}

/* is_cow_mapping() */
static bool is_cow(const struct vma *v)
{
	return !(v->flags & VMA_SHARED) && v->flags & 0x20; /* VM_MAYWRITE */
}

/*
 * vm_normal_page() without pte_special, and vm_normal_page_pmd() in all kernels: may PFN,
 * mapped at VA, have a page?
 */
bool acct_may_be_page(const struct acct *a, uint64_t va, uint64_t pfn)
{
	const struct vma *v = a->v;

	if (pfn == a->zero_pfn || (pfn == a->huge_zero_pfn && acct_rule(a, RULE_HUGE_ZERO_SKIPPED)))
		return false;
	if (!(v->flags & VMA_PFNMAP) || v->flags & VMA_MIXEDMAP || acct_rule(a, RULE_VM_SHM))
		return true;
	return is_cow(v) && pfn != v->pgoff + ((va - v->start) >> a->page_shift);
}

/* One that maps no page for smaps, whatever its frame is. */
static void account_special(struct acct *a)
{
	if (a->first)
		special(a, UINT64_C(1) << a->page_shift);
}

/* True: it is a mapping of its frame. */
static bool account_present(struct acct *a, const struct pte *e, uint64_t va)
{
	uint64_t page = UINT64_C(1) << a->page_shift, pfn = e->pa >> a->page_shift;
	const struct frame *f;

	if (e->flags & PTE_SPECIAL || (a->check_pages && !acct_may_be_page(a, va, pfn))) {
		account_special(a);
		return false;
	}
	if (!acct_now(a, pfn))
		return false;
	f = acct_frame(a, pfn);
	if (f && f->flags & FR_RESERVED && acct_rule(a, RULE_RESERVED_NO_PAGE))
		return false;
	/* the sample must not know less than what is told without it */
	if (f && f->flags & FR_UNREAD && a->told && told_entry(e)) {
		acct_tell(a, 1);
		return false;
	}
	if (!acct_usable(a, f, pfn, page))
		return false;
	acct_count_found(a, pfn);
	acct_tally_pages(a, f, e->flags, 1);
	return true;
}

/* ---- entries that are not present -------------------------------------------------- */

static void account_slot(struct acct *a, const struct pte *e)
{
	uint64_t page = UINT64_C(1) << a->page_shift;
	struct swap_slot slot;
	bool known = swap_slot_read(&a->cursor, e->swap_type, e->swap_offset, &slot);
	uint32_t n = slot.count;

	if (known && !slot.used)
		issue_add(a->k->issues, ST_CORRUPT, "swap slot", 1,
			  "%llu of type %u is free, and a page table refers to it",
			  (unsigned long long)e->swap_offset, e->swap_type);
	a->u.swap_cached += slot.cached ? page : 0;
	a->u.swap += page;
	a->u.swap_ptes += page;
	if (slot.lost) {
		a->u.unknown_slots += page;
		return;
	}
	a->u.swap_uss += n < 2 ? page : 0;
	a->u.swap_pss += n < 2 ? page << PSS_SHIFT : (page << PSS_SHIFT) / n;
}

bool acct_kind_is_page(const struct acct *a, enum swap_kind kind, bool huge)
{
	switch (kind) {
	case SWAP_MIGRATION:
		return acct_rule(a, huge ? RULE_PMD_MIGRATION_IS_PAGE : RULE_MIGRATION_IS_PAGE);
	case SWAP_DEVICE_PRIVATE: return acct_rule(a, RULE_DEVPRIVATE_IS_PAGE);
	case SWAP_DEVICE_EXCLUSIVE: return acct_rule(a, RULE_DEVEXCLUSIVE_IS_PAGE);
	case SWAP_HWPOISON: return acct_rule(a, RULE_HWPOISON_IS_PAGE);
	case SWAP_SLOT:
	case SWAP_OTHER: break;
	}
	return false;
}

/*
 * Pages of a non-present entry, NR of them from F on. A page with one reference counts
 * whole, others by mapcount. A migrating page counts whole and private since 5.17, and
 * each of several whole and shared since 6.11.
 */
void acct_absent(struct acct *a, const struct frame *f, uint64_t pfn, uint32_t key, uint64_t nr,
		 bool present, bool migration)
{
	uint64_t bytes = nr << a->page_shift;
	bool whole = f->flags & FR_SINGLE && a->single_ref;

	if (!present)
		a->u.whole += bytes;
	if (acct_rule(a, RULE_NONPRESENT_SHARED) && !present) {
		acct_tally(a, key, bytes, acct_whole_pss(a, bytes));
		return;
	}
	if (whole || (migration && acct_rule(a, RULE_NONPRESENT_SINGLE))) {
		acct_tally(a, key | TALLY_PRIVATE, bytes, acct_whole_pss(a, bytes));
		return;
	}
	for (uint64_t i = 0; i < nr; i++) {
		const struct frame *part = acct_frame(a, pfn + i);

		acct_tally_mapped(a, key, part ? part : f, 1);
	}
}

/* pte_young() and pte_dirty() of an entry that is no pte: the kernel tested them until 6.0. */
unsigned acct_raw_bits(const struct pte *e)
{
	return (e->flags & PTE_RAW_DIRTY ? PTE_DIRTY : 0) |
	       (e->flags & PTE_RAW_YOUNG ? PTE_YOUNG : 0);
}

/* True: it is a mapping of its frame. */
static bool account_swap_entry(struct acct *a, const struct pte *e)
{
	enum swap_kind kind = a->swaps->kind[e->swap_type & (SWAP_TYPES - 1)];
	uint64_t pfn = e->swap_offset & a->swaps->pfn_mask, page = UINT64_C(1) << a->page_shift;
	unsigned bits = acct_rule(a, RULE_NONPRESENT_CLEAN) ? 0 : acct_raw_bits(e);
	const struct frame *f;

	if (kind == SWAP_SLOT) {
		if (a->first)
			account_slot(a, e);
		return false;
	}
	if (a->first && acct_rule(a, RULE_SWAP_ANY))
		a->u.swap += page;
	if (!acct_now(a, pfn))
		return false;
	f = acct_frame(a, pfn);
	if (!acct_kind_is_page(a, kind, false)) {
		/* the counters of its mm still include it (try_to_unmap_one()) */
		if (kind == SWAP_MIGRATION && f)
			acct_hide(a, f, page);
		return false;
	}
	if (!acct_usable(a, f, pfn, page))
		return false;
	if (kind == SWAP_DEVICE_PRIVATE)
		acct_count_found(a, pfn);
	/* try_to_unmap_one() has subtracted it from the counters */
	if (kind == SWAP_HWPOISON)
		acct_hide(a, f, -page);
	acct_absent(a, f, pfn, acct_facts(a, f->flags, bits), 1,
		    kind == SWAP_DEVICE_PRIVATE && acct_rule(a, RULE_DEVPRIVATE_PRESENT),
		    kind == SWAP_MIGRATION);
	return kind == SWAP_DEVICE_PRIVATE;
}

/* ---- holes of a private shmem vma --------------------------------------------------- */

static bool smaps_hole(void *arg, uint64_t va, uint64_t end, unsigned shift)
{
	struct acct *a = arg;
	uint64_t first = va, last = end;

	if (!a->shmem.by_hole || (shift == a->page_shift && !acct_rule(a, RULE_SHMEM_ENTRY_ASKED)))
		return true;
	/* before 5.17 the kernel used addresses in place of indexes, except for single entries */
	if (shift == a->page_shift || !acct_rule(a, RULE_SHMEM_HOLE_BY_ADDRESS)) {
		first = a->v->pgoff + ((va - a->v->start) >> a->page_shift);
		last = first + ((end - va) >> a->page_shift);
	}
	a->u.swap += shmem_swap_range(&a->shmem, first, last) << a->page_shift;
	return true;
}

/* ---- the lowest level ---------------------------------------------------------------- */

void acct_bad_entry(struct acct *a, uint64_t va, unsigned shift)
{
	if (!a->first)
		return;
	a->u.lost += UINT64_C(1) << shift;
	issue_add(a->k->issues, ST_CORRUPT, "page table entry", 1, "at %#" PRIx64, va);
}

void acct_slow_pte(struct acct *a, const struct pte *e, uint64_t va)
{
	bool mapping = false;

	switch (e->kind) {
	case PTE_PAGE: mapping = account_present(a, e, va); break;
	case PTE_SWAP: mapping = account_swap_entry(a, e); break;
	case PTE_NONE:
		smaps_hole(a, va, va + (UINT64_C(1) << a->page_shift), a->page_shift);
		return;
	default: acct_bad_entry(a, va, a->page_shift);
	}
	acct_refer(a, va, a->page_shift, e, mapping);
	acct_spoil(a);
}

/* ---- the visitor ---------------------------------------------------------------------- */

static bool smaps_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct acct *a = arg;

	if (a->v->flags & VMA_HUGETLB)
		acct_hugetlb_entries(a, va, shift, pte, n);
	else if (shift == a->page_shift)
		acct_ptes(a, va, pte, n);
	else
		acct_huge_entries(a, va, shift, pte, n);
	return true;
}

static bool smaps_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	struct acct *a = arg;

	acct_spoil(a);
	if (!a->first)
		return true;
	a->u.lost += end - va;
	issue_add(a->k->issues, st, "page table", 1, "for %#" PRIx64 "-%#" PRIx64, va, end);
	return true;
}

/* One more table, or one more huge page to read page by page. */
bool acct_spend(struct acct *a)
{
	if (__atomic_fetch_sub(&a->shared->tables_left, 1, __ATOMIC_RELAXED) > 0)
		return true;
	if (!a->over && a->first)
		issue_add(a->k->issues, ST_LIMIT, "page table", 1,
			  "more tables than memory can hold, in the vma at %#" PRIx64, a->v->start);
	a->over = true;
	if (a->refs)
		refs_beside_odd(a->refs);
	return false;
}

static bool note_table(void *arg, uint64_t pa, unsigned level)
{
	struct acct *a = arg;

	a->table_pa[level] = a->counted_pa[level] = pa;
	return true;
}

/* VMAs come in order: a table that several of them share is the last one met. */
static bool smaps_table(void *arg, uint64_t pa, unsigned level)
{
	struct acct *a = arg;
	const struct paging *p = a->k->paging;

	if (a->first && level + 1u < p->nlevels && a->counted_pa[level] != pa)
		a->u.table_bytes += (uint64_t)p->entry_size[level] << p->bits[level];
	return note_table(arg, pa, level) && acct_spend(a);
}

const struct pgvisit acct_visit = {
	.entries = smaps_entries, .hole = smaps_hole, .lost = smaps_lost, .table = smaps_table,
};

const struct pgvisit acct_visit_tables = { .table = note_table };

/* ---- life ------------------------------------------------------------------------------ */

void acct_open(struct acct *a, struct acct_shared *shared, struct reader *r)
{
	const struct snapshot *s = shared->s;
	const struct kernel *k = s->k;
	uint64_t page_pss = (uint64_t)dump_page_size(k->dump) << PSS_SHIFT;

	*a = (struct acct){ .shared = shared, .s = s, .k = k, .swaps = &shared->swaps, .r = r };
	a->first = shared->first;
	a->each_found = shared->each_found;
	a->by_found = shared->by_found;
	a->turn = s->frames.store ? s->frames.store->turn : NULL;
	if (shared->sum_found)
		a->seen = heap_array(uint64_t, s->frames.nchunks);
	a->page_shift = k->dump->page_shift;
	for (unsigned l = 0; l < k->paging->nlevels; l++)
		a->level_shift[l] = (uint8_t)paging_shift(k->paging, l);
	a->single_ref = acct_rule(a, RULE_SINGLE_REF);
	a->average = s->frames.average;
	a->page_facts = TALLY_PRIVATE - 1;
	if (!acct_rule(a, RULE_DIRTY_ASKS_PAGE))
		a->page_facts &= ~(uint32_t)TALLY_DIRTY;
	a->zero_pfn = shared->zero_pfn;
	a->huge_zero_pfn = shared->huge_zero_pfn;
	for (unsigned i = 0; i < PSS_TABLE; i++)
		a->pss_of[i] = i < 2 ? page_pss : page_pss / i;
	swap_cursor_init(&a->cursor, a->swaps, r);
	if (shared->refs)
		a->refs = refs_beside_new(shared->refs);
	if (shared->kept)
		a->kept = kept_writer_new(shared->kept);
}

void acct_close(struct acct *a)
{
	for (uint64_t c = 0; a->seen && c < a->s->frames.nchunks; c++)
		if (a->seen[c])
			a->s->frames.store->seen[c] += a->seen[c];
	if (a->shared->told)
		a->shared->told->pages += a->told_pages;
	free(a->seen);
	free(a->refs);
	if (a->kept)
		kept_writer_close(a->kept);
	swap_cursor_release(&a->cursor);
	shmem_swap_release(&a->shmem);
	*a = (struct acct){ 0 };
}

static void take_shmem(struct acct *a, const struct vma *v)
{
	uint64_t given = __atomic_load_n(&a->shared->nodes_left, __ATOMIC_RELAXED);
	uint64_t left = given;

	shmem_swap_of(a->s, a->r, v, &left, &a->shmem);
	__atomic_fetch_sub(&a->shared->nodes_left, min_u64(given - left, given), __ATOMIC_RELAXED);
}

void acct_vma(struct acct *a, const struct vma *v, uint64_t start, uint64_t end)
{
	a->v = v;
	a->weight = a->refs ? refs_beside_vma(a->refs, v, start, end) : 1;
	if (a->kept)
		kept_begin(a->kept, a->s, (uint32_t)(v - a->s->vmas), start, end);
	a->u = (struct usage){ 0 };
	memset(a->tally, 0, sizeof(a->tally));
	a->over = false;
	shmem_swap_release(&a->shmem);
	if (a->first)
		take_shmem(a, v);
	a->huge_size = 0;
	if (v->flags & VMA_HUGETLB && v->file != NONE)
		a->huge_size = a->s->files[v->file].huge_page_size;
	if (a->huge_size & (a->huge_size - 1))
		a->huge_size = 0;
	a->check_pages = !acct_rule(a, RULE_PTE_SPECIAL);
	a->told = a->shared->told && told_vma(a->s, v) ? a->shared->told : NULL;
}

static void fold_tally(struct usage *u, uint32_t key, const struct tally *t, bool locked)
{
	uint64_t *const pss[] = { &u->pss_file, &u->pss_shmem, &u->pss_anon };
	uint64_t *const rss[] = { &u->rss_file, &u->rss_shmem, &u->rss_anon };
	unsigned class = key & TALLY_ANON ? 2 : key & TALLY_SWAPBACKED ? 1 : 0;
	bool dirty = key & TALLY_DIRTY, private = key & TALLY_PRIVATE;

	u->rss += t->bytes;
	u->pss += t->pss;
	*rss[class] += t->bytes;
	*pss[class] += t->pss;
	u->pss_locked += locked ? t->pss : 0;
	u->pss_dirty += dirty ? t->pss : 0;
	if (dirty)
		*(private ? &u->private_dirty : &u->shared_dirty) += t->bytes;
	else
		*(private ? &u->private_clean : &u->shared_clean) += t->bytes;
	u->referenced += key & TALLY_REFERENCED ? t->bytes : 0;
	u->ksm += key & TALLY_KSM ? t->bytes : 0;
	if (key & TALLY_ANON) {
		u->anonymous += t->bytes;
		u->lazyfree += !(key & TALLY_SWAPBACKED) && !dirty ? t->bytes : 0;
	}
}

void acct_take(struct acct *a, struct usage *sum)
{
	for (uint32_t key = 0; key < TALLIES; key++)
		if (a->tally[key].bytes)
			fold_tally(&a->u, key, &a->tally[key], a->v->flags & VMA_LOCKED);
	usage_add(sum, &a->u);
	if (a->kept)
		kept_end(a->kept);
}
