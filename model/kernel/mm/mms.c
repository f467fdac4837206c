/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mms: each mm_struct once, even if several processes share it. Also those of OOM victims
 * that no longer have theirs (signal->oom_mm).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/issues.h"
#include "dumpread/base/jobs.h"
#include "facts/layout/mm.h"
#include "facts/layout/task.h"
#include "model/build.h"
#include "model/kernel/attempt.h"
#include "model/kernel/kobj.h"
#include "model/kernel/mm/vmas.h"
#include "model/kernel/task/mmlocks.h"

#define MMF_OOM_SKIP 21		/* include/linux/sched/coredump.h, 4.9 .. 7.3 */

#define UNREAD (NONE - 1)	/* in mms_builder.seen: it was tried once */
#define TOGETHER ((size_t)256)	/* mms that are read before they are kept */

/* What one thread reads mms with. */
struct mm_loader {
	struct reader *r;
	struct kobj mm;
	struct vma_walker vmas;
	struct arena mem;
};

/* Beside the mm itself, which lies after the others of the snapshot; its first_vma is in the list of its loader. */
struct loaded {
	uint64_t addr;
	uint64_t exe;
	bool written;
	enum status st;
	unsigned loader;
};

struct mms_builder {
	struct build *b;
	struct hash seen;	/* mm_struct -> index in mms, or UNREAD */
	bool vmas;		/* read them too */
	bool locks;		/* mmap_locks show writers */
	struct mm_loader *loaders[JOBS_MAX];
	struct loaded latest[TOGETHER];
};

static int64_t clamp0(int64_t v)
{
	return v < 0 ? 0 : v;
}

static void counter_percpu(const struct mm_loader *l, struct mm *m, enum rss_counter c, int64_t i)
{
	const struct kernel *k = l->mm.k;
	const struct member *arr = &k->layout.v[M_MM_RSS_STAT].m;
	int64_t exact = 0, approx = 0;
	enum status st;

	st = percpu_counter_read(k, l->r, m->addr + arr->offset + (uint64_t)i * arr->stride, &exact,
				 &approx);
	if (st)
		issue_add(k->issues, st, "rss counter", 1, "of mm %#" PRIx64, m->addr);
	m->counter[c] = clamp0(exact);
	m->counter_approx[c] = clamp0(approx);
	m->counter_shown[c] = clamp0(kernel_rule(k, RULE_RSS_EXACT) ? exact : approx);
}

int64_t rss_counter_index(const struct kernel *k, enum rss_counter c)
{
	static const enum layout_id ids[RSS_COUNTERS] = {
		[RSS_FILE] = E_MM_FILEPAGES, [RSS_ANON] = E_MM_ANONPAGES,
		[RSS_SWAP] = E_MM_SWAPENTS, [RSS_SHMEM] = E_MM_SHMEMPAGES,
	};

	return layout_enum(&k->layout, ids[c], -1);
}

/* Forms of the rss counters, newest first (include/linux/mm_types.h by release). */
static void read_counters(const struct mm_loader *l, struct mm *m)
{
	const struct kobj *o = &l->mm;
	const struct kernel *k = o->k;

	for (unsigned c = 0; c < RSS_COUNTERS; c++) {
		int64_t at = rss_counter_index(k, c);

		if (at < 0)
			continue;
		if (c == RSS_SHMEM && has(k, M_MM_SHMEMPAGES)) {
			m->counter[c] = kobj_int(o, M_MM_SHMEMPAGES);
			m->counter_shown[c] = clamp0(m->counter[c]);
			m->counter_approx[c] = m->counter_shown[c];
		} else if (has(k, M_MM_RSS_PERCPU)) {
			counter_percpu(l, m, c, at);
		} else if (has(k, M_MM_RSS_COUNT)) {
			/* an atomic_long_t, below 0 while a thread holds back more */
			m->counter[c] = sign_extend(kobj_elem(o, M_MM_RSS_COUNT, (uint32_t)at),
						    8 * k->layout.v[M_MM_RSS_COUNT].m.stride);
			m->counter_shown[c] = clamp0(m->counter[c]);
			m->counter_approx[c] = m->counter_shown[c];
		}
	}
	if (has(k, M_MM_FILE_RSS)) {
		m->counter[RSS_FILE] = kobj_int(o, M_MM_FILE_RSS);
		m->counter[RSS_ANON] = kobj_int(o, M_MM_ANON_RSS);
		m->counter[RSS_SWAP] = kobj_int(o, M_MM_SWAP_USAGE);
	} else if (has(k, M_MM_RSS)) {
		m->counter[RSS_ANON] = kobj_int(o, M_MM_ANON_RSS);
		m->counter[RSS_FILE] = kobj_int(o, M_MM_RSS) - m->counter[RSS_ANON];
	} else {
		return;
	}
	for (unsigned i = 0; i < RSS_COUNTERS; i++)
		m->counter_shown[i] = m->counter_approx[i] = m->counter[i];
}

