/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks that are in no list of tasks: hidden by somebody, or lost by damage. A task is linked in
 * three more places: the tree of process numbers, which /proc reads, the list of its parent's
 * children, and the CPU that runs it.
 */
#include "model/kernel/task/tasks.h"

#include <inttypes.h>

#include "facts/layout/system.h"
#include "facts/layout/task.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/walk/xarray.h"

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
	    tasks_add(v->tb, first - links->m.offset) != NONE)
		v->found++;
	return true;
}

void tasks_add_by_number(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	struct pid_visit v = { .tb = tb };
	uint64_t ns = layout_symbol(&k->layout, Y_INIT_PID_NS);

	if (!ns || !has(k, M_PIDNS_IDR) || !has(k, M_PID_TASKS) || !has(k, M_TASK_PID_LINKS))
		return;
	xarray_walk(k, tb->b->r, ns + layout_offset(&k->layout, M_PIDNS_IDR), 0, TASKS_MAX,
		    visit_pid, &v);
	if (v.found)
		log_info(k->dump->log, "%" PRIu64 " tasks found only by the pid tree", v.found);
}

/* A task that ended leaves all lists before its CPU leaves it (release_task(), kernel/exit.c). */
static void add_running(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	uint64_t rq = layout_symbol(&k->layout, Y_RUNQUEUES), curr, exit_state;

	for (uint32_t i = 0; rq && has(k, M_RQ_CURR) && i < k->ncpus; i++)
		if (!kmember_u64(k, tb->b->r, rq + k->percpu[i], M_RQ_CURR, &curr) && curr &&
		    hash_get(&tb->seen, curr) == HASH_NONE &&
		    !kmember_u64(k, tb->b->r, curr, M_TASK_EXIT_STATE, &exit_state) && !exit_state)
			tasks_add(tb, curr);
}

static void add_children(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	uint32_t children = layout_offset(&k->layout, M_TASK_CHILDREN);
	uint32_t sibling = layout_offset(&k->layout, M_TASK_SIBLING);

	if (!has(k, M_TASK_CHILDREN) || !has(k, M_TASK_SIBLING))
		return;
	for (size_t i = 0; i < tb->raw.n; i++) {
		struct listwalk w =
			listwalk_start(k, tb->b->r, tb->raw.v[i].t.addr + children, TASKS_MAX);

		while (listwalk_next(&w))
			tasks_add(tb, w.node - sibling);
	}
}

void tasks_add_unlisted(struct tasks_builder *tb)
{
	struct kernel *k = tb->b->k;
	uint32_t listed = (uint32_t)tb->raw.n;

	if (k->dump->live || tb->broken)
		return;
	tb->by = "by its number";
	tasks_add_by_number(tb);
	tb->by = "as a child of its parent";
	add_children(tb);
	tb->by = "running on a CPU";
	add_running(tb);
	tb->by = "as a thread of a hidden process";
	for (uint32_t i = listed, n = (uint32_t)tb->raw.n; i < n; i++)
		tasks_add_threads(tb, i);
	tb->by = NULL;
	if (tb->raw.n > listed)
		issue_add(k->issues, ST_CORRUPT, "task list", tb->raw.n - listed,
			  "%zu tasks are in no list: pid %" PRId32, tb->raw.n - listed,
			  tb->raw.v[listed].t.pid);
}
