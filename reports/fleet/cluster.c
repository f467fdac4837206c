/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster.c - crashes of one cause.
 *
 * Crashes whose names are all equal are one group; groups with members at most
 * likeness_near() apart are one cluster (single linkage). Whether two crashes are that near does
 * not depend on what else is in the fleet. Nor are all pairs compared: those that can be near have a
 * name in common, and are found by it.
 */
#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"
#include "reports/fleet/likeness.h"

/* ---- groups ---------------------------------------------------------------------------------- */

typedef VEC(uint32_t) list;

struct groups {
	const struct fleet *f;
	struct arena *mem;
	struct likeness *like; /* of each crash */
	struct hash at;	       /* hash of the names of a crash -> its group */
	VEC(uint32_t) first;   /* of each group: its first crash */
	uint32_t *of;	       /* of each crash: its group */
	uint32_t *next;	       /* of each crash: another of its group; UINT32_MAX: none */
	uint32_t *up;	       /* of each group: another of its cluster; itself: none */
	struct hash listed;    /* what groups have in common -> index in lists */
	VEC(list) lists;       /* their groups, by number */
};

static uint64_t mix(uint64_t key, const char *s)
{
	const uint64_t v[] = { key, s ? hash_str(s) : 1 };

	return hash_bytes(v, sizeof(v));
}

/* Equal for crashes whose names are all equal. */
static uint64_t names_of(const struct crashed *c, struct arena *mem)
{
	enum crash_kind k = crash_kind_of(c);
	uint64_t key = mix(1, crash_kind_text(k));

	if (k == CRASH_MEMORY) {
		key = mix(mix(key, c->limit.words), c->cause.words);
		key = mix(key, c->subject ? name_plain(c->subject, mem) : NULL);
		return mix(key, c->path ? name_plain(c->path, mem) : NULL);
	}
	key = mix(key, c->reason);
	for (unsigned i = 0; crash_has_calls(k) && i < c->nframes; i++)
		key = mix(key, c->frame[i]);
	return key;
}

static void put_in_groups(struct groups *g)
{
	struct names names = { .mem = g->mem };

	g->at.mem = g->mem;
	g->of = arena_array(g->mem, uint32_t, g->f->v.n);
	g->next = arena_array(g->mem, uint32_t, g->f->v.n);
	g->like = arena_array(g->mem, struct likeness, g->f->v.n);
	for (size_t i = 0; i < g->f->v.n; i++) {
		uint64_t key = names_of(&g->f->v.v[i], g->mem);
		uint32_t at = hash_get(&g->at, key);

		likeness_of(&g->f->v.v[i], &names, &g->like[i]);
		g->next[i] = UINT32_MAX;
		if (at == HASH_NONE) {
			at = (uint32_t)g->first.n;
			hash_put(&g->at, key, at);
			*vec_push(g->mem, &g->first) = (uint32_t)i;
		} else {
			g->next[i] = g->next[g->first.v[at]];
			g->next[g->first.v[at]] = (uint32_t)i;
		}
		g->of[i] = at;
	}
}

static uint32_t top_of(const struct groups *g, uint32_t i)
{
	while (g->up[i] != i)
		i = g->up[i] = g->up[g->up[i]];
	return i;
}

/* ---- groups that may be near ------------------------------------------------------------------ */

/* What is common to the groups of a list. */
enum common {
	COMMON_PLACE,	 /* message and function */
	COMMON_REASON,	 /* message and a frame */
	COMMON_FUNCTION, /* function and a frame */
	COMMON_WORD,	 /* constraint, and a word of the owner */
	COMMON_CAUSE,	 /* constraint and cause; the owner is known */
	COMMON_UNKNOWN,	 /* constraint and cause; it is not */
	COMMON_LIMIT,	 /* constraint; it is not */
};

