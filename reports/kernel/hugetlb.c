/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hugetlb - pools of huge pages by size and node, and the processes that have pages of them.
 */
#include "model/kernel/hugetlb/hugetlb.h"

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"

struct row {
	const char *kind, *comm;
	int64_t node, pid;
	uint64_t page_size, total, used, free, reserved, surplus, overcommit, memory, shared, private;
};

#define P COL_SHOWN
#define COUNT(name, fl, about) COL(struct row, name, COL_UINT, fl, "pages", about)
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, kind, COL_STR, P, "", "pool (of one size), node (its part of a pool), process"),
	BYTES(page_size, P, "of pool and node: a page of it"),
	COL(struct row, node, COL_INT, P, "", "of node: its number"),
	COUNT(total, P, "huge pages"),
	COUNT(used, P, "of them, given out"),
	COUNT(free, P, "not given out"),
	COUNT(reserved, P, "of free: promised to mappings that have not touched them"),
	COUNT(surplus, P, "of total: beyond the size of the pool, freed when they are given back"),
	COUNT(overcommit, P, "surplus pages that are allowed (nr_overcommit_hugepages)"),
	BYTES(memory, P, "total; of process: shared and private"),
	BYTES(shared, P, "of process: mapped by others too"),
	BYTES(private, P, "of process: mapped by no other"),
	COL(struct row, pid, COL_INT, P, "", "of process"),
	COL(struct row, comm, COL_STR, P, "", "of process: its name"),
};

struct maker {
	struct table *t;
	VEC(struct row) rows;
};

static struct row *add_row(struct maker *m, const char *kind)
{
	struct row *r = vec_push(&m->t->mem, &m->rows);

	*r = (struct row){ .kind = kind,
			   .node = COL_UNKNOWN_INT,
			   .pid = COL_UNKNOWN_INT,
			   .page_size = COL_UNKNOWN,
			   .total = COL_UNKNOWN,
			   .used = COL_UNKNOWN,
			   .free = COL_UNKNOWN,
			   .reserved = COL_UNKNOWN,
			   .surplus = COL_UNKNOWN,
			   .overcommit = COL_UNKNOWN,
			   .shared = COL_UNKNOWN,
			   .private = COL_UNKNOWN };
	return r;
}

static void add_pool(struct maker *m, const struct huge_pool *p)
{
	struct row *r = add_row(m, p->node < 0 ? "pool" : "node");

	if (p->node >= 0)
		r->node = p->node;
	r->page_size = p->page_size;
	r->total = p->total;
	r->free = p->free;
	r->used = p->total >= p->free ? p->total - p->free : COL_UNKNOWN;
	r->surplus = p->surplus;
	r->reserved = p->reserved;
	r->overcommit = p->overcommit;
	r->memory = p->total * p->page_size;
}

static void add_processes(struct maker *m, const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nprocs; i++) {
		const struct mm *mm = proc_mm(s, &s->procs[i]);
		struct row *r;

		/* a shared mm counts only for its first process */
		if (!mm || mm->owner != i ||
		    !(mm->usage.shared_hugetlb | mm->usage.private_hugetlb))
			continue;
		r = add_row(m, "process");
		r->pid = s->procs[i].pid;
		r->comm = proc_comm(s, &s->procs[i]);
		r->shared = mm->usage.shared_hugetlb;
		r->private = mm->usage.private_hugetlb;
		r->memory = r->shared + r->private;
	}
}

static enum status hugetlb_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	struct maker m = { .t = t };
	struct huge_pools pools;

	if (huge_pools_build(s, &t->mem, &pools))
		return fail(diag, ST_ABSENT, "this kernel has no pools of huge pages");
	for (uint32_t i = 0; i < pools.n; i++)
		if (pools.v[i].total || pools.v[i].usual || o->all)
			add_pool(&m, &pools.v[i]);
	add_processes(&m, s);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct row);
	return ST_OK;
}

const struct report report_hugetlb = {
	.name = "hugetlb",
	.about = "pools of huge pages, and the processes that have pages of them",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = hugetlb_report,
	.help = "A row for the pool of each size, one for each node that has pages of it, and one for\n"
		"each process that maps such pages. --all adds empty pools. Reserved pages are free,\n"
		"but promised: a new mapping gets free less reserved. Pages of files on hugetlbfs that\n"
		"no process maps are in used, and in no process.",
};
