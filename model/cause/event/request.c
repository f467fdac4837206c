/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who asked for which memory, and under which limits. */
#include <string.h>

#include "model/cause/event/events.h"
#include "model/cause/event/gfp.h"

/* "KEY0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP)", from 4.6 on with the names. */
static void read_gfp(struct oom_reader *rd, struct oom_event *e, struct span s, const char *key)
{
	size_t n;

	s = span_from(s, span_find(s, key) + strlen(key));
	n = span_take('x', s);
	if (!n || !span_starts(s, "0"))
		return;
	if (span_starts(s, "0x"))
		e->gfp = span_value((struct span){ s.p, n });
	else
		e->gfp = n == 1 ? 0 : OOM_UNKNOWN; /* "%#x" of 0 */
	if (e->gfp == OOM_UNKNOWN)
		return;
	s = span_from(s, n);
	if (s.n && *s.p == '(' && span_find(s, ")") < s.n)
		e->gfp_names = oom_string(rd, (struct span){ s.p + 1, span_find(s, ")") - 1 });
	else
		e->gfp_names = gfp_text((uint64_t)e->gfp, &rd->o->release, rd->mem);
}

static const char *read_list(struct oom_reader *rd, struct span s, const char *key)
{
	size_t at = span_find(s, key), n;

	if (at == s.n)
		return NULL;
	s = span_from(s, at + strlen(key));
	n = span_take('l', s);
	/* "(null)": no mask */
	return n && *s.p != '(' ? oom_string(rd, (struct span){ s.p, n }) : NULL;
}

/* What follows the name of who asked: order and the like, in any order. */
static void read_pairs(struct oom_event *e, struct span s)
{
	struct pair p;

	while (pair_next(&s, &p)) {
		if (span_is(p.key, "order"))
			e->order = p.value;
		else if (span_is(p.key, "oom_score_adj") || span_is(p.key, "oomkilladj") ||
			 (span_is(p.key, "oom_adj") && e->oom_score_adj == OOM_UNKNOWN))
			e->oom_score_adj = p.value;
	}
}

/* ",cpuset=NAME,mems_allowed=LIST" at the end, since 4.15. */
static void read_cpuset(struct oom_reader *rd, struct oom_event *e, struct span s)
{
	struct span f[TEXT_FIELDS];

	if (!text_match("%p,cpuset=%p,mems_allowed=%l", s, f))
		return;
	e->cpuset = oom_string(rd, f[1]);
	e->mems_allowed = oom_string(rd, f[2]);
}

/*
 * 5.0 and later, in one line: the names of cpuset and task may hold what separates the
 * parts, and so may paths. A name of a cpuset has no slash; the task's control group is in
 * the one that is at its limit. Of the task's name may be left what separates it (without_comm()).
 */
static void read_paths(struct oom_reader *rd, struct oom_event *e, struct span s)
{
	static const char between[] = ",task_memcg=", task[] = ",task=";

	for (size_t at = 0; at < s.n; at++) {
		struct span a = { s.p, at }, b = span_from(s, at + sizeof(between) - 1);

		if (!span_starts(span_from(s, at), between) || !b.n || *b.p != '/')
			continue;
		e->oom_memcg = oom_string(rd, a);
		e->task_memcg = oom_string(rd, b);
		if (b.n >= a.n && !memcmp(a.p, b.p, a.n) &&
		    (b.n == a.n || b.p[a.n] == '/' || a.n == 1 ||
		     span_starts(span_from(b, a.n), task)))
			return;
	}
}

/* From the task on, from the right: ",task=COMM,pid=N,uid=N". */
static struct span read_summary_task(struct span s)
{
	struct span f[TEXT_FIELDS];

	if (text_match("%p,task=%c,pid=%d,uid=%d", s, f))
		return f[0];
	return s;
}

static enum oom_constraint constraint_of(struct span s)
{
	static const char *const names[OOM_CONSTRAINTS] = {
		[OOM_NONE] = "CONSTRAINT_NONE", [OOM_CPUSET] = "CONSTRAINT_CPUSET",
		[OOM_MEMPOLICY] = "CONSTRAINT_MEMORY_POLICY", [OOM_MEMCG] = "CONSTRAINT_MEMCG",
	};

	for (unsigned i = OOM_NONE; i < OOM_CONSTRAINTS; i++)
		if (span_is(s, names[i]))
			return (enum oom_constraint)i;
	return OOM_NOT_TOLD;
}

static void read_summary(struct oom_reader *rd, struct oom_event *e, struct span text)
{
#define START "oom-kill:constraint=%w,nodemask=%l,cpuset=%q,mems_allowed=%l"
	struct span s = read_summary_task(text), f[TEXT_FIELDS];

	/* the last field without its slash */
	if (text_match(START ",global_oom,task_memcg=/%*", s, f)) {
		e->task_memcg = oom_string(rd, (struct span){ f[4].p - 1, f[4].n + 1 });
		e->global = true;
	} else if (text_match(START ",oom_memcg=/%*", s, f)) {
		read_paths(rd, e, (struct span){ f[4].p - 1, f[4].n + 1 });
	} else if (!text_match(START, s, f) && !text_match(START ",%*", s, f)) {
		if (text_match("oom-kill:constraint=%w,%*", s, f))
			e->constraint = constraint_of(f[0]);
		return;
	}
#undef START
	e->constraint = constraint_of(f[0]);
	e->nodemask = f[1].n && *f[1].p != '(' ? oom_string(rd, f[1]) : NULL;
	e->cpuset = oom_string(rd, f[2]);
	e->mems_allowed = oom_string(rd, f[3]);
}

