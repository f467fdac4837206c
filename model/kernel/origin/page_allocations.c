/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_allocations.c - struct page_owner of each page: read_page_owner(), print_page_owner(),
 * print_page_owner_memcg() in mm/page_owner.c, read in 5.10, 5.18, 6.1, 6.12, 7.1.
 */
#include <string.h>

#include "facts/layout/cgroup.h"
#include "facts/layout/origin.h"
#include "facts/layout/page.h"
#include "model/kernel/origin/allocations.h"
#include "model/kernel/origin/origin.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/zone/zones.h"

#define NAME_BYTES 80		/* of a control group: print_page_owner_memcg() */
#define CHARGE_OBJECTS 1u	/* of page.memcg_data: include/linux/memcontrol.h */
#define CHARGE_KMEM 2u
#define CHARGE_FLAGS UINT64_C(7)
#define GFP_MOBILITY 0x18u	/* __GFP_RECLAIMABLE and __GFP_MOVABLE: never renumbered since 3.19 */
#define GFP_MOBILITY_SHIFT 3
#define REASONS_MAX 32u		/* MR_TYPES: 9 in 6.12 */
#define NOT_MIGRATED (-1)

struct pass {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct arena mem;
	struct ksyms ks;
	struct origins o;
	struct zones zs;
	struct pagefmt fmt;
	struct allocations_shown x;
	struct hash names;		/* css -> index in charged */
	VEC(const char *) charged;
	struct pageblocks blocks;
	const struct zone *zone;	/* of blocks */
	const char *reasons[REASONS_MAX];
	struct page_allocation a;
};

static uint64_t get(struct pass *p, uint64_t at, enum layout_id id)
{
	uint64_t v;

	if (!has(p->k, id))
		return 0;
	if (kmember_u64(p->k, p->r, at, id, &v)) {
		p->o.unread++;
		return 0;
	}
	return v;
}

static const char *type_name(const struct pass *p, unsigned type)
{
	return type < p->zs.ntypes && p->zs.type_name[type] ? p->zs.type_name[type] : "?";
}

static const char *block_type(struct pass *p, uint64_t pfn)
{
	unsigned type;

	for (uint32_t i = 0; i < p->zs.n; i++) {
		const struct zone *z = &p->zs.v[i];

		if (pfn < z->start_pfn || pfn - z->start_pfn >= z->spanned)
			continue;
		if (z != p->zone && !pageblocks_init(&p->blocks, p->k, p->r, &p->zs, z))
			return "?";
		p->zone = z;
		return pageblock_type(&p->blocks, pfn, &type) ? "?" : type_name(p, type);
	}
	return "?";
}

/* ---- the control group ------------------------------------------------------------------------ */

static const char *name_of_css(struct pass *p, uint64_t css)
{
	uint32_t at = hash_get(&p->names, css);
	uint64_t cgroup, kn, name;
	char text[NAME_BYTES];

	if (at != HASH_NONE)
		return p->charged.v[at];
	/* cgroup_name(): of the root "/" */
	if (kmember_u64(p->k, p->r, css, M_CSS_CGROUP, &cgroup) ||
	    kmember_u64(p->k, p->r, cgroup, M_CGROUP_KN, &kn) ||
	    kmember_u64(p->k, p->r, kn, M_KN_NAME, &name) ||
	    read_kva_str(p->r, name, text, sizeof(text)))
		snprintf(text, sizeof(text), "?");
	hash_put(&p->names, css, (uint32_t)p->charged.n);
	*vec_push(&p->mem, &p->charged) = arena_strdup(&p->mem, *text ? text : "/");
	return p->charged.v[p->charged.n - 1];
}

static void read_charge(struct pass *p, uint64_t page)
{
	struct page_allocation *a = &p->a;
	uint64_t data, memcg, flags;

	a->slab = a->by_objcg = false;
	a->online = true;
	a->charged = NULL;
	if (!p->x.charge || kmember_u64(p->k, p->r, page, M_PAGE_MEMCG, &data) || !data)
		return;
	a->slab = data & CHARGE_OBJECTS;
	memcg = data & ~CHARGE_FLAGS;
	if (a->slab)
		return;
	a->by_objcg = data & CHARGE_KMEM;
	if (!kernel_ptr_ok(p->k, memcg, p->k->dump->word_size) ||
	    ((a->by_objcg || has(p->k, M_OBJCG_ROOT)) &&
	     kmember_u64(p->k, p->r, memcg, M_OBJCG_MEMCG, &memcg))) {
		p->o.unread++;
		return;
	}
	memcg += layout_offset(&p->k->layout, M_MEMCG_CSS);
	flags = get(p, memcg, M_CSS_FLAGS);
	a->online = flags & (uint64_t)layout_enum(&p->k->layout, E_CSS_ONLINE, 2);
	a->charged = name_of_css(p, memcg);
}

/* ---- one page ---------------------------------------------------------------------------------- */

static void read_stack(struct pass *p, uint32_t handle)
{
	struct page_allocation *a = &p->a;

	a->depth = origin_frames(&p->o, handle, a->address, ALLOCATION_DEPTH);
	p->o.unread += !a->depth;
	for (unsigned i = 0; i < a->depth; i++)
		a->stack[i] = ksyms_at(&p->ks, a->address[i]);
}

