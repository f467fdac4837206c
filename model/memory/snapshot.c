/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.c - builds a snapshot in the order of its dependencies; small look-ups
 * in it.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "facts/layout/page.h"
#include "model/build.h"
#include "model/kernel/cgroup/cgroups.h"
#include "model/kernel/machine/machine.h"
#include "model/kernel/page/refcounts.h"
#include "model/kernel/source.h"
#include "model/memory/areas/objects.h"
#include "model/memory/areas/units.h"
#include "model/memory/elf/elffind.h"
#include "model/memory/frames/classes.h"
#include "model/memory/frames/frames.h"
#include "model/memory/trust/bounds.h"
#include "model/memory/trust/verify.h"
#include "model/memory/usage/account.h"
#include "model/memory/usage/kept.h"
#include "model/memory/usage/refs.h"
#include "model/memory/usage/tables.h"
#include "model/met.h"
#include "model/model.h"
#include "model/shared.h"

#define KEPT_BYTES (UINT64_C(32) << 20)	/* of runs of pages: kept.h */

void usage_add(struct usage *sum, const struct usage *u)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)u;

	/* struct usage has only counters */
	_Static_assert(sizeof(*sum) % sizeof(*to) == 0, "struct usage holds uint64_t alone");
	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

/* The line NAME of V[n]; NULL: there is none. */
static const struct zone_count *line_of(const struct zone_count *v, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return &v[i];
	return NULL;
}

bool machine_prints(const struct machine *m, const char *name)
{
	return line_of(m->meminfo, m->nmeminfo, name) != NULL;
}

uint64_t machine_meminfo(const struct machine *m, const char *name)
{
	const struct zone_count *l = line_of(m->meminfo, m->nmeminfo, name);

	return l ? l->value : UINT64_MAX;
}

uint64_t machine_vmstat(const struct machine *m, const char *name)
{
	const struct zone_count *l = line_of(m->vmstat, m->nvmstat, name);

	return l ? l->value : UINT64_MAX;
}

uint64_t machine_vmstat_sum(const struct machine *m, const char *name)
{
	size_t len = strlen(name);
	uint64_t sum = 0;
	bool found = false;

	for (uint32_t i = 0; i < m->nvmstat; i++) {
		const char *n = m->vmstat[i].name;

		if (strncmp(n, name, len) || (n[len] && n[len] != '_') ||
		    m->vmstat[i].value == UINT64_MAX)
			continue;
		sum += m->vmstat[i].value;
		found = true;
	}
	return found ? sum : UINT64_MAX;
}

uint64_t machine_zsmalloc(const struct machine *m)
{
	return machine_vmstat(m, "nr_zspages"); /* 91537fee0013 (v4.8) */
}

bool snapshot_cgroup_within(const struct snapshot *s, uint32_t cgroup, uint32_t top)
{
	for (uint32_t n = 0; cgroup < s->ncgroups && n <= s->ncgroups; n++) {
		if (cgroup == top)
			return true;
		cgroup = s->cgroups[cgroup].parent;
	}
	return false;
}

uint32_t snapshot_proc_by_pid(const struct snapshot *s, int64_t pid)
{
	/* procs are made in the order of their pids */
	uint32_t lo = search_first(s->nprocs, mid, s->procs[mid].pid < pid);

	return pid >= 0 && lo < s->nprocs && s->procs[lo].pid == pid ? lo : NONE;
}

/* Which parts need which. */
unsigned snapshot_parts(const struct kernel *k, unsigned needs)
{
	if (needs & NEED_FOUND)
		needs |= NEED_USAGE;
	if (needs & NEED_USAGE)
		needs |= NEED_VMAS | NEED_FRAMES;
	if (needs & NEED_SIZES)
		needs |= NEED_VMAS;
	if (needs & NEED_BUILD_IDS)
		needs |= NEED_VMAS | NEED_FRAMES;
	if (needs & (NEED_VMAS | NEED_CGROUPS))
		needs |= NEED_TASKS;
	return needs & k->offers;
}

/*
 * A process with pages that could not be accounted is marked, and a marked row always comes with an issue: where no
 * other tells of the struct pages, the dump maps none for these frames.
 */
static void tell_unknown(const struct snapshot *s)
{
	const struct kernel *k = s->k;
	uint64_t unknown = 0;

	if (!source_has(k, SOURCE_MEMORY) || k->memmap.partial || s->frames.unread ||
	    (s->frames.store && s->frames.store->lost_heads))
		return;
	for (uint32_t i = 0; i < s->nmms; i++)
		unknown += s->mms[i].usage.unknown;
	if (unknown)
		issue_add(k->issues, ST_FAULT, "struct page", unknown >> k->dump->page_shift,
			  "pages of processes whose frame has none");
}

static void sum_usage(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nmms; i++) {
		struct mm *m = &s->mms[i];

		memset(&m->usage, 0, sizeof(m->usage));
		for (uint32_t v = 0; v < m->nvmas; v++)
			usage_add(&m->usage, &s->vmas[m->first_vma + v].usage);
	}
}

