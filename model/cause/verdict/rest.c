/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rest.c - memory that no counter of the kernel shows: pages behind descriptors, a balloon, and
 * frames of which nothing says what they are for. By the census.
 */
#include "dumpread/base/bytes.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/slab/slab.h"
#include "model/memory/census/unknown.h"

/* ---- pages behind descriptors -------------------------------------------------------------- */

/* Owners of one kind in one class that one process holds, or nobody. */
struct heap_of {
	const struct owner *o;		/* the largest of them; NULL: free */
	uint32_t proc;
	uint64_t bytes;
};

#define HEAPS 256u	/* of more, the first ones are compared */

/* Is a holder of O in the scope? */
static bool in_scope(const struct gather *g, const struct owners *all, const struct owner *o)
{
	if (!ev_is_memcg(g->e))
		return true;
	for (uint32_t i = 0; g->memcg != NONE && i < o->nholders; i++)
		if (gather_in_scope(g, all->holder[o->first_holder + i]))
			return true;
	return false;
}

/* By class; USES: no descriptor holds its frames, or that is not told. */
static const enum use use_of[PAGE_CLASSES] = {
#define C(class, id, words, what, counted, use, flags) use,
#include "model/memory/frames/classes.def"
#undef C
};

static const enum verdict_cause cause_of_kind[] = {
#define K(kind, name, cause) cause,
#include "model/memory/owners/kinds.def"
#undef K
};

/* The use whose counter has the memory of O; USES: it is not behind a descriptor. */
static enum use counted_as(const struct gather *g, const struct owner *o)
{
	if (cause_of_kind[o->kind] == VC_NONE)
		return USES;
	/* of a control group the buffers of TCP have a counter of their own */
	if (o->kind == OWNER_SOCKET && o->class != CLASS_PACKET && ev_is_memcg(g->e) &&
	    known(g->e->size[USE_SOCKETS]) > known(g->e->size[USE_SLAB]))
		return USE_SOCKETS;
	/* data of a socket, a queue or a map; the slots of a pipe stay in slab, so that its pages are one figure
	   with those of its class */
	if (use_of[o->class] == USE_SLAB && o->kind != OWNER_SOCKET && o->kind != OWNER_BPF &&
	    o->kind != OWNER_QUEUE)
		return USES;
	return use_of[o->class];
}

static enum verdict_cause cause_of(const struct owner *o)
{
	return o->kind == OWNER_SOCKET && o->class == CLASS_PACKET ? VC_PACKET_RINGS
								   : cause_of_kind[o->kind];
}

static void add_heap(struct heap_of *v, const struct owners *all, const struct owner *o)
{
	uint32_t proc = o->nholders ? all->holder[o->first_holder] : NONE;
	unsigned i = 0;

	while (i < HEAPS && v[i].o && (cause_of(v[i].o) != cause_of(o) || v[i].proc != proc))
		i++;
	if (i == HEAPS)
		return;
	v[i].o = v[i].o && v[i].o->size >= o->size ? v[i].o : o;
	v[i].proc = proc;
	v[i].bytes += o->size;
}

/* What has most of it: a process that holds it, or by its own name what no descriptor leads to. */
static struct ev_owner holder_of(const struct gather *g, const struct heap_of *top)
{
	enum verdict_cause cause = cause_of(top->o);
	struct ev_owner ret = {
		.called = CALLED_HELD, .name = "", .cause = cause, .bytes = top->bytes
	};

	if (top->proc != NONE) {
		ret.subject = gather_subject(g, top->proc);
	} else if (cause_facts[cause].family != VC_DESCRIPTORS) {
		ret.called = CALLED_OBJECT;
		ret.name = top->o->what;
	}
	return ret;
}

/* Memory behind descriptors leaves the uses that count it; a queue of messages has none. */
static void descriptors(struct gather *g, const struct owners *all)
{
	struct heap_of *v = arena_array(g->mem, struct heap_of, HEAPS), *top = v;
	uint64_t of[USES] = { 0 }, sum = 0;
	struct oom_evidence *e = g->e;

	for (uint32_t i = 0; i < all->n; i++) {
		enum use use = all->v[i].size >> 48 ? USES : counted_as(g, &all->v[i]);

		if (use == USES || !in_scope(g, all, &all->v[i]))
			continue;
		of[use] += all->v[i].size;
		add_heap(v, all, &all->v[i]);
	}
	for (unsigned i = 0; i < USES; i++) {
		of[i] = min_u64(of[i], known(e->size[i]));
		sum += of[i];
	}
	if (ev_share(e, sum) < 80)
		return;
	for (unsigned i = 0; i < USES; i++)
		ledger_move(e, (enum use)i, USE_DESCRIPTORS, of[i]);
	/* what is behind descriptors may be what was named */
	if (e->owner[USE_SLAB].bytes > known(e->size[USE_SLAB]))
		e->owner[USE_SLAB] = (struct ev_owner){ .name = NULL };
	for (unsigned i = 0; i < HEAPS && v[i].o; i++)
		top = v[i].bytes > top->bytes ? &v[i] : top;
	e->owner[USE_DESCRIPTORS] = holder_of(g, top);
}

