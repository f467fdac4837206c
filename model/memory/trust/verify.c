/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify.c - compares mapcounts and mm counters with the page-table walk, and
 * explains differences.
 */
#include "model/memory/trust/verify.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "facts/layout/mm.h"
#include "model/kernel/machine/machine.h"
#include "model/kernel/source.h"
#include "model/memory/frames/frames.h"
#include "model/memory/trust/incomplete.h"

#define PF_EXITING 0x4		/* include/linux/sched.h, since 2.4 */

/*
 * Pages whose entries a CPU changes before their map counts and the counters of the mm:
 * those of one table (zap_pte_range(), copy_pte_range() of mm/memory.c). No CPU has more
 * entries in a table of the lowest level.
 */
#define AT_ONCE 1024
/*
 * Bytes of arguments that one execve() may have: three quarters of _STK_LIM (fs/exec.c,
 * da029c11e6b1, v4.13; before, a quarter of the limit of the stack), and a page for the
 * pointers. They are in an mm that no task has yet; acct_arg_size() counts them as
 * anonymous pages of the old one (3c77f8457221, v2.6.37).
 */
#define ARGUMENTS_MAX ((6u << 20) + 65536)

/* beyond: the text if there are more differences than the reason can explain. */
static const struct { const char *text, *beyond; bool explains; } reasons[VERIFY_REASONS] = {
	[VERIFY_AGREE] = { "the kernel and the walk agree", NULL, true },
	[VERIFY_NOT_READ] = { "struct page not in the dump", NULL, true },
	[VERIFY_REFERENCES] = { "the given count is of references, not of mappings", NULL,
				true },
	[VERIFY_AVERAGE] = { "this kernel keeps only the average over a large folio", NULL,
			     true },
	[VERIFY_NO_RMAP] = { "mapped by the kernel or a driver, which counts no mappings", NULL,
			     true },
	[VERIFY_HUGETLB_UNCOUNTED] = { "this kernel counts no mappings of hugetlb pages", NULL,
				       true },
	[VERIFY_LOST_TABLES] = { "page tables or vmas not in the dump may map them",
				 "more than page tables and vmas not in the dump can map", true },
	[VERIFY_EXITING] = { "a process was exiting, and no task has its mm any more", NULL,
			     true },
	[VERIFY_IN_FLUX] = { "a CPU may have been changing them",
			     "more than the running CPUs can have been changing", true },
	[VERIFY_NO_MAPPING] = { "references that may be no mappings: read, written or pinned",
				NULL, true },
	[VERIFY_ARGUMENTS] = { "arguments of an execve() that was not done",
			       "more than the arguments of those inside execve()", true },
	[VERIFY_UNKNOWN_MM] = { "mapped by an mm that no task uses, or damaged", NULL,
				false },
	[VERIFY_TOO_MANY] = { "more mappings than the kernel counted", NULL, false },
	[VERIFY_LOST_VMAS] = { "not all of its vmas are readable", NULL, true },
	[VERIFY_LOST_PTES] = { "not all of its page tables are readable", NULL, true },
	[VERIFY_EXECVE] = { "a task of it was inside execve(): its new arguments count here", NULL,
			    true },
	[VERIFY_FORKED] = { "fork() was filling it", NULL, true },
	[VERIFY_TAKEN_DOWN] = { "it was being torn down", NULL, true },
	[VERIFY_REAPED] = { "the OOM reaper was freeing it", NULL, true },
	[VERIFY_RAN] = { "a task of it was running", NULL, true },
	[VERIFY_HUGE_AS_FILE] = { "this kernel counts huge pages of shared memory as pages of files",
				  NULL, true },
	[VERIFY_UNEXPLAINED] = { "unexplained", NULL, false },
};

const char *verify_text(const struct verify *v, enum verify_reason why)
{
	return v->beyond[why] ? reasons[why].beyond : reasons[why].text;
}

bool verify_explained(const struct verify *v, enum verify_reason why)
{
	return reasons[why].explains && !v->beyond[why];
}

/* ---- how much each reason can explain --------------------------------------------- */

/* A counter in flux may be below zero; the kernel shows 0 then. */
static uint64_t counter(const struct mm *mm, enum rss_counter c)
{
	return mm->counter[c] > 0 ? (uint64_t)mm->counter[c] : 0;
}

static uint64_t found_anon(const struct usage *u)
{
	return u->rss_anon + u->hidden_anon;
}

static uint64_t found_file(const struct usage *u)
{
	return u->rss_file + u->hidden_file;
}

