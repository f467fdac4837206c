/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source: node_read_meminfo(), node_read_numastat(), node_read_distance() of drivers/base/node.c,
 * hugetlb_report_node_meminfo() of mm/hugetlb.c, read in 5.10, 6.1, 6.12, 6.19, 7.1; the lines of 7.3
 * are those that it printed.
 */
#include "reports/export/node_text.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/hugetlb/hugetlb.h"

/* A line of meminfo: the sum of up to two counters. */
struct node_line {
	const char *label;
	const char *count[2];
	enum { PAGES, KIB, HUGE_PAGES, ZERO } unit;	/* of the counters; ZERO: there is none */
	bool optional;		/* left out where the kernel has no such counter; else it is 0 */
};

static const struct node_line lines[] = {
	{ "SwapCached:     ", { "nr_swapcached" }, PAGES, true },	/* not in 5.10, in 5.14 */
	{ "Active:         ", { "nr_active_anon", "nr_active_file" }, PAGES, false },
	{ "Inactive:       ", { "nr_inactive_anon", "nr_inactive_file" }, PAGES, false },
	{ "Active(anon):   ", { "nr_active_anon" }, PAGES, false },
	{ "Inactive(anon): ", { "nr_inactive_anon" }, PAGES, false },
	{ "Active(file):   ", { "nr_active_file" }, PAGES, false },
	{ "Inactive(file): ", { "nr_inactive_file" }, PAGES, false },
	{ "Unevictable:    ", { "nr_unevictable" }, PAGES, false },
	{ "Mlocked:        ", { "nr_mlock" }, PAGES, false },
	{ "Dirty:          ", { "nr_dirty" }, PAGES, false },
	{ "Writeback:      ", { "nr_writeback" }, PAGES, false },
	{ "FilePages:      ", { "nr_file_pages" }, PAGES, false },
	{ "Mapped:         ", { "nr_mapped" }, PAGES, false },
	{ "AnonPages:      ", { "nr_anon_pages" }, PAGES, false },
	{ "Shmem:          ", { "nr_shmem" }, PAGES, false },
	{ "KernelStack:    ", { "nr_kernel_stack" }, KIB, false },
	{ "PageTables:     ", { "nr_page_table_pages" }, PAGES, false },
	{ "SecPageTables:  ", { "nr_sec_page_table_pages" }, PAGES, true }, /* not in 6.0, in 6.1 */
	{ "NFS_Unstable:   ", { NULL }, ZERO, false },
	{ "Bounce:         ", { "nr_bounce" }, PAGES, false },
	{ "WritebackTmp:   ", { "nr_writeback_temp" }, PAGES, false },
	{ "KReclaimable:   ", { "nr_slab_reclaimable", "nr_kernel_misc_reclaimable" }, PAGES, false },
	{ "Slab:           ", { "nr_slab_reclaimable", "nr_slab_unreclaimable" }, PAGES, false },
	{ "SReclaimable:   ", { "nr_slab_reclaimable" }, PAGES, false },
	{ "SUnreclaim:     ", { "nr_slab_unreclaimable" }, PAGES, false },
	{ "AnonHugePages:  ", { "nr_anon_transparent_hugepages" }, HUGE_PAGES, false },
	{ "ShmemHugePages: ", { "nr_shmem_hugepages" }, HUGE_PAGES, false },
	{ "ShmemPmdMapped: ", { "nr_shmem_pmdmapped" }, HUGE_PAGES, false },
	{ "FileHugePages:  ", { "nr_file_hugepages" }, HUGE_PAGES, false },
	{ "FilePmdMapped:  ", { "nr_file_pmdmapped" }, HUGE_PAGES, false },
	{ "Unaccepted:     ", { "nr_unaccepted" }, PAGES, true },	/* not in 6.4 */
	{ "Balloon:        ", { "nr_balloon_pages" }, PAGES, true },
	{ "GPUActive:      ", { "nr_gpu_active" }, PAGES, true },	/* seen in 7.1, not in 6.19 */
	{ "GPUReclaim:     ", { "nr_gpu_reclaim" }, PAGES, true },
};

static uint64_t pages_of(const struct zones *zs, const struct node *n, const struct node_line *l)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ARRAY_LEN(l->count) && l->count[i]; i++) {
		uint64_t v = node_count(zs, n, l->count[i]);

		if (v == ZONE_UNKNOWN && (l->optional || l->unit == HUGE_PAGES))
			return ZONE_UNKNOWN;
		sum += v == ZONE_UNKNOWN ? 0 : v;
	}
	return sum;
}

/* With CONFIG_TRANSPARENT_HUGEPAGE the file has lines on them, as /proc/meminfo has. */
static bool has_huge_pages(const struct snapshot *s)
{
	return machine_prints(&s->machine, "AnonHugePages");
}

