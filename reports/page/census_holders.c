/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census --holders - whose the kernel's memory is, and which processes hold it; many alike are one row. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "model/memory/census/census.h"
#include "reports/core/common.h"
#include "reports/page/census.h"

struct row {
	const char *class, *class_id, *kind, *what, *comm, *cgroup, *incomplete;
	uint64_t size, pages, owners, object, holders, kernel;
	int64_t pid;
};

#define S COL_SHOWN
#define C(name, kind, fl, unit, about) COL(struct row, name, kind, fl, unit, about)

static const struct column cols[] = {
	C(class, COL_STR, S | COL_WIDE, "", "class of memory, as report census has it"),
	C(kind, COL_STR, S | COL_WIDE, "", "kind of owner"),
	C(what, COL_STR, S | COL_WIDE, "", "the owner; of several the largest"),
	C(size, COL_BYTES, S | COL_TOTAL, "bytes",
	  "memory that it has in this class; an owner with memory in two classes has two rows"),
	C(pages, COL_UINT, 0, "pages", "whole pages of it; the rest are objects in slabs"),
	C(holders, COL_UINT, S, "", "processes that have it open or mapped"),
	C(pid, COL_INT, S, "", "the first of them; -: nobody, or owners of the row have different ones"),
	C(comm, COL_STR, S | COL_WIDE, "", "its name"),
	C(cgroup, COL_STR, 0, "", "control group of this process; -: none, or different ones"),
	C(kernel, COL_UINT, 0, "",
	  "owners that the kernel holds too; they stay when the processes end"),
	C(incomplete, COL_STR, 0, "", "missing parts; with any, size is a lower bound"),
	C(object, COL_HEX, 0, "", "address of the kernel's object, if the row is one"),
	C(class_id, COL_STR, 0, "", "the class by a name that never changes"),
	C(owners, COL_UINT, 0, "", "owners that the row adds up"),
};

/* What owners of one row have in common. */
enum by { BY_HELD, BY_KIND, BY_PROCESS, BY_CGROUP, BY_NONE };

static const char *const divisions[] = {
	[BY_KIND - 1] = "kind",
	[BY_PROCESS - 1] = "process",
	[BY_CGROUP - 1] = "cgroup",
	[BY_NONE - 1] = "none",
	NULL,
};

struct group {
	const struct snapshot *s;
	const struct owners *w;
	enum by by;
	uint32_t *seen;			/* by process: the row, from 1, that counted it last */
	struct hash objects;		/* the same by object: one with memory in two classes is one */
	uint32_t row;			/* from 1 */
};

static enum by by_named(const char *name)
{
	unsigned i = 0;

	while (name && divisions[i] && strcmp(divisions[i], name))
		i++;
	return name ? (enum by)(i + 1) : BY_HELD;
}

/* The first process that holds O; NONE: nobody does. */
static uint32_t first_holder(const struct group *g, const struct owner *o)
{
	return o->nholders ? g->w->holder[o->first_holder] : NONE;
}

/* The control group of the process P of procs. */
static const struct cgroup *cgroup_of(const struct group *g, uint32_t p)
{
	uint32_t i = p == NONE ? NONE : g->s->procs[p].cgroup;

	return i < g->s->ncgroups ? &g->s->cgroups[i] : NULL;
}

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* Of one class and kind, and held by the same processes. What nobody holds stands alone: it has a name of its own. */
static int cmp_held(const struct group *g, const struct owner *a, const struct owner *b)
{
	int d = CMP(a->class, b->class);

	d = d ? d : CMP(a->kind, b->kind);
	d = d ? d : CMP(a->nholders, b->nholders);
	if (d || !a->nholders)
		return d ? d : CMP(a, b);
	return memcmp(g->w->holder + a->first_holder, g->w->holder + b->first_holder,
		      a->nholders * sizeof(*g->w->holder));
}

/* 0: both are in one row. */
static int cmp_group(const struct group *g, const struct owner *a, const struct owner *b)
{
	int d = CMP(a->class, b->class);

	switch (g->by) {
	case BY_HELD: return cmp_held(g, a, b);
	case BY_KIND: return d ? d : CMP(a->kind, b->kind);
	case BY_PROCESS: return CMP(first_holder(g, a), first_holder(g, b));
	case BY_CGROUP:
		return CMP(cgroup_of(g, first_holder(g, a)), cgroup_of(g, first_holder(g, b)));
	case BY_NONE: break;
	}
	return CMP(a, b);
}

