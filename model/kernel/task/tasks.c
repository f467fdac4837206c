/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All tasks: leaders from init_task.tasks (or 2.4's ring of every thread), threads from
 * signal->thread_head (older: the thread_group ring). If a list is broken, also the tasks
 * that can be reached from its other end and from the pid tree. Each task_struct is taken
 * once: its address is the key of a seen-set.
 */
#include "model/kernel/task/tasks.h"

#include <inttypes.h>

#include "facts/layout/task.h"
#include "model/kernel/attempt.h"
#include "model/kernel/walk/list.h"

#define PIDTYPE_TGID 1u		/* enum pid_type, 2.6.0 .. 2.6.16 */

uint32_t tasks_add(struct tasks_builder *tb, uint64_t addr)
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
	st = task_read(tb, addr, &rt);
	if (st) {
		issue_add(k->issues, st, "task", 1, "task_struct at %#" PRIx64, addr);
		return NONE;
	}
	rt.t.unlisted = tb->by;
	rt.lead = NONE;
	i = (uint32_t)tb->raw.n;
	*vec_push(&tb->b->scratch, &tb->raw) = rt;
	hash_put(&tb->seen, addr, i);
	return i;
}

/* ---- threads of one leader ---------------------------------------------------------- */

/* Live: was the task released since it was read? */
static bool task_is_gone(struct tasks_builder *tb, const struct raw_task *t)
{
	struct raw_task now = { 0 };

	reader_renew(tb->b->r);
	return task_read(tb, t->t.addr, &now) || now.t.pid != t->t.pid || now.signal != t->signal ||
	       now.t.state == 'X';
}

static enum status walk_ring(struct tasks_builder *tb, uint64_t head, uint32_t off,
			     const struct raw_task *leader)
{
	struct kernel *k = tb->b->k;
	struct listwalk w = listwalk_start(k, tb->b->r, head, TASKS_MAX);

	while (listwalk_next(&w))
		tasks_add(tb, w.node - off);
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
	tb->broken = true;
	w = listwalk_backwards(k, tb->b->r, head, TASKS_MAX);
	while (listwalk_next(&w))
		tasks_add(tb, w.node - off);
	if (w.seen || head == addr + off)
		return;
	/* the head itself is not in the dump: the others are still linked to the leader */
	w = listwalk_start(k, tb->b->r, addr + off, TASKS_MAX);
	while (listwalk_next(&w) && w.node != head)
		tasks_add(tb, w.node - off);
}

/* INIT_TASK() of 2.6.32 (RHEL 6 too; not of 3.10) leaves the ring of init_task zeroed: it has no
   other threads. */
static bool ring_never_begun(struct tasks_builder *tb, uint64_t task)
{
	const struct layout *l = &tb->b->k->layout;
	uint64_t next;

	return task == layout_symbol(l, Y_INIT_TASK) &&
	       !read_kva_word(tb->b->r, task + layout_offset(l, M_TASK_THREAD_GROUP), &next) &&
	       !next;
}

