/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * census - where all of RAM is: every page frame in one class, and the kernel's own counters
 * beside.
 */
#include <inttypes.h>
#include <math.h>

#include "dumpread/base/bytes.h"
#include "model/memory/census/census.h"
#include "reports/core/common.h"
#include "reports/page/census.h"

struct census_line {
	const char *class, *class_id, *what, *counter, *incomplete;
	uint64_t size, mapped, dirty, writeback, unevictable, mlocked, active, kernel, found;
	int64_t on_cpus, difference;
	double percent;
};

#define SHOWN COL_SHOWN
#define BYTES(name, fl, about) COL(struct census_line, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct census_line, class, COL_STR, SHOWN | COL_WIDE, "", "class of page frames"),
	BYTES(size, SHOWN | COL_TOTAL, "RAM in this class; all classes add up to RAM"),
	COL(struct census_line, percent, COL_RATIO, SHOWN, "%", "of RAM"),
	BYTES(mapped, SHOWN, "of size: mapped by processes"),
	BYTES(dirty, 0, "of size: not yet written to its file or to swap"),
	BYTES(writeback, 0, "of size: being written"),
	BYTES(unevictable, 0, "of size: on the list of pages that cannot be reclaimed"),
	BYTES(mlocked, 0, "of size: locked by mlock()"),
	BYTES(active, 0, "of size: on an active LRU list"),
	COL(struct census_line, counter, COL_STR, SHOWN | COL_WIDE, "",
	    "the kernel's counter: lines of /proc/meminfo"),
	BYTES(kernel, SHOWN, "value of the counter"),
	BYTES(found, 0, "frames that this counter should count, perhaps of several classes"),
	COL(struct census_line, on_cpus, COL_DELTA, 0, "bytes",
	    "part of the counter that CPUs keep and have not added to it yet"),
	COL(struct census_line, difference, COL_DELTA, SHOWN, "bytes",
	    "found less kernel and on_cpus"),
	COL(struct census_line, what, COL_STR, 0, "", "meaning of the class"),
	COL(struct census_line, incomplete, COL_STR, 0, "",
	    "what it may have beyond its size"),
	COL(struct census_line, class_id, COL_STR, 0, "", "the class by a name that never changes"),
};

static void set_counter(const struct snapshot *s, const struct census *c, enum page_class class,
			struct census_line *l)
{
	uint64_t page = page_size(s);

	l->kernel = l->found = COL_UNKNOWN;
	l->on_cpus = l->difference = COL_UNKNOWN_INT;
	for (uint32_t i = 0; i < c->ncounters; i++) {
		const struct census_counter *n = &c->counters[i];

		if (n->row != class || n->kernel == UINT64_MAX)
			continue;
		l->counter = n->name;
		l->kernel = n->kernel * page;
		l->found = n->found * page;
		if (n->on_cpus == INT64_MIN)
			continue;
		l->on_cpus = n->on_cpus * (int64_t)page;
		l->difference = (int64_t)(l->found - l->kernel) - l->on_cpus;
	}
}

static void set_unknown(struct census_line *l)
{
	l->size = l->mapped = l->dirty = l->writeback = COL_UNKNOWN;
	l->unevictable = l->mlocked = l->active = l->found = COL_UNKNOWN;
	l->percent = NAN;
	l->on_cpus = l->difference = COL_UNKNOWN_INT;
}

/* What class CLASS may lack: not all of its frames were found, or it has some of those whose struct
   page could not be read. NULL: nothing. */
static const char *incomplete(const struct snapshot *s, const struct census *c,
			      enum page_class class, const struct census_line *l, struct arena *mem)
{
	uint64_t lacks = c->classes->count[CLASS_UNREAD].pages * page_size(s);

	if (l->difference != COL_UNKNOWN_INT)
		lacks = l->difference < 0 ? min_u64(lacks, (uint64_t)-l->difference) : 0;
	if (s->k->layout.lost)
		return "types of the kernel could not be read";
	if (c->unknown[class] && l->size != COL_UNKNOWN)
		return "not all of its frames could be found";
	if (!lacks || class == CLASS_UNREAD || page_class_is(class, CF_CLAIMED))
		return NULL;
	return arena_printf(mem, "up to %" PRIu64 " KiB of it could not be read", lacks >> 10);
}

