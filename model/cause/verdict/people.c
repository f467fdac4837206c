/* SPDX-License-Identifier: GPL-3.0-or-later */
/* people.c - the processes of the scope: the largest, equal names, locked memory, the victim. */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/cause/verdict/gather.h"

/* A process of the scope, before it is compared with others. */
struct person {
	struct ev_proc p;
	size_t stem;		/* bytes of its name without the number at its end */
};

struct people {
	struct gather *g;
	VEC(struct person) v;
};

/* "worker-12" and "worker-7" are one name. */
static size_t stem_of(const char *comm)
{
	size_t n = strlen(comm), end = n;

	while (n && comm[n - 1] >= '0' && comm[n - 1] <= '9')
		n--;
	if (n && n < end && strchr("-_.:/#", comm[n - 1]))
		n--;
	return n ? n : end;
}

static void add(struct people *x, const struct ev_proc *p)
{
	struct person *to = vec_push(x->g->mem, &x->v);

	to->p = *p;
	to->stem = stem_of(p->comm);
}

/* When a process of the log was started, if the dump still has it: pids are given again. */
static uint64_t start_of(const struct gather *g, int64_t pid, const char *comm)
{
	uint32_t i = snapshot_proc_by_pid(g->s, pid);
	const struct task *t = i == NONE ? NULL : proc_leader(g->s, &g->s->procs[i]);

	return t && comm && !strcmp(t->comm, comm) ? g->s->procs[i].start_boottime : EV_UNKNOWN;
}

/* ---- from the log ----------------------------------------------------------------------- */

/*
 * Resident memory of a task. Before 6.8 the table has all of it, also of libraries, which are charged
 * to whoever read them first: of a control group that is no more than its limit.
 */
static uint64_t logged_bytes(const struct gather *g, const struct oom_task *t)
{
	int64_t pages = t->rss_anon == OOM_UNKNOWN ? t->rss : t->rss_anon;
	uint64_t bytes = known(gather_told(pages, g->s->k->page_shift));

	return ev_is_memcg(g->e) ? min_u64(bytes, g->e->total) : bytes;
}

static void add_logged(struct people *x)
{
	const struct oom_event *e = x->g->e->event;
	unsigned shift = x->g->s->k->page_shift;

	for (size_t i = 0; i < e->tasks.n; i++) {
		const struct oom_task *t = &e->tasks.v[i];
		struct ev_proc p = { .comm = t->comm,
				     .pid = t->pid,
				     .adj = t->oom_score_adj,
				     .bytes = logged_bytes(x->g, t) +
					      known(gather_told(t->swapents, shift)),
				     .tables = gather_told(t->tables_bytes, 0),
				     .locked = EV_UNKNOWN,
				     .start = start_of(x->g, t->pid, t->comm),
				     .threads = 1 };

		add(x, &p);
	}
}

/* Without a table: those that were killed, as their lines have them. */
static void add_victims(struct people *x)
{
	const struct oom_event *e = x->g->e->event;

	for (size_t i = 0; i < e->victims.n; i++) {
		const struct oom_victim *v = &e->victims.v[i];
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): V is one of a vector */
		struct ev_proc p = { .comm = v->comm ? v->comm : "?",
				     .pid = v->pid,
				     .adj = v->oom_score_adj,
				     .bytes = known(gather_told(v->anon_rss, 10)),
				     .tables = gather_told(v->tables, 10),
				     .locked = EV_UNKNOWN,
				     .start = EV_UNKNOWN,
				     .threads = 1 };

		add(x, &p);
	}
}

static bool is_there(const struct people *x, int64_t pid)
{
	for (size_t i = 0; i < x->v.n; i++)
		if (x->v.v[i].p.pid == pid)
			return true;
	return false;
}

/*
 * Who was killed shortly before has left the table, and its memory is still counted: the processes
 * in the table do not explain what is anonymous. The latest such victim first.
 */
