/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paths.c - all nodes that a path of N steps from a variable leads to, before those of N + 1; then what only stacks and
 * struct pages lead to. Within a step, slabs are visited in the
 * order of their addresses, up and down.
 */
#include "model/memory/reach/paths.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "model/memory/reach/scan.h"

#define NO_PATH	   UINT32_MAX
#define OTHERS	   0u
#define CLASS_STEP 0x80000000u /* of a block: and its class */
#define AREA_STEP  0xffff0000u

struct walker {
	struct reach *x;
	struct arena *mem;
	struct ksyms ks;
	uint32_t most; /* paths */
	VEC(struct reach_path) paths;
	VEC(uint32_t) kinds; /* of the last step of each */
	struct hash by_step;
	uint32_t *of;	 /* [nodes]: their paths */
	uint64_t *later; /* a bit for each unit or area: it has nodes for the next step */
	uint64_t *later_nodes;
	pthread_mutex_t lock; /* struct pages are read by all threads */
};

/* ---- paths --------------------------------------------------------------------------------- */

static uint32_t kind_of(const struct walker *w, uint64_t unit)
{
	const struct reach *x = w->x;

	if (unit >= x->units.n)
		return AREA_STEP;
	if (x->units.v[unit].cache != REACH_BLOCK)
		return x->units.v[unit].cache;
	return CLASS_STEP | page_class_at(x->census->classes, x->units.v[unit].pfn);
}

static const char *step_name(const struct walker *w, uint32_t kind)
{
	if (kind == AREA_STEP)
		return "vmalloc";
	return kind & CLASS_STEP ? page_class_name((enum page_class)(kind & ~CLASS_STEP))
				 : w->x->caches.v[kind].name;
}

static uint32_t add_path(struct walker *w, uint32_t up, uint32_t kind, const char *name)
{
	*vec_push(w->mem, &w->paths) =
		(struct reach_path){ .up = up,
				     .depth = up == NO_PATH ? 0 : w->paths.v[up].depth + 1,
				     .step = arena_strdup(w->mem, name) };
	*vec_push(w->mem, &w->kinds) = kind;
	return (uint32_t)w->paths.n - 1;
}

/* What others lead to are others. */
static uint32_t step(struct walker *w, uint32_t up, uint32_t kind, const char *name)
{
	const uint64_t v[2] = { (uint64_t)up << 32 | kind, up == NO_PATH ? hash_str(name) : 0 };
	uint64_t key = hash_bytes(v, sizeof(v));
	uint32_t i = hash_get(&w->by_step, key);

	if (i != HASH_NONE)
		return i;
	if (up == OTHERS || w->paths.n >= w->most ||
	    (up != NO_PATH && w->paths.v[up].depth == PATH_STEPS))
		return OTHERS;
	i = add_path(w, up, kind, name);
	hash_put(&w->by_step, key, i);
	return i;
}

/* The path, up from FROM, whose last step is KIND; NO_PATH: there is none. */
static uint32_t with_kind(const struct walker *w, uint32_t from, uint32_t kind)
{
	while (from != NO_PATH && w->paths.v[from].up != NO_PATH && w->kinds.v[from] != kind)
		from = w->paths.v[from].up;
	return from != NO_PATH && w->paths.v[from].up != NO_PATH ? from : NO_PATH;
}

/* ---- roots ------------------------------------------------------------------------------------ */

static uint32_t root_path(struct walker *w, const struct reach_scan *sc, uint64_t at)
{
	struct symbol_place y;
	struct ksym s;
	uint32_t cpu;
	char name[SYMBOL_NAME_MAX + 80];

	switch (sc->root) {
	case ROOT_STACK: return step(w, NO_PATH, 0, "stacks");
	case ROOT_STRUCT_PAGE: return step(w, NO_PATH, 0, "struct pages");
	case ROOT_BOOT: return step(w, NO_PATH, 0, "reserved at boot");
	case ROOT_PERCPU:
		return step(w, NO_PATH, 0,
			    reach_percpu_at(w->x->k, at, &cpu, &y) ? y.name : "per-CPU");
	case ROOT_IMAGE:
	case ROOT_MODULE: break;
	}
	s = ksyms_place(&w->ks, at);
	snprintf(name, sizeof(name), "%s%s%s%s",
		 s.name	    ? s.name
		 : s.module ? ""
			    : "kernel image",
		 s.module ? "[" : "", s.module ? s.module : "", s.module ? "]" : "");
	return step(w, NO_PATH, 0, name);
}

/* ---- hits ---------------------------------------------------------------------------------------- */

