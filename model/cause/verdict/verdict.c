/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict.c - the rules, in the order of their kinds. */
#include "model/cause/verdict/verdict.h"

#include <inttypes.h>
#include <string.h>

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

const char *certainty_text(enum certainty c)
{
	return c == CERTAIN ? "certain" : c == LIKELY ? "likely" : "a guess";
}

/* ---- words ---------------------------------------------------------------------------------- */

const char *size_text(const struct judge *j, uint64_t bytes)
{
	if (bytes == EV_UNKNOWN)
		return "an unknown amount";
	if (bytes >= UINT64_C(10) << 30)
		return arena_printf(j->mem, "%" PRIu64 " GiB", bytes >> 30);
	if (bytes >= UINT64_C(10) << 20)
		return arena_printf(j->mem, "%" PRIu64 " MiB", bytes >> 20);
	return arena_printf(j->mem, "%" PRIu64 " KiB", bytes >> 10);
}

bool nodes_are_one(const char *list)
{
	return *list && !list[strspn(list, "0123456789")];
}

const char *share_text(const struct judge *j, uint64_t bytes)
{
	unsigned share = ev_share(j->e, bytes);
	const struct oom_event *v = j->e->event;
	bool nodes = v && ev_is_of_nodes(v);
	const char *list = nodes ? ev_nodes(v) : NULL;
	const char *of = ev_is_memcg(j->e)	       ? "of the limit"
			 : !nodes		       ? "of RAM"
			 : list && nodes_are_one(list) ? "of that node"
						       : "of those nodes";

	/* with what it has in swap */
	if (share > 1000)
		return arena_printf(j->mem, "more than 100 %% %s", of);
	return share >= 100 ? arena_printf(j->mem, "%u %% %s", share / 10, of)
			    : arena_printf(j->mem, "%u.%u %% %s", share / 10, share % 10, of);
}

const char *proc_text(const struct judge *j, const char *comm, int64_t pid)
{
	return pid == OOM_UNKNOWN ? comm : arena_printf(j->mem, "%s (%" PRId64 ")", comm, pid);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool add(const struct judge *j, struct verdict *v, enum verdict_kind kind,
		const struct cause_rule *rule)
{
	struct verdict_row r = { .kind = kind,
				 .cause = rule->cause,
				 .report = rule->report,
				 .bytes = EV_UNKNOWN,
				 .ranks = cause_facts[rule->cause].ranks };

	if (!rule->holds(j, &r))
		return false;
	r.share = j->e->total == EV_UNKNOWN ? SHARE_UNKNOWN : ev_share(j->e, r.bytes);
	v->v[v->n++] = r;
	return true;
}

static void add_first(const struct judge *j, struct verdict *v, enum verdict_kind kind,
		      const struct cause_rule *rules)
{
	while (rules->cause != VC_NONE && !add(j, v, kind, rules))
		rules++;
}

static void add_all(const struct judge *j, struct verdict *v, enum verdict_kind kind,
		    const struct cause_rule *rules)
{
	for (; rules->cause != VC_NONE; rules++)
		add(j, v, kind, rules);
}

static bool add_holder(const struct judge *j, struct verdict *v, enum use use)
{
	for (const struct holder_rule *h = holder_rules; h->use != USES; h++)
		if (h->use == use && add(j, v, VERDICT_HOLDER, &h->rule))
			return true;
	return false;
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
	for (const struct holder_rule *h = holder_rules; h->use != USES; h++) {
		struct verdict_row r = { .bytes = EV_UNKNOWN };

		*cause = h->rule.cause;
		if (h->use == USE_ANON && h->rule.holds(j, &r))
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
		if (!add_holder(j, v, by[i].use) || j->holder)
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
	v->v[first].why = "memory was not short";
}

static unsigned count(const struct cause_rule *rules)
{
	unsigned n = 0;

	while (rules[n].cause != VC_NONE)
		n++;
	return n;
}

void verdict_find(const struct oom_evidence *e, struct arena *mem, struct verdict *ret)
{
	struct judge j = { .e = e, .mem = mem };

	/* an event, a limit, and what else holds: a row is never dropped */
	*ret = (struct verdict){
		.v = arena_array(mem, struct verdict_row,
				 2 + HOLDERS + count(victim_rules) + count(more_rules)),
	};
	add_first(&j, ret, VERDICT_EVENT, event_rules);
	add_first(&j, ret, VERDICT_LIMIT, limit_rules);
	add_holders(&j, ret);
	add_all(&j, ret, VERDICT_VICTIM, victim_rules);
	add_all(&j, ret, VERDICT_MORE, more_rules);
	verdict_doubt(e, mem, ret);
}