void tasks_add_threads(struct tasks_builder *tb, uint32_t leader)
{
	const struct layout *l = &tb->b->k->layout;
	struct raw_task t = tb->raw.v[leader];

	if (layout_has(l, M_TASK_THREAD_NODE) && layout_has(l, M_SIG_THREAD_HEAD)) {
		if (t.signal)
			add_ring(tb, t.signal + layout_offset(l, M_SIG_THREAD_HEAD),
				 layout_offset(l, M_TASK_THREAD_NODE), &t);
	} else if (layout_has(l, M_TASK_THREAD_GROUP)) {
		if (ring_never_begun(tb, t.t.addr))
			return;
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

/*
 * A leader, its threads and what else its process has, while the pages with them are at hand.
 * Live: the walk over leaders is repeated if it fails, so they follow when it has ended.
 */
static void add_leader(struct tasks_builder *tb, uint64_t addr)
{
	uint32_t i = tasks_add(tb, addr);

	if (i == NONE || tb->b->k->dump->live || tb->raw.v[i].lead != NONE)
		return;
	tasks_read_lead(tb, i);
	tasks_add_threads(tb, i);
}

static void add_leaders(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	uint64_t init = layout_symbol(&k->layout, Y_INIT_TASK);
	uint32_t off = layout_offset(&k->layout, M_TASK_TASKS);
	struct attempt a;
	struct listwalk w;
	bool broken;
	uint32_t n;

	attempt_begin(&a, k, tb->b->r);
	do { /* results of an earlier walk stay */
		w = listwalk_start(k, tb->b->r, init + off, TASKS_MAX);
		add_leader(tb, init);
		while (listwalk_next(&w))
			add_leader(tb, w.node - off);
		broken = w.st;
		if (w.st)
			issue_add(k->issues, w.st, "task list", 1, "broken after %" PRIu64 " tasks",
				  w.seen);
	} while (attempt_again(&a, "task list"));
	tb->broken |= broken;
	if (broken) {
		w = listwalk_backwards(k, tb->b->r, init + off, TASKS_MAX);
		while (listwalk_next(&w))
			add_leader(tb, w.node - off);
	}
	n = k->dump->live ? 0 : (uint32_t)tb->raw.n;
	if (broken)
		tasks_add_by_number(tb);
	/* a kernel that has started init and kthreadd has a list of more than its head */
	if (!w.st && !w.seen) {
		issue_add(k->issues, ST_CORRUPT, "task list", 1, "no task except init_task");
		tasks_add_by_number(tb);
	}
	for (uint32_t end = (uint32_t)tb->raw.n; n < end; n++)
		tasks_add_threads(tb, n);
}

/* 2.4: a ring of plain pointers with every thread in it. */
static void add_by_next_task(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	uint64_t init = layout_symbol(&k->layout, Y_INIT_TASK), addr = init;
	enum status st = ST_OK;

	do {
		size_t before = tb->raw.n;

		if (tasks_add(tb, addr) == NONE || tb->raw.n == before) {
			st = ST_CORRUPT; /* unreadable, or met before: not a ring */
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
			tasks_add(tb, idle);
}

/* Processes by the kernel's counters, one for each CPU; each may be negative. 0: not known. */
static uint64_t count_processes(const struct tasks_builder *tb)
{
	const struct kernel *k = tb->b->k;
	uint64_t at = layout_symbol(&k->layout, Y_PROCESS_COUNTS), sum = 0, v;

	if (!at || issues_reason(k->issues, "cpu mask") ||
	    issues_reason(k->issues, "per-cpu offset"))
		return 0;
	for (uint32_t i = 0; i < k->ncpus; i++) {
		if (read_kva_word(tb->b->r, at + k->percpu[i], &v))
			return 0;
		sum += v;
	}
	if (k->dump->word_size == 4)
		sum = (uint32_t)sum;
	return sum <= TASKS_MAX ? sum : 0;
}

/*
 * copy_process() and release_task() count the tasks when they add them to the lists and
 * remove them. (Idle tasks are in no list.)
 */
static void compare_number(const struct tasks_builder *tb)
{
	const struct kernel *k = tb->b->k;
	uint64_t counted, found = 0;

	/* idle tasks are not counted since 73b9ebfe126a (v2.6.17), to which pid.tasks came as well */
	if (k->dump->live || (!has(k, M_TASK_THREAD_NODE) && !has(k, M_PID_TASKS)))
		return;
	tb->b->s->procs_counted = count_processes(tb);
	if (kvar_u64(k, tb->b->r, Y_NR_THREADS, 4, &counted))
		return;
	tb->b->s->tasks_counted = counted;
	for (size_t i = 0; i < tb->raw.n; i++)
		found += tb->raw.v[i].t.pid != 0;
	if (found != counted)
		issue_add(k->issues, ST_CORRUPT, "task list", 1,
			  "the kernel counts %" PRIu64 " tasks, %" PRIu64 " found", counted, found);
}

void build_tasks(struct build *b)
{
	struct tasks_builder tb = { .b = b, .seen = { .mem = &b->scratch } };

	tb.unit = task_time_unit(b->k, b->r);
	kobj_init(&tb.task, b->k, S_TASK);
	kobj_init(&tb.sig, b->k, S_SIGNAL);
	kobj_init(&tb.cred, b->k, S_CRED);
	if (has(b->k, M_TASK_TASKS))
		add_leaders(&tb);
	else
		add_by_next_task(&tb);
	add_idle(&tb);
	tasks_add_unlisted(&tb);
	compare_number(&tb);
	make_procs(&tb);
	kobj_release(&tb.task);
	kobj_release(&tb.sig);
	kobj_release(&tb.cred);
}
