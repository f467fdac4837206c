/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check - the differences that model/memory/trust/verify.h found, as rows: counts of the kernel
 * that differ from those of the walk, with the reason if it is known.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/source.h"
#include "model/memory/census/misplaced.h"
#include "model/memory/frames/frames.h"
#include "model/memory/trust/verify.h"
#include "reports/core/cell.h"
#include "reports/core/common.h"

struct row {
	const char *kind, *what, *comm, *reason;
	int64_t pid;
	uint64_t pfn, frames, kernel, found, explained;
};

#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)
#define NUM(name, fl, unit, about) COL(struct row, name, COL_UINT, fl, unit, about)

static const struct column cols[] = {
	NUM(explained, COL_SHOWN, "", "0: the difference is unexplained"),
	STR(kind, COL_SHOWN,
	    "frames: mapcounts; mm: counters of an mm; place: frames in two places, free lists, "
	    "counts that cannot be; task: in no list of tasks"),
	STR(what, COL_SHOWN, "kind of page, name of the counter, the two places, how a task was found"),
	COL(struct row, pid, COL_INT, COL_SHOWN, "", "of mm: first process that uses it; of task"),
	COL(struct row, pfn, COL_HEX, COL_SHOWN, "", "of frames, place: the first of them"),
	NUM(frames, COL_SHOWN, "pages", "of frames, place: their number"),
	NUM(kernel, COL_SHOWN, "", "the kernel's count of mappings, pages or vmas"),
	NUM(found, COL_SHOWN, "", "count found by the walk"),
	STR(comm, 0, "name of that process"),
	STR(reason, COL_SHOWN, "reason why they may differ, or what it would mean"),
};

struct maker {
	const struct snapshot *s;
	struct arena *mem;
	VEC(struct row) rows;
	uint64_t blocks, pages;		/* of free lists, single pages that were compared */
};

static void frames_row(struct maker *m, enum verify_reason why, unsigned kind,
		       const struct verify_frames *f)
{
	const struct verify *v = m->s->verify;

	*vec_push(m->mem, &m->rows) = (struct row){
		.kind = "frames",
		.what = verify_kind_name(kind),
		.pid = COL_UNKNOWN_INT,
		.pfn = f->pfn,
		.frames = f->frames,
		.kernel = f->kernel,
		.found = f->found,
		.reason = verify_text(v, why),
		.explained = verify_explained(v, why),
	};
}

/* Frames of one reason and kind together. */
static void check_sums(struct maker *m)
{
	for (unsigned why = 0; why < VERIFY_REASONS; why++)
		for (unsigned kind = 0; kind < VERIFY_KINDS; kind++)
			if (m->s->verify->frames[why][kind].frames)
				frames_row(m, why, kind, &m->s->verify->frames[why][kind]);
}

/* Each frame that differs; the frames that are mapped and agree, by kind. */
static void single_frames(struct maker *m)
{
	struct verify_frames agree[VERIFY_KINDS] = { { 0 } };
	const struct frames *f = &m->s->frames;
	struct verify_folio folio = { 0 };

	for (uint64_t pfn = 0; pfn < f->max_pfn; pfn++) {
		const struct frame *fr = frame_of_all(f, pfn);
		struct verify_frames one = { .frames = 1, .pfn = pfn };
		enum verify_reason why;
		uint32_t kernel;

		if (!fr) {
			pfn |= FRAME_CHUNK - 1;
			continue;
		}
		if (!(fr->flags & (FR_EXISTS | FR_UNREAD)))
			continue;
		why = verify_frame(m->s, pfn, &folio, &kernel);
		one.kernel = kernel;
		one.found = frame_found(f, pfn);
		if (why != VERIFY_AGREE)
			frames_row(m, why, verify_kind(fr), &one);
		else if (one.found)
			verify_add(&agree[verify_kind(fr)], &one);
	}
	for (unsigned kind = 0; kind < VERIFY_KINDS; kind++)
		if (agree[kind].frames)
			frames_row(m, VERIFY_AGREE, kind, &agree[kind]);
}

static void counter_row(void *arg, const struct verify_counter *c)
{
	struct maker *m = arg;
	const struct snapshot *s = m->s;
	const struct mm *mm = &s->mms[c->mm];
	struct row *r = vec_push(m->mem, &m->rows);

	*r = (struct row){ .kind = "mm",
			   .what = c->what,
			   .pid = COL_UNKNOWN_INT,
			   .pfn = COL_UNKNOWN,
			   .frames = COL_UNKNOWN,
			   .kernel = c->kernel,
			   .found = c->found,
			   .reason = verify_text(s->verify, c->reason),
			   .explained = verify_explained(s->verify, c->reason) };
	if (mm->owner < s->nprocs) {
		r->pid = s->procs[mm->owner].pid;
		r->comm = proc_comm(s, &s->procs[mm->owner]);
	}
}

