/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster.c - crashes of one cause.
 *
 * Panics are compared by message, function and frames; those of memory by the constraint, the
 * cause and owner of the verdict, and the census. Crashes whose names are all equal are one group;
 * groups at most NEAR apart are one cluster (single linkage).
 */
#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"
#include "reports/fleet/fleet.h"

#define GROUPS_MAX 4000u /* more are only compared for equality: 8 million pairs */

/* ---- distance ------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* ---- owners: "pipes of hog-pipes (147)" and "hog-pipes (149)" are one program's ---- */

#define WORDS_MAX 32u

struct word {
	const char *s;
	size_t len;
};

/* What owners of one kind have in common, and numbers. */
static bool is_filler(const struct word *w)
{
	static const char *const words[] = {
		"a",	  "an",	     "of",    "the",	 "by",	   "no",       "is",
		"nobody", "deleted", "file",  "files",	 "tmpfs",  "SysV",     "segment",
		"shmid",  "key",     "pipes", "sockets", "maps",   "bpf",      "rings",
		"frames", "known",   "use",   "unknown", "caller", "attached", "attach",
	};

	if (strspn(w->s, "0123456789") >= w->len || (w->len > 2 && !strncmp(w->s, "0x", 2)))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == w->len && !memcmp(words[i], w->s, w->len))
			return true;
	return false;
}

static unsigned words_of(const char *s, struct word *v)
{
	static const char between[] = " \t,()[]\"'";
	unsigned n = 0;

	while (n < WORDS_MAX && *(s += strspn(s, between))) {
		v[n] = (struct word){ s, strcspn(s, between) };
		s += v[n].len;
		n += !is_filler(&v[n]);
	}
	return n;
}

static bool same_word(const struct word *a, const struct word *b)
{
	struct arena mem = { 0 };
	bool is = !strcmp(name_plain(arena_strndup(&mem, a->s, a->len), &mem),
			  name_plain(arena_strndup(&mem, b->s, b->len), &mem));

	arena_release(&mem);
	return is;
}

/* 0: all words that say who are those of the other; half where one of the two is not known.
   Negative: neither is. */
static double owner_distance(const char *a, const char *b)
{
	struct word x[WORDS_MAX + 1], y[WORDS_MAX + 1];
	unsigned nx, ny, both = 0;

	nx = a ? words_of(a, x) : 0;
	ny = b ? words_of(b, y) : 0;
	for (unsigned i = 0; i < nx; i++)
		for (unsigned j = 0; j < ny; j++)
			if (same_word(&x[i], &y[j])) {
				both++;
				break;
			}
	if (!nx || !ny)
		return nx == ny ? -1 : 0.5;
	return 1 - (double)both / (nx < ny ? nx : ny);
}

/* The weight of FUNCTION in C: the innermost counts most. */
static double frame_weight(const struct crashed *c, const char *function)
{
	for (unsigned i = 0; i < c->nframes; i++)
		if (!strcmp(c->frame[i], function))
			return 1.0 / (1.0 + i);
	return 0;
}

/* 1 - the weighted Jaccard index of two sets of frames. */
static double frames_distance(const struct crashed *a, const struct crashed *b)
{
	double both = 0, either = 0;

	for (unsigned i = 0; i < a->nframes; i++) {
		double x = frame_weight(a, a->frame[i]), y = frame_weight(b, a->frame[i]);

		both += fmin(x, y);
		either += fmax(x, y);
	}
	for (unsigned i = 0; i < b->nframes; i++)
		if (!frame_weight(a, b->frame[i]))
			either += frame_weight(b, b->frame[i]);
	return either > 0 ? 1 - both / either : 0;
}

/* Of a machine, not of what happened to it. */
static bool is_fixed(const char *class)
{
	static const char *const names[] = { "free",	     "free on CPUs",
					     "kernel image", "reserved at boot",
					     "memmap",	     "hole",
					     "offline" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], class))
			return true;
	return false;
}

static double share_of(const struct crashed *c, const char *class)
{
	for (size_t i = 0; i < c->nclasses; i++)
		if (!strcmp(c->costs.v[i].name, class))
			return c->ram && c->ram != COL_UNKNOWN
				       ? (double)c->costs.v[i].bytes / (double)c->ram
				       : 0;
	return 0;
}

/* The same of two censuses: shares of RAM by class. */
static double census_distance(const struct crashed *a, const struct crashed *b)
{
	double both = 0, either = 0;

	for (size_t i = 0; i < a->nclasses; i++) {
		const char *class = a->costs.v[i].name;

		if (is_fixed(class))
			continue;
		both += fmin(share_of(a, class), share_of(b, class));
		either += fmax(share_of(a, class), share_of(b, class));
	}
	for (size_t i = 0; i < b->nclasses; i++) {
		const char *class = b->costs.v[i].name;

		if (!is_fixed(class) && share_of(a, class) == 0)
			either += share_of(b, class);
	}
	return either > 0 ? 1 - both / either : 0;
}

