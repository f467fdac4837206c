/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * units.c - groups the vmas of the same part of a file, over all processes.
 */
#include "model/memory/areas/units.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/memory/trust/bounds.h"
#include "model/memory/trust/incomplete.h"
#include "model/memory/usage/kept.h"

struct maker {
	const struct snapshot *s;
	const struct area *areas;
	struct arena *mem;
	struct hash by_key;
	VEC(struct unit) v;
	VEC(uint32_t) last_mm;		/* beside v: the mm that was counted last, + 1 */
};

/* ---- the unit of a VMA --------------------------------------------------------------- */

static struct unit unit_of(const struct vma *v, const struct area *a)
{
	struct unit u = { .file = a->file, .class = a->class, .flags = a->flags };

	u.code = area_is_code(a) || a->flags & AREA_GAP;
	if (a->file == NONE)
		u.flags = 0;
	else if (!(a->flags & AREA_B))
		u.offset = v->pgoff;
	return u;
}

static bool same_unit(const struct unit *a, const struct unit *b)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): both are of a vector */
	return a->file == b->file && a->class == b->class && a->flags == b->flags &&
	       a->offset == b->offset;
}

static uint32_t find_unit(struct maker *m, const struct vma *v, const struct area *a)
{
	struct unit u = unit_of(v, a);
	uint64_t words[3] = { u.file, (uint64_t)u.class << 8 | u.flags, u.offset };
	uint64_t key = hash_bytes(words, sizeof(words));

	for (;; key = key + 1 ? key + 1 : 1) {
		uint32_t i = hash_get(&m->by_key, key);

		if (i != HASH_NONE && !same_unit(&m->v.v[i], &u))
			continue;
		if (i != HASH_NONE)
			return i;
		*vec_push(m->mem, &m->v) = u;
		*vec_push(m->mem, &m->last_mm) = 0;
		i = (uint32_t)m->v.n - 1;
		hash_put(&m->by_key, key, i);
		return i;
	}
}

static void count_vma(struct maker *m, uint32_t unit, const struct vma *v)
{
	struct unit *u = &m->v.v[unit];
	uint64_t pages = (v->end - v->start) >> m->s->k->page_shift;

	u->virt = max_u64(u->virt, pages);
	u->virt_all += pages;
	if (m->last_mm.v[unit] == v->mm + 1)
		return;
	m->last_mm.v[unit] = v->mm + 1;
	if (v->mm >= m->s->nmms)
		return;
	u->nprocs += m->s->mms[v->mm].nprocs;
	u->incomplete |= (uint8_t)mm_incomplete(m->s, &m->s->mms[v->mm]);
}

/* ---- their pages -------------------------------------------------------------------------- */

/* The frames that a unit met, and those that any did. Chunks as in snapshot.frames. */
struct met {
	uint32_t unit;			/* + 1: of NOW */
	uint64_t now[FRAME_CHUNK / 64], ever[FRAME_CHUNK / 64];
};

struct pass {
	const struct snapshot *s;
	const struct vma *v;
	struct unit *u;
	uint32_t unit;			/* its number, + 1 */
	bool maps;
	struct met **met;
	struct page_budget budget;
	struct reader *r;
};

/* Of the chunk of PFN, for this unit. */
static struct met *met_of(const struct pass *x, uint64_t pfn)
{
	struct met **met = &x->met[pfn >> FRAME_CHUNK_SHIFT];

	if (!*met)
		*met = heap_array(struct met, 1);
	if ((*met)->unit != x->unit) {
		memset((*met)->now, 0, sizeof((*met)->now));
		(*met)->unit = x->unit;
	}
	return *met;
}

/* Sets bit AT. True: it was not set. */
static bool first_time(uint64_t *bits, uint64_t at)
{
	uint64_t bit = UINT64_C(1) << at % 64;
	bool first = !(bits[at / 64] & bit);

	bits[at / 64] |= bit;
	return first;
}

static bool each_page(void *arg, const struct resident_page *p)
{
	struct pass *x = arg;
	struct met *met = met_of(x, p->pfn);
	uint64_t at = p->pfn & (FRAME_CHUNK - 1);
	bool first = first_time(met->ever, at), copy = p->frame->flags & FR_ANON;
	struct unit *u = x->u;

	u->mapped++;
	u->copies += copy;
	u->new_frames += first;
	u->new_copies += first && copy;
	u->frames += first_time(met->now, at);
	if (u->file != NONE)
		residency_add(&u->map, (p->va - x->v->start) >> x->s->k->page_shift, 1);
	return true;
}

static bool unit_wanted(const struct unit *u, unsigned what)
{
	unsigned part = u->file != NONE ? UNITS_FILES : UNITS_REST;

	if (u->code)
		part = UNITS_CODE;
	return what & (UNITS_COSTS | part);
}

static void count_unit(struct pass *x, struct unit_list *us, uint32_t unit, const uint32_t *vmas,
		       uint32_t n, struct arena *mem)
{
	struct arena scratch = { 0 };

	x->u = &us->v[unit];
	x->unit = unit + 1;
	residency_init(&x->u->map, x->s, x->maps ? mem : &scratch);
	for (uint32_t i = 0; i < n; i++) {
		x->v = &x->s->vmas[vmas[i]];
		resident_walk(x->s, x->r, x->v, &x->budget, each_page, x);
	}
	x->u->resident = x->u->file != NONE ? x->u->map.pages : x->u->mapped;
	if (x->u->map.full)
		issue_add(x->s->k->issues, ST_LIMIT, "page map", 1,
			  "more pages of a file than are kept");
	if (!x->maps)
		x->u->map = (struct residency){ .pages = 0 };
	arena_release(&scratch);
}

