/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes, each made from the tasks of one thread group.
 */
#include "model/kernel/task/tasks.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/search.h"
#include "facts/layout/task.h"

#define PF_EXITING 0x4u		/* 2.4 .. now */
#define PID_LIMIT 0x400000	/* PID_MAX_LIMIT, include/linux/threads.h */
#define FAULTS_MAX_SANE (1ull << 62)
#define CAP_SYS_ADMIN 21	/* include/uapi/linux/capability.h */

static void read_cred(struct tasks_builder *tb, const struct raw_task *rt, struct proc *p)
{
	struct kernel *k = tb->b->k;
	enum status st;

	p->uid = rt->uid;
	p->euid = rt->euid;
	p->gid = rt->gid;
	if (!rt->cred)
		return;
	st = kobj_read(&tb->cred, tb->b->r, rt->cred);
	if (st) {
		issue_add(k->issues, st, "cred", 1, "of pid %d", rt->t.pid);
		return;
	}
	p->uid = (uint32_t)kobj_u64(&tb->cred, M_CRED_UID);
	p->euid = (uint32_t)kobj_u64(&tb->cred, M_CRED_EUID);
	p->gid = (uint32_t)kobj_u64(&tb->cred, M_CRED_GID);
	p->admin = kobj_elem(&tb->cred, M_CRED_CAPS, 0) >> CAP_SYS_ADMIN & 1 &&
		   (!has(k, M_CRED_USER_NS) || kobj_u64(&tb->cred, M_CRED_USER_NS) ==
						       layout_symbol(&k->layout, Y_INIT_USER_NS));
}

static void read_pidns(struct tasks_builder *tb, const struct raw_task *rt, struct proc *p)
{
	struct kernel *k = tb->b->k;
	const struct layout *l = &k->layout;
	uint64_t level, nr;

	p->pidns_pid = p->pid;
	if (!rt->thread_pid || !layout_has(l, M_PID_NUMBERS) || !layout_has(l, M_UPID_NR) ||
	    kmember_u64(k, tb->b->r, rt->thread_pid, M_PID_LEVEL, &level) ||
	    level > 32) /* MAX_PID_NS_LEVEL */
		return;
	p->pidns_level = (uint32_t)level;
	if (!read_kva_uint(tb->b->r,
			   rt->thread_pid + layout_offset(l, M_PID_NUMBERS) +
				   level * layout_size(l, S_UPID) + layout_offset(l, M_UPID_NR),
			   4, &nr))
		p->pidns_pid = (int32_t)nr;
	if (p->pid && (p->pidns_pid <= 0 || p->pidns_pid > PID_LIMIT))
		issue_add(k->issues, ST_CORRUPT, "task", 1, "number of %d in its namespace",
			  p->pid);
}

/* Threads of a group share its signal_struct, and only idle tasks are without a number. */
static void check_thread(struct tasks_builder *tb, const struct raw_task *lead,
			 const struct raw_task *rt)
{
	const struct task *t = &rt->t;

	if ((!t->tgid && t->pid) ||
	    (t->tgid && lead->signal && rt->signal && lead->signal != rt->signal))
		issue_add(tb->b->k->issues, ST_CORRUPT, "task", 1,
			  "thread group of the task at %#" PRIx64, t->addr);
}

/* No task and no process had more faults or time than a machine could in a century. */
static bool can_be(const struct tasks_builder *tb, uint64_t min_flt, uint64_t maj_flt,
		   uint64_t utime, uint64_t stime)
{
	return min_flt <= FAULTS_MAX_SANE && maj_flt <= FAULTS_MAX_SANE &&
	       (!tb->unit || (utime <= NSEC_MAX_SANE && stime <= NSEC_MAX_SANE));
}

/* False: the counters of RT cannot be; those of T, which is the same task, are unknown then. */
static bool check_counters(struct tasks_builder *tb, const struct raw_task *rt, struct task *t)
{
	if (can_be(tb, t->min_flt, t->maj_flt, t->utime, t->stime) && rt->runtime <= NSEC_MAX_SANE)
		return true;
	issue_add(tb->b->k->issues, ST_CORRUPT, "task", 1, "counters of the task at %#" PRIx64,
		  t->addr);
	t->min_flt = t->maj_flt = t->utime = t->stime = UINT64_MAX;
	return false;
}

/*
 * A * B / C, as mul_u64_u64_div_u64() for cputime_adjust(), without integers of 128 bits,
 * which 32-bit hosts lack: quotient and rest of (the bits of A so far) * B, from the
 * highest bit on. The low 64 bits of the quotient.
 */
static uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t quotient = 0, rest = 0, quotient_b = b / c, rest_b = b % c, add;

	for (unsigned bit = 64; bit--;) {
		for (unsigned half = 0; half < 2; half++) {
			if (half && !(a >> bit & 1))
				break;
			add = half ? rest_b : rest; /* twice the present rest, then one B */
			quotient += half ? quotient_b : quotient;
			quotient += rest >= c - add;
			rest -= rest >= c - add ? c - add : -add;
		}
	}
	return quotient;
}