/* Bytes of page tables below the root, from the counter that this kernel has. */
static uint64_t table_bytes(const struct kernel *k, const struct kobj *o)
{
	uint64_t page = dump_page_size(k->dump);

	if (has(k, M_MM_PGTABLES_BYTES))
		return kobj_u64(o, M_MM_PGTABLES_BYTES);
	return (kobj_u64(o, M_MM_NR_PTES) + kobj_u64(o, M_MM_NR_PMDS)) * page;
}

static void read_ranges(const struct kobj *o, struct mm *m)
{
	m->total_vm = kobj_u64(o, M_MM_TOTAL_VM);
	m->locked_vm = kobj_u64(o, M_MM_LOCKED_VM);
	m->stack_vm = kobj_u64(o, M_MM_STACK_VM);
	m->data_vm = kobj_u64(o, M_MM_DATA_VM);
	if (!has(o->k, M_MM_DATA_VM) && has(o->k, M_MM_SHARED_VM))
		m->data_vm = m->total_vm - kobj_u64(o, M_MM_SHARED_VM) - m->stack_vm;
	m->exec_vm = kobj_u64(o, M_MM_EXEC_VM);
	m->oom_disabled = kobj_int(o, M_MM_OOM_DISABLED) > 0;
	m->hiwater_rss = kobj_u64(o, M_MM_HIWATER_RSS);
	m->hiwater_vm = kobj_u64(o, M_MM_HIWATER_VM);
	m->start_code = kobj_u64(o, M_MM_START_CODE);
	m->end_code = kobj_u64(o, M_MM_END_CODE);
	m->start_data = kobj_u64(o, M_MM_START_DATA);
	m->end_data = kobj_u64(o, M_MM_END_DATA);
	m->start_brk = kobj_u64(o, M_MM_START_BRK);
	m->brk = kobj_u64(o, M_MM_BRK);
	m->start_stack = kobj_u64(o, M_MM_START_STACK);
	m->arg_start = kobj_u64(o, M_MM_ARG_START);
	m->arg_end = kobj_u64(o, M_MM_ARG_END);
	m->env_start = kobj_u64(o, M_MM_ENV_START);
	m->env_end = kobj_u64(o, M_MM_ENV_END);
}

/* What execve() and brk() set lies in user space; no counter exceeds its pages. */
static const char *bad_range(const struct kernel *k, const struct mm *m)
{
	static const struct era dumpable_to_2 = { V(3, 14), 0 }; /* 7288e1187ba9 */
	uint64_t end = k->arch->user_end(k->dump), pages = end >> k->page_shift;

	if (m->start_brk > m->brk || m->brk > end || (m->brk && !m->start_brk))
		return "heap";
	if (m->start_stack > end || (m->arg_start && !m->start_stack))
		return "stack";
	if (m->locked_vm > pages || m->hiwater_rss > pages || m->hiwater_vm > pages ||
	    m->total_vm > pages)
		return "counters";
	if (has(k, M_MM_FLAGS) && (m->flags & 3) == 3 && in_era(k, dumpable_to_2))
		return "flags";
	return NULL;
}

static void lose_root(const struct kernel *k, struct mm *m, enum status st, const char *why)
{
	m->pgd_pa = 0;
	issue_add(k->issues, st, "pgd", 1, "of mm %#" PRIx64 "%s", m->addr, why);
}

