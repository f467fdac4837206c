/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * likeness.c - how far two crashes are apart.
 *
 * Panics are compared by message, function and frames; those of memory by the constraint, the
 * cause and owner of the verdict, and the census. The distance of A and B is that of B and A.
 */
#include "reports/fleet/likeness.h"

#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"

/* ---- numbers of names ------------------------------------------------------------------------ */

static uint32_t number_of(struct names *n, const char *s)
{
	uint64_t key;
	uint32_t at;

	if (!s)
		return 0;
	n->at.mem = n->mem;
	for (key = hash_str(s); (at = hash_get(&n->at, key)) != HASH_NONE;
	     key = key + 1 ? key + 1 : 1)
		if (!strcmp(n->v.v[at - 1], s))
			return at;
	*vec_push(n->mem, &n->v) = s;
	hash_put(&n->at, key, (uint32_t)n->v.n);
	return (uint32_t)n->v.n;
}

/* ---- subjects: "hog-pipes" of one crash is that of another -------------------------------------- */

static void take_words(const char *s, struct names *n, struct likeness *l)
{
	static const char between[] = " \t,()[]\"'";

	while (s && l->nwords < WORDS_MAX && *(s += strspn(s, between))) {
		size_t len = strcspn(s, between);
		const char *word = arena_strndup(n->mem, s, len);
		unsigned i = 0;

		if (strspn(s, "0123456789") < len) {
			l->word[l->nwords] = number_of(n, name_plain(word, n->mem));
			while (l->word[i] != l->word[l->nwords])
				i++;
			l->nwords += i == l->nwords;
		}
		s += len;
	}
}

/* 0: all words that say who are those of the other; half where one of the two is not known.
   Negative: neither is. */
static double owner_distance(const struct likeness *a, const struct likeness *b)
{
	unsigned both = 0;

	for (unsigned i = 0; i < a->nwords; i++)
		for (unsigned j = 0; j < b->nwords; j++)
			both += a->word[i] == b->word[j];
	if (!a->nwords || !b->nwords)
		return a->nwords == b->nwords ? -1 : 0.5;
	return 1 - (double)both / (a->nwords < b->nwords ? a->nwords : b->nwords);
}

/* ---- what weighs ------------------------------------------------------------------------------ */

static void take_frames(const struct crashed *c, struct names *n, struct likeness *l)
{
	for (unsigned i = 0; i < c->nframes; i++) {
		uint32_t name = number_of(n, c->frame[i]);
		unsigned j = 0;

		while (j < l->nframes && l->frame[j].name != name)
			j++;
		if (j == l->nframes)
			l->frame[l->nframes++] = (struct weighted){ name, 1.0 / (1.0 + i) };
	}
}

static int by_name(const void *pa, const void *pb)
{
	const struct weighted *a = pa, *b = pb;

	return (a->name > b->name) - (a->name < b->name);
}

/* Those that are not known here are things of the fleet. */
static uint32_t number_of_class(const struct cost *c)
{
	return c->class == PAGE_CLASSES ? (uint32_t)PAGE_CLASSES + c->thing : (uint32_t)c->class;
}

/* Shares of RAM by class. */
static void take_census(const struct crashed *c, struct names *n, struct likeness *l)
{
	unsigned kept = 0;

	if (!c->ram || c->ram == COL_UNKNOWN)
		return;
	l->share = arena_array(n->mem, struct weighted, c->nclasses);
	for (size_t i = 0; i < c->nclasses; i++)
		if (c->costs.v[i].bytes && !page_class_is(c->costs.v[i].class, CF_FIXED))
			l->share[l->nshares++] =
				(struct weighted){ number_of_class(&c->costs.v[i]),
						   (double)c->costs.v[i].bytes / (double)c->ram };
	if (l->nshares)
		sort_array(l->share, l->nshares, sizeof(*l->share), by_name);
	for (unsigned i = 0; i < l->nshares; i++)
		if (!kept || l->share[kept - 1].name != l->share[i].name)
			l->share[kept++] = l->share[i];
	l->nshares = kept;
}

static double weight_of(const struct likeness *l, uint32_t frame)
{
	for (unsigned i = 0; i < l->nframes; i++)
		if (l->frame[i].name == frame)
			return l->frame[i].weight;
	return 0;
}

