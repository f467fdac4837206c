/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All tasks: leaders from init_task.tasks (or 2.4's ring of every thread),
 * threads from signal->thread_head (older: the thread_group ring), and, where
 * a list is broken, what can be reached from its other end and from the pid
 * tree. Each task_struct is taken once: its address is the key of a seen-set.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "model/attempt.h"
#include "model/build.h"
#include "model/kobj.h"
#include "model/walk/list.h"
#include "model/walk/xarray.h"

#define TASKS_MAX (4u << 20)	/* PID_MAX_LIMIT, include/linux/threads.h */
#define PF_KTHREAD 0x00200000u	/* 2.6.32 .. now */
#define PF_EXITING 0x4u		/* 2.4 .. now */
#define TICK_MAX 100000000u	/* HZ is 24 at least (Alpha, simulators) */
#define PIDTYPE_TGID 1u		/* enum pid_type, 2.6.0 .. 2.6.16 */
#define NSEC_MAX_SANE (1ull << 62)

struct raw_task {
	struct task t;
	uint64_t mm, signal, cred, parent, cgroups, thread_pid;
	uint64_t runtime;
	uint32_t uid, euid, gid;	/* before struct cred */
	int32_t static_prio;
	int32_t rss[RSS_COUNTERS];
};

struct tasks_builder {
	struct build *b;
	struct kobj task, sig, cred;
	struct hash seen;		/* task_struct -> index in raw */
	VEC(struct raw_task) raw;
	uint64_t unit;			/* of times */
};

/* ---- one task ------------------------------------------------------------------- */

/*
 * The letter of /proc/PID/stat (fs/proc/array.c, task_state_array): the highest
 * bit of state | exit_state among TASK_REPORT. 0x402 is an idle kernel thread;
 * RTLOCK_WAIT (0x1000) and FROZEN (0x8000) are shown as D.
 */
static char state_letter(const struct kernel *k, uint64_t state, uint64_t exit_state)
{
	/* 2.4: zombies have a state of their own, and no exit_state beside it */
	static const char letters_2_4[] = "RSDZTW";
	static const char letters[] = "RSDTtXZP";
	bool old = !has(k, M_TASK_EXIT_STATE);
	uint64_t v = (state | exit_state) & (old ? 0x1f : 0x7f);
	unsigned i = 0;

	if (!old && (state & 0x402) == 0x402 && !exit_state)
		return 'I';
	if (state & (0x1000 | 0x8000) && !v)
		return 'D';
	while (v) {
		i++;
		v >>= 1;
	}
	return old ? letters_2_4[i] : letters[i];
}

/*
 * Nanoseconds of a unit of utime and stime: jiffies with 2.4, 100 a second on all
 * machines that it is read of; ticks later. 0: not known, as with 64-bit PowerPC,
 * which counted its timebase.
 */
static uint64_t time_unit(const struct kernel *k, struct reader *r)
{
	uint64_t tick;

	if (k->layout.v[M_TASK_UTIME].alt == 1)
		return 10000000;
	if (!k->rules.on[RULE_TIME_IN_TICKS])
		return 1;
	if (k->dump->elf_machine == EM_PPC64 || kvar_u64(k, r, Y_TICK_NSEC, 0, &tick))
		return 0;
	return tick <= TICK_MAX ? tick : 0;
}

/* A struct timespec to 3.16; jiffies with 2.4; else nanoseconds. */
static uint64_t read_start(const struct tasks_builder *tb)
{
	const struct kernel *k = tb->b->k;
	const struct member *m = &k->layout.v[M_TASK_START].m;
	unsigned word = k->dump->word_size;
	uint64_t at = tb->task.addr + m->offset, sec, nsec;

	if (!has(k, M_TASK_START))
		return 0;
	if (!m->is_aggregate)
		return kobj_u64(&tb->task, M_TASK_START) *
		       (k->layout.v[M_TASK_UTIME].alt == 1 ? tb->unit : 1);
	if (m->size != 2 * word || read_kva_word(tb->b->r, at, &sec) ||
	    read_kva_word(tb->b->r, at + word, &nsec) || sec > NSEC_MAX_SANE / 1000000000)
		return 0;
	return sec * 1000000000 + nsec;
}

static void read_task(struct tasks_builder *tb, struct raw_task *ret)
{
	const struct kobj *o = &tb->task;
	struct task *t = &ret->t;
	char comm[17];

	t->addr = o->addr;
	t->pid = (int32_t)kobj_int(o, M_TASK_PID);
	t->tgid = (int32_t)kobj_int(o, M_TASK_TGID);
	kobj_str(o, M_TASK_COMM, comm, sizeof(comm));
	memcpy(t->comm, comm, sizeof(t->comm));
	t->comm[sizeof(t->comm) - 1] = 0;
	t->state = state_letter(o->k, kobj_u64(o, M_TASK_STATE), kobj_u64(o, M_TASK_EXIT_STATE));
	t->flags = (uint32_t)kobj_u64(o, M_TASK_FLAGS);
	t->cpu = (uint32_t)kobj_u64(o, M_TASK_CPU);
	t->utime = kobj_u64(o, M_TASK_UTIME) * tb->unit;
	t->stime = kobj_u64(o, M_TASK_STIME) * tb->unit;
	t->min_flt = kobj_u64(o, M_TASK_MIN_FLT);
	t->maj_flt = kobj_u64(o, M_TASK_MAJ_FLT);
	t->start_boottime = read_start(tb);
	t->mm = NONE;
	t->proc = NONE;
	ret->uid = (uint32_t)kobj_u64(o, M_TASK_UID);
	ret->euid = (uint32_t)kobj_u64(o, M_TASK_EUID);
	ret->gid = (uint32_t)kobj_u64(o, M_TASK_GID);
	ret->mm = kobj_u64(o, M_TASK_MM);
	ret->signal = kobj_u64(o, M_TASK_SIGNAL);
	ret->cred = kobj_u64(o, M_TASK_CRED);
	ret->parent = kobj_u64(o, M_TASK_PARENT);
	ret->cgroups = kobj_u64(o, M_TASK_CGROUPS);
	ret->thread_pid = kobj_u64(o, M_TASK_THREAD_PID);
	ret->runtime = kobj_u64(o, M_TASK_EXEC_RUNTIME);
	ret->static_prio = (int32_t)kobj_int(o, M_TASK_STATIC_PRIO);
	for (unsigned i = 0; has(o->k, M_TASK_RSS_CACHE) && i < RSS_COUNTERS; i++) {
		int64_t at = rss_counter_index(o->k, i);

		if (at >= 0)
			ret->rss[i] = (int32_t)kobj_elem(o, M_TASK_RSS_CACHE, (uint32_t)at);
	}
}

/* A task_struct that was freed and reused shows in its numbers first. */
static bool task_plausible(const struct raw_task *t)
{
	return t->t.pid >= 0 && t->t.pid < (int32_t)TASKS_MAX &&
	       t->t.tgid >= 0 && t->t.tgid < (int32_t)TASKS_MAX;
}

/* Index in raw, or NONE when it is not readable or not a task. */
static uint32_t add_task(struct tasks_builder *tb, uint64_t addr)
{
	struct kernel *k = tb->b->k;
	uint32_t i = hash_get(&tb->seen, addr);
	struct raw_task rt = { 0 };
	enum status st;

	if (i != HASH_NONE)
		return i;
	if (!kernel_ptr_ok(k, addr, k->dump->word_size))
		return NONE;
	if (tb->raw.n >= TASKS_MAX) {
		issue_add(k->issues, ST_LIMIT, "task", 1, "more than %u tasks", TASKS_MAX);
		return NONE;
	}
	st = kobj_read(&tb->task, tb->b->r, addr);
	if (!st) {
		read_task(tb, &rt);
		if (!task_plausible(&rt))
			st = ST_CORRUPT;
	}
	if (st) {
		issue_add(k->issues, st, "task", 1, "task_struct at %#" PRIx64, addr);
		return NONE;
	}
	i = (uint32_t)tb->raw.n;
	*vec_push(&tb->b->scratch, &tb->raw) = rt;
	hash_put(&tb->seen, addr, i);
	return i;
}

/* ---- threads of one leader ---------------------------------------------------------- */

/* Live: has the task been let go of since it was read? */
static bool task_is_gone(struct tasks_builder *tb, const struct raw_task *t)
{
	struct raw_task now = { 0 };

	reader_renew(tb->b->r);
	if (kobj_read(&tb->task, tb->b->r, t->t.addr))
		return true;
	read_task(tb, &now);
	return now.t.pid != t->t.pid || now.signal != t->signal || now.t.state == 'X';
}

static enum status walk_ring(struct tasks_builder *tb, uint64_t head, uint32_t off,
			     const struct raw_task *leader)
{
	struct kernel *k = tb->b->k;
	struct listwalk w = listwalk_start(k, tb->b->r, head, TASKS_MAX);

	while (listwalk_next(&w))
		add_task(tb, w.node - off);
	if (w.st)
		issue_add(k->issues, w.st, "thread list", 1,
			  "of pid %d, task_struct %#" PRIx64 ", after %" PRIu64 " threads",
			  leader->t.pid, leader->t.addr, w.seen);
	return w.st;
}

/* OFF: of the list's node in a task. */
static void add_ring(struct tasks_builder *tb, uint64_t head, uint32_t off,
		     const struct raw_task *leader)
{
	struct kernel *k = tb->b->k;
	uint64_t addr = leader->t.addr;
	struct attempt a;
	struct listwalk w;
	enum status st;

	attempt_begin(&a, k, tb->b->r);
	do {
		st = walk_ring(tb, head, off, leader);
	} while (attempt_again(&a, "thread list"));
	if (attempt_failed(&a) && task_is_gone(tb, leader)) {
		attempt_gone(&a, "process", "ended while its threads were read");
		return;
	}
	if (!st)
		return;
	w = listwalk_backwards(k, tb->b->r, head, TASKS_MAX);
	while (listwalk_next(&w))
		add_task(tb, w.node - off);
	if (w.seen || head == addr + off)
		return;
	/* the head itself is not in the dump: the others still hang on the leader */
	w = listwalk_start(k, tb->b->r, addr + off, TASKS_MAX);
	while (listwalk_next(&w) && w.node != head)
		add_task(tb, w.node - off);
}

static void add_threads(struct tasks_builder *tb, uint32_t leader)
{
	const struct layout *l = &tb->b->k->layout;
	struct raw_task t = tb->raw.v[leader];

	if (layout_has(l, M_TASK_THREAD_NODE) && layout_has(l, M_SIG_THREAD_HEAD)) {
		if (t.signal)
			add_ring(tb, t.signal + layout_offset(l, M_SIG_THREAD_HEAD),
				 layout_offset(l, M_TASK_THREAD_NODE), &t);
	} else if (layout_has(l, M_TASK_THREAD_GROUP)) {
		add_ring(tb, t.t.addr + layout_offset(l, M_TASK_THREAD_GROUP),
			 layout_offset(l, M_TASK_THREAD_GROUP), &t);
	} else if (layout_has(l, M_TASK_PIDS) && layout_has(l, M_PID_LIST)) {
		/* its place in the list of those with this TGID */
		uint32_t off = layout_offset(l, M_TASK_PIDS) + layout_offset(l, M_PID_LIST) +
			       PIDTYPE_TGID * l->v[M_TASK_PIDS].m.stride;

		add_ring(tb, t.t.addr + off, off, &t);
	}
}

/* ---- all leaders ------------------------------------------------------------------------ */

/* The second root: struct pid by number, and the tasks hanging on each. */
struct pid_visit {
	struct tasks_builder *tb;
	uint64_t found;
};

static bool visit_pid(void *arg, const struct xa_entry *e)
{
	struct pid_visit *v = arg;
	const struct kernel *k = v->tb->b->k;
	const struct fact *links = &k->layout.v[M_TASK_PID_LINKS];
	uint64_t first;

	if (e->is_value || !kernel_ptr_ok(k, e->value, k->dump->word_size))
		return true;
	/* tasks[PIDTYPE_PID] and pid_links[PIDTYPE_PID] are the first elements */
	if (kmember_u64(k, v->tb->b->r, e->value, M_PID_TASKS, &first) || !first)
		return true;
	if (hash_get(&v->tb->seen, first - links->m.offset) == HASH_NONE &&
	    add_task(v->tb, first - links->m.offset) != NONE)
		v->found++;
	return true;
}

static void add_by_pid_tree(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	struct pid_visit v = { .tb = tb };
	uint64_t ns = layout_symbol(&k->layout, Y_INIT_PID_NS);

	if (!ns || !has(k, M_PIDNS_IDR) || !has(k, M_PID_TASKS) || !has(k, M_TASK_PID_LINKS))
		return;
	xarray_walk(k, tb->b->r, ns + layout_offset(&k->layout, M_PIDNS_IDR), 0, TASKS_MAX,
		    visit_pid, &v);
	if (v.found)
		log_info(k->dump->log, "%" PRIu64 " tasks found by the pid tree alone", v.found);
}

static void add_leaders(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	uint64_t init = layout_symbol(&k->layout, Y_INIT_TASK);
	uint32_t off = layout_offset(&k->layout, M_TASK_TASKS);
	struct attempt a;
	struct listwalk w;

	attempt_begin(&a, k, tb->b->r);
	do {			/* what an earlier walk found stays */
		w = listwalk_start(k, tb->b->r, init + off, TASKS_MAX);
		add_task(tb, init);
		while (listwalk_next(&w))
			add_task(tb, w.node - off);
		if (w.st)
			issue_add(k->issues, w.st, "task list", 1,
				  "broken after %" PRIu64 " tasks", w.seen);
	} while (attempt_again(&a, "task list"));
	if (w.st) {
		w = listwalk_backwards(k, tb->b->r, init + off, TASKS_MAX);
		while (listwalk_next(&w))
			add_task(tb, w.node - off);
		add_by_pid_tree(tb);
	}
	for (uint32_t i = 0, n = (uint32_t)tb->raw.n; i < n; i++)
		add_threads(tb, i);
}

/* 2.4: a ring of plain pointers with every thread in it. */
static void add_by_next_task(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	uint64_t init = layout_symbol(&k->layout, Y_INIT_TASK), addr = init;
	enum status st = ST_OK;

	do {
		size_t before = tb->raw.n;

		if (add_task(tb, addr) == NONE || tb->raw.n == before) {
			st = ST_CORRUPT;	/* unreadable, or met before: not a ring */
			break;
		}
		st = kmember_u64(k, tb->b->r, addr, M_TASK_NEXT, &addr);
	} while (!st && addr != init);
	if (st)
		issue_add(k->issues, st, "task list", 1, "broken after %zu tasks", tb->raw.n);
}

static void add_idle(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	uint64_t rq = layout_symbol(&k->layout, Y_RUNQUEUES), idle;

	for (uint32_t i = 0; rq && has(k, M_RQ_IDLE) && i < k->ncpus; i++)
		if (!kmember_u64(k, tb->b->r, rq + k->percpu[i], M_RQ_IDLE, &idle))
			add_task(tb, idle);
}

/* ---- processes ---------------------------------------------------------------------------- */

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
}