static uint64_t found_shmem(const struct usage *u)
{
	return u->rss_shmem + u->hidden_shmem;
}

static uint64_t beyond(uint64_t more, uint64_t less)
{
	return more > less ? more - less : 0;
}

static bool tables_lost(const struct mm *mm)
{
	return mm->usage.lost || mm->usage.unknown || !mm->pgd_pa;
}

/* Pages that the unreadable parts of MM had room for. */
static uint64_t lost_pages(const struct snapshot *s, const struct mm *mm)
{
	const struct usage *u = &mm->usage;
	uint64_t pages = (u->lost + u->unknown) >> s->k->page_shift;

	if (mm->broken)
		pages += beyond(mm->total_vm, u->size >> s->k->page_shift);
	return pages;
}

static void add_lost(const struct snapshot *s, struct verify *v, const struct mm *mm)
{
	uint64_t kernel = counter(mm, RSS_FILE) + counter(mm, RSS_ANON) + counter(mm, RSS_SHMEM);
	uint64_t found = found_anon(&mm->usage) + found_file(&mm->usage) + found_shmem(&mm->usage);

	if (!mm->broken && !tables_lost(mm))
		return;
	v->damaged = true;
	v->lost += lost_pages(s, mm);
	v->missing += beyond(kernel, found >> s->k->page_shift);
}

/* Pages of arguments that are charged to the mm. */
static uint64_t argument_pages(const struct snapshot *s, uint32_t mi)
{
	const struct mm *mm = &s->mms[mi];
	uint64_t less = beyond(counter(mm, RSS_ANON), found_anon(&mm->usage) >> s->k->page_shift);
	uint64_t most = (uint64_t)s->verify->execs[mi] * (ARGUMENTS_MAX >> s->k->page_shift);

	return less <= most ? less : 0;
}

/* Tasks that were on a CPU; if that is not known, tasks that may have been. */
static void find_running(struct snapshot *s, struct verify *v)
{
	struct arena scratch = { 0 };
	struct hash cpu_of = { .mem = &scratch };
	struct reader *r = kernel_reader(s->k);
	uint32_t crashed = r ? machine_running(s->k, r, &cpu_of) : NONE;

	for (uint32_t i = 0; i < s->ntasks; i++) {
		const struct task *t = &s->tasks[i];
		uint32_t cpu = t->addr ? hash_get(&cpu_of, t->addr) : HASH_NONE;

		if (t->mm < s->nmms && t->in_execve)
			v->execs[t->mm]++;
		/* the idle task works on no page tables */
		v->busy += cpu != HASH_NONE && cpu != crashed && t->pid;
		if (t->mm < s->nmms && (cpu != HASH_NONE || t->state == 'R'))
			v->running[t->mm]++;
		v->exiting += t->mm == NONE && t->flags & PF_EXITING && !(t->flags & PF_KTHREAD) &&
			      t->state != 'Z' && t->state != 'X';
	}
	reader_free(r);
	arena_release(&scratch);
}

/* Computed at the first difference: most dumps have none. */
void verify_find_causes(struct snapshot *s)
{
	struct verify *v = s->verify;

	if (v->running)
		return;
	v->running = arena_array(&s->mem, uint32_t, s->nmms + 1u);
	v->execs = arena_array(&s->mem, uint32_t, s->nmms + 1u);
	find_running(s, v);
	for (uint32_t i = 0; i < s->nmms; i++) {
		add_lost(s, v, &s->mms[i]);
		v->arguments += argument_pages(s, i);
	}
}

/* ---- frames ------------------------------------------------------------------------ */

static const struct { const char *name; uint32_t flags; } kinds[VERIFY_KINDS] = {
	/* the first whose flags are all there */
	{ "hugetlb", FR_HUGETLB }, { "ksm", FR_KSM }, { "anon", FR_ANON },
	{ "shmem", FR_CACHE | FR_SWAPBACKED }, { "file", FR_CACHE }, { "slab", FR_SLAB },
	{ "free", FR_BUDDY }, { "page table", FR_PGTABLE }, { "reserved", FR_RESERVED },
	{ "device", FR_ZONE_DEVICE }, { "kernel", 0 },
};

unsigned verify_kind(const struct frame *f)
{
	unsigned i = 0;

	while ((f->flags & kinds[i].flags) != kinds[i].flags)
		i++;
	return i;
}

const char *verify_kind_name(unsigned kind)
{
	return kinds[kind].name;
}

/*
 * The average that the kernel must have for a large folio with PFN in it: mappings of its
 * pages, rounded to the nearest number, and at least 1 if there is any
 * (folio_average_page_mapcount(), 6.15).
 */
