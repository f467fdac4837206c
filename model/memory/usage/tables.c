/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables.c - lists the page tables of an mm once, and reports those that cannot belong to
 * it.
 */
#include "model/memory/usage/tables.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/search.h"
#include "facts/layout/mm.h"
#include "model/memory/frames/frames.h"

/* Tables that an mm may have beyond the count: those of a level that is not counted, and those
   made at that moment. */
#define SLACK_TABLES 64u
/* pgtables_bytes has tables of the PTE, PMD and PUD level (c4812909f5d5, v4.15). */
#define COUNTED_LEVELS 3u

struct table {
	uint64_t pa;
	bool shared;			/* of hugetlb: several mms may have it */
};

/* The tables of one mm. */
struct scan {
	const struct snapshot *s;
	const struct mm *mm;
	struct arena *mem;		/* of the worker that processes it */
	struct hash seen;
	VEC(struct table) tables;
	VEC(struct bad_table) bad;
	uint64_t left;			/* bytes of tables that may still be its own */
	uint64_t claim;			/* the number to begin with, by the kernel's counter */
	struct tables *all;
	uint64_t counted;		/* bytes of those that pgtables_bytes counts */
	uint64_t leaves;		/* huge entries: each may have a PTE table in reserve */
	/* tables above the last position: the next range may begin in them, too */
	struct { uint64_t pa, va; enum status st; } last[PAGING_LEVELS];
	uint32_t vma;			/* the first that does not end before the position of
					   the walk */
	bool over, unread;
	enum { TO_DO, UNDER_WAY, DONE } state;
};

struct tables {
	struct snapshot *s;
	struct scan *scans;		/* [nmms] */
	struct reader *readers[JOBS_MAX];	/* of tables_check() */
	struct arena mem[JOBS_MAX], *idle[JOBS_MAX];
	unsigned nidle;
	uint64_t marked;		/* bytes of tables that are marked so; UINT64_MAX: not
					   counted yet */
	pthread_mutex_t marked_lock;
	pthread_mutex_t lock;		/* of states, idle arenas and the snapshot's memory */
	pthread_cond_t done;
};

static uint64_t table_size(const struct paging *p, unsigned level)
{
	return (uint64_t)p->entry_size[level] << p->bits[level];
}

/* ---- one mm ------------------------------------------------------------------------ */

static const struct vma *vma_from(struct scan *c, uint64_t va)
{
	const struct vma *v = c->s->vmas + c->mm->first_vma;

	while (c->vma < c->mm->nvmas && v[c->vma].end <= va)
		c->vma++;
	return c->vma < c->mm->nvmas && v[c->vma].start <= va ? &v[c->vma] : NULL;
}

/* huge_pmd_share(): a table of hugetlb entries may belong to several vmas. */
static bool is_shared_hugetlb(struct scan *c, unsigned level, uint64_t va)
{
	const struct vma *v = level == 1 ? vma_from(c, va) : NULL;

	return v && v->flags & VMA_HUGETLB && v->flags & VMA_MAYSHARE;
}

static bool is_no_table(const struct scan *c, uint64_t pa, unsigned level)
{
	const struct kernel *k = c->s->k;
	const struct frame *f;

	if (!c->s->frames.marks_tables || (level && !kernel_rule(k, RULE_PMD_TABLES_MARKED)) ||
	    level > 1)
		return false;
	f = frame_at(&c->s->frames, pa >> k->dump->page_shift);
	return f && (f->flags & (FR_EXISTS | FR_UNREAD)) == FR_EXISTS && !(f->flags & FR_PGTABLE);
}

static enum status refuse(struct scan *c, uint64_t va, unsigned level, enum status st)
{
	*vec_push(c->mem, &c->bad) = (struct bad_table){ .va = va, .level = (uint8_t)level };
	c->over |= level == TABLES_OVER;
	return st;
}

static uint64_t marked_bytes(struct tables *t);

/*
 * A counter that is too low must not cost the mm its tables: it may have as many as are
 * marked as page tables, if those are no large part of memory.
 */
