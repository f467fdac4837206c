/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules_holder.c - what held the memory: one row for each cause. The uses of memory are sorted by
 * size (verdict.c); of each the first rule that holds makes the row.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/verdict/rules.h"

/* How sure it is that a holder of this size is the cause. */
static void weigh(const struct judge *j, struct verdict_row *r)
{
	unsigned share = ev_share(j->e, r->bytes);

	r->certainty = share >= 500 ? CERTAIN : share >= 250 ? LIKELY : GUESS;
	r->why = share >= 500	? WHY_MORE_THAN_HALF
		 : share >= 250 ? WHY_LARGEST_LESS_THAN_HALF
				: WHY_LARGEST_BUT_SMALL;
}

/* Do the processes explain the anonymous memory? Not if they are those of a later moment. */
static bool explain(const struct oom_evidence *e)
{
	return e->nprocs &&
	       (e->size[USE_ANON] == EV_UNKNOWN || ev_is_part(e->procs, e->size[USE_ANON], 500));
}

/* ---- processes -------------------------------------------------------------------------------- */

#define FORK_BOMB 100u		/* processes of one name; half, if they are known to be young */
#define SWARM 1000u		/* so many are one, however large each is */
#define SMALL (UINT64_C(4) << 20)	/* bytes of each */

/* The sizes are those that the log has, or those of the dump. */
static void of_processes(const struct judge *j, struct verdict_row *r, uint64_t bytes)
{
	r->bytes = bytes;
	weigh(j, r);
	if (!j->e->at_once)
		r->report = "oom --tasks";
}

/*
 * Their number is the trouble, not their size, and it grew in minutes: what is known to be older
 * piled up, or is a pool of workers.
 */
static bool is_bomb(const struct ev_name *n)
{
	bool young = n->dated && n->young >= n->dated - n->young;

	if (!n->comm || (n->dated && !young) || n->n < (young ? FORK_BOMB / 2 : FORK_BOMB))
		return false;
	return n->n >= SWARM || n->bytes / n->n <= SMALL;
}

static struct subject subject_of(const struct ev_proc *p)
{
	return (struct subject){ .kind = SUBJECT_PROCESS,
				 .name = p->comm,
				 .pid = p->pid == OOM_UNKNOWN ? 0 : p->pid };
}

bool rule_fork_bomb(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_name *n = &e->name;

	if (!is_bomb(n) || n->n < e->nprocs / 2 || ev_share(e, n->bytes) < 100)
		return false;
	of_processes(j, r, n->bytes);
	r->subject = (struct subject){ .kind = SUBJECT_PROGRAM, .name = n->comm };
	return true;
}

bool rule_locked_process(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_proc *p = &e->largest;

	if (!p->comm || p->locked == EV_UNKNOWN || !ev_is_part(p->locked, p->bytes, 500) ||
	    !ev_is_part(p->bytes, e->procs, 500))
		return false;
	of_processes(j, r, p->bytes);
	r->subject = subject_of(p);
	return true;
}

bool rule_one_grew(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_proc *p = &e->largest;
	bool most = ev_is_part(p->bytes, e->procs, 500);

	if (!p->comm || !explain(e) ||
	    (!most && (p->bytes / 2 < e->second.bytes || ev_share(e, p->bytes) < 250)))
		return false;
	of_processes(j, r, p->bytes);
	r->subject = subject_of(p);
	return true;
}

bool rule_many_of_name(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_name *n = &e->name;

	if (!n->comm || n->n < 2 || !explain(e) ||
	    !ev_is_part(n->bytes, ev_anonymous(e, e->procs), 500))
		return false;
	of_processes(j, r, n->bytes);
	r->subject = (struct subject){ .kind = SUBJECT_PROGRAM, .name = n->comm };
	return true;
}

bool rule_many(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!explain(e))
		return false;
	of_processes(j, r, ev_anonymous(e, e->procs));
	return true;
}

/* The processes do not explain it: the killed one is not in the table. */
bool rule_anonymous(const struct judge *j, struct verdict_row *r)
{
	r->bytes = j->e->size[USE_ANON];
	weigh(j, r);
	return true;
}

/* ---- one owner, or none known ------------------------------------------------------------------- */

#define TOLD_PART 50u		/* thousandths: less of a use is not worth a name */

/* Is the owner of SIZE bytes told by its name? */
static bool is_told(const struct ev_owner *o, uint64_t size)
{
	return o->name && ev_is_part(o->bytes, size, TOLD_PART);
}

static void set_owner(struct verdict_row *r, const struct ev_owner *o, uint64_t size)
{
	r->told = is_told(o, size);
	if (r->told)
		r->subject = o->subject;
}

bool rule_of_use(const struct judge *j, struct verdict_row *r)
{
	const struct ev_owner *o = &j->e->owner[r->use];

	r->bytes = ev_size(j->e, r->use);
	set_owner(r, o, r->bytes);
	weigh(j, r);
	if (o->cause != VC_NONE)
		r->cause = o->cause;
	/* the figure is that of the holder, if there is one of most */
	if (o->name && ev_is_part(o->bytes, r->bytes, 667) && o->bytes < r->bytes)
		r->bytes = o->bytes;
	return true;
}

bool rule_dentries(const struct judge *j, struct verdict_row *r)
{
	const char *name = j->e->owner[USE_RECLAIMABLE].name;

	return name && !strcmp(name, "dentry") && rule_of_use(j, r);
}

bool rule_hugetlb(const struct judge *j, struct verdict_row *r)
{
	r->bytes = j->e->size[USE_HUGETLB];
	set_owner(r, &j->e->owner[USE_HUGETLB], r->bytes);
	weigh(j, r);
	return true;
}

bool rule_other(const struct judge *j, struct verdict_row *r)
{
	rule_of_use(j, r);
	if (r->certainty == CERTAIN)
		r->certainty = LIKELY;
	if (j->e->owner[USE_OTHER].subject.pid || j->e->owner[USE_OTHER].among) {
		r->report = "oom";
		r->why = WHY_FREE_AFTER_KILL;
		return true;
	}
	r->why = WHY_NOT_ACCOUNTED;
	return true;
}

bool rule_unwritten(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_owner *o = &e->owner[USE_FILE];

	if (!ev_is_part(e->unwritten, e->size[USE_FILE], 500) || !e->event)
		return false;
	r->bytes = min_u64(e->unwritten, e->size[USE_FILE]);
	set_owner(r, o, r->bytes);
	weigh(j, r);
	return true;
}

bool rule_cache(const struct judge *j, struct verdict_row *r)
{
	if (ev_share(j->e, j->e->size[USE_FILE]) < 300)
		return false;
	rule_of_use(j, r);
	r->certainty = GUESS;
	r->why = WHY_CACHE_IS_RECLAIMED;
	return true;
}