/* ---- a balloon, the rest ------------------------------------------------------------------- */

/* A balloon takes its pages out of MemTotal, as a rule. */
static void balloon(struct gather *g, const struct census *c)
{
	struct oom_evidence *e = g->e;
	uint64_t offline = gather_pages(g, c->classes->count[CLASS_OFFLINE].pages);
	uint64_t ram = gather_pages(g, c->ram);
	bool beside;

	if (!offline || offline == EV_UNKNOWN || e->size[USE_BALLOON] != EV_UNKNOWN)
		return;
	beside = e->total != EV_UNKNOWN && ram != EV_UNKNOWN && e->total + offline <= ram;
	e->total += beside ? offline : 0;
	if (beside || e->size[USE_OTHER] == EV_UNKNOWN)
		ledger_add(e, USE_BALLOON, offline);
	else
		ledger_move(e, USE_OTHER, USE_BALLOON, offline);
}

/* A module that pages point to says more than other pages, which are as unknown. */
static const struct unknown_hit *best_hit(const struct unknown_hit *to)
{
	const struct unknown_hit *best = NULL;

	for (unsigned i = 0; i < UNKNOWN_TOP && to[i].name; i++) {
		if (to[i].kind == POINTEE_MODULE)
			return &to[i];
		if (!best && to[i].kind != POINTEE_UNKNOWN)
			best = &to[i];
	}
	return best;
}

/* What addresses in the largest group of unknown frames point to: a guess. */
static struct ev_detail points_to(const struct gather *g, const struct census *c)
{
	struct ev_detail d = { .told = TOLD_NOTHING };
	const struct unknown_hit *to;
	struct unknown u;

	unknown_build(g->s, c, g->mem, &u);
	if (!u.n)
		return d;
	d.name[0] = u.v[0].site ? u.v[0].site : u.v[0].stack;
	if (d.name[0]) {
		d.told = TOLD_ALLOCATED;
		return d;
	}
	to = best_hit(u.v[0].to);
	to = to ? to : best_hit(u.v[0].page_to);
	if (to) {
		d.told = TOLD_POINTS_TO;
		d.name[0] = to->name;
	}
	return d;
}

/* kmalloc() has caches for all: whose blocks they are, the blocks may say. */
static void kmalloc_hint(struct gather *g, const struct census *c)
{
	struct ev_owner *o = &g->e->owner[USE_SLAB];
	const char *module = NULL;
	struct slab_caches sc;

	if (!o->name || strncmp(o->name, "kmalloc-", 8) ||
	    slab_caches_build(g->s, g->mem, false, &sc))
		return;
	for (uint32_t i = 0; i < sc.n; i++)
		if (sc.v[i].name && !strcmp(sc.v[i].name, o->name))
			module = slab_points_to(g, c->classes, sc.v[i].addr);
	o->detail.module = module;
}

void gather_rest(struct gather *g)
{
	struct oom_evidence *e = g->e;
	const struct census *c = census_of(g->s);
	struct class_counts *n = arena_array(g->mem, struct class_counts, PAGE_CLASSES);
	uint64_t unknown;

	/* the rest stays 0: a size that is not known is no fact of the summary */
	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (!c->unknown[i])
			n[i] = c->classes->count[i];
	e->classes = n;
	unknown = gather_pages(g, n[CLASS_UNKNOWN].pages + n[CLASS_VMAP].pages);
	if (!ev_is_memcg(e))
		balloon(g, c);
	descriptors(g, &c->owners);
	if (ev_share(e, e->size[USE_SLAB]) >= 80)
		kmalloc_hint(g, c);
	if (ev_share(e, e->size[USE_OTHER]) >= 80 && !e->owner[USE_OTHER].name)
		e->owner[USE_OTHER] = (struct ev_owner){
			.called = CALLED_NO_USE,
			.name = "",
			.bytes = min_u64(unknown, e->size[USE_OTHER]),
			.detail = points_to(g, c),
		};
}