static bool may_have(struct scan *c, uint64_t bytes)
{
	uint64_t marked;

	if (c->left >= bytes)
		return true;
	marked = marked_bytes(c->all);
	if (marked <= c->claim)
		return false;
	c->left += marked - c->claim;
	c->claim = marked;
	return c->left >= bytes;
}

static enum status first_met(struct scan *c, uint64_t pa, unsigned level, uint64_t va)
{
	uint64_t bytes = table_size(c->s->k->paging, level);
	bool shared;

	if (c->over)
		return ST_LIMIT;
	if (is_no_table(c, pa, level))
		return refuse(c, va, level, ST_CORRUPT);
	shared = is_shared_hugetlb(c, level, va);
	if (level < COUNTED_LEVELS)
		c->counted += bytes;
	if (hash_get(&c->seen, pa | 1) != HASH_NONE)
		return shared ? ST_OK : refuse(c, va, level, ST_CORRUPT);
	if (!may_have(c, bytes))
		return refuse(c, va, TABLES_OVER, ST_LIMIT);
	c->left -= bytes;
	hash_put(&c->seen, pa | 1, 0);
	*vec_push(c->mem, &c->tables) = (struct table){ .pa = pa, .shared = shared };
	return level ? ST_OK : ST_ABSENT; /* entries of the lowest tables do not matter here */
}

static enum status enter(void *arg, uint64_t pa, unsigned level, uint64_t va)
{
	struct scan *c = arg;

	if (level + 1u == c->s->k->paging->nlevels)
		return ST_OK;
	if (c->last[level].pa != pa || c->last[level].va != va) {
		c->last[level].pa = pa;
		c->last[level].va = va;
		c->last[level].st = first_met(c, pa, level, va);
	}
	return c->last[level].st;
}

static bool tables_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte,
			   unsigned n)
{
	struct scan *c = arg;
	const struct vma *v = vma_from(c, va);

	(void)shift, (void)pte;
	c->leaves += v && v->flags & VMA_HUGETLB ? 0 : n;
	return true;
}

static bool tables_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	struct scan *c = arg;

	(void)va, (void)end;
	c->unread |= st != ST_ABSENT;
	return true;
}

static void scan_range(struct scan *c, struct reader *r, uint64_t start, uint64_t end)
{
	static const struct pgvisit visit = { .enter = enter,
					      .entries = tables_entries,
					      .lost = tables_lost };
	const struct kernel *k = c->s->k;

	pgwalk(r, k->paging, &k->env, c->mm->pgd_pa, start, end, &visit, c);
}

/* Outside of VMAs no tables remain: free_pgtables(). */
static void scan_vmas(struct scan *c, struct reader *r)
{
	const struct paging *p = c->s->k->paging;
	uint64_t mask = (UINT64_C(1) << paging_shift(p, p->nlevels > 1 ? 1 : 0)) - 1;
	const struct vma *v = c->s->vmas + c->mm->first_vma;
	uint64_t start = 0, end = 0;

	for (uint32_t i = 0; i < c->mm->nvmas; i++) {
		if ((v[i].start & ~mask) > end) {
			scan_range(c, r, start, end);
			start = v[i].start & ~mask;
		}
		end = ((v[i].end - 1) | mask) + 1;
	}
	scan_range(c, r, start, end);
}

/* ---- the limit of their number -------------------------------------------------------- */

static uint64_t memory_bytes(const struct snapshot *s)
{
	return s->k->dump->max_pfn << s->k->dump->page_shift;
}

/* Counted when it is first asked for, which is rare: it takes all of the page array. */
static uint64_t marked_bytes(struct tables *t)
{
	const struct snapshot *s = t->s;

	pthread_mutex_lock(&t->marked_lock);
	if (t->marked == UINT64_MAX)
		t->marked = !s->frames.marks_tables ? 0
						    : min_u64(frames_count_tables(&s->frames)
								      << s->k->dump->page_shift,
							      memory_bytes(s) / 16);
	pthread_mutex_unlock(&t->marked_lock);
	return t->marked;
}