static void read_who(struct oom_event *e, const struct oom_text *t)
{
	const char *pattern = t->m->form->pattern;
	unsigned at = *pattern == 'P' ? 0 : strstr(pattern, "UID") ? 2 : 1;

	if (e->pid == OOM_UNKNOWN)
		e->pid = span_value(t->m->field[at]);
}

void oom_request(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t)
{
	const struct span *f = t->m->field;
	struct span g[TEXT_FIELDS];
	bool named = *t->m->form->pattern == '%';

	switch (t->m->form->line) {
	case LINE_INVOKED:
		e->comm = named ? oom_string(rd, f[0]) : NULL;
		read_gfp(rd, e, f[named], "gfp_mask=");
		e->nodemask = read_list(rd, f[named], "nodemask=");
		read_pairs(e, f[named]);
		break;
	case LINE_FAILURE:
	case LINE_STALL:
		if (!named) { /* 2.4 */
			e->order = span_value(f[0]);
			if (f[1].n && *f[1].p == '0')
				read_gfp(rd, e, f[1], "");
			break;
		}
		e->comm = oom_string(rd, f[0]);
		/* after the name, which may hold "mode:" */
		g[0] = span_from(t->text, f[0].n);
		read_gfp(rd, e, g[0], "mode:");
		e->nodemask = read_list(rd, g[0], "nodemask=");
		read_pairs(e, g[0]);
		read_cpuset(rd, e, g[0]);
		break;
	case LINE_CPUSET:
		if (!text_match("%c cpuset=%p mems_allowed=%l", t->text, g))
			break;
		e->cpuset = oom_string(rd, g[1]);
		e->mems_allowed = oom_string(rd, g[2]);
		break;
	case LINE_SUMMARY: read_summary(rd, e, t->text); break;
	default: read_who(e, t); break;
	}
}

/* ---- control groups ------------------------------------------------------------------ */

static void read_stats(struct oom_reader *rd, struct oom_event *e, struct span s, bool values)
{
	struct span f[TEXT_FIELDS];

	/* to 5.2 with the values, of which cache is the first */
	if (values && text_match("%p: cache:%*", s, f)) {
		s.n = f[0].n;
		oom_pairs_add(rd, &e->stats, (struct span){ f[1].p - 6, f[1].n + 6 });
	} else if (span_ends(s, ":")) {
		s.n--;
	}
	e->stats_of = oom_string(rd, s);
}

void oom_memcg(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t)
{
	const struct span *f = t->m->field;
	struct span g[TEXT_FIELDS];
	bool named = *t->m->form->pattern == '%';

	switch (t->m->form->line) {
	case LINE_TASK_IN:
		if (!text_match("Task in %p killed as a result of limit of %p", t->text, g))
			break;
		e->task_memcg = oom_string(rd, g[0]);
		e->oom_memcg = oom_string(rd, g[1]);
		break;
	case LINE_LIMIT_OF: e->oom_memcg = oom_string(rd, f[0]); break;
	case LINE_USAGE:
		*vec_push(rd->mem, &e->usages) = (struct oom_usage){
			.what = named ? oom_string(rd, f[0]) : "memory+swap",
			.usage = span_value(f[named]),
			.limit = span_value(f[named + 1]),
			.failcnt = span_value(f[named + 2]),
		};
		break;
	case LINE_PROTECTION:
		oom_pair_add(rd, &e->stats, (struct span){ "min_protection", 14 }, span_value(f[0]),
			     true);
		oom_pair_add(rd, &e->stats, (struct span){ "low_protection", 14 }, span_value(f[1]),
			     true);
		break;
	default: read_stats(rd, e, f[0], t->m->form->era.until != 0); break;
	}
}

/* ---- before 5.0 --------------------------------------------------------------------- */

void oom_infer(struct oom_event *e)
{
	const char *p = e->prefix ? e->prefix : "";

	if (e->kind != OOM_KILL || e->constraint != OOM_NOT_TOLD)
		return;
	if (e->oom_memcg || e->usages.n || strstr(p, "emory cgroup"))
		e->constraint = OOM_MEMCG;
	else if (strstr(p, "in cpuset"))
		e->constraint = OOM_CPUSET;
	else if (strstr(p, "(MPOL_BIND)"))
		e->constraint = OOM_MEMPOLICY;
	else if (e->comm && (e->zones.n || e->victims.n))
		e->constraint = OOM_NONE;
	e->inferred = e->constraint != OOM_NOT_TOLD;
}