static uint32_t folio_average(const struct frames *f, uint64_t pfn, unsigned order,
			      struct verify_folio *folio)
{
	uint64_t sum = 0, avg;

	if (pfn - folio->head < folio->end - folio->head)
		return folio->average;
	folio->head = pfn >> order << order;
	folio->end = folio->head + (UINT64_C(1) << order);
	for (uint64_t i = folio->head; i < folio->end && i < f->max_pfn; i++)
		sum += frame_found(f, i);
	avg = (sum + (UINT64_C(1) << order) / 2) >> order;
	folio->average = sum && !avg ? 1 : (uint32_t)avg;
	return folio->average;
}

static bool is_average(const struct frames *f, const struct frame *fr, uint64_t pfn,
		       struct verify_folio *folio)
{
	unsigned order = fr->flags >> FR_ORDER_SHIFT;

	return f->average && order && fr->flags & (FR_HEAD | FR_TAIL) &&
	       folio_average(f, pfn, order, folio) == fr->mapcount;
}

/* More than the kernel counted. */
static enum verify_reason too_many(const struct verify *v, const struct frame *fr,
				   uint32_t mapcount, uint32_t found)
{
	/* pages of user space, and pages that are never mapped on purpose */
	uint32_t not_driver = FR_LRU | FR_ANON | FR_CACHE | FR_HUGETLB | FR_SLAB | FR_BUDDY |
			      FR_PGTABLE;

	if (!mapcount && !(fr->flags & not_driver))
		return VERIFY_NO_RMAP;
	return found - mapcount <= v->busy ? VERIFY_IN_FLUX : VERIFY_TOO_MANY;
}

static enum verify_reason too_few(const struct snapshot *s, const struct frame *fr,
				  uint32_t mapcount, uint32_t found)
{
	const struct verify *v = s->verify;
	uint32_t more = mapcount - found;
	/* an mm maps the page of a program where two of its segments meet twice */
	uint32_t each = fr->flags & FR_CACHE ? 2 : 1;

	if (v->damaged)
		return VERIFY_LOST_TABLES;
	/* each holder of a reference is in memory */
	if (counts_references(s->k))
		return more <= s->frames.existing ? VERIFY_NO_MAPPING : VERIFY_UNKNOWN_MM;
	if (more == 1 && v->arguments && fr->flags & FR_ANON)
		return VERIFY_ARGUMENTS;
	if (more <= v->exiting * each)
		return VERIFY_EXITING;
	return more <= v->busy ? VERIFY_IN_FLUX : VERIFY_UNKNOWN_MM;
}

static enum verify_reason reason_of(const struct snapshot *s, const struct frame *fr, uint64_t pfn,
				    uint32_t mapcount, struct verify_folio *folio)
{
	uint32_t found = frame_found(&s->frames, pfn);

	if (mapcount == found || (frame_is_blank(fr) && !found))
		return VERIFY_AGREE;
	if (fr->flags & FR_UNREAD)
		return VERIFY_NOT_READ;
	if (s->frames.references && mapcount > found)
		return VERIFY_REFERENCES;
	if (is_average(&s->frames, fr, pfn, folio))
		return VERIFY_AVERAGE;
	if (fr->flags & FR_HUGETLB && !mapcount && !kernel_rule(s->k, RULE_HUGETLB_COUNTED))
		return VERIFY_HUGETLB_UNCOUNTED;
	return found > mapcount ? too_many(s->verify, fr, mapcount, found)
				: too_few(s, fr, mapcount, found);
}

enum verify_reason verify_frame(const struct snapshot *s, uint64_t pfn, struct verify_folio *folio,
				uint32_t *kernel)
{
	const struct frame *fr = frame_at(&s->frames, pfn);

	*kernel = frame_counted(&s->frames, fr, pfn);
	return reason_of(s, fr, pfn, *kernel, folio);
}

void verify_add(struct verify_frames *to, const struct verify_frames *f)
{
	if (!f->frames)
		return;
	to->pfn = to->frames ? min_u64(to->pfn, f->pfn) : f->pfn;
	to->frames += f->frames;
	to->kernel += f->kernel;
	to->found += f->found;
}