/* Twice the mm's counter; all counters together no more than fits into memory. */
static void share_out(struct tables *p)
{
	const struct snapshot *s = p->s;
	const struct paging *pg = s->k->paging;
	uint64_t memory = memory_bytes(s), rest = 4 * memory;
	bool known = has(s->k, M_MM_PGTABLES_BYTES) || has(s->k, M_MM_NR_PTES);

	for (uint32_t i = 0; i < s->nmms; i++) {
		struct scan *c = &p->scans[i];
		uint64_t claim = known ? min_u64(s->mms[i].pgtables_bytes, memory) : memory / 2;
		uint64_t got = min_u64(2 * claim, rest);

		rest -= got;
		c->claim = got;
		c->left = got + SLACK_TABLES * table_size(pg, 0);
		c->all = p;
		c->s = s;
		c->mm = &s->mms[i];
	}
}

/* ---- contradictions ------------------------------------------------------------------ */

/* A running thread may have been about to count one. */
static uint64_t running(const struct snapshot *s, uint32_t mm)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->ntasks; i++)
		n += s->tasks[i].mm == mm && s->tasks[i].state == 'R';
	return n;
}

static void compare_count(const struct tables *p, uint32_t mi)
{
	const struct snapshot *s = p->s;
	const struct scan *c = &p->scans[mi];
	const struct mm *m = c->mm;
	uint64_t table = table_size(s->k->paging, 0), most, slack;

	if (!has(s->k, M_MM_PGTABLES_BYTES) || c->unread || c->bad.n || m->broken || m->users <= 0)
		return;
	most = c->counted + c->leaves * table;
	if (s->k->arch->kernel_tables)
		most += s->k->arch->kernel_tables(s->k->paging) * table;
	if (m->pgtables_bytes >= c->counted && m->pgtables_bytes <= most)
		return;
	slack = running(s, mi) * table;
	if (m->pgtables_bytes + slack >= c->counted && m->pgtables_bytes <= most + slack)
		return;
	issue_add(s->k->issues, ST_CORRUPT, "pgtables_bytes", 1,
		  "mm %#" PRIx64 " says %" PRIu64 ", tables of %" PRIu64 " found", m->addr,
		  m->pgtables_bytes, c->counted);
}

/* It is unknown which of two mms is wrong: both are walked. */
static void compare_mms(const struct tables *p)
{
	const struct snapshot *s = p->s;
	struct arena mem = { 0 };
	struct hash owner = { .mem = &mem };

	for (uint32_t i = 0; i < s->nmms; i++)
		for (size_t j = 0; j < p->scans[i].tables.n; j++) {
			const struct table *t = &p->scans[i].tables.v[j];
			uint32_t other = hash_get(&owner, t->pa | 1);

			if (t->shared)
				continue;
			if (other == HASH_NONE)
				hash_put(&owner, t->pa | 1, i);
			else
				issue_add(s->k->issues, ST_CORRUPT, "page table", 1,
					  "at %#" PRIx64 " is of mm %#" PRIx64 " and of %#" PRIx64,
					  t->pa, s->mms[other].addr, s->mms[i].addr);
		}
	arena_release(&mem);
}

static int by_level(const void *x, const void *y)
{
	const struct bad_table *a = x, *b = y;

	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	return a->va < b->va ? -1 : a->va > b->va;
}

static void keep_tables(struct tables *p, uint32_t mi)
{
	struct mm *m = &p->s->mms[mi];
	const struct scan *c = &p->scans[mi];
	struct bad_table *bad;

	if (!c->bad.n)
		return;
	bad = arena_array(&p->s->mem, struct bad_table, c->bad.n);
	memcpy(bad, c->bad.v, c->bad.n * sizeof(*bad));
	sort_array(bad, c->bad.n, sizeof(*bad), by_level);
	m->bad_tables = bad;
	m->nbad_tables = (uint32_t)c->bad.n;
}

/* ---- all of them ------------------------------------------------------------------------ */

struct tables *tables_begin(struct snapshot *s)
{
	struct tables *t;

	/* tables of a running machine come and go during the walk */
	if (!s->nmms || s->tables_checked || s->k->dump->live)
		return NULL;
	t = heap_array(struct tables, 1);
	t->s = s;
	t->scans = heap_array(struct scan, s->nmms);
	t->marked = UINT64_MAX;
	pthread_mutex_init(&t->marked_lock, NULL);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->done, NULL);
	for (unsigned i = 0; i < JOBS_MAX; i++)
		t->idle[t->nidle++] = &t->mem[i];
	share_out(t);
	return t;
}