static void build_machine(struct build *b, unsigned needs)
{
	struct issues_part part;

	met_begin(b->s, &part);
	if (needs & NEED_MACHINE)
		machine_build(b->s, b->r);
	met_end(b->s, &part, NEED_MACHINE, NEED_MACHINE);
	met_begin(b->s, &part);
	if (needs & NEED_LOG)
		machine_log(b->s, b->r);
	met_end(b->s, &part, NEED_LOG, NEED_LOG);
}

/* Parts that look at the vmas of all processes, also for a report about one. */
#define OF_ALL (NEED_SIZES | NEED_FOUND | NEED_BUILD_IDS | NEED_CGROUPS | NEED_MACHINE)

static uint32_t only_mm(const struct snapshot *s, const struct snapshot_opts *o)
{
	uint32_t p = o && o->pid ? snapshot_proc_by_pid(s, o->pid) : NONE;

	return p == NONE ? NONE : s->procs[p].mm;
}

/* A process without an mm has no page. */
static void ask_process(struct snapshot *s, uint32_t proc)
{
	bool *asked = arena_array(&s->mem, bool, s->nmms);

	if (s->procs[proc].mm != NONE)
		asked[s->procs[proc].mm] = true;
	s->asked = asked;
}

/* Where most processes map the file, pages are read faster as a whole. */
static void ask_file(struct snapshot *s, const char *file)
{
	bool *asked = arena_array(&s->mem, bool, s->nmms);
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[i];

		if (!asked[v->mm] && object_is(object_name(s, v), file)) {
			asked[v->mm] = true;
			n++;
		}
	}
	s->asked = n <= s->nmms / 2 ? asked : NULL;
}

static void ask_pages(struct snapshot *s, const struct snapshot_opts *o)
{
	uint32_t p = o && o->pid ? snapshot_proc_by_pid(s, o->pid) : NONE;

	if (p != NONE)
		ask_process(s, p);
	else if (o && o->file)
		ask_file(s, o->file);
}

static void build_processes(struct build *b, unsigned needs, const struct snapshot_opts *o)
{
	bool some = o && o->pid && !(needs & OF_ALL);
	struct issues_part part;

	met_begin(b->s, &part);
	build_tasks(b);
	met_end(b->s, &part, NEED_TASKS, NEED_TASKS);
	met_begin(b->s, &part);
	build_mms(b, needs & NEED_VMAS && !some);
	met_end(b->s, &part, NEED_TASKS, NEED_TASKS | NEED_VMAS);
}

static void build_mapped(struct build *b, uint32_t only)
{
	struct issues_part part;

	met_begin(b->s, &part);
	build_vmas(b, only);
	build_cmdlines(b, only);
	met_end(b->s, &part, NEED_VMAS, NEED_VMAS);
}

static void build_lists(struct build *b, unsigned needs, const struct snapshot_opts *o)
{
	bool first = o && o->first;
	struct issues_part part;

	if (first) {
		build_machine(b, needs);
		o->first(o->first_arg, b->s);
	}
	if (needs & NEED_TASKS)
		build_processes(b, needs, o);
	met_begin(b->s, &part);
	if (needs & NEED_CGROUPS)
		cgroups_build(b->s, b->r, b->proc_css_set);
	met_end(b->s, &part, NEED_CGROUPS, NEED_CGROUPS);
	if (needs & NEED_VMAS)
		build_mapped(b, needs & OF_ALL ? NONE : only_mm(b->s, o));
	if (!first)
		build_machine(b, needs);
}

static void build_sizes(struct snapshot *s)
{
	s->refs = refs_count(s);
	if (!refs_complete(s->refs)) {
		s->refused = "effective sizes take 4 bytes for each page frame in use, more than "
			     "may be used; allow more with --memory";
		return;
	}
	s->sizes = arena_array(&s->mem, struct sizes, s->nvmas);
	refs_vma_sizes(s->refs, s->sizes);
}

/*
 * Where all frames are compared with the walk for usage, and there is room for all that this takes,
 * that walk counts the references too, and keeps runs of pages: most vmas need no other walk. The
 * page array is read once, for frames and classes.
 */
static void keep_pages(struct snapshot *s)
{
	const struct frames *f = &s->frames;
	/* frames, where they differ their mappings; references, first groups; classes */
	uint64_t bytes = FRAMES_FOUND_BYTES + 2 * REFCOUNTS_CHUNK_BYTES + FRAME_CHUNK;

	if (!(s->built & NEED_FOUND) || !f->store || s->k->dump->live || f->average ||
	    !has(s->k, M_PAGE_MAPCOUNT) || !frames_fit(f, bytes, KEPT_BYTES))
		return;
	if (s->built & NEED_CLASSES) {
		s->classes = page_classes_begin(s->k, false);
		frames_classify(f, s->classes);
	}
	s->refs = refs_beside_mappings(s);
	s->kept = kept_new(s, KEPT_BYTES, units_of_vmas(s));
}

