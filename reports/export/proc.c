/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree of files as in /proc, for tools that read /proc: smem -S, ps_mem, page-types,
 * readers of pagemap. Directories get the owners of their processes if we may set owners
 * (root).
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/log.h"
#include "model/memory/census/kpagecgroup.h"
#include "model/memory/frames/frames.h"
#include "model/memory/frames/kpageflags.h"
#include "reports/core/common.h"
#include "reports/export/group_text.h"
#include "reports/export/machine_text.h"
#include "reports/export/products.h"
#include "reports/export/table_text.h"
#include "reports/export/task_text.h"
#include "reports/export/tree.h"

struct export {
	const struct snapshot *s;
	struct process_shown *shown;
	struct tree t;
	struct words words;
	struct table rows;
};

/* ---- a process -------------------------------------------------------------------- */

static void put_word(void *arg, uint64_t va, uint64_t word)
{
	struct export *e = arg;

	words_put(&e->words, va >> e->s->k->page_shift, word);
}

static void put_pagemap(struct export *e, const struct mm *mm)
{
	uint64_t end = 0;

	words_open(&e->words, &e->t, "pagemap");
	for (uint32_t i = 0; !e->t.st && i < mm->nvmas; i++) {
		const struct vma *v = &e->s->vmas[mm->first_vma + i];

		process_shown_pagemap(e->shown, v, put_word, e);
		end = v->end >> e->s->k->page_shift;
	}
	words_close(&e->words, end);
}

static void put_threads(struct export *e, const struct proc *p)
{
	struct arena mem = { 0 };
	struct hash seen = { .mem = &mem };
	char name[16];

	tree_enter_sub(&e->t, "task");
	for (uint32_t i = 0; i < p->ntasks && p->first_task + i < e->s->ntasks; i++) {
		const struct task *t = &e->s->tasks[p->first_task + i];
		FILE *f;

		if (!export_takes(e->s, &seen, t->pid, "thread"))
			continue;
		snprintf(name, sizeof(name), "%d", t->pid);
		tree_enter_sub(&e->t, name);
		f = tree_file(&e->t, "comm");
		if (f)
			fprintf(f, "%s\n", t->comm);
		tree_done(&e->t, f);
		tree_up(&e->t);
	}
	arena_release(&mem);
}

static void proc_process(struct export *e, const struct proc *p)
{
	const struct mm *mm = proc_mm(e->s, p);
	struct task_text x;
	char name[16];

	snprintf(name, sizeof(name), "%d", p->pid);
	task_text_set(&x, e->s, e->shown, p, &e->rows);
	/* the directory belongs to the effective user, as in /proc (task_dump_owner()) */
	tree_enter(&e->t, name, p->euid, x.d.gid[1]);
	for (const struct task_file *file = task_files; file->name; file++) {
		FILE *f = !file->has || file->has(&x) ? tree_file(&e->t, file->name) : NULL;

		if (f)
			file->write(&x, f);
		tree_done(&e->t, f);
	}
	if (mm && mm->exe < e->s->nfiles && e->s->files[mm->exe].path)
		tree_link(&e->t, "exe", e->s->files[mm->exe].path);
	if (mm)
		put_pagemap(e, mm);
	put_threads(e, p);
}

/* ---- the machine --------------------------------------------------------------------- */

/* The end of memory. A damaged page array may claim anything; the image does not. */
static uint64_t end_of_frames(const struct snapshot *s)
{
	uint64_t chunk = UINT64_C(1) << FRAME_CHUNK_SHIFT;

	return min_u64(s->frames.max_pfn, (s->k->dump->max_pfn + chunk - 1) & ~(chunk - 1));
}

/* A frame whose struct page is not in the dump has no flags. */
static void put_flags(struct export *e, uint64_t end)
{
	struct kpageflags *q = kpageflags_new(e->s);

	for (uint64_t pfn = 0; !e->t.st && pfn < end; pfn++) {
		struct page_words w;

		if (!kpageflags_read(q, pfn, &w))
			words_put(&e->words, pfn, w.kpf);
	}
	kpageflags_free(q);
}

static void put_kpages(struct export *e)
{
	const struct frames *fr = &e->s->frames;
	uint64_t end = end_of_frames(e->s);

	words_open(&e->words, &e->t, "kpagecount");
	for (uint64_t pfn = 0; !e->t.st && pfn < end; pfn++) {
		const struct frame *f = frame_of_all(fr, pfn);

		if (f && f->flags & FR_ZONE_DEVICE && kernel_rule(e->s->k, RULE_KPAGE_ONLINE) &&
		    !memmap_is_online(&e->s->k->memmap, pfn))
			continue;
		if (f)
			words_put(&e->words, pfn, f->mapcount);
		else
			pfn |= FRAME_CHUNK - 1;
	}
	words_close(&e->words, end);
	words_open(&e->words, &e->t, "kpageflags");
	put_flags(e, end);
	words_close(&e->words, end);
}

static void put_kpagecgroup(struct export *e)
{
	struct kpagecgroup *q = kpagecgroup_new(e->s);
	uint64_t end = end_of_frames(e->s);

	if (!q)
		return;
	words_open(&e->words, &e->t, "kpagecgroup");
	for (uint64_t pfn = 0; !e->t.st && pfn < end; pfn++) {
		uint64_t inode = kpagecgroup_read(q, pfn);

		if (inode)
			words_put(&e->words, pfn, inode);
	}
	words_close(&e->words, end);
	kpagecgroup_free(q);
}

static void put_machine(struct export *e)
{
	FILE *f;

	tree_leave(&e->t);
	for (const struct machine_file *m = machine_files; m->name; m++) {
		f = tree_file(&e->t, m->name);
		if (f)
			m->write(e->s, f);
		tree_done(&e->t, f);
	}
	put_table_files(&e->t, e->s);
	put_group_files(&e->t, e->s);
	tree_leave(&e->t);
	put_kpages(e);
	put_kpagecgroup(e);
	/* smem -S DIR looks for DIR/proc/PID: */
	tree_link(&e->t, "proc", ".");
	tree_enter(&e->t, "sys", 0, 0);
	tree_enter_sub(&e->t, "kernel");
	f = tree_file(&e->t, "osrelease");
	if (f)
		write_osrelease(e->s, f);
	tree_done(&e->t, f);
}

enum status export_proc(const struct snapshot *s, const struct report_opts *o, const char *dest,
			FILE *out, struct diag *diag)
{
	struct export e = { .s = s };
	struct arena mem = { 0 };
	struct hash seen = { .mem = &mem };
	uint32_t first, end;
	enum status st = procs_range(s, o, diag, &first, &end);

	(void)out;
	if (!st)
		st = task_rows(s, o, &e.rows, diag);
	if (st || tree_open(&e.t, dest, diag)) {
		arena_release(&e.rows.mem);
		return st ? st : tree_close(&e.t);
	}
	if (!e.t.owners)
		log_warn(s->k->dump->log,
			 "not root: all files in %s are yours, so tools will take "
			 "every process for one of your own",
			 dest);
	e.shown = process_shown_new(s);
	for (uint32_t i = first; !e.t.st && i < end; i++)
		if (export_takes(s, &seen, s->procs[i].pid, "process"))
			proc_process(&e, &s->procs[i]);
	put_machine(&e);
	arena_release(&mem);
	process_shown_free(e.shown);
	arena_release(&e.rows.mem);
	return tree_close(&e.t);
}