static void count(struct walker *w, uint32_t path, uint64_t node, uint64_t unit)
{
	const struct reach *x = w->x;
	struct reach_path *p = &w->paths.v[path];
	struct reach_node n;

	reach_describe(x, node, &n);
	p->objects++;
	p->bytes += unit < x->units.n && n.unit->cache != REACH_BLOCK
			    ? x->caches.v[n.unit->cache].size
			    : n.size;
	if (!p->example || n.kva < p->example)
		p->example = n.kva;
}

static void take(struct walker *w, struct reach_scan *sc, uint64_t at, uint64_t node, uint64_t unit)
{
	uint32_t up = sc->from == REACH_NONE ? root_path(w, sc, at) : w->of[sc->from],
		 kind = kind_of(w, unit);
	uint32_t same = with_kind(w, up, kind);
	bool within;

	w->of[node] = same != NO_PATH ? same : step(w, up, kind, step_name(w, kind));
	count(w, w->of[node], node, unit);
	/* a list goes on within its step */
	within = sc->from != REACH_NONE && (same != NO_PATH || w->of[node] == up);
	reach_set(within ? w->x->waits : w->later_nodes, node);
	reach_set(within ? w->x->units_wait : w->later, unit);
}

static void hit(struct reach_scan *sc, uint64_t at, uint64_t word)
{
	struct walker *w = sc->arg;
	uint64_t unit, node = reach_target(sc, at, word, &unit);

	if (node == REACH_NONE || node == sc->from || reach_bit(w->x->freed, node) ||
	    __atomic_load_n(&w->of[node], __ATOMIC_RELAXED) != NO_PATH)
		return;
	pthread_mutex_lock(&w->lock);
	if (w->of[node] == NO_PATH)
		take(w, sc, at, node, unit);
	pthread_mutex_unlock(&w->lock);
}

/* ---- steps ---------------------------------------------------------------------------------------- */

static void drain(struct walker *w, struct reach_scan *sc)
{
	uint64_t units = w->x->units.n + w->x->nareas;

	for (bool down = false; reach_sweep(w->x, sc, 0, units, down); down = !down)
		;
}

/* What was found for the next step waits now; false: nothing was. */
static bool next_step(struct walker *w)
{
	uint64_t words = (w->x->units.n + w->x->nareas) / 64 + 1, nodes = w->x->nodes / 64 + 1,
		 any = 0;

	for (uint64_t i = 0; i < words; i++)
		any |= w->later[i];
	memcpy(w->x->units_wait, w->later, words * sizeof(*w->later));
	memcpy(w->x->waits, w->later_nodes, nodes * sizeof(*w->later_nodes));
	memset(w->later, 0, words * sizeof(*w->later));
	memset(w->later_nodes, 0, nodes * sizeof(*w->later_nodes));
	return any != 0;
}

static void walk(struct walker *w)
{
	static void (*const roots[])(const struct reach *x,
				     struct reach_scan *scans) = { reach_variables, reach_stacks,
								   reach_struct_pages };
	struct reach_scan *scans = reach_scans_new(w->x, hit, w);
	unsigned jobs = w->x->jobs;

	/* what a variable leads to is not held by a stack that has its address too */
	w->x->jobs = 1;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		roots[i](w->x, scans);
		while (next_step(w))
			drain(w, reach_scan_of(scans, 0));
	}
	w->x->jobs = jobs;
	reach_scans_free(scans, NULL, NULL, NULL);
}

void paths_build(struct reach *x, uint32_t most, struct arena *mem, struct reach_paths *ret)
{
	struct walker w = { .x = x, .mem = mem, .most = most, .by_step.mem = mem };
	struct reader *r = kernel_reader(x->k);

	*ret = (struct reach_paths){ 0 };
	pthread_mutex_init(&w.lock, NULL);
	ksyms_init(&w.ks, x->k, r, mem);
	w.of = heap_bytes(x->nodes * sizeof(*w.of));
	memset(w.of, 0xff, x->nodes * sizeof(*w.of));
	w.later = heap_calloc((x->units.n + x->nareas) / 64 + 1, sizeof(*w.later));
	w.later_nodes = heap_calloc(x->nodes / 64 + 1, sizeof(*w.later_nodes));
	add_path(&w, NO_PATH, 0, "others");
	walk(&w);
	if (w.paths.v[OTHERS].objects)
		issue_add(x->k->issues, ST_LIMIT, "path of pointers", w.paths.v[OTHERS].objects,
			  "objects behind more than %u paths or %u steps", most, PATH_STEPS);
	ret->v = w.paths.v;
	ret->n = (uint32_t)w.paths.n;
	for (uint32_t i = 0; i < ret->n; i++)
		ret->bytes += ret->v[i].bytes;
	free(w.of);
	free(w.later);
	free(w.later_nodes);
	pthread_mutex_destroy(&w.lock);
	reader_free(r);
}