static void read_pidns(struct tasks_builder *tb, const struct raw_task *rt, struct proc *p)
{
	struct kernel *k = tb->b->k;
	const struct layout *l = &k->layout;
	uint64_t level, nr;

	p->pidns_pid = p->pid;
	if (!rt->thread_pid || !layout_has(l, M_PID_NUMBERS) || !layout_has(l, M_UPID_NR) ||
	    kmember_u64(k, tb->b->r, rt->thread_pid, M_PID_LEVEL, &level) ||
	    level > 32)		/* MAX_PID_NS_LEVEL */
		return;
	p->pidns_level = (uint32_t)level;
	if (!read_kva_uint(tb->b->r,
			   rt->thread_pid + layout_offset(l, M_PID_NUMBERS) +
				   level * layout_size(l, S_UPID) + layout_offset(l, M_UPID_NR),
			   4, &nr))
		p->pidns_pid = (int32_t)nr;
}

/*
 * A * B / C, as mul_u64_u64_div_u64() for cputime_adjust(), without integers of
 * 128 bits, which hosts of 32 bits lack: quotient and rest of (the bits of A so
 * far) * B, from the highest on. The quotient's low 64 bits.
 */
static uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t quotient = 0, rest = 0, quotient_b = b / c, rest_b = b % c, add;

	for (unsigned bit = 64; bit--;) {
		for (unsigned half = 0; half < 2; half++) {
			if (half && !(a >> bit & 1))
				break;
			add = half ? rest_b : rest;	/* twice what there is, then one B */
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

/* True if tb->sig now holds the signal_struct of the group. */
static bool read_signal(struct tasks_builder *tb, const struct raw_task *rt, uint32_t pi)
{
	struct build *b = tb->b;
	struct proc *p = &b->s->procs[pi];
	enum status st;

	if (!rt->signal)
		return false;
	st = kobj_read(&tb->sig, b->r, rt->signal);
	if (st) {
		issue_add(b->k->issues, st, "signal_struct", 1, "of pid %d", rt->t.pid);
		return false;
	}
	p->oom_score_adj = (int16_t)kobj_int(&tb->sig, M_SIG_OOM_SCORE_ADJ);
	b->proc_oom_mm[pi] = kobj_u64(&tb->sig, M_SIG_OOM_MM);
	p->oom_victim = b->proc_oom_mm[pi] != 0;
	/* what the dead threads of the group used */
	p->utime += kobj_u64(&tb->sig, M_SIG_UTIME) * tb->unit;
	p->stime += kobj_u64(&tb->sig, M_SIG_STIME) * tb->unit;
	p->min_flt += kobj_u64(&tb->sig, M_SIG_MIN_FLT);
	p->maj_flt += kobj_u64(&tb->sig, M_SIG_MAJ_FLT);
	return true;
}

/* No user memory, and not because it ended. */
static bool looks_like_kthread(const struct raw_task *raw, uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++)
		if (raw[i].mm || raw[i].t.state == 'Z' || raw[i].t.flags & PF_EXITING)
			return false;
	return true;
}

/* Threads of one group lie side by side in tasks: fill their proc. */
static void make_proc(struct tasks_builder *tb, const struct raw_task *raw, uint32_t first,
		      uint32_t n)
{
	struct build *b = tb->b;
	struct snapshot *s = b->s;
	uint32_t pi = s->nprocs++, lead = first;
	struct proc *p = &s->procs[pi];
	uint64_t runtime = 0;
	const struct raw_task *rt;

	for (uint32_t i = first; i < first + n; i++)
		if (raw[i].t.pid == raw[i].t.tgid)
			lead = i;
	rt = &raw[lead];
	*p = (struct proc){
		.leader = lead, .first_task = first, .ntasks = n, .mm = NONE,
		.kthread = rt->t.flags & PF_KTHREAD, .pid = rt->t.tgid,
		.nice = (int8_t)(rt->static_prio ? rt->static_prio - 120 : 0),
		.cgroup = NONE, .start_boottime = rt->t.start_boottime,
	};
	if (b->k->rules.on[RULE_NO_PF_KTHREAD])
		p->kthread = looks_like_kthread(raw, first, n);
	if (!p->pid)
		p->kthread = true;	/* the idle tasks; PF_KTHREAD since 5.17 only */
	read_cred(tb, rt, p);
	read_pidns(tb, rt, p);
	for (uint32_t i = first; i < first + n; i++) {
		s->tasks[i].proc = pi;
		p->utime += raw[i].t.utime;
		p->stime += raw[i].t.stime;
		p->min_flt += raw[i].t.min_flt;
		p->maj_flt += raw[i].t.maj_flt;
		runtime += raw[i].runtime;
	}
	b->proc_css_set[pi] = rt->cgroups;
	if (read_signal(tb, rt, pi) && has(b->k, M_SIG_PREV_UTIME))
		adjust_cputime(p, runtime + kobj_u64(&tb->sig, M_SIG_RUNTIME),
			       kobj_u64(&tb->sig, M_SIG_PREV_UTIME) * tb->unit,
			       kobj_u64(&tb->sig, M_SIG_PREV_STIME) * tb->unit);
	if (!tb->unit)
		p->utime = p->stime = UINT64_MAX;	/* not known */
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

static void fill_parents(struct tasks_builder *tb)
{
	struct snapshot *s = tb->b->s;
	struct hash index = { .mem = &tb->b->scratch };

	for (uint32_t i = 0; i < s->ntasks; i++)
		hash_put(&index, s->tasks[i].addr, i);
	for (uint32_t i = 0; i < s->ntasks; i++) {
		uint32_t p = hash_get(&index, tb->raw.v[i].parent);

		s->tasks[i].ppid = p == HASH_NONE ? 0 : s->tasks[p].tgid;
	}
	for (uint32_t i = 0; i < s->nprocs; i++)
		s->procs[i].ppid = s->tasks[s->procs[i].leader].ppid;
}

static void make_snapshot_arrays(struct tasks_builder *tb)
{
	struct build *b = tb->b;
	struct snapshot *s = b->s;
	uint32_t n = (uint32_t)tb->raw.n;

	if (!n)
		return;		/* not even init_task is readable */
	qsort(tb->raw.v, n, sizeof(*tb->raw.v), by_group);
	s->tasks = arena_array(&s->mem, struct task, n);
	s->procs = arena_array(&s->mem, struct proc, n);
	s->ntasks = n;
	b->task_mm = arena_array(&b->scratch, uint64_t, n);
	b->task_rss = arena_calloc(&b->scratch, n, sizeof(*b->task_rss));
	b->proc_oom_mm = arena_array(&b->scratch, uint64_t, n);
	b->proc_css_set = arena_array(&b->scratch, uint64_t, n);
	for (uint32_t i = 0; i < n; i++) {
		s->tasks[i] = tb->raw.v[i].t;
		/* kthread_use_mm() borrows: /proc shows no memory for these */
		b->task_mm[i] = !b->k->rules.on[RULE_NO_PF_KTHREAD] &&
				tb->raw.v[i].t.flags & PF_KTHREAD ? 0 : tb->raw.v[i].mm;
		memcpy(b->task_rss[i], tb->raw.v[i].rss, sizeof(b->task_rss[i]));
	}
	for (uint32_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && s->tasks[j].tgid == s->tasks[i].tgid; j++)
			;
		make_proc(tb, tb->raw.v, i, j - i);
	}
	fill_parents(tb);
}

void build_tasks(struct build *b)
{
	struct tasks_builder tb = { .b = b, .seen = { .mem = &b->scratch } };

	tb.unit = time_unit(b->k, b->r);
	kobj_init(&tb.task, b->k, S_TASK);
	kobj_init(&tb.sig, b->k, S_SIGNAL);
	kobj_init(&tb.cred, b->k, S_CRED);
	if (has(b->k, M_TASK_TASKS))
		add_leaders(&tb);
	else
		add_by_next_task(&tb);
	add_idle(&tb);
	make_snapshot_arrays(&tb);
	kobj_release(&tb.task);
	kobj_release(&tb.sig);
	kobj_release(&tb.cred);
}