/* A task or a process; not each thread of one that is hidden. */
static void hidden_tasks(struct maker *m)
{
	const struct snapshot *s = m->s;

	for (uint32_t i = 0; i < s->ntasks; i++) {
		const struct task *t = &s->tasks[i];
		const struct proc *p = &s->procs[t->proc];

		if (!t->unlisted || (p->leader != i && s->tasks[p->leader].unlisted))
			continue;
		*vec_push(m->mem, &m->rows) = (struct row){
			.kind = "task",
			.what = arena_printf(m->mem, "found %s", t->unlisted),
			.pid = t->pid,
			.comm = t->comm,
			.pfn = COL_UNKNOWN,
			.frames = COL_UNKNOWN,
			.kernel = COL_UNKNOWN,
			.found = COL_UNKNOWN,
			.reason =
				"it is in no list of tasks: somebody hides it, or the list is damaged",
		};
	}
}

/* What contradicts itself without a look at page tables. */
static void misplaced_frames(struct maker *m)
{
	const struct census *c = census_of(m->s);
	struct misplaced_list l;

	misplaced_find(m->s, c, m->mem, &l);
	for (size_t i = 0; i < l.v.n; i++) {
		const struct misplaced *p = &l.v.v[i];

		*vec_push(m->mem, &m->rows) = (struct row){
			.kind = "place",
			.what = p->what,
			.pid = COL_UNKNOWN_INT,
			.pfn = p->pfn,
			.frames = p->frames,
			.kernel = p->kernel,
			.found = p->found,
			.reason = p->means,
			.explained = p->explained,
		};
	}
	m->blocks = l.blocks;
	m->pages = l.pages;
}

static const char *forked_note(const struct snapshot *s, const char *note, struct arena *mem)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nmms; i++)
		n += s->mms[i].forked;
	return n ? arena_printf(mem,
				"%s; %" PRIu32
				" mms are of children inside fork(), which no task has "
				"yet",
				note, n)
		 : note;
}

static enum status check_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .mem = &t->mem };
	const struct verify *v = s->verify;

	(void)diag;
	if (o->all)
		single_frames(&m);
	else
		check_sums(&m);
	for (uint32_t i = 0; !o->all && i < v->n; i++)
		counter_row(&m, &v->v[i]);
	for (uint32_t i = 0; o->all && source_has(s->k, SOURCE_FRAMES) && i < s->nmms; i++)
		verify_mm(s, i, counter_row, &m);
	hidden_tasks(&m);
	/* lists and pages of a running kernel are read at different moments */
	if (source_has(s->k, SOURCE_MEMORY) && !source_has(s->k, SOURCE_CHANGES))
		misplaced_frames(&m);
	if (counts_references(s->k))
		t->note = "This kernel counts no mappings: \"kernel\" is page->count less the "
			  "references of the page cache and of buffers.\n";
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct row);
	t->note = arena_printf(&t->mem,
			       "%s%" PRIu64 " frames agree, %" PRIu64 " differ (%" PRIu64
			       " are mapped); %" PRIu64 " counters of %u mms agree, %" PRIu64
			       " differ",
			       t->note ? t->note : "", v->agree, v->differ, v->mapped,
			       v->counters - v->off, s->nmms, v->off);
	t->note = forked_note(s, t->note, &t->mem);
	if (m.blocks)
		t->note = arena_printf(&t->mem,
				       "%s; %" PRIu64 " free blocks and the counts of %" PRIu64
				       " pages were looked at",
				       t->note, m.blocks, m.pages);
	return ST_OK;
}

const struct report report_check = {
	.name = "check",
	.about = "the kernel's counts compared with the page tables",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_FOUND,
	.wants = NEED_MACHINE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "explained,kind,-frames,pid",
	.run = check_report,
	.help = "For every frame: the kernel's mapcount, compared with the mappings found in all page\n"
		"tables. For every mm: its counters, compared with the sums over its vmas. Each row is\n"
		"a difference; frames of one kind and reason share a row. --all gives each frame a row,\n"
		"and also shows what agrees. Unexplained differences are issues of every report that\n"
		"reads page tables, which then exits with status 2.\n"
		"\n"
		"check also looks for frames that are in two places at once (on a free list and in use,\n"
		"twice on free lists, claimed by two lists or areas of the kernel), for free lists that\n"
		"contradict their counts, for counts of single pages that cannot be, and for tasks that\n"
		"no list of tasks has: they are found by their number, as children and on CPUs. The\n"
		"column reason says what each would mean. Of the running kernel they are not compared: its\n"
		"lists and pages are read at different moments.",
};