/* A root is aligned to its size, or on a page of its own. */
static bool root_aligned(const struct kernel *k, uint64_t pa)
{
	const struct paging *p = k->paging;
	unsigned top = p->nlevels - 1u;
	uint64_t size = (uint64_t)p->entry_size[top] << p->bits[top];

	return !(pa & (min_u64(size, dump_page_size(k->dump)) - 1));
}

static void read_mm(const struct mm_loader *l, struct mm *m)
{
	const struct kobj *o = &l->mm;
	const struct kernel *k = o->k;
	uint64_t pgd = kobj_u64(o, M_MM_PGD);
	const char *what;
	enum status st;

	m->users = (int32_t)kobj_int(o, M_MM_USERS);
	m->map_count = kobj_int(o, M_MM_MAP_COUNT);
	m->pgtables_bytes = table_bytes(k, o);
	m->flags = kobj_u64(o, M_MM_FLAGS);
	m->reaped = has(k, M_SIG_OOM_MM) && m->flags >> MMF_OOM_SKIP & 1;
	read_ranges(o, m);
	what = bad_range(k, m);
	if (what)
		issue_add(k->issues, ST_CORRUPT, "mm", 1, "%s of the mm at %#" PRIx64, what,
			  m->addr);
	read_counters(l, m);
	st = pgd ? reader_kvtop(l->r, pgd, &m->pgd_pa, NULL) : ST_CORRUPT;
	if (st)
		lose_root(k, m, st, "");
	else if (k->paging && !root_aligned(k, m->pgd_pa))
		lose_root(k, m, ST_CORRUPT, ": no table begins there");
}

/* Index of the mm at ADDR, NONE if it was not read. */
static uint32_t find_mm(const struct mms_builder *mb, uint64_t addr)
{
	uint32_t i = hash_get(&mb->seen, addr);

	return i == UNREAD ? NONE : i;
}

static struct mm_loader *loader_of(struct mms_builder *mb, unsigned worker)
{
	struct mm_loader *l = mb->loaders[worker];
	struct build *b = mb->b;

	if (l)
		return l;
	l = mb->loaders[worker] = heap_array(struct mm_loader, 1);
	l->r = worker ? reader_new(b->k->dump) : b->r;
	kobj_init(&l->mm, b->k, S_MM);
	vma_walker_open(&l->vmas, b->k, l->r, &l->mem);
	return l;
}

static void loaders_release(struct mms_builder *mb)
{
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		struct mm_loader *l = mb->loaders[i];

		if (!l)
			continue;
		vma_walker_close(&l->vmas);
		kobj_release(&l->mm);
		if (i)
			reader_free(l->r);
		arena_release(&l->mem);
		free(l);
	}
}

/* Reads the ITEMth of mb->latest into the ITEMth free place. */
static void load(void *ctx, unsigned worker, size_t item)
{
	struct mms_builder *mb = ctx;
	struct kernel *k = mb->b->k;
	struct mm_loader *l = loader_of(mb, worker);
	struct loaded *at = &mb->latest[item];
	struct mm *m = &mb->b->s->mms[mb->b->s->nmms + item];

	at->loader = worker;
	at->st = ST_CORRUPT;
	if (kernel_ptr_ok(k, at->addr, k->dump->word_size))
		at->st = kobj_read(&l->mm, l->r, at->addr);
	if (at->st) {
		issue_add(k->issues, at->st, "mm", 1, "mm_struct at %#" PRIx64, at->addr);
		return;
	}
	*m = (struct mm){ .addr = at->addr, .owner = NONE, .exe = NONE };
	read_mm(l, m);
	at->exe = kobj_u64(&l->mm, M_MM_EXE_FILE);
	at->written = mb->locks && mmlock_may_be_written(k, l->r, at->addr);
	if (mb->vmas)
		vma_walker_read(&l->vmas, m);
}

/* Makes M, that was read as FROM, the next of the snapshot, if it was. */
static void keep(struct mms_builder *mb, const struct loaded *from, const struct mm *m)
{
	struct build *b = mb->b;
	struct snapshot *s = b->s;
	uint32_t i = s->nmms;

	hash_put(&mb->seen, from->addr, from->st ? UNREAD : i);
	if (from->st)
		return;
	s->nmms++;
	if (m != &s->mms[i])
		s->mms[i] = *m;
	b->mm_exe[i] = from->exe;
	b->mm_written[i] = from->written;
	if (mb->vmas)
		build_keep_vmas(b, i, mb->loaders[from->loader]->vmas.all.v, s->mms[i].first_vma);
}