/* VMAs in the order of their units: first[u] .. first[u + 1]. */
static uint32_t *by_unit(const struct snapshot *s, const struct unit_list *us, uint32_t *first)
{
	uint32_t *order = heap_array(uint32_t, s->nvmas);

	for (uint32_t i = 0; i < s->nvmas; i++)
		first[us->of_vma[i] + 1]++;
	for (uint32_t u = 0; u < us->n; u++)
		first[u + 1] += first[u];
	for (uint32_t i = s->nvmas; i-- > 0;)
		order[--first[us->of_vma[i] + 1]] = i;
	/* each end has become a start, one place too far on */
	for (uint32_t u = 0; u < us->n; u++)
		first[u] = first[u + 1];
	first[us->n] = s->nvmas;
	return order;
}

static void check_cost(const struct snapshot *s, const struct unit_list *us)
{
	uint64_t sum = 0;

	for (uint32_t u = 0; u < us->n; u++)
		sum += unit_cost(&us->v[u]);
	bound_check(s->k->issues, "frames of all units", sum << s->k->page_shift, "page frames",
		    s->frames.existing << s->k->page_shift);
}

static void count_pages(const struct snapshot *s, struct unit_list *us, unsigned what,
			struct arena *mem)
{
	uint32_t *first = heap_array(uint32_t, (size_t)us->n + 1);
	uint32_t *order = by_unit(s, us, first);
	struct pass x = { .s = s, .maps = what & UNITS_MAPS };

	x.met = heap_array(struct met *, s->frames.nchunks);
	page_budget_init(&x.budget, s);
	x.r = kernel_reader(s->k);
	for (uint32_t u = 0; u < us->n; u++)
		if (unit_wanted(&us->v[u], what))
			count_unit(&x, us, u, order + first[u], first[u + 1] - first[u], mem);
	check_cost(s, us);
	reader_free(x.r);
	for (uint64_t c = 0; c < s->frames.nchunks; c++)
		free(x.met[c]);
	free(x.met);
	free(order);
	free(first);
}

/* ---- their costs, of what is kept -------------------------------------------------------- */

static bool add_kept(void *arg, const struct page_run *run)
{
	struct pass *x = arg;

	if (run->kind == PAGE_ABSENT)
		return true;
	x->u->mapped += run->pages;
	/* nobody else maps them */
	x->u->new_frames += run->count == 1 ? run->pages : 0;
	return true;
}

static bool meet_page(void *arg, const struct resident_page *p)
{
	struct pass *x = arg;

	x->u->mapped++;
	kept_meet(x->s->kept, p->pfn, x->unit - 1);
	return true;
}

static void count_costs(const struct snapshot *s, struct unit_list *us)
{
	uint64_t *first = heap_array(uint64_t, us->n);
	struct pass x = { .s = s, .r = kernel_reader(s->k) };

	page_budget_init(&x.budget, s);
	for (uint32_t i = 0; i < s->nvmas; i++) {
		x.v = &s->vmas[i];
		x.u = &us->v[us->of_vma[i]];
		x.unit = us->of_vma[i] + 1;
		if (kept_has(s->kept, i))
			kept_each(s->kept, i, add_kept, &x);
		else
			resident_walk(s, x.r, x.v, &x.budget, meet_page, &x);
	}
	kept_count_first(s->kept, first);
	for (uint32_t u = 0; u < us->n; u++)
		us->v[u].new_frames += first[u];
	check_cost(s, us);
	reader_free(x.r);
	free(first);
}

/* ---- all of them -------------------------------------------------------------------------- */

static void list_units(const struct snapshot *s, const struct area *areas, struct arena *mem,
		       struct unit_list *ret)
{
	struct maker m = { .s = s, .areas = areas, .mem = mem, .by_key.mem = mem };

	*ret = (struct unit_list){ .areas = areas, .of_vma = arena_array(mem, uint32_t, s->nvmas) };
	for (uint32_t i = 0; i < s->nvmas; i++) {
		ret->of_vma[i] = find_unit(&m, &s->vmas[i], &areas[i]);
		count_vma(&m, ret->of_vma[i], &s->vmas[i]);
	}
	ret->v = m.v.v;
	ret->n = (uint32_t)m.v.n;
}

void units_build(const struct snapshot *s, const struct area *areas, unsigned what,
		 struct arena *mem, struct unit_list *ret)
{
	list_units(s, areas, mem, ret);
	if (what & UNITS_COSTS && s->kept)
		count_costs(s, ret);
	else
		count_pages(s, ret, what, mem);
}

uint32_t *units_of_vmas(const struct snapshot *s)
{
	uint32_t *of_vma = heap_array(uint32_t, s->nvmas);
	struct unit_list list = { .n = 0 };
	struct arena mem = { 0 };

	list_units(s, areas_build(s, &mem), &mem, &list);
	if (s->nvmas)
		memcpy(of_vma, list.of_vma, s->nvmas * sizeof(*of_vma));
	arena_release(&mem);
	return of_vma;
}

const char *unit_name(const struct snapshot *s, const struct unit *u)
{
	static const char *const names[AREA_CLASSES] = {
		[AREA_STACK] = "[stack]", [AREA_HEAP] = "[heap]", [AREA_ANON] = "[anon]",
		[AREA_HUGETLB] = "[hugetlb]", [AREA_OTHER] = "[other]", [AREA_NONE] = "[none]",
	};

	if (u->file < s->nfiles)
		return s->files[u->file].path;
	return u->class < AREA_CLASSES && names[u->class] ? names[u->class] : "[anon]";
}