static void add_unfreed(struct people *x)
{
	const struct gather *g = x->g;
	struct oom_evidence *e = g->e;
	uint64_t sum = 0, left;

	if (e->size[USE_ANON] == EV_UNKNOWN || gather_is_of_nodes(g) || ev_is_memcg(e))
		return;
	for (size_t i = 0; i < x->v.n; i++)
		sum += x->v.v[i].p.bytes;
	left = less(ev_anonymous(e, EV_UNKNOWN - 1), sum);
	for (size_t i = e->number - 1; i-- > 0 && gather_shortly_before(e, &g->log->v[i]);) {
		const struct oom_event *v = &g->log->v[i];
		const struct oom_victim *o = v->kind == OOM_KILL && v->victims.n ? &v->victims.v[0]
										 : NULL;
		uint64_t bytes = o ? known(gather_told(o->anon_rss, 10)) : 0;
		enum verdict_reason sure;
		struct ev_proc p = { .pid = o ? o->pid : 0,
				     .adj = o ? o->oom_score_adj : OOM_UNKNOWN,
				     .bytes = min_u64(bytes, left),
				     .tables = o ? gather_told(o->tables, 10) : EV_UNKNOWN,
				     .locked = EV_UNKNOWN,
				     .start = EV_UNKNOWN,
				     .threads = 1 };

		if (!o || !o->comm || !bytes || left < bytes / 2 || is_there(x, o->pid))
			continue;
		/* the same amount as it was killed with, and no other victim that could have it */
		sure = p.bytes >= bytes / 10 * 9 && left <= bytes / 10 * 11 && i + 2 == e->number
			       ? WHY_TABLE_LACKS_AS_MUCH
			       : WHY_NOT_TOLD;
		p.comm = o->comm;
		add(x, &p);
		left -= p.bytes;
		if (p.bytes > e->earlier.bytes)
			e->earlier = (struct ev_victim){
				.comm = o->comm, .pid = o->pid, .bytes = p.bytes, .sure = sure
			};
	}
}

/* ---- from the dump ---------------------------------------------------------------------- */

bool gather_in_scope(const struct gather *g, uint32_t proc)
{
	return g->memcg == NONE ||
	       (proc < g->s->nprocs &&
		snapshot_cgroup_within(g->s, g->s->procs[proc].cgroup, g->memcg));
}

static uint64_t count(int64_t pages)
{
	return pages < 0 ? 0 : (uint64_t)pages;
}

#define VICTIMS 256u	/* of more, the first ones are looked at: a group is gone as a whole */

/* Is it among the victims of an event that the dump does not show? */
static bool was_killed(const struct oom_evidence *e, int32_t pid)
{
	const struct oom_event *v = e->event;

	for (size_t i = 0; v && !e->at_once && i < v->victims.n && i < VICTIMS; i++)
		if (v->victims.v[i].pid == pid)
			return true;
	return false;
}

/* An mm that processes share counts for its owner. */
static void add_dumped(struct people *x)
{
	const struct snapshot *s = x->g->s;

	for (uint32_t i = 0; i < s->nprocs; i++) {
		const struct proc *p = &s->procs[i];
		const struct mm *m = proc_mm(s, p);
		const struct task *t = proc_leader(s, p);
		struct ev_proc to;

		if (!m || !t || p->kthread || m->owner != i || was_killed(x->g->e, p->pid))
			continue;
		if (!gather_in_scope(x->g, i))
			continue;
		to = (struct ev_proc){
			.comm = t->comm,
			.pid = p->pid,
			.adj = p->adj_known ? p->oom_score_adj : OOM_UNKNOWN,
			.bytes = known(gather_pages(x->g, count(m->counter[RSS_ANON]) +
								  count(m->counter[RSS_SWAP]))),
			.tables = m->pgtables_bytes,
			.locked = gather_pages(x->g, m->locked_vm),
			.start = p->start_boottime,
			.threads = p->ntasks,
		};
		add(x, &to);
	}
}

/* ---- sums ------------------------------------------------------------------------------- */

