/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check - two counts that must agree: what the kernel recorded, and what the
 * walk over all page tables found. By frame: mapcount against mappings. By
 * address space: rss counters, swap entries, number and size of VMAs against
 * their sums. What differs is a row, with the reason where it can be told.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/cell.h"
#include "reports/common.h"

struct row {
	const char *kind, *what, *comm, *reason;
	int64_t pid;
	uint64_t pfn, frames, kernel, found, explained;
};

#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)
#define NUM(name, fl, unit, about) COL(struct row, name, COL_UINT, fl, unit, about)

static const struct column cols[] = {
	NUM(explained, COL_SHOWN, "", "0: nobody knows why it differs"),
	STR(kind, COL_SHOWN, "frames: mapcounts; mm: counters of an address space"),
	STR(what, COL_SHOWN, "kind of page, or name of the counter"),
	COL(struct row, pid, COL_INT, COL_SHOWN, "", "of mm: first process that uses it"),
	COL(struct row, pfn, COL_HEX, COL_SHOWN, "", "of frames: the first of them"),
	NUM(frames, COL_SHOWN, "pages", "of frames: how many"),
	NUM(kernel, COL_SHOWN, "", "by the kernel: mappings, pages or VMAs"),
	NUM(found, COL_SHOWN, "", "by the walk"),
	STR(comm, 0, "name of that process"),
	STR(reason, COL_SHOWN, "why they may differ"),
};

struct maker {
	const struct snapshot *s;
	struct arena *mem;
	VEC(struct row) rows;
	bool all;			/* agreement too, and each frame alone */
	bool by_head;			/* counts of a huge page are its head's */
	bool damaged;			/* some tables or VMAs were not readable */
	uint64_t agree, differ, mapped;	/* frames */
	uint64_t counters, off;		/* counters compared, and those that differ */
};

/* ---- frames -------------------------------------------------------------------- */

enum reason {
	AGREE, NOT_READ, REFERENCES, AVERAGE, NO_RMAP, HUGETLB_UNCOUNTED, LOST_TABLES,
	UNKNOWN_MM, NO_MAPPING, TOO_MANY, REASONS
};

static const struct { const char *text; bool explains; } reasons[REASONS] = {
	[AGREE] = { "the kernel and the walk agree", true },
	[NOT_READ] = { "struct page not in the dump", true },
	[REFERENCES] = { "the count given is of references, more than mappings", true },
	[AVERAGE] = { "this kernel keeps only the average over a large folio", true },
	[NO_RMAP] = { "mapped by the kernel or a driver, which counts no mappings", true },
	[HUGETLB_UNCOUNTED] = { "this kernel counts no mappings of hugetlb pages", true },
	[LOST_TABLES] = { "page tables or VMAs not in the dump may map them", true },
	[UNKNOWN_MM] = { "mapped by an address space that no task uses, or in flux", false },
	[NO_MAPPING] = { "references that may be no mappings: read, written or pinned", true },
	[TOO_MANY] = { "more mappings than the kernel counted", false },
};

static const struct kind { const char *name; uint32_t flags; } kinds[] = {
	/* the first whose flags are all there */
	{ "hugetlb", FR_HUGETLB }, { "ksm", FR_KSM }, { "anon", FR_ANON },
	{ "shmem", FR_CACHE | FR_SWAPBACKED }, { "file", FR_CACHE }, { "slab", FR_SLAB },
	{ "free", FR_BUDDY }, { "page table", FR_PGTABLE }, { "reserved", FR_RESERVED },
	{ "device", FR_ZONE_DEVICE }, { "kernel", 0 },
};

static size_t kind_of(const struct frame *f)
{
	size_t i = 0;

	while ((f->flags & kinds[i].flags) != kinds[i].flags)
		i++;
	return i;
}

/*
 * What the kernel counts of the page of FR. Huge pages are mapped whole before 4.5
 * (53f9263baba6), and their heads count that.
 */
static uint32_t counted(const struct maker *m, const struct frame *fr, uint64_t pfn)
{
	unsigned order = fr->flags >> FR_ORDER_SHIFT;
	const struct frame *head;

	if (!m->by_head || !(fr->flags & FR_TAIL) || !(fr->flags & (FR_ANON | FR_HUGETLB)))
		return fr->mapcount;
	head = frame_at(&m->s->frames, pfn >> order << order);
	return head ? head->mapcount : fr->mapcount;
}