/* After all frames were compared. */
static void build_kept_sizes(struct snapshot *s)
{
	bool equal = false, counted = refs_beside_done(s->refs, &equal);

	if (!equal) {
		kept_free(s->kept);
		s->kept = NULL;
	}
	if (!counted) {
		refs_free(s->refs);
		s->refs = NULL;
		build_sizes(s);
		return;
	}
	s->sizes = arena_array(&s->mem, struct sizes, s->nvmas);
	refs_vma_sizes(s->refs, s->sizes);
}

static void build_ids(struct snapshot *s)
{
	struct reader *r = reader_new(s->k->dump);

	elf_build_ids(s, r);
	reader_free(r);
}

/* Did a walk end at a limit? Another one would end elsewhere. */
static bool met_limit(const struct issues *is)
{
	for (unsigned i = 0; i < is->n; i++)
		if (is->v[i].kind == ST_LIMIT)
			return true;
	return false;
}

/* Contradictions of tables, which the walk for usage tells at its end. */
static bool met_tables(struct issues *is)
{
	return issues_reason(is, "page table") || issues_reason(is, "pgtables_bytes");
}

/*
 * Sizes have the tables checked before the walk, because they walk all mms more than once; else the walk does it.
 * Without a walk for usage, theirs tells what cannot be read.
 */
static void walk_tables(struct snapshot *s, unsigned needs)
{
	struct issues_part part;

	frames_ask_as(&s->frames, FRAMES_TABLES);
	met_begin(s, &part);
	if (needs & NEED_SIZES)
		tables_check(s);
	met_end(s, &part, NEED_USAGE | NEED_SIZES, met_tables(s->k->issues) ? NEED_SIZES : 0);
	frames_ask_as(&s->frames, FRAMES_WALK);
	met_begin(s, &part);
	if (needs & NEED_SIZES)
		keep_pages(s);
	if (needs & NEED_USAGE)
		account_build(s);
	if (met_end(s, &part, NEED_USAGE, 0))
		met_depends(s, NEED_SIZES, NEED_USAGE | (met_limit(s->k->issues) ? NEED_FOUND : 0));
}

void snapshot_from_memory(struct snapshot *s, unsigned needs, const struct snapshot_opts *o)
{
	struct build b = { .s = s, .k = s->k, .r = reader_new_wide(s->k->dump) };
	struct issues_part part;

	build_lists(&b, needs, o);
	arena_release(&b.scratch);
	reader_free(b.r);
	if (needs & NEED_VMAS)
		ask_pages(s, o);
	s->sizes_only = o && o->sizes_only;
	met_begin(s, &part);
	if (needs & NEED_FRAMES)
		frames_open(s);
	met_end(s, &part, NEED_FRAMES, NEED_FRAMES);
	if (!s->refused)
		walk_tables(s, needs);
}

/* The walk with the kernel's counts. */
static void compare(struct snapshot *s)
{
	struct issues_part part;

	frames_ask_as(&s->frames, s->built & NEED_FOUND ? FRAMES_FOUND : FRAMES_WALK);
	met_begin(s, &part);
	if (s->built & NEED_VMAS)
		sum_usage(s);
	if (s->built & NEED_USAGE)
		verify_build(s);
	else if (s->built & NEED_VMAS)
		verify_build_sizes(s);
	met_end(s, &part, NEED_VMAS,
		NEED_USAGE | (s->verify && s->verify->elsewhere ? NEED_FOUND : 0));
	met_begin(s, &part);
	if (s->built & NEED_USAGE) {
		bounds_check(s);
		tell_unknown(s);
	}
	met_end(s, &part, NEED_USAGE, NEED_MACHINE);
}

static void compare_sizes(struct snapshot *s)
{
	struct issues_part part;

	frames_ask_as(&s->frames, FRAMES_SIZES);
	met_begin(s, &part);
	if (s->built & NEED_SIZES && !s->refs)
		build_sizes(s);
	met_end(s, &part, NEED_SIZES, NEED_USAGE | NEED_FOUND);
	compare(s);
	frames_ask_as(&s->frames, FRAMES_SIZES);
	met_begin(s, &part);
	if (s->kept && !s->refused)
		build_kept_sizes(s);
	met_end(s, &part, NEED_SIZES, NEED_USAGE | NEED_FOUND);
}

struct snapshot *snapshot_build(struct kernel *k, unsigned needs, const struct snapshot_opts *o)
{
	struct snapshot *s = heap_array(struct snapshot, 1);
	struct issues_part part;

	s->k = k;
	s->built = snapshot_parts(k, needs);
	k->source->build(s, s->built, o);
	if (s->refused)
		return s;
	frames_ask_as(&s->frames, FRAMES_IDS);
	met_begin(s, &part);
	if (s->built & NEED_BUILD_IDS && source_has(k, SOURCE_MEMORY))
		build_ids(s);
	met_end(s, &part, NEED_BUILD_IDS, NEED_USAGE | NEED_SIZES);
	compare_sizes(s);
	frames_tell(s);
	return s;
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	shared_free(s);
	met_free(s);
	page_classes_drop(s->classes);
	frames_free(&s->frames);
	refs_free(s->refs);
	kept_free(s->kept);
	arena_release(&s->mem);
	free(s);
}
