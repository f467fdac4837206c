/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hugetlb.c - reads hstates[] (mm/hugetlb.c, include/linux/hugetlb.h, read in 5.10 and 7.2).
 */
#include "model/kernel/hugetlb/hugetlb.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"

struct builder {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	VEC(struct huge_pool) v;
	struct kobj o;
	uint64_t nodes;
};

enum status huge_page_sizes(const struct kernel *k, struct reader *r, uint64_t *n)
{
	uint64_t base = layout_symbol(&k->layout, Y_HSTATES), order;
	enum status st;

	*n = 0;
	if (!base || !has(k, Y_MAX_HSTATE))
		return ST_ABSENT;
	st = kvar_u64(k, r, Y_MAX_HSTATE, 4, n);
	if (!st && !*n && has(k, M_HSTATE_ORDER))
		st = kmember_u64(k, r, base, M_HSTATE_ORDER, &order) || order ? ST_CORRUPT : ST_OK;
	if (*n > HSTATES_MAX)
		st = ST_CORRUPT;
	if (st)
		*n = 0;
	return st;
}

uint64_t hstate_at(const struct kernel *k, uint64_t i)
{
	return layout_symbol(&k->layout, Y_HSTATES) + i * layout_size(&k->layout, S_HSTATE);
}

enum status hstate_order(const struct kernel *k, struct reader *r, uint64_t hstate, uint64_t *order)
{
	uint64_t size = layout_size(&k->layout, S_HSTATE), at = hstate - hstate_at(k, 0);

	if (has(k, Y_HSTATES) && size && (at % size || at / size >= HSTATES_MAX))
		return ST_CORRUPT;
	return kmember_u64(k, r, hstate, M_HSTATE_ORDER, order);
}

static void pool_damage(const struct kernel *k, enum status st, const char *what)
{
	issue_add(k->issues, st, "hugetlb pool", 1, "%s", what);
}

static void add_nodes(struct builder *b, const struct huge_pool *whole)
{
	uint64_t total = 0, free_pages = 0;

	if (!has(b->k, M_HSTATE_NR_NODE) || !has(b->k, M_HSTATE_FREE_NODE))
		return;
	for (uint32_t i = 0; i < b->nodes && i < b->k->layout.v[M_HSTATE_NR_NODE].m.count; i++) {
		struct huge_pool p = {
			.page_size = whole->page_size,
			.node = (int32_t)i,
			.usual = whole->usual,
			.total = kobj_elem(&b->o, M_HSTATE_NR_NODE, i),
			.free = kobj_elem(&b->o, M_HSTATE_FREE_NODE, i),
			.surplus = kobj_elem(&b->o, M_HSTATE_SURPLUS_NODE, i),
			.reserved = HUGETLB_UNKNOWN,
			.overcommit = HUGETLB_UNKNOWN,
			.persistent = HUGETLB_UNKNOWN,
		};

		total += p.total;
		free_pages += p.free;
		if (p.total)
			*vec_push(b->mem, &b->v) = p;
	}
	if (total != whole->total || free_pages != whole->free)
		pool_damage(b->k, ST_CORRUPT, "its nodes do not add up");
}

static void add_pool(struct builder *b, uint64_t addr, bool usual)
{
	enum status st = kobj_read(&b->o, b->r, addr);
	struct huge_pool p = { .node = -1, .usual = usual };
	uint64_t order;

	order = kobj_u64(&b->o, M_HSTATE_ORDER);
	if (st || order > HUGE_ORDER_MAX) {
		pool_damage(b->k, st ? st : ST_CORRUPT,
			    "it is not readable, or of no possible size");
		return;
	}
	p.page_size = UINT64_C(1) << (order + b->k->page_shift);
	p.total = kobj_u64(&b->o, M_HSTATE_NR);
	p.free = kobj_u64(&b->o, M_HSTATE_FREE);
	p.surplus = kobj_u64(&b->o, M_HSTATE_SURPLUS);
	p.reserved = kobj_u64(&b->o, M_HSTATE_RESV);
	p.persistent = has(b->k, M_HSTATE_MAX) ? kobj_u64(&b->o, M_HSTATE_MAX) : HUGETLB_UNKNOWN;
	p.overcommit = has(b->k, M_HSTATE_OVERCOMMIT) ? kobj_u64(&b->o, M_HSTATE_OVERCOMMIT)
						      : HUGETLB_UNKNOWN;
	if (p.free > p.total || p.surplus > p.total)
		pool_damage(b->k, ST_CORRUPT, "more pages are free or surplus than there are");
	*vec_push(b->mem, &b->v) = p;
	add_nodes(b, &p);
}