static int by_name(const void *pa, const void *pb)
{
	const struct person *a = pa, *b = pb;
	int d = strncmp(a->p.comm, b->p.comm, a->stem < b->stem ? a->stem : b->stem);

	if (d || a->stem == b->stem)
		return d ? d : a->p.pid < b->p.pid ? -1 : a->p.pid > b->p.pid;
	return a->stem < b->stem ? -1 : 1;
}

static bool same_name(const struct person *a, const struct person *b)
{
	return a->stem == b->stem && !strncmp(a->p.comm, b->p.comm, a->stem);
}

#define YOUNG UINT64_C(300000000000)	/* ns before the event */

/* Bytes of one kernel stack, on average. */
static uint64_t stack_bytes(const struct gather *g)
{
	return g->s->ntasks ? known(gather_info(g, "KernelStack")) / g->s->ntasks : 0;
}

static void count_start(const struct gather *g, const struct ev_proc *p, struct ev_name *n)
{
	const struct oom_event *v = g->e->event;
	uint64_t now = v ? v->time : g->s->machine.uptime;

	if (p->start == EV_UNKNOWN)
		return;
	n->dated++;
	n->young += p->start >= now || now - p->start <= YOUNG;
}

static void largest_name(struct people *x)
{
	struct oom_evidence *e = x->g->e;
	uint64_t stack = stack_bytes(x->g), most = 0;

	sort_array(x->v.v, x->v.n, sizeof(*x->v.v), by_name);
	for (size_t i = 0, j; i < x->v.n; i = j) {
		struct ev_name n = { .n = 0 };
		uint64_t pages = 0, kernel = 0;

		for (j = i; j < x->v.n && same_name(&x->v.v[i], &x->v.v[j]); j++) {
			const struct ev_proc *p = &x->v.v[j].p;

			n.n++;
			pages += p->bytes;
			kernel += known(p->tables) + p->threads * stack;
			count_start(x->g, p, &n);
		}
		if (pages + kernel <= most && e->name.comm)
			continue;
		most = pages + kernel;
		n.bytes = ev_anonymous(e, pages) + kernel;
		n.comm = arena_strndup(x->g->mem, x->v.v[i].p.comm,
				       n.n > 1 ? x->v.v[i].stem : strlen(x->v.v[i].p.comm));
		e->name = n;
	}
}

/* ---- some nodes ------------------------------------------------------------------------- */

static bool is_named(const char *path, const char *name)
{
	const char *last = path ? strrchr(path, '/') : NULL;

	return last && name && !strcmp(last + 1, name);
}

/* May the process use those nodes alone? Who asked, and who is in the same cpuset. */
static bool is_confined(const struct gather *g, int64_t pid)
{
	const struct oom_event *v = g->e->event;
	uint32_t i = snapshot_proc_by_pid(g->s, pid);
	uint32_t c = i == NONE ? NONE : g->s->procs[i].cgroup;

	if (pid == v->pid)
		return true;
	if (v->constraint != OOM_CPUSET)
		return false;
	return (c < g->s->ncgroups && is_named(g->s->cgroups[c].path, v->cpuset)) ||
	       (v->victims.n && v->victims.v[0].pid == pid && is_named(v->task_memcg, v->cpuset));
}

/*
 * Nothing says on which nodes the memory of a process is. Those that are confined have theirs
 * there; of the others it is not more than what is left of the anonymous memory there.
 */
static void confine(struct people *x)
{
	struct oom_evidence *e = x->g->e;
	uint64_t all = ev_anonymous(e, EV_UNKNOWN - 1), left;

	if (!e->event || !gather_is_of_nodes(x->g) || e->size[USE_ANON] == EV_UNKNOWN)
		return;
	left = all;
	for (size_t i = 0; i < x->v.n; i++)
		if (is_confined(x->g, x->v.v[i].p.pid))
			left = less(left, x->v.v[i].p.bytes);
	for (size_t i = 0; i < x->v.n; i++) {
		struct ev_proc *p = &x->v.v[i].p;

		p->bytes = min_u64(p->bytes, is_confined(x->g, p->pid) ? all : left);
	}
}