static list *list_of(struct groups *g, enum common what, const struct likeness *l, uint32_t a,
		     uint32_t b)
{
	const uint32_t v[] = { what, l->kind, a, b };
	uint64_t key = hash_bytes(v, sizeof(v));
	uint32_t at = hash_get(&g->listed, key);

	if (at == HASH_NONE) {
		at = (uint32_t)g->lists.n;
		hash_put(&g->listed, key, at);
		vec_push(g->mem, &g->lists);
	}
	return &g->lists.v[at];
}

static void add_to(struct groups *g, list *l, uint32_t group)
{
	*vec_push(g->mem, l) = group;
}

static void put_in_lists(struct groups *g, uint32_t n)
{
	const struct likeness *l = &g->like[g->first.v[n]];

	if (crash_has_calls(l->kind)) {
		if (l->function)
			add_to(g, list_of(g, COMMON_PLACE, l, l->reason, l->function), n);
		for (unsigned i = 0; i < l->nframes; i++) {
			add_to(g, list_of(g, COMMON_REASON, l, l->reason, l->frame[i].name), n);
			add_to(g, list_of(g, COMMON_FUNCTION, l, l->function, l->frame[i].name), n);
		}
	} else if (l->kind == CRASH_MEMORY) {
		for (unsigned i = 0; i < l->nwords; i++)
			add_to(g, list_of(g, COMMON_WORD, l, l->limit, l->word[i]), n);
		add_to(g,
		       list_of(g, l->nwords ? COMMON_CAUSE : COMMON_UNKNOWN, l, l->limit, l->cause),
		       n);
		if (!l->nwords)
			add_to(g, list_of(g, COMMON_LIMIT, l, l->limit, 0), n);
	}
}

/* Is a member of A near one of B? Of memory their names are equal, their censuses are not. */
static bool are_near(const struct groups *g, uint32_t a, uint32_t b)
{
	const struct likeness *x = &g->like[g->first.v[a]], *y = &g->like[g->first.v[b]];
	double least, most, near = likeness_near(x->kind);

	if (x->kind != CRASH_MEMORY || x->kind != y->kind)
		return likeness_distance(x, y) <= near;
	likeness_bounds(x, y, &least, &most);
	if (least > near || most <= near)
		return most <= near;
	for (uint32_t i = g->first.v[a]; i != UINT32_MAX; i = g->next[i])
		for (uint32_t j = g->first.v[b]; j != UINT32_MAX; j = g->next[j])
			if (likeness_distance(&g->like[i], &g->like[j]) <= near)
				return true;
	return false;
}

/* Joins group N with those before it in L that are near. */
static void join_with(struct groups *g, uint32_t n, const list *l)
{
	for (size_t i = 0; i < l->n && l->v[i] < n; i++)
		if (top_of(g, n) != top_of(g, l->v[i]) && are_near(g, n, l->v[i]))
			g->up[top_of(g, n)] = top_of(g, l->v[i]);
}

/* The groups that have a frame, and what it weighs. */
struct holders {
	const list *groups;
	double weight;
};

static int fewest_first(const void *pa, const void *pb)
{
	const struct holders *a = pa, *b = pb;

	return (a->groups->n > b->groups->n) - (a->groups->n < b->groups->n);
}

/*
 * With groups that have the same number A (of WHAT), and OTHER is not. What is near has frames in
 * common that weigh at least NEED of those of N: not all of them are among frames that weigh less.
 */
static void join_by_frames(struct groups *g, uint32_t n, enum common what, uint32_t a, double other)
{
	const struct likeness *l = &g->like[g->first.v[n]];
	double rest = 0, need = 1 - (NEAR_PANIC - other) / WEIGHT_FRAMES - 1e-9;
	struct holders v[FRAMES_KEPT];

	for (unsigned i = 0; i < l->nframes; i++) {
		v[i] = (struct holders){ list_of(g, what, l, a, l->frame[i].name),
					 l->frame[i].weight };
		rest += v[i].weight;
	}
	need *= rest;
	/* the frames of fewest groups first */
	sort_array(v, l->nframes, sizeof(*v), fewest_first);
	for (unsigned i = 0; i < l->nframes && rest >= need; i++) {
		join_with(g, n, v[i].groups);
		rest -= v[i].weight;
	}
}