enum status huge_pools_build(const struct snapshot *s, struct arena *mem, struct huge_pools *ret)
{
	struct builder b = { .k = s->k, .mem = mem, .nodes = 1 };
	uint64_t base = s->k->dump ? layout_symbol(&s->k->layout, Y_HSTATES) : 0, n = 0, usual = 0;

	*ret = (struct huge_pools){ 0 };
	if (!base || !has(s->k, S_HSTATE) || !has(s->k, M_HSTATE_ORDER) || !has(s->k, Y_MAX_HSTATE))
		return ST_ABSENT;
	b.r = kernel_reader(s->k);
	kobj_init(&b.o, s->k, S_HSTATE);
	if (huge_page_sizes(s->k, b.r, &n))
		pool_damage(s->k, ST_CORRUPT, "their number is not possible");
	kvar_u64(s->k, b.r, Y_DEFAULT_HSTATE, 4, &usual);
	if (!kvar_u64(s->k, b.r, Y_NR_NODE_IDS, 4, &b.nodes))
		b.nodes = min_u64(b.nodes, NODES_MAX);
	else
		b.nodes = 1;
	for (uint64_t i = 0; i < n; i++)
		add_pool(&b, base + i * b.o.size, i == usual);
	kobj_release(&b.o);
	reader_free(b.r);
	ret->v = b.v.v;
	ret->n = (uint32_t)b.v.n;
	return ST_OK;
}

/* ---- /proc/meminfo ---------------------------------------------------------------------------- */

/* Element I; DEFLT: the one that meminfo shows. */
static void add_sums(const struct kernel *k, const struct kobj *o, bool deflt,
		     struct hugetlb_sums *h)
{
	uint64_t order = kobj_u64(o, M_HSTATE_ORDER), nr = kobj_u64(o, M_HSTATE_NR);

	h->known &= order <= HUGE_ORDER_MAX &&
		    (!k->memmap.max_pfn || nr <= k->memmap.max_pfn >> order);
	if (!h->known) {
		pool_damage(k, ST_CORRUPT, "one is not readable, or of no possible size or number");
		return;
	}
	h->all_pages += nr << order;
	if (!deflt)
		return;
	h->total = nr;
	h->free = kobj_u64(o, M_HSTATE_FREE);
	h->resv = kobj_u64(o, M_HSTATE_RESV);
	h->surplus = kobj_u64(o, M_HSTATE_SURPLUS);
	h->page_size = UINT64_C(1) << (order + k->dump->page_shift);
}

void hugetlb_sums_read(const struct kernel *k, struct reader *r, struct hugetlb_sums *ret)
{
	uint64_t n, deflt;
	struct kobj o;

	*ret = (struct hugetlb_sums){
		.there = has(k, Y_HSTATES) || (has(k, S_HSTATE) && kernel_hides_symbols(k)),
	};
	if (!has(k, Y_HSTATES) || !has(k, Y_MAX_HSTATE) || !has(k, Y_DEFAULT_HSTATE))
		return;
	if (huge_page_sizes(k, r, &n) || kvar_u64(k, r, Y_DEFAULT_HSTATE, 4, &deflt) ||
	    deflt > HSTATES_MAX || (n && deflt >= n)) {
		pool_damage(k, ST_CORRUPT, "their number or the default is not possible");
		return;
	}
	kobj_init(&o, k, S_HSTATE);
	ret->known = true;
	for (uint64_t i = 0; i < n && ret->known; i++) {
		ret->known = !kobj_read(&o, r, hstate_at(k, i));
		add_sums(k, &o, i == deflt, ret);
	}
	kobj_release(&o);
}
