/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters.c - lines of /proc/meminfo, and the classes that each counts. */
#include "model/census/counters.h"

#include "dumpread/base/bytes.h"
#include "model/census/census.h"

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

static const struct {
	enum page_class row;
	const char *name;		/* a line of /proc/meminfo, or */
	const char *plus;		/* two that are added up */
	uint64_t (*found)(const struct page_classes *c);
} lines[] = {
	{ CLASS_FREE, "MemFree", NULL, found_free },
	{ CLASS_ANON, "AnonPages", NULL, found_anon },
	{ CLASS_FILE_MAPPED, "Mapped", NULL, found_mapped },
	{ CLASS_FILE, "Cached", NULL, found_file },
	{ CLASS_BDEV, "Buffers", NULL, found_bdev },
	{ CLASS_SHMEM, "Shmem", NULL, found_shmem },
	{ CLASS_SLAB, "SReclaimable", "SUnreclaim", found_slab },
	{ CLASS_TABLES, "PageTables", "SecPageTables", found_tables },
	{ CLASS_STACK, "KernelStack", NULL, found_stacks },
	{ CLASS_PERCPU, "Percpu", NULL, found_percpu },
	{ CLASS_HUGETLB, "Hugetlb", NULL, found_hugetlb },
	{ CLASS_POISON, "HardwareCorrupted", NULL, found_poison },
};

static uint64_t line_pages(const struct snapshot *s, const char *name, const char *plus)
{
	uint64_t v = machine_meminfo(&s->machine, name);
	uint64_t w = plus ? machine_meminfo(&s->machine, plus) : UINT64_MAX;

	if (v == UINT64_MAX)
		return v;
	return (v + (w == UINT64_MAX ? 0 : w)) >> s->k->page_shift;
}

void census_count(const struct snapshot *s, struct arena *mem, struct census *c)
{
	c->counters = arena_array(mem, struct census_counter, ARRAY_LEN(lines));
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		c->counters[c->ncounters++] = (struct census_counter){
			.name = lines[i].plus
					? arena_printf(mem, "%s+%s", lines[i].name, lines[i].plus)
					: lines[i].name,
			.row = lines[i].row,
			.kernel = line_pages(s, lines[i].name, lines[i].plus),
			.found = lines[i].found(c->classes),
		};
}
