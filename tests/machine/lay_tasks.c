/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Address spaces and tasks.
 */
#include "facts/layout/base.h"
#include "facts/layout/mm.h"
#include "facts/layout/task.h"
#include "tests/machine/lay.h"

#include <stdio.h>

/* ---- address spaces ---------------------------------------------------------------- */

static void lay_areas(struct machine *m, struct mmm *mm)
{
	uint64_t prev = 0;

	for (size_t i = 0; i < mm->areas.n; i++) {
		struct marea *a = &mm->areas.v[i];
		char name[48];

		snprintf(name, sizeof(name), "%s:%#llx", mm->name, (unsigned long long)a->start);
		a->addr = mobject_of(m, "vma", name, S_VMA);
		mput(m, a->addr, M_VMA_MM, mm->addr);
		mput(m, a->addr, M_VMA_START, a->start);
		mput(m, a->addr, M_VMA_END, a->end);
		mput(m, a->addr, M_VMA_FLAGS, a->flags);
		mput(m, a->addr, M_VMA_PGOFF,
		     a->file < 0 ? a->start >> m->cpu->page_shift : a->pgoff);
		mput(m, a->addr, M_VMA_FILE, a->file < 0 ? 0 : m->files.v[a->file].file);
		if (prev)
			mput(m, prev, M_VMA_NEXT, a->addr);
		else
			mput(m, mm->addr, M_MM_MMAP, a->addr);
		prev = a->addr;
	}
}

/*
 * Maple tree of 6.1: leaves (maple_leaf_64, type 1) of up to 14 entries under one
 * maple_arange_64 (type 3) of up to 10: gaps are entries too.
 */
#define LEAF_SLOTS 14u
#define ROOT_SLOTS 10u

struct maple {
	struct machine *m;
	uint64_t leaf[ROOT_SLOTS], end[ROOT_SLOTS];
	unsigned nleaves, used;
};

static void maple_add(struct maple *t, uint64_t entry, uint64_t last)
{
	struct machine *m = t->m;

	if (!t->nleaves || t->used == LEAF_SLOTS) {
		if (t->nleaves == ROOT_SLOTS)
			mdie("more areas than two levels of a maple tree hold");
		t->leaf[t->nleaves++] = mobject(m, "maple", "leaf", 256);
		t->used = 0;
	}
	mput_elem(m, t->leaf[t->nleaves - 1], M_MN_R64_SLOT, t->used, entry);
	mput_elem(m, t->leaf[t->nleaves - 1], M_MN_R64_PIVOT, t->used, last);
	t->end[t->nleaves - 1] = last;
	t->used++;
}

static void lay_maple(struct machine *m, struct mmm *mm)
{
	struct maple t = { .m = m };
	uint64_t at = 0, root = mm->addr + layout_offset(&m->layout, M_MM_MT), top;

	for (size_t i = 0; i < mm->areas.n; i++) {
		if (mm->areas.v[i].start > at)
			maple_add(&t, 0, mm->areas.v[i].start - 1);
		maple_add(&t, mm->areas.v[i].addr, mm->areas.v[i].end - 1);
		at = mm->areas.v[i].end;
	}
	maple_add(&t, 0, UINT64_MAX);
	top = mobject(m, "maple", mm->name, 256);
	for (unsigned i = 0; i < t.nleaves; i++) {
		mput_elem(m, top, M_MN_A64_SLOT, i, t.leaf[i] | 1 << 3 | 4);
		mput_elem(m, top, M_MN_A64_PIVOT, i, t.end[i]);
		mput(m, t.leaf[i], M_MN_PARENT, top | i << 3 | 6);
	}
	mput(m, top, M_MN_A64_META_END, t.nleaves - 1);
	mput(m, top, M_MN_PARENT, root | 1);
	mput(m, root, M_MT_ROOT, top | 3 << 3 | 4 | 2);
	mput(m, root, M_MT_FLAGS, 0x303 | 2 << 2);
}