/*
 * utime and stime as /proc/PID/stat prints them: tick samples scaled to the
 * scheduler's exact runtime, never going back (kernel/sched/cputime.c,
 * cputime_adjust()).
 */
static void adjust_cputime(struct proc *p, uint64_t runtime, uint64_t prev_u, uint64_t prev_s)
{
	uint64_t u = p->utime, s = p->stime;

	if (prev_u > NSEC_MAX_SANE || prev_s > NSEC_MAX_SANE || runtime > NSEC_MAX_SANE ||
	    u > NSEC_MAX_SANE || s > NSEC_MAX_SANE)
		return;
	if (prev_u + prev_s >= runtime) {
		p->utime = prev_u;
		p->stime = prev_s;
		return;
	}
	if (!s)
		s = 0;
	else if (!u)
		s = runtime;
	else
		s = mul_div(s, runtime, s + u);
	if (s < prev_s)
		s = prev_s;
	u = runtime - s;
	if (u < prev_u) {
		u = prev_u;
		s = runtime - u;
	}
	p->utime = u;
	p->stime = s;
}

static void read_signal(struct tasks_builder *tb, const struct raw_task *rt, struct lead *ret)
{
	struct kernel *k = tb->b->k;
	const struct kobj *o = &tb->sig;
	struct proc *p = &ret->p;
	enum status st;

	if (!rt->signal)
		return;
	st = kobj_read(&tb->sig, tb->b->r, rt->signal);
	if (st) {
		issue_add(k->issues, st, "signal_struct", 1, "of pid %d", rt->t.pid);
		return;
	}
	p->oom_score_adj = (int16_t)kobj_int(o, M_SIG_OOM_SCORE_ADJ);
	p->adj_known = has(k, M_SIG_OOM_SCORE_ADJ);
	ret->oom_mm = kobj_u64(o, M_SIG_OOM_MM);
	p->oom_victim = ret->oom_mm != 0;
	/* used by the dead threads of the group */
	p->utime = kobj_u64(o, M_SIG_UTIME) * tb->unit;
	p->stime = kobj_u64(o, M_SIG_STIME) * tb->unit;
	p->min_flt = kobj_u64(o, M_SIG_MIN_FLT);
	p->maj_flt = kobj_u64(o, M_SIG_MAJ_FLT);
	ret->runtime = kobj_u64(o, M_SIG_RUNTIME);
	ret->prev_utime = kobj_u64(o, M_SIG_PREV_UTIME) * tb->unit;
	ret->prev_stime = kobj_u64(o, M_SIG_PREV_STIME) * tb->unit;
	ret->signal = true;
}

static struct lead read_lead(struct tasks_builder *tb, const struct raw_task *rt)
{
	struct lead lead = { .p.pid = rt->t.tgid };

	read_cred(tb, rt, &lead.p);
	read_pidns(tb, rt, &lead.p);
	read_signal(tb, rt, &lead);
	return lead;
}

void tasks_read_lead(struct tasks_builder *tb, uint32_t leader)
{
	struct lead lead = read_lead(tb, &tb->raw.v[leader]);

	tb->raw.v[leader].lead = (uint32_t)tb->leads.n;
	*vec_push(&tb->b->scratch, &tb->leads) = lead;
}

/* It has no user memory, but not because it ended. */
static bool looks_like_kthread(const struct raw_task *raw, uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++)
		if (raw[i].mm || raw[i].t.state == 'Z' || raw[i].t.flags & PF_EXITING)
			return false;
	return true;
}

/* Threads of one group are adjacent in tasks: this fills their proc. */
static void make_proc(struct tasks_builder *tb, const struct raw_task *raw, uint32_t first,
		      uint32_t n)
{
	/* release_task() of 2.6.0 (kernel/exit.c): the first thread goes after all others */
	static const struct era first_stays = { V(2, 6), 0 };
	struct build *b = tb->b;
	struct snapshot *s = b->s;
	uint32_t pi = s->nprocs++, lead = first;
	struct proc *p = &s->procs[pi];
	uint64_t runtime = 0;
	bool known = true;
	const struct raw_task *rt;
	struct lead l;

	for (uint32_t i = first; i < first + n; i++)
		if (raw[i].t.pid == raw[i].t.tgid)
			lead = i;
	rt = &raw[lead];
	l = rt->lead == NONE ? read_lead(tb, rt) : tb->leads.v[rt->lead];
	*p = l.p;
	p->leader = lead;
	p->first_task = first;
	p->ntasks = n;
	p->mm = NONE;
	p->kthread = rt->t.flags & PF_KTHREAD;
	p->nice = (int8_t)(rt->static_prio ? rt->static_prio - 120 : 0);
	p->cgroup = NONE;
	p->start_boottime = rt->t.start_boottime;
	if (kernel_rule(b->k, RULE_NO_PF_KTHREAD))
		p->kthread = looks_like_kthread(raw, first, n);
	if (!p->pid)
		p->kthread = true; /* the idle tasks; PF_KTHREAD since 5.17 only */
	if (rt->t.pid != rt->t.tgid && in_era(b->k, first_stays) && !b->k->dump->live)
		issue_add(b->k->issues, ST_CORRUPT, "task", 1, "no first thread of the group %d",
			  rt->t.tgid);
	for (uint32_t i = first; i < first + n; i++) {
		s->tasks[i].proc = pi;
		check_thread(tb, rt, &raw[i]);
		known &= check_counters(tb, &raw[i], &s->tasks[i]);
		p->utime += raw[i].t.utime;
		p->stime += raw[i].t.stime;
		p->min_flt += raw[i].t.min_flt;
		p->maj_flt += raw[i].t.maj_flt;
		runtime += raw[i].runtime;
	}
	b->proc_css_set[pi] = rt->cgroups;
	b->proc_oom_mm[pi] = l.oom_mm;
	if (l.signal && has(b->k, M_SIG_PREV_UTIME))
		adjust_cputime(p, runtime + l.runtime, l.prev_utime, l.prev_stime);
	if (known && !can_be(tb, p->min_flt, p->maj_flt, p->utime, p->stime)) {
		issue_add(b->k->issues, ST_CORRUPT, "signal_struct", 1, "counters of pid %d",
			  p->pid);
		known = false;
	}
	if (!known)
		p->min_flt = p->maj_flt = UINT64_MAX;
	if (!known || !tb->unit)
		p->utime = p->stime = UINT64_MAX;
}

