/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict.c - the rules, in the order of their kinds. */
#include "model/cause/verdict/verdict.h"

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/cause/verdict/doubt.h"
#include "model/cause/verdict/rules.h"

#define HOLDERS 4		/* rows of holders, at most */
#define SMALLEST 80u		/* thousandths of the scope: what is less is no holder */

const char *verdict_kind_text(enum verdict_kind k)
{
	static const char *const text[VERDICT_KINDS] = { "event", "limit", "holder", "victim",
							 "more" };

	return text[k];
}

/* ---- rows ----------------------------------------------------------------------------------- */

static const struct cause_rule {
	enum verdict_kind kind;
	enum use use;
	enum verdict_cause cause;
	const char *report;
	rule_fn *holds;
} rules[VERDICT_RULES] = {
#define RULE(kind, use, rule, cause, report) { kind, use, cause, report, rule_##rule },
#define ALIKE(use, rule, cause, report)	     { VERDICT_HOLDER, use, cause, report, rule_of_use },
#include "model/cause/verdict/rules.def"
};

/* Does rule AT hold? */
static bool try(const struct judge *j, unsigned at, struct verdict_row *r)
{
	const struct cause_rule *rule = &rules[at];

	*r = (struct verdict_row){ .kind = rule->kind,
				   .rule = (enum verdict_rule)at,
				   .cause = rule->cause,
				   .use = rule->use,
				   .report = rule->report,
				   .bytes = EV_UNKNOWN,
				   .ranks = cause_facts[rule->cause].ranks };
	return rule->holds(j, r);
}

static bool add(const struct judge *j, struct verdict *v, unsigned at)
{
	struct verdict_row r;

	if (!try(j, at, &r))
		return false;
	r.share = j->e->total == EV_UNKNOWN ? SHARE_UNKNOWN : ev_share(j->e, r.bytes);
	v->v[v->n++] = r;
	return true;
}

/* Of KIND and USE: the first that holds. */
static bool add_first(const struct judge *j, struct verdict *v, enum verdict_kind kind,
		      enum use use)
{
	for (unsigned i = 0; i < VERDICT_RULES; i++)
		if (rules[i].kind == kind && rules[i].use == use && add(j, v, i))
			return true;
	return false;
}

static void add_all(const struct judge *j, struct verdict *v, enum verdict_kind kind)
{
	for (unsigned i = 0; i < VERDICT_RULES; i++)
		if (rules[i].kind == kind)
			add(j, v, i);
}

struct sized {
	enum use use;
	uint64_t bytes;
};

static int largest_first(const void *pa, const void *pb)
{
	const struct sized *a = pa, *b = pb;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (int)a->use - (int)b->use;
}

/* Memory that the kernel cannot take back comes before what it can. */
static uint64_t weight(const struct oom_evidence *e, enum use use)
{
	uint64_t v = e->size[use];

	if (v == EV_UNKNOWN || use == USE_FREE || use == USE_TASK_SLAB || use == USE_PERCPU_AREAS)
		return 0;
	/* also what went to swap: that much it would take; but zram is memory already */
	if (use == USE_ANON && e->stored == EV_UNKNOWN)
		return max_u64(v, ev_anonymous(e, e->procs));
	if (use == USE_SHMEM)
		return ev_shared(e);
	if (use == USE_STACKS)
		return v + ev_known(e->size[USE_TASK_SLAB]);
	if (use == USE_PERCPU)
		return v + ev_known(e->size[USE_PERCPU_AREAS]);
	/* what is not written yet cannot be dropped */
	if (use == USE_FILE && e->unwritten != EV_UNKNOWN)
		return max_u64(v / 4, min_u64(e->unwritten, v));
	return use == USE_FILE ? v / 4 : use == USE_RECLAIMABLE ? v / 2 : v;
}

/* Bytes that the row of processes will be about: of one of them, or of all. */
static uint64_t told_of_processes(const struct judge *j, enum verdict_cause *cause)
{
	struct verdict_row r;

	*cause = VC_NONE;
	for (unsigned i = 0; i < VERDICT_RULES; i++) {
		if (rules[i].use != USE_ANON)
			continue;
		*cause = rules[i].cause;
		if (try(j, i, &r))
			return r.bytes;
	}
	return EV_UNKNOWN;
}

#define HUNDREDS 100u

/*
 * A fork bomb, or hundreds of processes that piled up, are in several uses: page tables, stacks,
 * and what they have.
 */
static void weigh_processes(const struct judge *j, struct sized *by)
{
	enum verdict_cause cause;
	uint64_t bytes = told_of_processes(j, &cause);

	if (bytes == EV_UNKNOWN)
		return;
	if (cause != VC_FORK_BOMB && (cause != VC_NAME_GREW || j->e->name.n < HUNDREDS)) {
		by[USE_ANON].bytes = min_u64(by[USE_ANON].bytes, bytes);
		return;
	}
	by[USE_ANON].bytes = max_u64(by[USE_ANON].bytes, bytes);
	by[USE_TABLES].bytes = by[USE_STACKS].bytes = 0;
}

static void add_holders(struct judge *j, struct verdict *v)
{
	struct sized by[USES];
	unsigned first = v->n;

	for (unsigned i = 0; i < USES; i++)
		by[i] = (struct sized){ (enum use)i, weight(j->e, (enum use)i) };
	weigh_processes(j, by);
	sort_array(by, USES, sizeof(*by), largest_first);
	for (unsigned i = 0; i < USES && v->n - first < HOLDERS; i++) {
		/* without an event only the largest is told */
		if (ev_share(j->e, by[i].bytes) < SMALLEST ||
		    (v->n > first && (!j->e->event || by[i].bytes < by[0].bytes / 3)))
			break;
		if (!add_first(j, v, VERDICT_HOLDER, by[i].use) || j->holder)
			continue;
		j->holder = &v->v[first];
		j->owner = &j->e->owner[by[i].use];
		j->weight = max_u64(by[i].bytes, v->v[first].bytes);
	}
	if (v->n == first)
		return;
	if (j->e->event || v->v[0].bytes != EV_UNKNOWN) /* or memory was short */
		return;
	v->v[first].cause = VC_LARGEST;
	v->v[first].certainty = CERTAIN;
	v->v[first].why = WHY_NOT_SHORT;
}

void verdict_find(const struct oom_evidence *e, struct arena *mem, struct verdict *ret)
{
	struct judge j = { .e = e };

	*ret = (struct verdict){ .v = arena_array(mem, struct verdict_row, VERDICT_RULES), .e = e };
	add_first(&j, ret, VERDICT_EVENT, USES);
	add_first(&j, ret, VERDICT_LIMIT, USES);
	add_holders(&j, ret);
	add_all(&j, ret, VERDICT_VICTIM);
	add_all(&j, ret, VERDICT_MORE);
	verdict_doubt(ret);
}
