/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attempt.c - repeats a walk of a running machine when it fails.
 */
#include "model/kernel/attempt.h"

#include <time.h>

#include "facts/layout/mm.h"
#include "facts/layout/task.h"
#include "model/kernel/kobj.h"

#define ATTEMPTS_MAX 8u		/* walks of one object */
#define PAUSE_NS 500000		/* between them: the change should come to an end */

void attempt_begin(struct attempt *a, struct kernel *k, struct reader *r)
{
	a->k = k;
	a->r = r;
	a->n = 0;
	if (!k->dump->live)
		return;
	reader_renew(r);
	issues_mark(k->issues, &a->before);
}

bool attempt_failed(const struct attempt *a)
{
	return a->k->dump->live && issues_since(a->k->issues, &a->before);
}

static void take_back(struct attempt *a, const char *object, const char *what)
{
	issues_undo(a->k->issues, &a->before);
	issue_add(a->k->issues, ST_TORN, object, 1, "%s", what);
	issues_mark(a->k->issues, &a->before);
}

bool attempt_again(struct attempt *a, const char *object)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (!attempt_failed(a) || ++a->n == ATTEMPTS_MAX)
		return false;
	take_back(a, object, "changed while it was read, and was read again");
	nanosleep(&pause, NULL);
	reader_renew(a->r);
	return true;
}

void attempt_gone(struct attempt *a, const char *object, const char *what)
{
	take_back(a, object, what);
}

static bool task_uses(const struct kernel *k, struct reader *r, const struct task *t, uint64_t mm)
{
	uint64_t pid, now;

	return !kmember_u64(k, r, t->addr, M_TASK_PID, &pid) && (int32_t)pid == t->pid &&
	       !kmember_u64(k, r, t->addr, M_TASK_MM, &now) && now == mm;
}

bool mm_still_used(const struct snapshot *s, struct reader *r, uint32_t mi)
{
	const struct mm *m = &s->mms[mi];
	const struct proc *p;

	if (!s->k->dump->live || m->owner == NONE)
		return true;
	reader_renew(r);
	p = &s->procs[m->owner];
	for (uint32_t i = 0; i < p->ntasks; i++)
		if (task_uses(s->k, r, &s->tasks[p->first_task + i], m->addr))
			return true;
	if (m->nprocs < 2)
		return false;
	for (uint32_t i = 0; i < s->ntasks; i++)
		if (s->tasks[i].mm == mi && task_uses(s->k, r, &s->tasks[i], m->addr))
			return true;
	return false;
}

bool vma_still_there(const struct snapshot *s, struct reader *r, const struct vma *v)
{
	uint64_t start, end, file;

	if (!s->k->dump->live)
		return true;
	reader_renew(r);
	/* the next mmap() may get the same range, and the same vm_area_struct */
	return !kmember_u64(s->k, r, v->addr, M_VMA_START, &start) && start == v->start &&
	       !kmember_u64(s->k, r, v->addr, M_VMA_END, &end) && end == v->end &&
	       !kmember_u64(s->k, r, v->addr, M_VMA_FILE, &file) && file == v->file_addr;
}
