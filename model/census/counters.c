/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters.c - lines of /proc/meminfo, and the classes that each counts. */
#include "model/census/counters.h"

#include "dumpread/base/bytes.h"
#include "model/census/census.h"
#include "model/system/system.h"

/* Pages of the classes that a counter counts. */
static uint64_t all_of(const struct page_classes *c, enum page_class a)
{
	return c->count[a].pages;
}

static uint64_t found_free(const struct page_classes *c)
{
	return all_of(c, CLASS_FREE);
}

static uint64_t found_anon(const struct page_classes *c)
{
	return c->count[CLASS_ANON].mapped + c->count[CLASS_KSM].mapped;
}

static uint64_t found_file(const struct page_classes *c)
{
	return all_of(c, CLASS_FILE) + all_of(c, CLASS_FILE_MAPPED) + all_of(c, CLASS_SHMEM) +
	       all_of(c, CLASS_SHMEM_MAPPED) + all_of(c, CLASS_SECRETMEM);
}

static uint64_t found_mapped(const struct page_classes *c)
{
	uint64_t n = 0;

	/* pages of the kernel that processes map count, too: the vdso, rings */
	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (i != CLASS_ANON && i != CLASS_KSM && i != CLASS_HUGETLB && i != CLASS_ZERO)
			n += c->count[i].mapped;
	return n;
}

static uint64_t found_bdev(const struct page_classes *c)
{
	return all_of(c, CLASS_BDEV);
}

static uint64_t found_shmem(const struct page_classes *c)
{
	return all_of(c, CLASS_SHMEM) + all_of(c, CLASS_SHMEM_MAPPED);
}

static uint64_t found_slab(const struct page_classes *c)
{
	return all_of(c, CLASS_SLAB) + all_of(c, CLASS_KMALLOC);
}

static uint64_t found_tables(const struct page_classes *c)
{
	return all_of(c, CLASS_TABLES);
}

static uint64_t found_hugetlb(const struct page_classes *c)
{
	return all_of(c, CLASS_HUGETLB) + all_of(c, CLASS_HUGETLB_FREE);
}

static uint64_t found_poison(const struct page_classes *c)
{
	return all_of(c, CLASS_POISON);
}

static uint64_t found_stacks(const struct page_classes *c)
{
	return all_of(c, CLASS_STACK);
}

static uint64_t found_percpu(const struct page_classes *c)
{
	return all_of(c, CLASS_PERCPU);
}

#define ITEMS 2

static const struct {
	enum page_class row;
	const char *name;		/* a line of /proc/meminfo, or */
	const char *plus;		/* two that are added up */
	uint64_t (*found)(const struct page_classes *c);
	enum layout_id items[ITEMS];	/* counters of which CPUs may hold back a part */
	int minus;			/* 1: the second item is subtracted */
} lines[] = {
	{ CLASS_FREE, "MemFree", NULL, found_free, { E_NR_FREE_PAGES }, 0 },
	{ CLASS_ANON, "AnonPages", NULL, found_anon, { E_NR_ANON_MAPPED }, 0 },
	{ CLASS_FILE_MAPPED, "Mapped", NULL, found_mapped, { E_NR_FILE_MAPPED }, 0 },
	{ CLASS_FILE, "Cached", NULL, found_file, { E_NR_FILE_PAGES, E_NR_SWAPCACHE }, 1 },
	{ CLASS_BDEV, "Buffers", NULL, found_bdev, { 0 }, 0 },
	{ CLASS_SHMEM, "Shmem", NULL, found_shmem, { E_NR_SHMEM }, 0 },
	{ CLASS_SLAB, "SReclaimable", "SUnreclaim", found_slab,
	  { E_NR_SLAB_RECLAIMABLE, E_NR_SLAB_UNRECLAIMABLE }, 0 },
	{ CLASS_TABLES, "PageTables", "SecPageTables", found_tables,
	  { E_NR_PAGETABLE, E_NR_SECONDARY_PAGETABLE }, 0 },
	{ CLASS_STACK, "KernelStack", NULL, found_stacks, { 0 }, 0 },
	{ CLASS_PERCPU, "Percpu", NULL, found_percpu, { 0 }, 0 },
	{ CLASS_HUGETLB, "Hugetlb", NULL, found_hugetlb, { 0 }, 0 },
	{ CLASS_POISON, "HardwareCorrupted", NULL, found_poison, { 0 }, 0 },
};

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

void census_count(const struct snapshot *s, struct reader *r, struct arena *mem, struct census *c)
{
	struct system y = { .k = s->k, .r = r, .mem = mem };

	c->counters = arena_array(mem, struct census_counter, ARRAY_LEN(lines));
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		c->counters[c->ncounters++] = (struct census_counter){
			.name = lines[i].plus
					? arena_printf(mem, "%s+%s", lines[i].name, lines[i].plus)
					: lines[i].name,
			.row = lines[i].row,
			.kernel = line_pages(s, lines[i].name, lines[i].plus),
			.on_cpus = line_pending(&y, lines[i].items, lines[i].minus),
			.found = lines[i].found(c->classes),
		};
}

uint64_t census_slab_counted(const struct snapshot *s, struct reader *r)
{
	struct system y = { .k = s->k, .r = r };
	const enum layout_id items[ITEMS] = { E_NR_SLAB_RECLAIMABLE, E_NR_SLAB_UNRECLAIMABLE };
	uint64_t pages = line_pages(s, "SReclaimable", "SUnreclaim");

	return pages == UINT64_MAX ? pages : pages + (uint64_t)line_pending(&y, items, 0);
}