/*
 * The table does not say what was locked, the log does of all: what the others cannot have
 * locked is of the largest process; so is what was no longer locked when that was gone.
 */
static void locked_then(struct oom_evidence *e)
{
	struct ev_proc *p = &e->largest;
	const struct oom_event *v = e->event;
	uint64_t n;

	if (!p->comm || p->locked != EV_UNKNOWN || e->locked == EV_UNKNOWN)
		return;
	n = less(e->locked, e->procs - p->bytes);
	if (v && v->victims.n && v->victims.v[0].pid == p->pid && v->constraint != OOM_MEMCG &&
	    e->locked_now != EV_UNKNOWN)
		n = max_u64(n, less(e->locked, e->locked_now));
	p->locked = min_u64(n, p->bytes);
}

/* ---- swap that no process has ------------------------------------------------------------ */

/* What the processes have in swap, as their mms count it; EV_UNKNOWN: not all are known. */
static uint64_t swapped_of_procs(const struct gather *g)
{
	const struct oom_event *v = g->e->event;
	uint64_t sum = 0;

	if (!g->e->from_log && !g->e->at_once)
		return EV_UNKNOWN;
	for (size_t i = 0; g->e->from_log && i < v->tasks.n; i++) {
		uint64_t n = gather_told(v->tasks.v[i].swapents, g->s->k->page_shift);

		if (n == EV_UNKNOWN)
			return n;
		sum += n;
	}
	if (g->e->from_log && v->cut)
		return EV_UNKNOWN;
	for (uint32_t i = 0; !g->e->from_log && i < g->s->nmms; i++)
		sum += known(gather_pages(g, count(g->s->mms[i].counter[RSS_SWAP])));
	return sum;
}

/*
 * A slot of swap is of a process's page, which its mm counts (MM_SWAPENTS), of a page that is in the
 * swap cache, or of shared memory. Counters drift, and who was killed has left the table: a small rest says nothing.
 */
static void gather_shmem_swapped(struct gather *g)
{
	struct oom_evidence *e = g->e;
	const struct oom_event *v = e->event;
	uint64_t used, sum = swapped_of_procs(g), cached;

	if (ev_is_memcg(e) || e->swap_total == EV_UNKNOWN || e->swap_free == EV_UNKNOWN ||
	    sum == EV_UNKNOWN || e->earlier.comm)
		return;
	used = less(e->swap_total, e->swap_free);
	cached = e->from_log ? gather_count(g, v, "pages in swap cache")
			     : gather_info(g, "SwapCached");
	sum = less(less(used, sum), cached);
	if (sum >= used / 4)
		e->shmem_swapped = sum;
}

void gather_processes(struct gather *g)
{
	struct people x = { .g = g };
	struct oom_evidence *e = g->e;

	e->from_log = e->event && e->event->tasks.n &&
		      ((!e->at_once && !e->event->cut) || !g->s->nprocs);
	if (e->from_log) {
		add_logged(&x);
		add_unfreed(&x);
	} else if (e->event && !e->at_once) {
		add_victims(&x);
	}
	if (!e->from_log)
		add_dumped(&x);
	confine(&x);
	e->nprocs = (uint32_t)x.v.n;
	for (size_t i = 0; i < x.v.n; i++) {
		const struct ev_proc *p = &x.v.v[i].p;

		e->procs += p->bytes;
		if (!e->largest.comm || p->bytes > e->largest.bytes) {
			e->second = e->largest;
			e->largest = *p;
		} else if (!e->second.comm || p->bytes > e->second.bytes) {
			e->second = *p;
		}
		if (p->locked != EV_UNKNOWN && p->locked > e->most_locked.locked)
			e->most_locked = *p;
	}
	locked_then(e);
	largest_name(&x);
	gather_shmem_swapped(g);
}

