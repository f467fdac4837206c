/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census --holders - whose the kernel's memory is, and which processes hold it. */
#include "dumpread/base/bytes.h"
#include "model/memory/census/census.h"
#include "reports/core/common.h"
#include "reports/page/census.h"

struct row {
	const char *class, *class_id, *kind, *what, *comm, *cgroup, *incomplete;
	uint64_t size, pages, object, holders, kernel;
	int64_t pid;
};

#define S COL_SHOWN
#define C(name, kind, fl, unit, about) COL(struct row, name, kind, fl, unit, about)

static const struct column cols[] = {
	C(class, COL_STR, S | COL_WIDE, "", "class of memory, as report census has it"),
	C(kind, COL_STR, S | COL_WIDE, "", "kind of owner"),
	C(what, COL_STR, S | COL_WIDE, "", "the owner"),
	C(size, COL_BYTES, S | COL_TOTAL, "bytes",
	  "memory that it has in this class; an owner with memory in two classes has two rows"),
	C(pages, COL_UINT, 0, "pages", "whole pages of it; the rest are objects in slabs"),
	C(holders, COL_UINT, S, "", "processes that have it open or mapped"),
	C(pid, COL_INT, S, "", "the first of them"),
	C(comm, COL_STR, S | COL_WIDE, "", "its name"),
	C(cgroup, COL_STR, 0, "", "control group of this process"),
	C(kernel, COL_UINT, 0, "", "1: the kernel holds it too; it stays when the processes end"),
	C(incomplete, COL_STR, 0, "", "missing parts; with any, size is a lower bound"),
	C(object, COL_HEX, 0, "", "address of the kernel's object"),
	C(class_id, COL_STR, 0, "", "the class by a name that never changes"),
};

static void set_holder(const struct snapshot *s, const struct owners *w, const struct owner *o,
		       struct row *r)
{
	const struct proc *p = o->nholders ? &s->procs[w->holder[o->first_holder]] : NULL;

	r->pid = COL_UNKNOWN_INT;
	if (!p)
		return;
	r->pid = p->pid;
	r->comm = proc_comm(s, p);
	r->cgroup = p->cgroup < s->ncgroups ? s->cgroups[p->cgroup].path : NULL;
}

static enum status holders_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	const struct census *c = census_of(s);
	const struct owners *w = &c->owners;
	struct row *rows = arena_array(&t->mem, struct row, w->n);

	(void)o;
	(void)diag;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct owner *v = &w->v[i];

		rows[i] = (struct row){
			.class = page_class_name(v->class),
			.class_id = class_facts[v->class].id,
			.kind = owner_kind_name(v->kind),
			.what = v->what,
			.size = v->size,
			.pages = v->pages,
			.object = v->object,
			.holders = v->nholders,
			.kernel = v->kernel,
			.incomplete = v->incomplete ? "memory" : NULL,
		};
		set_holder(s, w, v, &rows[i]);
	}
	t->rows = rows;
	t->nrows = w->n;
	t->row_size = sizeof(*rows);
	t->incomplete = offsetof(struct row, incomplete);
	return ST_OK;
}

const struct report report_census_holders = {
	.name = "census",
	.about = "owners of the kernel's memory, and who holds them",
	.needs = NEED_MACHINE | NEED_VMAS | NEED_CGROUPS,
	.opts = OPT_HOLDERS,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-size,kind,what",
	.run = holders_report,
};