static int by_group(const void *pa, const void *pb)
{
	const struct raw_task *a = pa, *b = pb;

	if (a->t.tgid != b->t.tgid)
		return a->t.tgid < b->t.tgid ? -1 : 1;
	if (a->t.pid != b->t.pid)
		return a->t.pid < b->t.pid ? -1 : 1;
	return a->t.addr < b->t.addr ? -1 : a->t.addr > b->t.addr;
}

/* The kernel's first task is the parent of process 1, and in no list; another that is in none may still be read. */
static int32_t unlisted_parent(const struct tasks_builder *tb, const struct raw_task *t)
{
	const struct kernel *k = tb->b->k;
	uint64_t init = layout_symbol(&k->layout, Y_INIT_TASK), tgid;

	if (t->parent == init || t->t.addr == init)
		return 0;
	if (!kernel_ptr_ok(k, t->parent, k->dump->word_size) ||
	    kmember_u64(k, tb->b->r, t->parent, M_TASK_TGID, &tgid) || !tgid || tgid > PID_LIMIT)
		return PID_UNKNOWN;
	return (int32_t)tgid;
}

static void fill_parents(struct tasks_builder *tb)
{
	struct snapshot *s = tb->b->s;
	struct hash index = { .mem = &tb->b->scratch };

	for (uint32_t i = 0; i < s->ntasks; i++)
		hash_put(&index, s->tasks[i].addr, i);
	for (uint32_t i = 0; i < s->ntasks; i++) {
		uint32_t p = hash_get(&index, tb->raw.v[i].parent);

		s->tasks[i].ppid = p == HASH_NONE ? unlisted_parent(tb, &tb->raw.v[i])
						  : s->tasks[p].tgid;
		s->tasks[i].in_vfork = p != HASH_NONE && tb->raw.v[i].vfork_done &&
				       tb->raw.v[i].mm && tb->raw.v[i].mm == tb->raw.v[p].mm;
	}
	for (uint32_t i = 0; i < s->nprocs; i++)
		s->procs[i].ppid = s->tasks[s->procs[i].leader].ppid;
}

void make_procs(struct tasks_builder *tb)
{
	struct build *b = tb->b;
	struct snapshot *s = b->s;
	uint32_t n = (uint32_t)tb->raw.n;

	if (!n)
		return; /* not even init_task is readable */
	sort_array(tb->raw.v, n, sizeof(*tb->raw.v), by_group);
	s->tasks = arena_array(&s->mem, struct task, n);
	s->procs = arena_array(&s->mem, struct proc, n);
	s->ntasks = n;
	b->task_mm = arena_array(&b->scratch, uint64_t, n);
	b->task_rss = arena_calloc(&b->scratch, n, sizeof(*b->task_rss));
	b->proc_oom_mm = arena_array(&b->scratch, uint64_t, n);
	b->proc_css_set = arena_array(&b->scratch, uint64_t, n);
	for (uint32_t i = 0; i < n; i++) {
		s->tasks[i] = tb->raw.v[i].t;
		/* kthread_use_mm() borrows an mm: /proc shows no memory for these */
		b->task_mm[i] = !kernel_rule(b->k, RULE_NO_PF_KTHREAD) &&
						tb->raw.v[i].t.flags & PF_KTHREAD
					? 0
					: tb->raw.v[i].mm;
		memcpy(b->task_rss[i], tb->raw.v[i].rss, sizeof(b->task_rss[i]));
	}
	for (uint32_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && s->tasks[j].tgid == s->tasks[i].tgid; j++)
			;
		make_proc(tb, tb->raw.v, i, j - i);
	}
	fill_parents(tb);
}