void tables_of(struct tables *t, uint32_t mm, struct reader *r)
{
	struct scan *c = t ? &t->scans[mm] : NULL;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	while (c->state == UNDER_WAY)
		pthread_cond_wait(&t->done, &t->lock);
	if (c->state == TO_DO) {
		c->state = UNDER_WAY;
		c->mem = c->seen.mem = t->idle[--t->nidle];
		pthread_mutex_unlock(&t->lock);
		if (c->mm->pgd_pa)
			scan_vmas(c, r);
		pthread_mutex_lock(&t->lock);
		keep_tables(t, mm);
		t->idle[t->nidle++] = c->mem;
		c->state = DONE;
		pthread_cond_broadcast(&t->done);
	}
	pthread_mutex_unlock(&t->lock);
}

void tables_end(struct tables *t)
{
	if (!t)
		return;
	compare_mms(t);
	for (uint32_t i = 0; i < t->s->nmms; i++)
		if (t->scans[i].state == DONE && t->s->mms[i].pgd_pa)
			compare_count(t, i);
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		arena_release(&t->mem[i]);
		if (t->readers[i])
			reader_free(t->readers[i]);
	}
	pthread_mutex_destroy(&t->marked_lock);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->done);
	free(t->scans);
	free(t);
}

static void check_mm(void *ctx, unsigned worker, size_t item)
{
	struct tables *t = ctx;

	if (!t->readers[worker])
		t->readers[worker] = reader_new(t->s->k->dump);
	tables_of(t, (uint32_t)item, t->readers[worker]);
}

void tables_check(struct snapshot *s)
{
	struct tables *t = tables_begin(s);

	if (t)
		jobs_run(s->k->jobs, s->nmms, check_mm, t);
	tables_end(t);
	s->tables_checked = true;
}

/* ---- walks that pass over them ---------------------------------------------------------- */

struct but_bad {
	const struct pgvisit *visit;
	void *arg;
	const struct mm *mm;
};

static enum status but_enter(void *arg, uint64_t pa, unsigned level, uint64_t va)
{
	const struct but_bad *w = arg;
	const struct bad_table *bad = w->mm->bad_tables,
			       key = { .va = va, .level = (uint8_t)level };
	uint32_t n = w->mm->nbad_tables, i;

	(void)pa;
	/* the last one marks the address from which on nothing was checked */
	if (bad[n - 1].level == TABLES_OVER && va >= bad[n - 1].va)
		return ST_LIMIT;
	i = search_first(n, mid, by_level(&bad[mid], &key) < 0);
	return i < n && !by_level(&bad[i], &key) ? ST_CORRUPT : ST_OK;
}

static bool but_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	const struct but_bad *w = arg;

	return !w->visit->entries || w->visit->entries(w->arg, va, shift, pte, n);
}

static bool but_hole(void *arg, uint64_t va, uint64_t end, unsigned shift)
{
	const struct but_bad *w = arg;

	return !w->visit->hole || w->visit->hole(w->arg, va, end, shift);
}

static bool but_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	const struct but_bad *w = arg;

	return !w->visit->lost || w->visit->lost(w->arg, va, end, st);
}

static bool but_table(void *arg, uint64_t pa, unsigned level)
{
	const struct but_bad *w = arg;

	return !w->visit->table || w->visit->table(w->arg, pa, level);
}

bool tables_walk(const struct kernel *k, struct reader *r, const struct mm *m, uint64_t start,
		 uint64_t end, const struct pgvisit *visit, void *arg)
{
	static const struct pgvisit but = { .entries = but_entries,
					    .hole = but_hole,
					    .lost = but_lost,
					    .table = but_table,
					    .enter = but_enter };
	struct but_bad w = { .visit = visit, .arg = arg, .mm = m };

	if (!m->nbad_tables)
		return pgwalk(r, k->paging, &k->env, m->pgd_pa, start, end, visit, arg);
	return pgwalk(r, k->paging, &k->env, m->pgd_pa, start, end, &but, &w);
}