/* 1 - the weighted Jaccard index of two sets of frames. */
static double frames_distance(const struct likeness *a, const struct likeness *b)
{
	double both = 0, either = 0;

	for (unsigned i = 0; i < a->nframes; i++) {
		double x = a->frame[i].weight, y = weight_of(b, a->frame[i].name);

		both += fmin(x, y);
		either += fmax(x, y);
	}
	for (unsigned i = 0; i < b->nframes; i++)
		if (!weight_of(a, b->frame[i].name))
			either += b->frame[i].weight;
	return either > 0 ? 1 - both / either : 0;
}

/* The same of two censuses. */
static double census_distance(const struct likeness *a, const struct likeness *b)
{
	double both = 0, either = 0;
	unsigned i = 0, j = 0;

	while (i < a->nshares || j < b->nshares) {
		uint32_t x = i < a->nshares ? a->share[i].name : UINT32_MAX;
		uint32_t y = j < b->nshares ? b->share[j].name : UINT32_MAX;

		if (x == y) {
			both += fmin(a->share[i].weight, b->share[j].weight);
			either += fmax(a->share[i++].weight, b->share[j++].weight);
		} else {
			either += x < y ? a->share[i++].weight : b->share[j++].weight;
		}
	}
	return either > 0 ? 1 - both / either : 0;
}

/* ---- distances --------------------------------------------------------------------------------- */

/* Two crashes whose function is not known have not the same one. */
static double panic_distance(const struct likeness *a, const struct likeness *b)
{
	return WEIGHT_REASON * (a->reason != b->reason) +
	       WEIGHT_FUNCTION * (!a->function || a->function != b->function) +
	       WEIGHT_FRAMES * frames_distance(a, b);
}

static bool is_kind_of(enum verdict_cause kind, enum verdict_cause family)
{
	while (kind != VC_NONE && kind < VERDICT_CAUSES && kind != family)
		kind = cause_facts[kind].family;
	return kind == family && family != VC_NONE && family != VERDICT_CAUSES;
}

/* Half where one verdict knows the kind of what the other only knows the family of. */
static double cause_distance(const struct likeness *a, const struct likeness *b)
{
	if (a->cause == b->cause)
		return 0;
	return is_kind_of(a->cause_id, b->cause_id) || is_kind_of(b->cause_id, a->cause_id) ? 0.5
											    : 1;
}

void likeness_bounds(const struct likeness *a, const struct likeness *b, double *least,
		     double *most)
{
	double owner = owner_distance(a, b);

	*least = 0.35 * (a->limit != b->limit) + 0.20 * cause_distance(a, b) +
		 0.35 * (owner < 0 ? 0 : owner);
	/* who is not known: the census stands for it */
	*most = *least + (owner < 0 ? 0.45 : 0.10);
}

static double memory_distance(const struct likeness *a, const struct likeness *b)
{
	double least, most;

	likeness_bounds(a, b, &least, &most);
	return least + (most - least) * census_distance(a, b);
}

double likeness_distance(const struct likeness *a, const struct likeness *b)
{
	if (a->kind != b->kind)
		return 1;
	return crash_has_calls(a->kind)	 ? panic_distance(a, b)
	       : a->kind == CRASH_MEMORY ? memory_distance(a, b)
					 : a->reason != b->reason;
}

double likeness_near(enum crash_kind k)
{
	return k == CRASH_MEMORY ? NEAR_MEMORY : NEAR_PANIC;
}

void likeness_of(const struct crashed *c, struct names *n, struct likeness *ret)
{
	*ret = (struct likeness){ .kind = crash_kind_of(c),
				  .reason = number_of(n, c->reason),
				  .function = number_of(n, c->function),
				  .limit = number_of(n, c->limit.words),
				  .cause = number_of(n, c->cause.words),
				  .cause_id = c->cause.id };
	take_frames(c, n, ret);
	take_words(c->subject, n, ret);
	take_words(c->path, n, ret);
	take_census(c, n, ret);
}

double crash_distance(const struct crashed *a, const struct crashed *b)
{
	struct arena mem = { 0 };
	struct names n = { .mem = &mem };
	struct likeness x, y;
	double d;

	likeness_of(a, &n, &x);
	likeness_of(b, &n, &y);
	d = likeness_distance(&x, &y);
	arena_release(&mem);
	return d;
}
