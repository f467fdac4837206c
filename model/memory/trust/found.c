/* SPDX-License-Identifier: GPL-3.0-or-later */
/* found.c - the tasks and processes of the snapshot beside the kernel's own counts. */
#include "model/memory/trust/found.h"

#include <inttypes.h>

static uint64_t procs_found(const struct snapshot *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->nprocs; i++)
		n += s->procs[i].pid != 0;
	return n;
}

static uint64_t tasks_found(const struct snapshot *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->ntasks; i++)
		n += s->tasks[i].pid != 0;
	return n;
}

bool found_lacks(const struct snapshot *s, struct found *ret)
{
	struct found procs = { procs_found(s), s->procs_counted, "processes" };
	struct found tasks = { tasks_found(s), s->tasks_counted, "tasks" };
	const struct found *f = procs.n < procs.of ? &procs : &tasks;
	bool lacks = f->n < f->of;

	if (!procs.of && !tasks.of)
		lacks = issues_reason(s->k->issues, "task list") != ST_OK;
	if (ret)
		*ret = *f;
	return s->built & NEED_TASKS && lacks;
}

const char *found_text(const struct snapshot *s, struct arena *mem)
{
	struct found f;

	if (!found_lacks(s, &f))
		return NULL;
	if (!f.of)
		return arena_printf(mem, "%" PRIu64 " of an unknown number of %s", f.n, f.what);
	return arena_printf(mem, "%" PRIu64 " of %" PRIu64 " %s", f.n, f.of, f.what);
}

bool found_no_list(const struct snapshot *s)
{
	if (!(s->built & NEED_TASKS) || !issues_reason(s->k->issues, "task list"))
		return false;
	for (uint32_t i = 0; i < s->nprocs; i++)
		if (s->procs[i].pid && !s->procs[i].kthread)
			return false;
	return true;
}
