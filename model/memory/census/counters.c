/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters.c - lines of /proc/meminfo, and the classes that each counts. */
#include "model/memory/census/counters.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/issues.h"
#include "facts/layout/page.h"
#include "facts/layout/system.h"
#include "model/kernel/machine/system.h"
#include "model/kernel/source.h"
#include "model/memory/census/census.h"

/* The lines that count a class; what processes map is also in Mapped, but for some. */
enum counted {
	MI_FREE = 1 << 0, MI_ANON = 1 << 1, MI_CACHED = 1 << 2, MI_BUFFERS = 1 << 3, MI_SHMEM = 1 << 4, MI_SLAB = 1 << 5,
	MI_TABLES = 1 << 6, MI_STACK = 1 << 7, MI_PERCPU = 1 << 8, MI_HUGETLB = 1 << 9, MI_CORRUPTED = 1 << 10,
	MI_NOT_MAPPED = 1 << 11
};

static const unsigned counted_by[PAGE_CLASSES] = {
#define C(class, id, words, what, counted, use, flags) counted,
#include "model/memory/frames/classes.def"
#undef C
};

#define ITEMS 2

static const struct {
	enum page_class row;
	const char *name;		/* a line of /proc/meminfo, or */
	const char *plus;		/* two that are added up */
	unsigned classes, but;		/* enum counted: those that it counts; 0: all without BUT */
	bool mapped;			/* only the pages that processes map */
	enum layout_id items[ITEMS];	/* counters of which CPUs may hold back a part */
	int minus;			/* 1: the second item is subtracted */
} lines[] = {
	{ CLASS_FREE, "MemFree", NULL, MI_FREE, 0, false, { E_NR_FREE_PAGES }, 0 },
	{ CLASS_ANON, "AnonPages", NULL, MI_ANON, 0, true, { 0 }, 0 }, /* anon_pending() */
	/* also pages of the kernel that processes map: the vdso, rings */
	{ CLASS_FILE_MAPPED, "Mapped", NULL, 0, MI_NOT_MAPPED, true, { E_NR_FILE_MAPPED }, 0 },
	{ CLASS_FILE, "Cached", NULL, MI_CACHED, 0, false, { E_NR_FILE_PAGES, E_NR_SWAPCACHE }, 1 },
	{ CLASS_BDEV, "Buffers", NULL, MI_BUFFERS, 0, false, { 0 }, 0 },
	{ CLASS_SHMEM, "Shmem", NULL, MI_SHMEM, 0, false, { E_NR_SHMEM }, 0 },
	{ CLASS_SLAB, "SReclaimable", "SUnreclaim", MI_SLAB, 0, false,
	  { E_NR_SLAB_RECLAIMABLE, E_NR_SLAB_UNRECLAIMABLE }, 0 },
	{ CLASS_TABLES, "PageTables", "SecPageTables", MI_TABLES, 0, false,
	  { E_NR_PAGETABLE, E_NR_SECONDARY_PAGETABLE }, 0 },
	{ CLASS_STACK, "KernelStack", NULL, MI_STACK, 0, false, { 0 }, 0 },
	{ CLASS_PERCPU, "Percpu", NULL, MI_PERCPU, 0, false, { 0 }, 0 },
	{ CLASS_HUGETLB, "Hugetlb", NULL, MI_HUGETLB, 0, false, { 0 }, 0 },
	{ CLASS_POISON, "HardwareCorrupted", NULL, MI_CORRUPTED, 0, false, { 0 }, 0 },
};

static uint64_t pages_of(const struct page_classes *c, size_t line)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (lines[line].classes ? counted_by[i] & lines[line].classes
					: !(counted_by[i] & lines[line].but))
			n += lines[line].mapped ? c->count[i].mapped : c->count[i].pages;
	return n;
}

static uint64_t line_pages(const struct snapshot *s, const char *name, const char *plus)
{
	uint64_t v = machine_meminfo(&s->machine, name);
	uint64_t w = plus ? machine_meminfo(&s->machine, plus) : UINT64_MAX;

	if (v == UINT64_MAX)
		return v;
	return (v + (w == UINT64_MAX ? 0 : w)) >> s->k->page_shift;
}

/* Pages that CPUs have counted and not handed in; INT64_MIN: not known. */
static int64_t line_pending(const struct system *y, const enum layout_id *items, int minus)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < ITEMS; i++) {
		int64_t n = items[i] && counter_is_held_back(y, items[i])
				    ? counter_pending(y, items[i])
				    : 0;

		if (n == INT64_MIN)
			return n;
		sum += i && minus ? -n : n;
	}
	return sum;
}

/* In KiB, or in stacks before d30dd8be06a2 (v4.8). */
static int64_t stack_pending(const struct system *y)
{
	const enum layout_id items[ITEMS] = { E_NR_KERNEL_STACK };
	int64_t unit = y->k->layout.v[E_NR_KERNEL_STACK].alt
			       ? (int64_t)layout_size(&y->k->layout, S_THREAD_UNION)
			       : 1024;
	int64_t n = line_pending(y, items, 0);

	return n == INT64_MIN ? n : n * unit / (INT64_C(1) << y->k->page_shift);
}