static void forget_lists(struct mms_builder *mb)
{
	for (unsigned i = 0; i < JOBS_MAX; i++)
		if (mb->loaders[i])
			mb->loaders[i]->vmas.all.n = 0;
}

static void keep_latest(struct mms_builder *mb, size_t n)
{
	const struct mm *first = &mb->b->s->mms[mb->b->s->nmms];

	for (size_t i = 0; i < n; i++)
		keep(mb, &mb->latest[i], first + i);
	forget_lists(mb);
}

/* The first N of mb->latest. */
static void add_latest(struct mms_builder *mb, size_t n)
{
	/* few are not worth what a thread costs */
	jobs_run(n < TOGETHER ? 1 : mb->b->k->jobs, n, load, mb);
	keep_latest(mb, n);
}

static bool mm_has_users(struct mms_builder *mb, uint64_t addr)
{
	uint64_t users;

	reader_renew(mb->b->r);
	return !kmember_u64(mb->b->k, mb->b->r, addr, M_MM_USERS, &users) && (int32_t)users > 0;
}

/* Index of the mm at ADDR, NONE if it cannot be read. */
static uint32_t add_mm(struct mms_builder *mb, uint64_t addr)
{
	struct build *b = mb->b;
	struct loaded *at = &mb->latest[0];
	struct attempt a;

	if (hash_get(&mb->seen, addr) != HASH_NONE)
		return find_mm(mb, addr);
	at->addr = addr;
	attempt_begin(&a, b->k, b->r);
	do {
		load(mb, 0, 0);
	} while (attempt_again(&a, "mm"));
	if (attempt_failed(&a) && !mm_has_users(mb, addr)) {
		attempt_gone(&a, "process", "ended while its mm was read");
		at->st = ST_TORN;
	}
	keep_latest(mb, 1);
	return find_mm(mb, addr);
}

/* The mms of all tasks. */
static void add_mms(struct mms_builder *mb)
{
	const struct build *b = mb->b;
	size_t n = 0;

	for (uint32_t i = 0; i < b->s->ntasks; i++) {
		if (!b->task_mm[i] || hash_get(&mb->seen, b->task_mm[i]) != HASH_NONE)
			continue;
		hash_put(&mb->seen, b->task_mm[i], 0);
		mb->latest[n++].addr = b->task_mm[i];
		if (n == TOGETHER) {
			add_latest(mb, n);
			n = 0;
		}
	}
	add_latest(mb, n);
}

static void tie_proc(struct mms_builder *mb, uint32_t pi)
{
	struct snapshot *s = mb->b->s;
	struct proc *p = &s->procs[pi];
	uint64_t oom_mm = mb->b->proc_oom_mm[pi];

	/* a zombie leader has no mm, but its threads may still have it */
	p->mm = s->tasks[p->leader].mm;
	for (uint32_t i = 0; i < p->ntasks && p->mm == NONE; i++)
		p->mm = s->tasks[p->first_task + i].mm;
	for (uint32_t i = 0; i < p->ntasks && p->mm == NONE; i++)
		p->mm_unread |= mb->b->task_mm[p->first_task + i] != 0;
	if (p->mm != NONE) {
		struct mm *m = &s->mms[p->mm];

		m->nprocs++;
		if (m->owner == NONE)
			m->owner = pi;
	}
	if (oom_mm) {
		uint32_t i = add_mm(mb, oom_mm);

		if (i != NONE && s->mms[i].owner == NONE)
			s->mms[i].owner = pi;
	}
}

/*
 * Up to 6.1 each thread keeps counts that it has not yet added to the mm
 * (SPLIT_RSS_COUNTING, mm/memory.c). /proc leaves them out; the exact count includes them.
 */
static void fold_task_counts(struct build *b)
{
	struct snapshot *s = b->s;

	for (uint32_t i = 0; i < s->ntasks; i++)
		if (s->tasks[i].mm != NONE)
			for (unsigned c = 0; c < RSS_COUNTERS; c++)
				s->mms[s->tasks[i].mm].counter[c] += b->task_rss[i][c];
	for (uint32_t i = 0; i < s->nmms; i++)
		for (unsigned c = 0; c < RSS_COUNTERS; c++)
			s->mms[i].counter[c] = clamp0(s->mms[i].counter[c]);
}