static enum reason reason_of(const struct maker *m, const struct frame *f, uint32_t mapcount)
{
	if (mapcount == f->found)
		return AGREE;
	if (f->flags & FR_UNREAD)
		return NOT_READ;
	if (m->s->frames.references && mapcount > f->found)
		return REFERENCES;
	if (m->s->frames.average && f->flags >> FR_ORDER_SHIFT &&
	    f->flags & (FR_HEAD | FR_TAIL))
		return AVERAGE;
	if (f->flags & FR_HUGETLB && !m->s->k->rules.on[RULE_HUGETLB_COUNTED])
		return HUGETLB_UNCOUNTED;
	if (f->found > mapcount)
		return f->flags & (FR_LRU | FR_ANON | FR_CACHE | FR_HUGETLB) ? TOO_MANY : NO_RMAP;
	if (m->damaged)
		return LOST_TABLES;
	return counts_references(m->s->k) ? NO_MAPPING : UNKNOWN_MM;
}

static struct row frames_row(enum reason why, size_t kind, uint64_t pfn)
{
	return (struct row){ .kind = "frames", .what = kinds[kind].name,
			     .pid = COL_UNKNOWN_INT, .pfn = pfn, .reason = reasons[why].text,
			     .explained = reasons[why].explains };
}

/* Rows of frames of one reason and kind together; frames 0: none yet. */
struct sums {
	struct row v[REASONS][ARRAY_LEN(kinds)];
};

static void check_frame(struct maker *m, struct sums *sums, const struct frame *fr, uint64_t pfn)
{
	uint32_t mapcount = counted(m, fr, pfn);
	enum reason why = reason_of(m, fr, mapcount);
	size_t kind = kind_of(fr);
	struct row *r = &sums->v[why][kind];

	m->agree += why == AGREE;
	m->differ += why != AGREE;
	m->mapped += fr->found != 0;
	if (why == AGREE && (!m->all || !fr->found))
		return;
	if (m->all && why != AGREE)
		r = vec_push(m->mem, &m->rows);
	if (!r->frames)
		*r = frames_row(why, kind, pfn);
	r->frames++;
	r->kernel += mapcount;
	r->found += fr->found;
}

/* Frames by reason and kind; with --all each that differs by itself. */
static void check_frames(struct maker *m)
{
	struct sums *sums = arena_alloc(m->mem, sizeof(*sums));
	const struct frames *f = &m->s->frames;

	for (uint64_t pfn = 0; pfn < f->max_pfn; pfn++) {
		const struct frame *fr = frame_at(f, pfn);

		if (!fr)
			pfn |= (UINT64_C(1) << FRAME_CHUNK_SHIFT) - 1;
		else if (fr->flags & (FR_EXISTS | FR_UNREAD))
			check_frame(m, sums, fr, pfn);
	}
	for (int why = 0; why < REASONS; why++)
		for (size_t kind = 0; kind < ARRAY_LEN(kinds); kind++)
			if (sums->v[why][kind].frames)
				*vec_push(m->mem, &m->rows) = sums->v[why][kind];
}

/* ---- address spaces -------------------------------------------------------------- */

static bool running(const struct snapshot *s, const struct mm *mm)
{
	for (uint32_t i = 0; i < s->ntasks; i++)
		if (s->tasks[i].mm < s->nmms && &s->mms[s->tasks[i].mm] == mm &&
		    s->tasks[i].state == 'R')
			return true;
	return false;
}

static const char *mm_reason(const struct maker *m, const struct mm *mm, bool *explains)
{
	*explains = true;
	if (mm->broken)
		return "not all of its VMAs are readable";
	if (mm->usage.lost || mm->usage.unknown || !mm->pgd_pa)
		return "not all of its page tables are readable";
	if (!mm->users)
		return "it was being taken down";
	if (mm->reaped)
		return "the OOM reaper was at it";
	if (running(m->s, mm))
		return "a task of it was running";
	*explains = false;
	return "unexplained";
}

