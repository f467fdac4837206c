/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * common.c - functions that several reports use.
 */
#include "reports/core/common.h"

#include <string.h>

enum status procs_range(const struct snapshot *s, const struct report_opts *o, struct diag *diag,
			uint32_t *first, uint32_t *end)
{
	uint32_t i;

	*first = 0;
	*end = s->nprocs;
	if (!o->pid)
		return ST_OK;
	i = snapshot_proc_by_pid(s, o->pid);
	if (i != NONE) {
		*first = i;
		*end = i + 1;
		return ST_OK;
	}
	for (i = 0; i < s->ntasks; i++)
		if (s->tasks[i].pid == o->pid)
			return fail(diag, ST_ABSENT, "%d is a thread of process %d; use --pid %d",
				    o->pid, s->tasks[i].tgid, s->tasks[i].tgid);
	return fail(diag, ST_ABSENT, "no process %d in the dump; \"procs --kernel\" lists all",
		    o->pid);
}

uint64_t pages_bytes(const struct snapshot *s, int64_t pages)
{
	return pages > 0 ? (uint64_t)pages * page_size(s) : 0;
}

bool like_is(const struct report_opts *o, const char *name)
{
	return o->like && !strcmp(o->like, name);
}
