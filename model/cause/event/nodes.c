/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes.c - an event whose log has no constraint, as that of a panic (5.0 and later print it with the
 * victim only): a node that the log left out was not allowed.
 *
 * show_mem() leaves out nodes that the task may not use (SHOW_MEM_FILTER_NODES, 7bf02ea22c6c, v3.0),
 * and zones above those of the request (974f4367dd31, v6.1).
 */
#include <inttypes.h>
#include <string.h>

#include "model/cause/event/events.h"
#include "model/kernel/zone/zones.h"

static bool printed_node(const struct oom_event *e, int32_t id)
{
	for (size_t i = 0; i < e->zones.n; i++)
		if (e->zones.v[i].node == id)
			return true;
	return false;
}

/* A zone of that name was printed, of whatever node: the request could use such. */
static bool printed_name(const struct oom_event *e, const char *name)
{
	for (size_t i = 0; i < e->zones.n; i++)
		if (!strcmp(e->zones.v[i].name, name))
			return true;
	return false;
}

static bool left_out(const struct oom_event *e, const struct zones *zs)
{
	for (uint32_t i = 0; i < zs->n; i++) {
		const struct zone *z = &zs->v[i];

		if (z->present && z->node < zs->nnodes && z->name &&
		    !printed_node(e, zs->nodes[z->node].id) && printed_name(e, z->name))
			return true;
	}
	return false;
}

/* "0,2": the nodes of the zones that were printed. */
static const char *printed(const struct oom_event *e, const struct zones *zs, struct arena *mem)
{
	const char *list = NULL;

	for (uint32_t i = 0; i < zs->nnodes; i++)
		if (printed_node(e, zs->nodes[i].id))
			list = list ? arena_printf(mem, "%s,%" PRId32, list, zs->nodes[i].id)
				    : arena_printf(mem, "%" PRId32, zs->nodes[i].id);
	return list;
}

/* A task of the root group has no cpuset of its own, as a rule: it is its policy. */
static bool has_cpuset(const struct snapshot *s, int64_t pid)
{
	uint32_t i = snapshot_proc_by_pid(s, pid);
	uint32_t c = i == NONE ? NONE : s->procs[i].cgroup;

	return c < s->ncgroups && s->cgroups[c].path && strcmp(s->cgroups[c].path, "/");
}

void oom_infer_nodes(const struct snapshot *s, struct oom_log *log, struct arena *mem)
{
	struct zones zs = { .n = 0 };
	bool built = false;

	for (size_t i = 0; i < log->n; i++) {
		struct oom_event *e = &log->v[i];

		if (!e->inferred || e->constraint != OOM_NONE || !e->zones.n)
			continue;
		if (!built && zones_build(s, mem, 0, &zs))
			return;
		built = true;
		if (zs.nnodes < 2 || !printed(e, &zs, mem) || !left_out(e, &zs))
			continue;
		if (has_cpuset(s, e->pid)) {
			e->constraint = OOM_CPUSET;
			e->mems_allowed = printed(e, &zs, mem);
		} else {
			e->constraint = OOM_MEMPOLICY;
			e->nodemask = printed(e, &zs, mem);
		}
	}
}