static double panic_distance(const struct crashed *a, const struct crashed *b)
{
	return 0.25 * !same(a->reason, b->reason) + 0.30 * !same(a->function, b->function) +
	       0.45 * frames_distance(a, b);
}

/* Half where one verdict knows the kind of what the other only knows the family of. */
static double cause_distance(const char *a, const char *b)
{
	static const struct {
		const char *family, *kind;
	} known[] = {
		{ "pages behind descriptors", "pipes" },
		{ "pages behind descriptors", "sockets" },
		{ "pages behind descriptors", "packet rings" },
		{ "pages behind descriptors", "io_uring rings" },
		{ "pages behind descriptors", "bpf maps" },
		{ "pages behind descriptors", "perf rings" },
		{ "shared memory", "tmpfs" },
		{ "shared memory", "deleted file of tmpfs" },
		{ "shared memory", "memfd" },
		{ "shared memory", "shared anonymous memory" },
		{ "shared memory", "SysV segment" },
		{ "shared memory", "SysV segment, attached by nobody" },
		{ "SysV segment", "SysV segment, attached by nobody" },
	};

	if (same(a, b))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if ((same(a, known[i].family) && same(b, known[i].kind)) ||
		    (same(b, known[i].family) && same(a, known[i].kind)))
			return 0.5;
	return 1;
}

static double memory_distance(const struct crashed *a, const struct crashed *b)
{
	double census = census_distance(a, b), owner = owner_distance(a->owner, b->owner);

	/* who is not known: the census stands for it */
	return 0.35 * !same(a->limit, b->limit) + 0.20 * cause_distance(a->cause, b->cause) +
	       0.35 * (owner < 0 ? census : owner) + 0.10 * census;
}

double crash_distance(const struct crashed *a, const struct crashed *b)
{
	enum crash_kind k = crash_kind_of(a);

	if (k != crash_kind_of(b))
		return 1;
	return crash_has_calls(k)  ? panic_distance(a, b)
	       : k == CRASH_MEMORY ? memory_distance(a, b)
				   : !same(a->reason, b->reason);
}

/* ---- groups and clusters ------------------------------------------------------------------------ */

struct groups {
	const struct fleet *f;
	struct arena *mem;
	struct hash at;	     /* hash of the names of a crash -> its group */
	VEC(uint32_t) first; /* of each group: its first crash */
	uint32_t *of;	     /* of each crash: its group */
	uint32_t *up;	     /* of each group: another of its cluster; itself: none */
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
		key = mix(mix(key, c->limit), c->cause);
		return mix(key, c->owner ? name_plain(c->owner, mem) : NULL);
	}
	key = mix(key, c->reason);
	for (unsigned i = 0; crash_has_calls(k) && i < c->nframes; i++)
		key = mix(key, c->frame[i]);
	return key;
}

static void put_in_groups(struct groups *g)
{
	g->at.mem = g->mem;
	g->of = arena_array(g->mem, uint32_t, g->f->v.n);
	for (size_t i = 0; i < g->f->v.n; i++) {
		uint64_t key = names_of(&g->f->v.v[i], g->mem);
		uint32_t at = hash_get(&g->at, key);

		if (at == HASH_NONE) {
			at = (uint32_t)g->first.n;
			hash_put(&g->at, key, at);
			*vec_push(g->mem, &g->first) = (uint32_t)i;
		}
		g->of[i] = at;
	}
}

static uint32_t top_of(const struct groups *g, uint32_t i)
{
	while (g->up[i] != i)
		i = g->up[i];
	return i;
}

static void join_near(struct groups *g)
{
	const struct crashed *v = g->f->v.v;

	g->up = arena_array(g->mem, uint32_t, g->first.n);
	for (uint32_t i = 0; i < g->first.n; i++)
		g->up[i] = i;
	for (uint32_t i = 0; i < g->first.n && g->first.n <= GROUPS_MAX; i++)
		for (uint32_t j = 0; j < i; j++) {
			const struct crashed *a = &v[g->first.v[i]], *b = &v[g->first.v[j]];
			double near = crash_kind_of(a) == CRASH_MEMORY ? NEAR_MEMORY : NEAR_PANIC;

			if (crash_distance(a, b) <= near)
				g->up[top_of(g, i)] = top_of(g, j);
		}
}

/* The crash of the group that most members are of, the latest of them. */
static void choose_exemplar(const struct groups *g, struct cluster *c, uint32_t *count)
{
	const struct crashed *v = g->f->v.v;
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
		c->spread = fmax(c->spread, crash_distance(&v[c->exemplar], &v[c->member[i]]));
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