/* Are there more than the lost parts, and the changes of running CPUs, can explain? */
static void bound_reasons(struct verify *v)
{
	const struct verify_frames *lost = v->frames[VERIFY_LOST_TABLES];
	uint64_t hugetlb = lost[0].kernel - lost[0].found, small = 0, flux = 0, arguments = 0;

	for (unsigned kind = 0; kind < VERIFY_KINDS; kind++) {
		small += kind ? lost[kind].kernel - lost[kind].found : 0;
		flux += v->frames[VERIFY_IN_FLUX][kind].frames;
		arguments += v->frames[VERIFY_ARGUMENTS][kind].frames;
	}
	/* no counter includes pages of hugetlb */
	v->beyond[VERIFY_LOST_TABLES] = small + hugetlb > v->lost || small > v->missing;
	v->beyond[VERIFY_ARGUMENTS] = arguments > v->arguments;
	v->beyond[VERIFY_IN_FLUX] = flux > (uint64_t)v->busy * AT_ONCE;
}

/* ---- mms ------------------------------------------------------------------------- */

enum form { OF_PAGES, OF_ANON, OF_FILES, OF_VMAS };	/* the objects of a counter */

struct comparison {
	const struct snapshot *s;
	uint32_t mm;
	uint64_t huge_as_file;		/* pages */
	void (*fn)(void *arg, const struct verify_counter *c);
	void *arg;
};

static enum verify_reason mm_reason(const struct snapshot *s, uint32_t i, enum form form,
				    uint64_t kernel, uint64_t found)
{
	const struct mm *mm = &s->mms[i];
	uint64_t less = beyond(kernel, found), off = less + beyond(found, kernel);
	uint32_t running = s->verify->running[i];

	if (mm->broken && less && (form == OF_VMAS || less <= lost_pages(s, mm)))
		return VERIFY_LOST_VMAS;
	if (form != OF_VMAS && tables_lost(mm) && less && less <= lost_pages(s, mm))
		return VERIFY_LOST_PTES;
	if (mm->forked)
		return VERIFY_FORKED;
	if (!mm->users)
		return VERIFY_TAKEN_DOWN;
	if (mm->reaped && form != OF_VMAS)
		return VERIFY_REAPED;
	if (form == OF_ANON && less && argument_pages(s, i))
		return VERIFY_EXECVE;
	if (running && (form == OF_VMAS || off <= (uint64_t)running * AT_ONCE))
		return VERIFY_RAN;
	return VERIFY_UNEXPLAINED;
}

/*
 * Pages of huge entries of shared memory that are in the counter of files and not in that of
 * shared memory: do_set_pmd(), v4.8 until fadae2953072 (v4.19; RHEL 8 took it between
 * 4.18.0-147 and -477). 0 if the counters are not off by just these.
 */
static uint64_t huge_as_file(const struct snapshot *s, const struct mm *m)
{
	unsigned shift = s->k->page_shift;
	uint64_t huge = m->usage.shmem_huge >> shift;

	return counter(m, RSS_FILE) == (found_file(&m->usage) >> shift) + huge &&
			       counter(m, RSS_SHMEM) + huge == found_shmem(&m->usage) >> shift
		       ? huge
		       : 0;
}

static void compare(const struct comparison *c, enum form form, const char *what, uint64_t kernel,
		    uint64_t found)
{
	struct verify_counter v = { .what = what, .mm = c->mm, .kernel = kernel, .found = found };

	if (kernel != found && c->s->verify->running)
		v.reason = form == OF_FILES && c->huge_as_file
				   ? VERIFY_HUGE_AS_FILE
				   : mm_reason(c->s, c->mm, form, kernel, found);
	c->fn(c->arg, &v);
}

static void compare_size(const struct comparison *c)
{
	const struct mm *m = &c->s->mms[c->mm];

	compare(c, OF_VMAS, "size", m->total_vm, m->usage.size >> c->s->k->page_shift);
}

/* 2.4: mm->rss, and no mapcounts either. */
static bool only_total(const struct kernel *k)
{
	return has(k, M_MM_RSS) && !has(k, M_MM_ANON_RSS);
}

void verify_mm(const struct snapshot *s, uint32_t mm,
	       void (*fn)(void *arg, const struct verify_counter *c), void *arg)
{
	struct comparison c = { .s = s, .mm = mm, .fn = fn, .arg = arg };
	const struct mm *m = &s->mms[mm];
	const struct usage *u = &m->usage;
	unsigned shift = s->k->page_shift;
	/* before 4.5 shared memory had no counter of its own */
	bool shmem = has(s->k, E_MM_SHMEMPAGES);

	if (shmem)
		c.huge_as_file = huge_as_file(s, m);
	if (only_total(s->k)) {
		compare(&c, OF_PAGES, "rss", counter(m, RSS_FILE), u->rss >> shift);
	} else {
		compare(&c, OF_ANON, "rss anon", counter(m, RSS_ANON), found_anon(u) >> shift);
		compare(&c, OF_FILES, "rss file", counter(m, RSS_FILE),
			(found_file(u) + (shmem ? 0 : found_shmem(u))) >> shift);
	}
	if (shmem)
		compare(&c, OF_FILES, "rss shmem", counter(m, RSS_SHMEM), found_shmem(u) >> shift);
	if (mm_counts_swap(s->k))
		compare(&c, OF_PAGES, "swap", counter(m, RSS_SWAP), u->swap_ptes >> shift);
	compare(&c, OF_VMAS, "VMAs", (uint64_t)m->map_count, m->nvmas);
	compare_size(&c);
}