/* mm_rss_stat.count[] of 2.6.34 to 6.1; since then per-CPU counters, each with a sum. */
static void lay_counter(struct machine *m, uint64_t mm, enum layout_id e, uint64_t v)
{
	const struct layout *l = &m->layout;
	int64_t i = layout_enum(l, e, -1);

	mput_elem(m, mm, M_MM_RSS_COUNT, i, v);
	if (layout_has(l, M_MM_RSS_PERCPU) && i >= 0)
		mput(m,
		     mm + layout_offset(l, M_MM_RSS_STAT) +
			     (uint64_t)i * l->v[M_MM_RSS_STAT].m.stride,
		     M_PCC_COUNT, v);
}

void lay_mm(struct machine *m, struct mmm *mm)
{
	const struct layout *l = &m->layout;
	uint32_t shmem = layout_has(l, E_MM_SHMEMPAGES) ? mm->shmem : 0;
	uint64_t total = 0, tables;

	mm->addr = mobject_of(m, "mm", mm->name, S_MM);
	mm->pgd = mobject(m, "pgd", mm->name, paging_root_bytes(m));
	lay_areas(m, mm);
	if (layout_has(l, M_MM_MT))
		lay_maple(m, mm);
	for (size_t i = 0; i < mm->areas.n; i++)
		total += (mm->areas.v[i].end - mm->areas.v[i].start) >> m->cpu->page_shift;
	mput(m, mm->addr, M_MM_PGD, mm->pgd);
	mput(m, mm->addr, M_MM_USERS, mm->users);
	mput(m, mm->addr, M_MM_MAP_COUNT, mm->areas.n);
	mput(m, mm->addr, M_MM_TOTAL_VM, total);
	mput(m, mm->addr, M_MM_RSS, mm->rss);
	mput(m, mm->addr, M_MM_FILE_RSS, mm->rss - mm->anon);
	mput(m, mm->addr, M_MM_ANON_RSS, mm->anon);
	lay_counter(m, mm->addr, E_MM_FILEPAGES, mm->rss - mm->anon - shmem);
	lay_counter(m, mm->addr, E_MM_SHMEMPAGES, shmem);
	lay_counter(m, mm->addr, E_MM_ANONPAGES, mm->anon);
	lay_counter(m, mm->addr, E_MM_SWAPENTS, mm->swapped);
	mput(m, mm->addr, M_MM_START_BRK, mm->brk0);
	mput(m, mm->addr, M_MM_BRK, mm->brk1);
	mput(m, mm->addr, M_MM_START_STACK, mm->stack);
	tables = m->table_bytes;
	paging_user(m, mm);
	mput(m, mm->addr, M_MM_PGTABLES_BYTES, m->table_bytes - tables);
}

/* ---- tasks ------------------------------------------------------------------------- */

static uint64_t state_bits(const struct machine *m, char c)
{
	bool old = !layout_has(&m->layout, M_TASK_EXIT_STATE);

	switch (c) {
	case 'R': return 0;
	case 'S': return 1;
	case 'D': return 2;
	case 'T': return old ? 8 : 4;
	case 'Z': return old ? 4 : 0;
	}
	mdie("state '%c'?", c);
}

static struct mtask *task_of(struct machine *m, int pid)
{
	for (size_t i = 0; i < m->tasks.n; i++)
		if (m->tasks.v[i].pid == pid)
			return &m->tasks.v[i];
	mdie("no task %d", pid);
}

