/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Badness of processes, as the dumped kernel computes it. */
#include "model/cause/choice/badness.h"

#include "facts/layout/task.h"
#include "model/kernel/source.h"

#define OOM_SCORE_ADJ_MIN (-1000)
#define MMF_OOM_SKIP 21		/* MMF_OOM_REAPED in 4.7 and 4.8 */

/* 2.6.36 .. 3.4: thousandths of TOTAL, from 1 to 1000. */
static int64_t in_thousandths(const struct kernel *k, const struct badness_of *of, uint64_t pages,
			      uint64_t total)
{
	int64_t points = (int64_t)(pages * 1000 / total);

	if (of->admin && kernel_rule(k, RULE_OOM_ADMIN_30))
		points -= 30;
	points += of->oom_score_adj;
	return points <= 0 ? 1 : points > 1000 ? 1000 : points;
}

static int64_t in_pages(const struct kernel *k, const struct badness_of *of, uint64_t pages,
			uint64_t total)
{
	int64_t points = (int64_t)pages, adj = of->oom_score_adj;

	if (of->admin && kernel_rule(k, RULE_OOM_ADMIN_PERCENT)) /* RHEL 7 has left the other */
		points -= points * 3 / 100;
	else if (of->admin && kernel_rule(k, RULE_OOM_ADMIN_30))
		adj -= 30;
	points += adj * (int64_t)(total / 1000);
	return points > 0 || kernel_rule(k, RULE_OOM_SIGNED) ? points : 1;
}

struct badness badness_compute(const struct kernel *k, const struct badness_of *of, uint64_t total)
{
	struct badness ret = { .known = kernel_rule(k, RULE_OOM_SCORE_ADJ) && total };
	uint64_t pages = of->rss + of->swap;

	if (kernel_rule(k, RULE_OOM_PTES))
		pages += of->tables;
	/* more pages than any machine has: damage; products below stay in 64 bits */
	if (pages >> 48 || total >> 48)
		ret.known = false;
	if (!ret.known)
		return ret;
	if (of->oom_score_adj == OOM_SCORE_ADJ_MIN)
		ret.unkillable = true;
	else if (kernel_rule(k, RULE_OOM_PAGES))
		ret.points = in_pages(k, of, pages, total);
	else
		ret.points = in_thousandths(k, of, pages, total);
	return ret;
}

uint64_t badness_total(const struct snapshot *s)
{
	uint64_t ram = machine_meminfo(&s->machine, "MemTotal");
	uint64_t swap = machine_meminfo(&s->machine, "SwapTotal");

	return ram == UINT64_MAX || swap == UINT64_MAX ? 0 : (ram + swap) >> s->k->page_shift;
}

/* The task whose mm counts: find_lock_task_mm(). */
static const struct task *task_with_mm(const struct snapshot *s, const struct proc *p)
{
	for (uint32_t i = 0; i < p->ntasks; i++)
		if (s->tasks[p->first_task + i].mm != NONE)
			return &s->tasks[p->first_task + i];
	return NULL;
}

/* A rule asks for CAP_SYS_ADMIN, and no fact tells where it is. */
static bool admin_unknown(const struct kernel *k)
{
	return (kernel_rule(k, RULE_OOM_ADMIN_30) || kernel_rule(k, RULE_OOM_ADMIN_PERCENT)) &&
	       !has(k, M_CRED_CAPS);
}

/* No fact tells whether vfork() made P, and it shares its mm with its parent: it may have. */
static bool maybe_vfork(const struct snapshot *s, const struct proc *p)
{
	uint32_t parent = snapshot_proc_by_pid(s, p->ppid);

	return !has(s->k, M_TASK_VFORK_DONE) && parent != NONE && s->procs[parent].mm == p->mm;
}

/* Does the kernel leave P out, whatever its size? */
static bool left_out(const struct snapshot *s, const struct proc *p)
{
	const struct task *t = task_with_mm(s, p);

	if (p->kthread || p->pid == 1 || !t || s->mms[t->mm].oom_disabled)
		return true;
	if (kernel_rule(s->k, RULE_OOM_SKIP) && s->mms[t->mm].flags >> MMF_OOM_SKIP & 1)
		return true;
	return kernel_rule(s->k, RULE_OOM_VFORK) && t->in_vfork;
}

struct badness proc_badness(const struct snapshot *s, const struct proc *p, uint64_t total)
{
	const struct task *t = task_with_mm(s, p);
	struct badness_of of = { .oom_score_adj = p->oom_score_adj, .admin = p->admin };
	const int64_t *n;

	if (!source_has(s->k, SOURCE_MEMORY) || !source_has(s->k, SOURCE_COUNTERS) || p->mm_unread)
		return (struct badness){ .known = false };
	if (left_out(s, p))
		return (struct badness){ .known = kernel_rule(s->k, RULE_OOM_SCORE_ADJ),
					 .unkillable = true };
	if (!p->adj_known)
		return (struct badness){ .known = false };
	if (of.oom_score_adj != OOM_SCORE_ADJ_MIN &&
	    (admin_unknown(s->k) || (kernel_rule(s->k, RULE_OOM_VFORK) && maybe_vfork(s, p))))
		return (struct badness){ .known = false };
	n = kernel_rule(s->k, RULE_OOM_EXACT) ? s->mms[t->mm].counter
					      : s->mms[t->mm].counter_approx;
	of.rss = (uint64_t)n[RSS_FILE] + (uint64_t)n[RSS_ANON] + (uint64_t)n[RSS_SHMEM];
	of.swap = (uint64_t)n[RSS_SWAP];
	of.tables = s->mms[t->mm].pgtables_bytes >> s->k->page_shift;
	return badness_compute(s->k, &of, total);
}

/* A long of the dumped kernel. */
static int64_t as_long(const struct snapshot *s, int64_t v)
{
	return s->k->dump && s->k->dump->word_size == 4 ? (int32_t)v : v;
}

uint64_t proc_oom_score(const struct snapshot *s, const struct proc *p)
{
	uint64_t total = badness_total(s);
	struct badness b = proc_badness(s, p, total);

	if (!b.known || !total)
		return UINT64_MAX;
	if (b.unkillable)
		return 0;
	if (!kernel_rule(s->k, RULE_OOM_PAGES))
		return (uint64_t)b.points;
	if (!kernel_rule(s->k, RULE_OOM_SIGNED))
		return (uint64_t)as_long(s, b.points * 1000) / total;
	return (uint64_t)((1000 + as_long(s, b.points * 1000) / (int64_t)total) * 2 / 3);
}