/* The largest of a row first, then as they were found. */
static int cmp_owners(const void *pa, const void *pb, void *arg)
{
	const struct group *g = arg;
	const struct owner *a = &g->w->v[*(const uint32_t *)pa],
			   *b = &g->w->v[*(const uint32_t *)pb];
	int d = cmp_group(g, a, b);

	d = d ? d : CMP(b->size, a->size);
	return d ? d : CMP(a, b);
}

static struct row row_of(const struct group *g, const struct owner *o)
{
	uint32_t first = first_holder(g, o);
	const struct proc *p = first == NONE ? NULL : &g->s->procs[first];
	const struct cgroup *cgroup = cgroup_of(g, first);

	return (struct row){
		.class = page_class_name(o->class),
		.class_id = class_facts[o->class].id,
		.kind = owner_kind_name(o->kind),
		.what = o->what,
		.object = o->object,
		.pid = p ? p->pid : COL_UNKNOWN_INT,
		.comm = p ? proc_comm(g->s, p) : NULL,
		.cgroup = cgroup ? cgroup->path : NULL,
	};
}

/* A cell that is not the same for all owners of the row R has no value. */
static void keep_common(struct row *r, const struct row *other)
{
	if (r->class != other->class)
		r->class = r->class_id = NULL;
	if (r->kind != other->kind)
		r->kind = NULL;
	if (r->cgroup != other->cgroup)
		r->cgroup = NULL;
	if (r->pid != other->pid) {
		r->pid = COL_UNKNOWN_INT;
		r->comm = NULL;
	}
	if (r->object != other->object)
		r->object = COL_UNKNOWN;
}

static void add_owner(struct group *g, struct row *r, const struct owner *o)
{
	const struct row own = row_of(g, o);

	if (r->owners)
		keep_common(r, &own);
	else
		*r = own;
	r->size += o->size;
	r->pages += o->pages;
	if (hash_get(&g->objects, o->object) != g->row) {
		hash_put(&g->objects, o->object, g->row);
		r->owners++;
		r->kernel += o->kernel;
	}
	if (o->incomplete)
		r->incomplete = "memory";
	for (uint32_t i = 0; i < o->nholders; i++) {
		uint32_t p = g->w->holder[o->first_holder + i];

		r->holders += g->seen[p] != g->row;
		g->seen[p] = g->row;
	}
}

static enum status holders_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	const struct owners *w = &census_of(s)->owners;
	struct group g = { .s = s, .w = w, .by = by_named(o->by) };
	uint32_t *order = arena_array(&t->mem, uint32_t, w->n);
	struct row *rows = arena_array(&t->mem, struct row, w->n);

	(void)diag;
	g.seen = arena_array(&t->mem, uint32_t, s->nprocs);
	g.objects.mem = &t->mem;
	for (uint32_t i = 0; i < w->n; i++)
		order[i] = i;
	if (w->n)
		qsort_r(order, w->n, sizeof(*order), cmp_owners, &g);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct owner *one = &w->v[order[i]];

		g.row += !i || cmp_group(&g, &w->v[order[i - 1]], one);
		add_owner(&g, &rows[g.row - 1], one);
	}
	for (uint32_t i = 0; i < g.row; i++)
		if (rows[i].owners > 1)
			rows[i].what = arena_printf(&t->mem, "%s and %" PRIu64 " more",
						    rows[i].what, rows[i].owners - 1);
	t->rows = rows;
	t->nrows = g.row;
	t->row_size = sizeof(*rows);
	t->incomplete = offsetof(struct row, incomplete);
	return ST_OK;
}

const struct report report_census_holders = {
	.name = "census",
	.about = "owners of the kernel's memory, and who holds them",
	.needs = NEED_MACHINE | NEED_VMAS | NEED_CGROUPS,
	.opts = OPT_HOLDERS | OPT_BY,
	.by = divisions,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-size,kind,what",
	.run = holders_report,
};
