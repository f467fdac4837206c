/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters.c - lines of /proc/meminfo, and the classes that each counts. */
#include "model/memory/census/counters.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/issues.h"
#include "model/kernel/machine/system.h"
#include "model/kernel/source.h"
#include "model/memory/census/census.h"

#define OF(class) (UINT64_C(1) << (class))

_Static_assert(PAGE_CLASSES <= 64, "a set of classes takes 64 bits");

#define ITEMS 2

static const struct {
	enum page_class row;
	const char *name;		/* a line of /proc/meminfo, or */
	const char *plus;		/* two that are added up */
	uint64_t classes;		/* OF() those that it counts */
	bool mapped;			/* only the pages that processes map */
	enum layout_id items[ITEMS];	/* counters of which CPUs may hold back a part */
	int minus;			/* 1: the second item is subtracted */
} lines[] = {
	{ CLASS_FREE, "MemFree", NULL, OF(CLASS_FREE), false, { E_NR_FREE_PAGES }, 0 },
	{ CLASS_ANON, "AnonPages", NULL, OF(CLASS_ANON) | OF(CLASS_KSM), true, { 0 }, 0 }, /* anon_pending() */
	/* also pages of the kernel that processes map: the vdso, rings */
	{ CLASS_FILE_MAPPED, "Mapped", NULL, ~(OF(CLASS_ANON) | OF(CLASS_KSM) | OF(CLASS_HUGETLB) | OF(CLASS_ZERO)), true, { E_NR_FILE_MAPPED }, 0 },
	{ CLASS_FILE, "Cached", NULL, OF(CLASS_FILE) | OF(CLASS_FILE_MAPPED) | OF(CLASS_SHMEM) | OF(CLASS_SHMEM_MAPPED) |
		  OF(CLASS_SECRETMEM), false, { E_NR_FILE_PAGES, E_NR_SWAPCACHE }, 1 },
	{ CLASS_BDEV, "Buffers", NULL, OF(CLASS_BDEV), false, { 0 }, 0 },
	{ CLASS_SHMEM, "Shmem", NULL, OF(CLASS_SHMEM) | OF(CLASS_SHMEM_MAPPED), false, { E_NR_SHMEM }, 0 },
	{ CLASS_SLAB, "SReclaimable", "SUnreclaim", OF(CLASS_SLAB) | OF(CLASS_KMALLOC), false,
	  { E_NR_SLAB_RECLAIMABLE, E_NR_SLAB_UNRECLAIMABLE }, 0 },
	{ CLASS_TABLES, "PageTables", "SecPageTables", OF(CLASS_TABLES), false,
	  { E_NR_PAGETABLE, E_NR_SECONDARY_PAGETABLE }, 0 },
	{ CLASS_STACK, "KernelStack", NULL, OF(CLASS_STACK), false, { 0 }, 0 },
	{ CLASS_PERCPU, "Percpu", NULL, OF(CLASS_PERCPU), false, { 0 }, 0 },
	{ CLASS_HUGETLB, "Hugetlb", NULL, OF(CLASS_HUGETLB) | OF(CLASS_HUGETLB_FREE), false, { 0 }, 0 },
	{ CLASS_POISON, "HardwareCorrupted", NULL, OF(CLASS_POISON), false, { 0 }, 0 },
};

static uint64_t pages_of(const struct page_classes *c, uint64_t classes, bool mapped)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (classes & OF(i))
			n += mapped ? c->count[i].mapped : c->count[i].pages;
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

/* Pages that CPUs have counted and not handed in; 0 if that is not known. */
static int64_t line_pending(const struct system *y, const enum layout_id *items, int minus)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < ITEMS; i++) {
		int64_t n = items[i] && has(y->k, items[i]) ? counter_pending(y, items[i]) : 0;

		if (n == INT64_MIN)
			return 0;
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

	return line_pending(y, items, 0) * unit / (INT64_C(1) << y->k->page_shift);
}

static int64_t pending(const struct system *y, size_t line)
{
	int64_t n;

	if (lines[line].row == CLASS_STACK)
		return stack_pending(y);
	if (lines[line].row != CLASS_ANON)
		return line_pending(y, lines[line].items, lines[line].minus);
	n = anon_pending(y);
	return n == INT64_MIN ? 0 : n;
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
			.found = pages_of(c->classes, lines[i].classes, lines[i].mapped) +
				 (lines[i].row == CLASS_FILE ? huge : 0),
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
		int64_t off = (int64_t)(n->found - n->kernel - (uint64_t)n->on_cpus);

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

	return pages == UINT64_MAX ? pages : pages + (uint64_t)line_pending(&y, items, 0);
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