static void lay_task(struct machine *m, struct mtask *t)
{
	uint64_t kthread = t->mm < 0 && layout_has(&m->layout, M_TASK_EXIT_STATE) ? 0x200000 : 0;

	mput(m, t->addr, M_TASK_PID, (uint64_t)t->pid);
	mput(m, t->addr, M_TASK_TGID, (uint64_t)t->tgid);
	mset_bytes(m, t->addr + layout_offset(&m->layout, M_TASK_COMM), t->comm, sizeof(t->comm));
	mput(m, t->addr, M_TASK_MM, t->mm < 0 ? 0 : m->mms.v[t->mm].addr);
	mput(m, t->addr, M_TASK_STATE, state_bits(m, t->state));
	mput(m, t->addr, M_TASK_FLAGS, kthread);
	mput(m, t->addr, M_TASK_PARENT, task_of(m, t->ppid)->addr);
	mput(m, t->addr, M_TASK_MIN_FLT, t->min);
	mput(m, t->addr, M_TASK_MAJ_FLT, t->maj);
	/* ticks, here of 10 ms; nanoseconds since 4.11 */
	mput(m, t->addr, M_TASK_UTIME, t->user * (m->number < 4011 ? 1 : 10000000));
	mput(m, t->addr, M_TASK_STIME, t->system * (m->number < 4011 ? 1 : 10000000));
	mput(m, t->addr, M_TASK_EXEC_RUNTIME, (t->user + t->system) * 10000000);
}

/* A ring through the nodes at OFF of all tasks whose group is TGID; -1: of all leaders. */
static void lay_ring(struct machine *m, uint32_t off, int tgid, uint64_t head)
{
	uint64_t last = head, first = head;

	if (head)
		mlink_after(m, head, head, head);
	for (size_t i = 0; i < m->tasks.n; i++) {
		struct mtask *t = &m->tasks.v[i];
		uint64_t n = t->addr + off;

		if (tgid >= 0 ? t->tgid != tgid : t->pid != t->tgid)
			continue;
		if (!last)
			mlink_after(m, first = n, n, n);
		else
			mlink_after(m, last, n, first);
		last = n;
	}
}

static void lay_threads(struct machine *m, struct mtask *leader)
{
	uint64_t sig;
	char name[16];

	if (layout_has(&m->layout, M_TASK_THREAD_GROUP)) {
		/* INIT_TASK() left it out until 2.6.32 at least */
		if (leader->tgid || m->number >= 3010)
			lay_ring(m, layout_offset(&m->layout, M_TASK_THREAD_GROUP), leader->tgid,
				 0);
	} else if (layout_has(&m->layout, M_TASK_PIDS) && layout_has(&m->layout, M_PID_LIST)) {
		/* 2.6.0 to 2.6.16: pids[PIDTYPE_TGID].pid_list */
		lay_ring(m,
			 layout_offset(&m->layout, M_TASK_PIDS) +
				 m->layout.v[M_TASK_PIDS].m.stride +
				 layout_offset(&m->layout, M_PID_LIST),
			 leader->tgid, 0);
	}
	snprintf(name, sizeof(name), "%d", leader->pid);
	if (layout_has(&m->layout, M_SIG_THREAD_HEAD)) {
		sig = mobject_of(m, "signal", name, S_SIGNAL);
		lay_ring(m, layout_offset(&m->layout, M_TASK_THREAD_NODE), leader->tgid,
			 mnode(m, sig, M_SIG_THREAD_HEAD));
		for (size_t i = 0; i < m->tasks.n; i++)
			if (m->tasks.v[i].tgid == leader->tgid)
				mput(m, m->tasks.v[i].addr, M_TASK_SIGNAL, sig);
	}
}

void lay_tasks(struct machine *m)
{
	for (size_t i = 0; i < m->tasks.n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", m->tasks.v[i].pid);
		m->tasks.v[i].addr = i ? mobject_of(m, "task", name, S_TASK)
				       : msymbol(m, "init_task");
	}
	for (size_t i = 0; i < m->tasks.n; i++) {
		uint64_t next = m->tasks.v[(i + 1) % m->tasks.n].addr;

		lay_task(m, &m->tasks.v[i]);
		mput(m, m->tasks.v[i].addr, M_TASK_NEXT, next);
		if (m->tasks.v[i].pid == m->tasks.v[i].tgid)
			lay_threads(m, &m->tasks.v[i]);
	}
	if (layout_has(&m->layout, M_TASK_TASKS))
		lay_ring(m, layout_offset(&m->layout, M_TASK_TASKS), -1, 0);
	/* the first task is the idle task */
	mset(m, msymbol(m, "nr_threads"), m->tasks.n - 1, 4);
}