/* NULL: all is decided. */
static const char *undecided_note(const struct snapshot *s, const struct census *c,
				  struct arena *mem)
{
	const struct census_undecided *u = &c->undecided;

	if (!u->frames)
		return NULL;
	return arena_printf(
		mem,
		"Of %" PRIu64 " KiB in compound pages without a type, %" PRIu64
		" KiB are large kmalloc, by the kernel's counter of slab. Which pages "
		"these are is not known: --by and --unknown have all of them as unknown.",
		u->frames * page_size(s) >> 10, u->pages * page_size(s) >> 10);
}

static enum status census_report(const struct snapshot *s, const struct report_opts *o,
				 struct table *t, struct diag *diag)
{
	const struct census *c = census_of(s);
	VEC(struct census_line) rows = { 0 };
	uint64_t page = page_size(s);

	(void)diag;
	for (unsigned i = 1; i < PAGE_CLASSES; i++) {
		const struct class_counts *n = &c->classes->count[i];
		enum page_class class = (enum page_class)i;
		struct census_line l = {
			.class = page_class_name(class),
			.class_id = class_facts[class].id,
			.what = class_facts[class].what,
			.size = n->pages * page,
			.mapped = n->mapped * page,
			.dirty = n->dirty * page,
			.writeback = n->writeback * page,
			.unevictable = n->unevictable * page,
			.mlocked = n->mlocked * page,
			.active = n->active * page,
			.percent = c->ram ? 100.0 * (double)n->pages / (double)c->ram : NAN,
		};

		if ((!n->pages && !c->unknown[i] && !o->all) || page_class_is(class, CF_NO_RAM) ||
		    class == CLASS_COMPOUND)
			continue;
		set_counter(s, c, class, &l);
		if (c->unknown[i] && !n->pages)
			set_unknown(&l);
		l.incomplete = incomplete(s, c, class, &l, &t->mem);
		*vec_push(&t->mem, &rows) = l;
	}
	t->rows = rows.v;
	t->nrows = rows.n;
	t->row_size = sizeof(struct census_line);
	t->incomplete = offsetof(struct census_line, incomplete);
	t->note = undecided_note(s, c, &t->mem);
	return ST_OK;
}

static const struct report_part parts[] = {
	{ OPT_HOLDERS, "holders", &report_census_holders },
	{ OPT_UNKNOWN, "unknown", &report_census_unknown },
	{ OPT_BY, "by", &report_census_by },
	{ 0 },
};

const struct report report_census = {
	.name = "census",
	.about = "all of RAM: every page frame in one class, beside the kernel's counters",
	.needs = NEED_MACHINE | NEED_VMAS,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = census_report,
	.parts = parts,
	.help = "Each page frame is in exactly one class, so the sizes add up to RAM. COUNTER names "
		"what the kernel itself counts; DIFFERENCE is what its value lacks or has too much. "
		"--all also shows classes without frames.\n\n"
		"--holders shows the owners of the kernel's memory instead: pipes, sockets, rings "
		"and so on, with the processes that hold them by a descriptor or a mapping. The "
		"sizes of the owners in a class are part of its size. Owners of one kind that the same "
		"processes hold are one row; --by kind, process or cgroup (that of the first "
		"process) makes larger groups, and --by none a row of each owner.\n\n"
		"--unknown divides the class unknown into groups: by the line or the stack that "
		"allocated them where the kernel keeps that (allocation tags, page_owner), by the "
		"control group that is charged, and by shape. Of each group some pages are read, and "
		"the column guess says what the addresses in them point to: a number that looks like "
		"an address counts as one, so it is a guess and no fact. \"nothing\" points nowhere.\n\n"
		"--by WHAT divides each class once more: by node, zone, migratetype (of the "
		"pageblock), order (of the free block or compound page), or the cgroup that is "
		"charged with the page. The rows still add up to RAM.",
};