/* ---- the victim --------------------------------------------------------------------------- */

/* D is the state that a kill waits for; it may be that of any thread. */
static char state_of(const struct snapshot *s, const struct proc *p)
{
	for (uint32_t i = 0; i < p->ntasks && p->first_task + i < s->ntasks; i++)
		if (s->tasks[p->first_task + i].state == 'D')
			return 'D';
	return proc_leader(s, p) ? proc_leader(s, p)->state : 0;
}

/* Files that are resident may be charged to other groups: of a group at its limit it is no more than that. */
static uint64_t within(const struct gather *g, uint64_t resident)
{
	return ev_is_memcg(g->e) ? min_u64(resident, g->e->total) : resident;
}

static uint64_t victim_bytes(const struct gather *g, const struct oom_victim *v)
{
	const struct oom_event *e = g->e->event;
	uint64_t sum = known(gather_told(v->anon_rss, 10)) + known(gather_told(v->file_rss, 10)) +
		       known(gather_told(v->shmem_rss, 10)) + known(gather_told(v->tables, 10));

	for (size_t i = 0; i < e->tasks.n; i++)
		if (e->tasks.v[i].pid == v->pid)
			return within(g,
				      known(gather_told(e->tasks.v[i].rss, g->s->k->page_shift)) +
					      known(gather_told(e->tasks.v[i].tables_bytes, 0))) +
			       known(gather_told(e->tasks.v[i].swapents, g->s->k->page_shift));
	return v->anon_rss == OOM_UNKNOWN ? EV_UNKNOWN : within(g, sum);
}

static void victim_in_dump(struct gather *g, const struct proc *p, struct ev_victim *v)
{
	const struct task *t = proc_leader(g->s, p);

	/* a pid is given again, a name is not: a thread may only be renamed */
	if (!t || (v->comm && strcmp(t->comm, v->comm)))
		return;
	v->comm = t->comm;
	v->pid = p->pid;
	v->state = state_of(g->s, p);
	v->alive = p->mm < g->s->nmms;
	if (v->bytes == EV_UNKNOWN && v->alive) {
		const int64_t *n = g->s->mms[p->mm].counter;

		v->bytes = gather_pages(g, count(n[RSS_ANON]) + count(n[RSS_FILE]) +
						   count(n[RSS_SHMEM]) + count(n[RSS_SWAP])) +
			   g->s->mms[p->mm].pgtables_bytes;
	}
}

/* Whom the OOM killer killed, now or before, and who sleeps in D with its memory. */
static void gather_stuck(struct gather *g)
{
	const struct snapshot *s = g->s;

	for (uint32_t i = 0; i < s->nprocs; i++) {
		struct ev_victim v = { .bytes = EV_UNKNOWN };

		if (!s->procs[i].oom_victim || s->procs[i].mm >= s->nmms)
			continue;
		victim_in_dump(g, &s->procs[i], &v);
		if (v.state == 'D' && (!g->e->stuck.comm || v.bytes > g->e->stuck.bytes))
			g->e->stuck = v;
	}
}

void gather_victim(struct gather *g)
{
	const struct oom_event *e = g->e->event;
	struct ev_victim *v = &g->e->victim;
	uint32_t at;

	v->bytes = EV_UNKNOWN;
	gather_stuck(g);
	if (e && e->victims.n) {
		const struct oom_victim *o = &e->victims.v[0];

		v->comm = o->comm ? o->comm : "?";
		v->pid = o->pid;
		v->reaped = o->reaped;
		v->bytes = victim_bytes(g, o);
		at = snapshot_proc_by_pid(g->s, o->pid);
		if (at != NONE)
			victim_in_dump(g, &g->s->procs[at], v);
		return;
	}
	for (uint32_t i = 0; i < g->s->nprocs; i++)
		if (g->s->procs[i].oom_victim && !v->comm)
			victim_in_dump(g, &g->s->procs[i], v);
}
