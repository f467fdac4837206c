/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stacks - kernel stacks by process: one for each of its tasks.
 */
#include "model/kernel/stack/stacks.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"

struct row {
	int64_t pid;
	const char *comm, *place;
	uint64_t tasks, stacks, memory, unread;
};

#define P COL_SHOWN

static const struct column cols[] = {
	COL(struct row, pid, COL_INT, P, "", "process; 0: idle tasks of CPUs"),
	COL(struct row, tasks, COL_UINT, P | COL_TOTAL, "", "its tasks"),
	COL(struct row, stacks, COL_UINT, P | COL_TOTAL, "",
	    "tasks that have one: not those that ended, nor the first (of the image)"),
	COL(struct row, memory, COL_BYTES, P | COL_TOTAL, "bytes", "of these stacks"),
	COL(struct row, place, COL_STR, P, "",
	    "where they are: vmalloc (VMAP_STACK), linear or both"),
	COL(struct row, unread, COL_UINT, 0, "", "tasks whose stack the dump does not show"),
	COL(struct row, comm, COL_STR, P, "", "name of the process"),
};

static void add_stack(struct row *r, enum stack_place place, uint64_t size)
{
	const char *name = place == STACK_VMALLOC ? "vmalloc" : "linear";

	r->tasks++;
	r->unread += place == STACK_UNREAD;
	if (place != STACK_VMALLOC && place != STACK_LINEAR)
		return;
	r->place = r->stacks && r->place != name ? "both" : name;
	r->stacks++;
	r->memory = size ? r->memory + size : COL_UNKNOWN;
}

static const char *stacks_note(const struct snapshot *s, const struct row *rows, size_t n,
			       const struct stacks *st, struct arena *mem)
{
	uint64_t counted = machine_meminfo(&s->machine, "KernelStack"), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].memory == COL_UNKNOWN ? 0 : rows[i].memory;
	if (counted == UINT64_MAX || !st->size)
		return NULL;
	return arena_printf(mem,
			    "stacks of %" PRIu64 " KiB: %" PRIu64 " KiB, the kernel counts %" PRIu64
			    " KiB (KernelStack); difference %+" PRId64 " KiB",
			    st->size >> 10, sum >> 10, counted >> 10,
			    (int64_t)(sum >> 10) - (int64_t)(counted >> 10));
}

static enum status stacks_report(const struct snapshot *s, const struct report_opts *o,
				 struct table *t, struct diag *diag)
{
	struct stacks st;
	struct row *rows;
	size_t n = 0;

	(void)o;
	if (stacks_build(s, &t->mem, &st))
		return fail(diag, ST_ABSENT, "this image does not show kernel stacks");
	rows = arena_array(&t->mem, struct row, s->nprocs);
	for (uint32_t i = 0; i < s->nprocs; i++) {
		const struct proc *p = &s->procs[i];
		struct row *r = &rows[n++];

		*r = (struct row){ .pid = p->pid, .comm = proc_comm(s, p) };
		for (uint32_t j = p->first_task; j < p->first_task + p->ntasks && j < s->ntasks;
		     j++)
			add_stack(r, st.of[j], st.size);
	}
	t->rows = rows;
	t->nrows = n;
	t->row_size = sizeof(struct row);
	t->note = stacks_note(s, rows, n, &st, &t->mem);
	return ST_OK;
}

const struct report report_stacks = {
	.name = "stacks",
	.about = "kernel stacks of each process's tasks",
	.needs = NEED_TASKS | NEED_MACHINE,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-memory,pid",
	.run = stacks_report,
	.help = "One row for each process, kernel threads too. Each task has one stack of a fixed\n"
		"size. With CONFIG_VMAP_STACK it is a vmalloc area, with a guard page that takes no\n"
		"memory. The line below compares the sum with the kernel's counter.",
};