static void compare(struct maker *m, const struct mm *mm, const char *what, uint64_t kernel,
		    uint64_t found)
{
	struct row *r;
	bool explains = true;
	const char *why = kernel == found ? reasons[AGREE].text : mm_reason(m, mm, &explains);

	m->counters++;
	m->off += kernel != found;
	if (kernel == found && !m->all)
		return;
	r = vec_push(m->mem, &m->rows);
	*r = (struct row){ .kind = "mm", .what = what, .pid = COL_UNKNOWN_INT, .pfn = COL_UNKNOWN,
			   .frames = COL_UNKNOWN, .kernel = kernel, .found = found,
			   .explained = explains, .reason = why };
	if (mm->owner < m->s->nprocs) {
		r->pid = m->s->procs[mm->owner].pid;
		r->comm = proc_comm(m->s, &m->s->procs[mm->owner]);
	}
}

/* A counter in flux may be below zero; the kernel shows 0 then. */
static uint64_t counter(const struct mm *mm, enum rss_counter c)
{
	return mm->counter[c] > 0 ? (uint64_t)mm->counter[c] : 0;
}

/* 2.4: mm->rss, and no mapcounts either. */
static bool only_total(const struct snapshot *s)
{
	return has(s->k, M_MM_RSS) && !has(s->k, M_MM_ANON_RSS);
}

/* Before b084d4353ff9 (v2.6.34). */
static bool no_swap_counter(const struct snapshot *s)
{
	return has(s->k, M_MM_RSS) || has(s->k, M_MM_FILE_RSS);
}

static void check_mm(struct maker *m, const struct mm *mm)
{
	const struct usage *u = &mm->usage;
	uint32_t page = page_size(m->s);
	/* before 4.5 there was no counter of its own for shared memory */
	bool shmem = has(m->s->k, E_MM_SHMEMPAGES);

	if (only_total(m->s)) {
		compare(m, mm, "rss", counter(mm, RSS_FILE), u->rss / page);
	} else {
		compare(m, mm, "rss anon", counter(mm, RSS_ANON), (u->rss_anon + u->hidden_anon) / page);
		compare(m, mm, "rss file", counter(mm, RSS_FILE),
			(u->rss_file + u->hidden_file +
			 (shmem ? 0 : u->rss_shmem + u->hidden_shmem)) / page);
	}
	if (shmem)
		compare(m, mm, "rss shmem", counter(mm, RSS_SHMEM),
			(u->rss_shmem + u->hidden_shmem) / page);
	if (!no_swap_counter(m->s))
		compare(m, mm, "swap", counter(mm, RSS_SWAP), u->swap_ptes / page);
	compare(m, mm, "VMAs", (uint64_t)mm->map_count, mm->nvmas);
	compare(m, mm, "size", mm->total_vm, u->size / page);
}

static enum status run(const struct snapshot *s, const struct report_opts *o, struct table *t,
		       struct diag *diag)
{
	struct maker m = { .s = s, .mem = &t->mem, .all = o->all };
	const struct layout *l = &s->k->layout;

	(void)diag;
	for (uint32_t i = 0; i < s->nmms; i++)
		m.damaged |= s->mms[i].broken || s->mms[i].usage.lost || !s->mms[i].pgd_pa;
	m.by_head = !s->k->capture && !layout_has(l, M_PAGE_COMPOUND_MAPCOUNT) &&
		    !layout_has(l, M_FOLIO_ENTIRE_MAPCOUNT);
	check_frames(&m);
	/* a collector's counts of a VMA were compared when its text was read */
	for (uint32_t i = 0; !s->k->capture && i < s->nmms; i++)
		check_mm(&m, &s->mms[i]);
	if (counts_references(s->k))
		t->note = "This kernel counts no mappings: \"kernel\" is page->count less the "
			  "references of the page cache and of buffers.\n";
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct row);
	t->note = arena_printf(&t->mem, "%s%" PRIu64 " frames agree, %" PRIu64 " differ (%" PRIu64
			       " are mapped); %" PRIu64 " counters of %u address spaces agree, %"
			       PRIu64 " differ", t->note ? t->note : "", m.agree, m.differ, m.mapped,
			       m.counters - m.off, s->nmms, m.off);
	return ST_OK;
}

const struct report report_check = {
	.name = "check",
	.about = "the kernel's counts against what the page tables hold",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "explained,kind,-frames,pid",
	.run = run,
	.help = "Every page frame: the mapcount that the kernel keeps against the mappings found\n"
		"in all page tables. Every address space: its counters against the sums over its\n"
		"mappings. Differences are rows, frames of one kind and reason together; --all\n"
		"gives each frame a row, and shows what agrees.",
};