/* Without the walk over page tables. The number of VMAs is compared when they are read. */
static void verify_size(const struct snapshot *s, uint32_t mm,
			void (*fn)(void *arg, const struct verify_counter *c), void *arg)
{
	const struct comparison c = { .s = s, .mm = mm, .fn = fn, .arg = arg };

	compare_size(&c);
}

static void count_counter(void *arg, const struct verify_counter *c)
{
	struct verify *v = arg;

	v->counters++;
	v->off += c->kernel != c->found;
}

static void note_counter(void *arg, const struct verify_counter *c)
{
	struct snapshot *s = arg;

	if (c->kernel != c->found)
		s->verify->v[s->verify->n++] = *c;
}

typedef void verify_fn(const struct snapshot *s, uint32_t mm,
		       void (*fn)(void *arg, const struct verify_counter *c), void *arg);

static void check_mms(struct snapshot *s, verify_fn *each)
{
	struct verify *v = s->verify;

	for (uint32_t i = 0; i < s->nmms; i++)
		if (snapshot_asks(s, i))
			each(s, i, count_counter, v);
	if (!v->off)
		return;
	verify_find_causes(s);
	v->v = arena_array(&s->mem, struct verify_counter, v->off);
	for (uint32_t i = 0; i < s->nmms; i++)
		if (snapshot_asks(s, i))
			each(s, i, note_counter, s);
}

/* ---- issues ------------------------------------------------------------------------ */

static void tell_counter(const struct snapshot *s, const struct verify_counter *c)
{
	uint32_t owner = s->mms[c->mm].owner;

	issue_add(s->k->issues, ST_CORRUPT, "mm counter", 1,
		  "%s of the mm at %#" PRIx64 " (pid %d): the kernel counts %" PRIu64
		  ", the walk found %" PRIu64,
		  c->what, s->mms[c->mm].addr, owner < s->nprocs ? s->procs[owner].pid : -1,
		  c->kernel, c->found);
}

static void tell(const struct snapshot *s)
{
	const struct verify *v = s->verify;

	for (unsigned why = 0; why < VERIFY_REASONS; why++)
		for (unsigned kind = 0; kind < VERIFY_KINDS; kind++) {
			const struct verify_frames *f = &v->frames[why][kind];

			if (f->frames && !verify_explained(v, why))
				issue_add(s->k->issues, ST_CORRUPT, "page map count", f->frames,
					  "%" PRIu64 " frames (%s) from pfn %#" PRIx64
					  ": the kernel counts %" PRIu64 " mappings, the walk "
					  "found %" PRIu64,
					  f->frames, kinds[kind].name, f->pfn, f->kernel, f->found);
		}
	for (uint32_t i = 0; i < v->n; i++)
		if (!verify_explained(v, v->v[i].reason))
			tell_counter(s, &v->v[i]);
}

void verify_build(struct snapshot *s)
{
	const struct kernel *k = s->k;

	s->verify = arena_array(&s->mem, struct verify, 1);
	/* of a live machine, frames and tables are of different moments: only check asks */
	if (!s->asked && s->frames.store &&
	    (s->built & NEED_FOUND || !source_has(k, SOURCE_CHANGES))) {
		verify_all_frames(s);
		bound_reasons(s->verify);
	}
	/* a collector's counts of a VMA were compared when its text was read */
	if (source_has(k, SOURCE_FRAMES))
		check_mms(s, verify_mm);
	if (source_has(k, SOURCE_FRAMES) && !source_has(k, SOURCE_CHANGES))
		tell(s);
}

void verify_build_sizes(struct snapshot *s)
{
	if (!source_has(s->k, SOURCE_FRAMES) || source_has(s->k, SOURCE_CHANGES))
		return;
	s->verify = arena_array(&s->mem, struct verify, 1);
	check_mms(s, verify_size);
	tell(s);
}