static struct mms_builder *mms_builder_new(struct build *b)
{
	struct mms_builder *mb = heap_array(struct mms_builder, 1);

	mb->b = b;
	mb->seen.mem = &b->scratch;
	mb->locks = !b->k->dump->live && mmlock_writers_known(b->k);
	return mb;
}

static void mms_builder_free(struct mms_builder *mb)
{
	loaders_release(mb);
	free(mb);
}

void build_forked(struct build *b, const uint64_t *addr, size_t n)
{
	struct snapshot *s = b->s;
	struct mms_builder *mb = mms_builder_new(b);
	struct mm *mms = arena_array(&s->mem, struct mm, s->nmms + n);
	uint64_t *exe = arena_array(&b->scratch, uint64_t, s->nmms + n);
	bool *written = arena_array(&b->scratch, bool, s->nmms + n);

	memcpy(mms, s->mms, s->nmms * sizeof(*mms));
	memcpy(exe, b->mm_exe, s->nmms * sizeof(*exe));
	s->mms = mms;
	b->mm_exe = exe;
	b->mm_written = written;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = add_mm(mb, addr[i]);

		if (at != NONE)
			s->mms[at].forked = true;
		s->forks_known &= at != NONE;
	}
	mms_builder_free(mb);
}

/* A task of a process is a user of its mm. */
static void check_users(const struct build *b)
{
	const struct snapshot *s = b->s;
	uint32_t last = NONE;

	for (uint32_t i = 0; i < s->ntasks; i++) {
		uint32_t mi = s->tasks[i].mm;

		if (mi == NONE || mi == last || s->mms[mi].users > 0 ||
		    s->tasks[i].flags & PF_KTHREAD)
			continue;
		last = mi;
		issue_add(b->k->issues, kernel_contradicts(b->k), "mm", 1,
			  "%#" PRIx64 " has no users", s->mms[mi].addr);
	}
}

/* No two mms have one root. It is unknown which of them owns it, so neither keeps it. */
static void check_roots(struct build *b)
{
	struct snapshot *s = b->s;
	struct hash owner = { .mem = &b->scratch };
	bool *twice = arena_array(&b->scratch, bool, s->nmms + 1);

	for (uint32_t i = 0; i < s->nmms; i++) {
		uint32_t other = s->mms[i].pgd_pa ? hash_get(&owner, s->mms[i].pgd_pa | 1)
						  : HASH_NONE;

		if (other != HASH_NONE)
			twice[i] = twice[other] = true;
		else if (s->mms[i].pgd_pa)
			hash_put(&owner, s->mms[i].pgd_pa | 1, i);
	}
	for (uint32_t i = 0; i < s->nmms; i++)
		if (twice[i])
			lose_root(b->k, &s->mms[i], kernel_contradicts(b->k),
				  ": another has it too");
}

void build_mms(struct build *b, bool vmas)
{
	struct snapshot *s = b->s;
	struct mms_builder *mb = mms_builder_new(b);
	/* each task could have its own mm, and each process an oom_mm */
	size_t most = (size_t)s->ntasks + s->nprocs;
	bool live = b->k->dump->live;

	s->mms = arena_array(&s->mem, struct mm, most);
	b->mm_exe = arena_array(&b->scratch, uint64_t, most);
	b->mm_written = arena_array(&b->scratch, bool, most);
	/* live: whether a process has ended meanwhile is seen by its tasks, which are tied below */
	b->vmas_read = mb->vmas = vmas && !live;
	if (!live)
		add_mms(mb);
	for (uint32_t i = 0; i < s->ntasks; i++)
		if (b->task_mm[i])
			s->tasks[i].mm = live ? add_mm(mb, b->task_mm[i])
					      : find_mm(mb, b->task_mm[i]);
	check_roots(b);
	check_users(b);
	fold_task_counts(b);
	for (uint32_t i = 0; i < s->nprocs; i++)
		tie_proc(mb, i);
	mms_builder_free(mb);
}
