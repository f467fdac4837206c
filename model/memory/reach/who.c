/* SPDX-License-Identifier: GPL-3.0-or-later */
/* who.c - one pass over roots and all objects that are in use, which keeps the words that point to one of them. */
#include "model/memory/reach/who.h"

#include <inttypes.h>
#include <pthread.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/memory/reach/scan.h"

struct found {
	uint64_t at, word, from;
	enum reach_root root;
	uint32_t task;
};

struct search {
	const struct reach *x;
	uint64_t node;
	pthread_mutex_t lock;
	struct arena *mem;
	VEC(struct found) found;
	uint64_t all;
};

static void told(struct reach_scan *sc, uint64_t at, uint64_t word)
{
	struct search *s = sc->arg;

	if (sc->from == s->node || reach_target(sc, at, word, NULL) != s->node)
		return;
	pthread_mutex_lock(&s->lock);
	s->all++;
	if (s->found.n < WHO_PLACES)
		*vec_push(s->mem, &s->found) = (struct found){
			.at = at, .word = word, .from = sc->from, .root = sc->root, .task = sc->task
		};
	pthread_mutex_unlock(&s->lock);
}

/* ---- names --------------------------------------------------------------------------------- */

struct namer {
	const struct reach *x;
	struct arena *mem;
	struct ksyms ks;
};

static const char *symbol(struct namer *n, uint64_t at)
{
	struct ksym y = ksyms_place(&n->ks, at);

	if (!y.name)
		return y.module ? arena_printf(n->mem, "[%s]", y.module) : NULL;
	return arena_printf(n->mem, "%s+%#" PRIx64 "%s%s%s", y.name, y.offset, y.module ? " [" : "",
			    y.module ? y.module : "", y.module ? "]" : "");
}

static const char *percpu_name(struct namer *n, uint64_t at)
{
	struct symbol_place y;
	uint32_t cpu;

	if (!reach_percpu_at(n->x->k, at, &cpu, &y))
		return NULL;
	return arena_printf(n->mem, "%s+%#" PRIx64 " of CPU %u", y.name, y.offset, cpu);
}

/* The frame whose struct page address AT is in. */
static bool frame_of(const struct reach *x, uint64_t at, uint64_t *pfn)
{
	const struct memmap *m = &x->k->memmap;

	for (uint32_t i = 0; i < m->n; i++)
		if (at >= m->v[i].page_kva &&
		    (at - m->v[i].page_kva) / m->page_size < m->v[i].end - m->v[i].pfn) {
			*pfn = m->v[i].pfn + (at - m->v[i].page_kva) / m->page_size;
			return true;
		}
	return false;
}

static void name_root(struct namer *n, const struct found *f, struct who_place *p)
{
	static const enum who_kind kinds[] = {
		[ROOT_IMAGE] = WHO_VARIABLE, [ROOT_MODULE] = WHO_MODULE,
		[ROOT_PERCPU] = WHO_PERCPU,  [ROOT_STACK] = WHO_STACK,
		[ROOT_BOOT] = WHO_BOOT,	     [ROOT_STRUCT_PAGE] = WHO_STRUCT_PAGE,
	};
	const struct task *t = f->task < n->x->s->ntasks ? &n->x->s->tasks[f->task] : NULL;

	p->kind = kinds[f->root];
	if (f->root == ROOT_IMAGE || f->root == ROOT_MODULE)
		p->name = symbol(n, f->at);
	else if (f->root == ROOT_PERCPU)
		p->name = percpu_name(n, f->at);
	else if (f->root == ROOT_STACK && t)
		p->name = arena_printf(n->mem, "task %d %s", t->pid, t->comm);
}

static const char *node_name(struct namer *n, const struct reach_node *node)
{
	if (node->area)
		return node->area->sym.name ? node->area->sym.name : "vmalloc";
	if (node->unit->cache == REACH_BLOCK)
		return page_class_name(node->class);
	return n->x->caches.v[node->unit->cache].name;
}

static void name_node(struct namer *n, const struct found *f, struct who_place *p)
{
	struct reach_node node;

	reach_describe(n->x, f->from, &node);
	p->kind = node.area ? WHO_AREA : node.unit->cache == REACH_BLOCK ? WHO_PAGES : WHO_OBJECT;
	p->from = node.kva;
	p->reached = reach_bit(n->x->reached, f->from);
	/* of a block, its struct pages are read too */
	if (f->at < node.kva || f->at - node.kva >= max_u64(node.size, 1))
		p->kind = WHO_STRUCT_PAGE;
	else
		p->name =
			arena_printf(n->mem, "%s+%#" PRIx64, node_name(n, &node), f->at - node.kva);
}

/* Bytes from its address on, with metadata, in which a word points to NODE. */
static uint64_t extent(const struct reach *x, const struct reach_node *node)
{
	if (node->area)
		return node->area->size;
	return node->unit->cache == REACH_BLOCK ? node->size : x->caches.v[node->unit->cache].size;
}

static struct who_place place_of(struct namer *n, const struct found *f,
				 const struct reach_node *to)
{
	struct who_place p = { .at = f->at, .to = f->word - to->kva, .reached = true };
	uint64_t pfn;

	if (p.to >= extent(n->x, to))
		p.to = WHO_STRUCT;
	if (f->from == REACH_NONE)
		name_root(n, f, &p);
	else
		name_node(n, f, &p);
	if (p.kind == WHO_STRUCT_PAGE && frame_of(n->x, f->at, &pfn))
		p.name = arena_printf(n->mem, "of frame %#" PRIx64 ", %s", pfn,
				      page_class_name(page_class_at(n->x->census->classes, pfn)));
	return p;
}

static int by_place(const void *a, const void *b)
{
	const struct who_place *p = a, *q = b;

	if (p->kind != q->kind)
		return p->kind < q->kind ? -1 : 1;
	return p->at < q->at ? -1 : p->at > q->at;
}

enum status who_build(const struct reach *x, uint64_t address, struct arena *mem, struct who *ret)
{
	struct search s = { .x = x, .mem = mem, .node = reach_at(x, address, NULL) };
	struct namer n = { .x = x, .mem = mem };
	struct reach_scan *scans;
	struct reach_node node;
	struct reader *r;

	*ret = (struct who){ 0 };
	if (s.node == REACH_NONE)
		return ST_ABSENT;
	pthread_mutex_init(&s.lock, NULL);
	scans = reach_scans_new(x, told, &s);
	reach_all(x, scans);
	reach_scans_free(scans, NULL, NULL, NULL);
	pthread_mutex_destroy(&s.lock);
	r = kernel_reader(x->k);
	ksyms_init(&n.ks, x->k, r, mem);
	reach_describe(x, s.node, &node);
	ret->kva = node.kva;
	ret->size = node.size;
	ret->what = arena_strdup(mem, node_name(&n, &node));
	ret->state = reach_bit(x->freed, s.node)     ? WHO_FREE
		     : reach_bit(x->reached, s.node) ? WHO_REACHED
						     : WHO_UNREACHED;
	ret->v = arena_array(mem, struct who_place, s.found.n);
	ret->all = s.all;
	for (size_t i = 0; i < s.found.n; i++)
		ret->v[ret->n++] = place_of(&n, &s.found.v[i], &node);
	sort_array(ret->v, ret->n, sizeof(*ret->v), by_place);
	reader_free(r);
	return ST_OK;
}