static void put_line(const struct snapshot *s, const struct zones *zs, const struct node *n,
		     const struct node_line *l, FILE *out)
{
	/* two lines are a blank short until 6.5 */
	bool narrow = !strncmp(l->label, "File", 4) && l->unit == HUGE_PAGES &&
		      !kernel_rule(s->k, RULE_NODE_FILE_HUGE_WIDE);
	unsigned shift = l->unit == HUGE_PAGES ? paging_shift(s->k->paging, 1) : s->k->page_shift;
	uint64_t v = pages_of(zs, n, l);

	if (v == ZONE_UNKNOWN || (l->unit == HUGE_PAGES && !has_huge_pages(s)) ||
	    (!strncmp(l->label, "Balloon", 7) && !kernel_rule(s->k, RULE_NODE_BALLOON)))
		return;
	fprintf(out, "Node %" PRId32 " %.*s%8" PRIu64 " kB\n", n->id,
		(int)(strlen(l->label) - narrow), l->label, l->unit == KIB ? v : v << shift >> 10);
}

static void put_pools(const struct huge_pools *hp, const struct node *n, FILE *out)
{
	const struct huge_pool *of_node = NULL;
	bool any = false;

	for (uint32_t i = 0; i < hp->n; i++) {
		any |= hp->v[i].usual;
		if (hp->v[i].usual && hp->v[i].node == n->id)
			of_node = &hp->v[i];
	}
	if (any)
		fprintf(out,
			"Node %" PRId32 " HugePages_Total: %5" PRIu64 "\n"
			"Node %" PRId32 " HugePages_Free:  %5" PRIu64 "\n"
			"Node %" PRId32 " HugePages_Surp:  %5" PRIu64 "\n",
			n->id, of_node ? of_node->total : 0, n->id, of_node ? of_node->free : 0,
			n->id, of_node ? of_node->surplus : 0);
}

static void write_meminfo(const struct snapshot *s, const struct zones *zs,
			  const struct huge_pools *hp, const struct node *n, FILE *out)
{
	unsigned shift = s->k->page_shift;
	uint64_t managed = 0, free = 0;

	for (uint32_t i = n->first_zone; i < n->first_zone + n->nzones; i++) {
		uint64_t v = zone_free(zs, &zs->v[i]);

		managed += zs->v[i].managed;
		free += v == ZONE_UNKNOWN ? 0 : v;
	}
	fprintf(out,
		"Node %" PRId32 " MemTotal:       %8" PRIu64 " kB\n"
		"Node %" PRId32 " MemFree:        %8" PRIu64 " kB\n"
		"Node %" PRId32 " MemUsed:        %8" PRIu64 " kB\n",
		n->id, managed << shift >> 10, n->id, free << shift >> 10, n->id,
		(managed - free) << shift >> 10);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		put_line(s, zs, n, &lines[i], out);
	put_pools(hp, n, out);
}

static void write_numastat(const struct zones *zs, const struct node *n, FILE *out)
{
	static const struct { const char *label, *count; } events[] = {
		{ "numa_hit", "numa_hit" }, { "numa_miss", "numa_miss" },
		{ "numa_foreign", "numa_foreign" }, { "interleave_hit", "numa_interleave" },
		{ "local_node", "numa_local" }, { "other_node", "numa_other" },
	};

	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		uint64_t v = node_count(zs, n, events[i].count);

		if (v != ZONE_UNKNOWN)
			fprintf(out, "%s %" PRIu64 "\n", events[i].label, v);
	}
}

static void put_node(struct tree *t, const struct snapshot *s, const struct zones *zs,
		     const struct huge_pools *hp, const struct node *n)
{
	struct arena mem = { 0 };
	const char *distances = node_distances(s, zs, n, &mem);
	char name[16];
	FILE *f;

	snprintf(name, sizeof(name), "node%" PRId32, n->id);
	tree_enter_sub(t, name);
	f = tree_file(t, "meminfo");
	if (f)
		write_meminfo(s, zs, hp, n, f);
	tree_done(t, f);
	f = tree_file(t, "numastat");
	if (f)
		write_numastat(zs, n, f);
	tree_done(t, f);
	f = distances ? tree_file(t, "distance") : NULL;
	if (f)
		fprintf(f, "%s\n", distances);
	tree_done(t, f);
	tree_up(t);
	arena_release(&mem);
}

void put_nodes(struct tree *t, const struct snapshot *s, const struct zones *zs)
{
	struct arena mem = { 0 };
	struct huge_pools hp;

	if (!zs->numa)
		return;
	if (huge_pools_build(s, &mem, &hp))
		hp = (struct huge_pools){ 0 };
	tree_enter(t, "node", 0, 0);
	for (uint32_t i = 0; i < zs->nnodes; i++)
		if (zs->nodes[i].id >= 0)
			put_node(t, s, zs, &hp, &zs->nodes[i]);
	tree_leave(t);
	arena_release(&mem);
}