static void join_group(struct groups *g, uint32_t n)
{
	const struct likeness *l = &g->like[g->first.v[n]];

	if (crash_has_calls(l->kind)) {
		if (l->function)
			join_with(g, n, list_of(g, COMMON_PLACE, l, l->reason, l->function));
		join_by_frames(g, n, COMMON_REASON, l->reason, WEIGHT_FUNCTION);
		if (l->function)
			join_by_frames(g, n, COMMON_FUNCTION, l->function, WEIGHT_REASON);
	} else if (l->kind == CRASH_MEMORY) {
		for (unsigned i = 0; i < l->nwords; i++)
			join_with(g, n, list_of(g, COMMON_WORD, l, l->limit, l->word[i]));
		join_with(g, n,
			  list_of(g, l->nwords ? COMMON_UNKNOWN : COMMON_CAUSE, l, l->limit,
				  l->cause));
		if (!l->nwords)
			join_with(g, n, list_of(g, COMMON_LIMIT, l, l->limit, 0));
	}
}

static void join_near(struct groups *g)
{
	g->listed.mem = g->mem;
	g->up = arena_array(g->mem, uint32_t, g->first.n);
	for (uint32_t i = 0; i < g->first.n; i++) {
		g->up[i] = i;
		put_in_lists(g, i);
	}
	for (uint32_t i = 0; i < g->first.n; i++)
		join_group(g, i);
}

/* ---- clusters --------------------------------------------------------------------------------- */

/* The crash of the group that most members are of, the latest of them. */
static void choose_exemplar(const struct groups *g, struct cluster *c, uint32_t *count)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < c->n; i++)
		count[g->of[c->member[i]]]++;
	for (uint32_t i = 0; i < c->n; i++)
		if (count[g->of[c->member[i]]] >= best) {
			best = count[g->of[c->member[i]]];
			c->exemplar = c->member[i];
		}
	for (uint32_t i = 0; i < c->n; i++) {
		count[g->of[c->member[i]]] = 0;
		c->spread = fmax(c->spread,
				 likeness_distance(&g->like[c->exemplar], &g->like[c->member[i]]));
	}
}

static int largest_first(const void *pa, const void *pb)
{
	const struct cluster *a = pa, *b = pb;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return a->member[0] < b->member[0] ? -1 : 1;
}

size_t clusters_of(const struct fleet *f, struct arena *mem, struct cluster **ret)
{
	struct groups g = { .f = f, .mem = mem };
	uint32_t *number, *count;
	struct cluster *v;
	size_t n = 0;

	put_in_groups(&g);
	join_near(&g);
	*ret = v = arena_array(mem, struct cluster, g.first.n);
	number = arena_array(mem, uint32_t, g.first.n);
	count = arena_array(mem, uint32_t, g.first.n);
	for (uint32_t i = 0; i < g.first.n; i++)
		if (g.up[i] == i)
			number[i] = (uint32_t)n++;
	for (size_t i = 0; i < f->v.n; i++)
		v[number[top_of(&g, g.of[i])]].n++;
	for (size_t i = 0; i < n; i++) {
		v[i].member = arena_array(mem, uint32_t, v[i].n);
		v[i].n = 0;
	}
	for (size_t i = 0; i < f->v.n; i++) {
		struct cluster *c = &v[number[top_of(&g, g.of[i])]];

		c->kind = crash_kind_of(&f->v.v[i]);
		c->member[c->n++] = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++)
		choose_exemplar(&g, &v[i], count);
	if (n)
		sort_array(v, n, sizeof(*v), largest_first);
	return n;
}