static int64_t pending(const struct system *y, size_t line)
{
	if (lines[line].row == CLASS_STACK)
		return stack_pending(y);
	if (lines[line].row != CLASS_ANON)
		return line_pending(y, lines[line].items, lines[line].minus);
	return counter_is_held_back(y, E_NR_ANON_MAPPED) ? anon_pending(y) : 0;
}

void census_count(const struct snapshot *s, struct reader *r, struct arena *mem, struct census *c)
{
	struct system y = { .k = s->k, .r = r, .mem = mem };

	uint64_t huge = kernel_rule(s->k, RULE_HUGETLB_FILE_PAGES) ? c->classes->hugetlb_cached : 0;

	c->counters = arena_array(mem, struct census_counter, ARRAY_LEN(lines));
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		c->counters[c->ncounters++] = (struct census_counter){
			.name = lines[i].plus
					? arena_printf(mem, "%s+%s", lines[i].name, lines[i].plus)
					: lines[i].name,
			.row = lines[i].row,
			.kernel = line_pages(s, lines[i].name, lines[i].plus),
			.on_cpus = pending(&y, i),
			.found = pages_of(c->classes, i) + (lines[i].row == CLASS_FILE ? huge : 0),
		};
}

#define EXPLAINED_SHARE 64u	/* of RAM */
#define EXPLAINED_LEAST 4096u	/* pages */

/*
 * A counter that is far from the frames it counts: one of both is damaged. Pages on their way, batches of CPUs and
 * pages of drivers in no list explain a small part of RAM; frames that were not read, as many as there are.
 */
void census_tell_counters(const struct snapshot *s, const struct census *c)
{
	const uint64_t unread = c->classes->count[CLASS_UNREAD].pages;
	const uint64_t most = max_u64(c->ram / EXPLAINED_SHARE, EXPLAINED_LEAST) + unread;

	for (uint32_t i = 0; i < c->ncounters; i++) {
		const struct census_counter *n = &c->counters[i];
		int64_t held = n->on_cpus == INT64_MIN ? 0 : n->on_cpus;
		int64_t off = (int64_t)(n->found - n->kernel - (uint64_t)held);

		if (n->kernel == UINT64_MAX || c->unknown[n->row] ||
		    (off < 0 ? 0 - (uint64_t)off : (uint64_t)off) <= most)
			continue;
		issue_add(s->k->issues, source_has(s->k, SOURCE_CHANGES) ? ST_TORN : ST_CORRUPT,
			  "counter", 1, "%s counts %" PRIu64 " pages; found: %" PRIu64, n->name,
			  n->kernel, n->found);
	}
}

void census_decide(struct census *c, uint64_t frames, uint64_t pages)
{
	struct class_counts *unknown = &c->classes->count[CLASS_UNKNOWN];

	pages = min_u64(min_u64(pages, frames), unknown->pages);
	unknown->pages -= pages;
	c->classes->count[CLASS_KMALLOC].pages += pages;
	c->undecided = (struct census_undecided){ frames, pages };
}

/* Pages of slabs and large kmalloc() by the kernel's counters, with what CPUs hold back; UINT64_MAX: not known. */
static uint64_t slab_counted(const struct snapshot *s, struct reader *r)
{
	struct system y = { .k = s->k, .r = r };
	const enum layout_id items[ITEMS] = { E_NR_SLAB_RECLAIMABLE, E_NR_SLAB_UNRECLAIMABLE };
	uint64_t pages = line_pages(s, "SReclaimable", "SUnreclaim");
	int64_t held = line_pending(&y, items, 0);

	return pages == UINT64_MAX || held == INT64_MIN ? UINT64_MAX : pages + (uint64_t)held;
}

/*
 * A kmalloc() larger than the caches takes a compound page, and counts it as slab. It has a type
 * only since PGTY_large_kmalloc (in 6.17, not in 6.14). Before, compound pages without a type are
 * known to be these if the kernel's counter of slab is exactly slabs and them. A running kernel
 * changes the counter while pages are read: there it may be off by a quarter of them.
 */
void census_settle(const struct snapshot *s, struct reader *r, struct census *c)
{
	struct page_classes *p = c->classes;
	const uint64_t compound = p->count[CLASS_COMPOUND].pages, slab = slab_counted(s, r),
		       slabs = p->count[CLASS_SLAB].pages + p->count[CLASS_KMALLOC].pages,
		       found = slabs + compound, off = slab > found ? slab - found : found - slab;
	bool known = !has(s->k, E_PGTY_LARGE_KMALLOC) && slab != UINT64_MAX;

	if (known && off <= (source_has(s->k, SOURCE_CHANGES) ? compound / 4 : 0)) {
		page_classes_move(p, CLASS_COMPOUND, CLASS_KMALLOC);
		return;
	}
	page_classes_move(p, CLASS_COMPOUND, CLASS_UNKNOWN);
	/* others are among them: the counter says how many are large kmalloc, and nothing which */
	if (known && slab > slabs && slab < found)
		census_decide(c, compound, slab - slabs);
}

void census_doubt_empty(const struct kernel *k, struct census *c)
{
	if (!k->layout.lost)
		return;
	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (!c->classes->count[i].pages &&
		    (page_class_is(i, CF_CLAIMED) || i == CLASS_KMALLOC || i == CLASS_IMAGE ||
		     i == CLASS_CRASH || i == CLASS_BOOT))
			c->unknown[i] = true;
}