static bool read_page(struct pass *p, uint64_t pfn)
{
	uint64_t page = memmap_page_kva(&p->k->memmap, pfn), owner, reason;
	struct origin from = origin_of(&p->o, pfn, 0);
	struct page_allocation *a = &p->a;

	if (!from.stack || !page)
		return false;
	owner = page_ext_of(&p->o, pfn) + p->o.owner_at;
	a->pfn = pfn;
	a->order = (unsigned)get(p, owner, M_OWNER_ORDER);
	if (a->order >= ORDERS_MAX || pfn & ((UINT64_C(1) << a->order) - 1))
		return false;
	a->gfp = get(p, owner, M_OWNER_GFP);
	a->pid = (int64_t)get(p, owner, M_OWNER_PID);
	a->tgid = (int64_t)get(p, owner, M_OWNER_TGID);
	a->time = get(p, owner, M_OWNER_TIME);
	a->free_time = get(p, owner, M_OWNER_FREE_TIME);
	a->comm[0] = 0;
	if (p->x.comm &&
	    read_kva_str(p->r, owner + layout_offset(&p->k->layout, M_OWNER_COMM), a->comm,
			 min_u64(p->k->layout.v[M_OWNER_COMM].m.size + 1, sizeof(a->comm))))
		p->o.unread++;
	a->flags = get(p, page, M_PAGE_FLAGS);
	a->block = pfn >> p->zs.block_order;
	a->wanted = type_name(p, (a->gfp & GFP_MOBILITY) >> GFP_MOBILITY_SHIFT);
	a->type = block_type(p, pfn);
	reason = get(p, owner, M_OWNER_REASON);
	a->reason = (int16_t)reason == NOT_MIGRATED		 ? NULL
		    : reason < REASONS_MAX && p->reasons[reason] ? p->reasons[reason]
								 : "?";
	read_charge(p, page);
	read_stack(p, from.stack);
	return true;
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* migrate_reason_names[MR_TYPES]: as many as the type of the array has, or as there are names. */
static void read_reasons(struct pass *p)
{
	uint64_t at = layout_symbol(&p->k->layout, Y_MIGRATE_REASONS), name;
	unsigned word = p->k->dump->word_size;
	char text[NAME_BYTES];

	for (unsigned i = 0; at && i < REASONS_MAX; i++) {
		if (read_kva_word(p->r, at + i * word, &name) || !kernel_ptr_ok(p->k, name, 1) ||
		    read_kva_str(p->r, name, text, sizeof(text)))
			return;
		p->reasons[i] = arena_strdup(&p->mem, text);
	}
}

static bool begin(struct pass *p)
{
	const struct kernel *k = p->k;
	struct allocations_shown *x = &p->x;

	p->names.mem = &p->mem;
	pagefmt_init(&p->fmt, k);
	ksyms_init(&p->ks, k, p->r, &p->mem);
	if (!origins_init(&p->o, k, p->r, &p->ks) || !p->o.stacks || !has(k, M_OWNER_ORDER) ||
	    !has(k, M_OWNER_GFP) || zones_build(p->s, &p->mem, 0, &p->zs) ||
	    !flag_names_read(&x->gfp, k, p->r, &p->mem, Y_GFP_NAMES) ||
	    !flag_names_read(&x->page, k, p->r, &p->mem, Y_PAGEFLAG_NAMES))
		return false;
	read_reasons(p);
	x->time = has(k, M_OWNER_TIME);
	x->pid = has(k, M_OWNER_PID);
	x->tgid = has(k, M_OWNER_TGID);
	x->comm = has(k, M_OWNER_COMM);
	x->free_time = has(k, M_OWNER_FREE_TIME) && kernel_rule(k, RULE_OWNER_FREE_TIME);
	x->hex = kernel_rule(k, RULE_OWNER_HEX);
	/* fcf8935832b8 (v5.18): with the name of the process */
	x->charge = x->comm && has(k, M_PAGE_MEMCG) && has(k, M_MEMCG_CSS);
	return true;
}

enum status page_allocations_each(const struct snapshot *s,
				  void (*fn)(void *arg, const struct allocations_shown *x,
					     const struct page_allocation *a),
				  void *arg)
{
	const struct memmap *m = &s->k->memmap;
	struct arena own = { 0 };
	struct pass *p = arena_array(&own, struct pass, 1);
	bool known;

	*p = (struct pass){ .s = s, .k = s->k, .r = kernel_reader(s->k) };
	known = begin(p);
	for (uint32_t i = 0; known && i < m->n; i++)
		for (uint64_t pfn = m->v[i].pfn; pfn < m->v[i].end; pfn++)
			if (read_page(p, pfn))
				fn(arg, &p->x, &p->a);
	if (known && p->o.unread)
		issue_add(s->k->issues, ST_NODATA, "page_owner", p->o.unread,
			  "of pages: not readable");
	reader_free(p->r);
	arena_release(&p->mem);
	arena_release(&own);
	return known ? ST_OK : ST_ABSENT;
}
