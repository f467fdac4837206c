/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * numa - one row per node: its memory by the node's own counters, where allocations were placed,
 * and the distances to the nodes.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/zone/zones.h"
#include "reports/core/common.h"

struct row {
	int64_t node;
	uint64_t size, managed, free, file, anon, shmem, mapped, dirty, writeback, unevictable;
	uint64_t slab_reclaimable, slab, pagetables, kernel_stack;
	uint64_t numa_hit, numa_miss, numa_foreign, interleave_hit, local_node, other_node;
	const char *distances;
};

#define P COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)
#define PAGES(name, fl, about) COL(struct row, name, COL_UINT, fl, "pages", about)

static const struct column cols[] = {
	COL(struct row, node, COL_INT, P, "", "number of the node"),
	BYTES(size, P | COL_TOTAL, "RAM of the node"),
	BYTES(managed, 0, "of it: what the buddy allocator was given"),
	BYTES(free, P | COL_TOTAL, "free, without what CPUs keep in their lists"),
	BYTES(anon, P | COL_TOTAL, "anonymous memory of processes"),
	BYTES(file, P | COL_TOTAL, "page cache: files, block devices, shmem, swap cache"),
	BYTES(shmem, P, "of file: tmpfs, memfd, SysV, shared anonymous memory"),
	BYTES(mapped, P, "of file: mapped by processes"),
	BYTES(dirty, 0, "of file: not yet written"),
	BYTES(writeback, 0, "of file: being written"),
	BYTES(unevictable, 0, "cannot be reclaimed"),
	BYTES(slab, P | COL_TOTAL, "slabs, reclaimable or not"),
	BYTES(slab_reclaimable, 0, "of slab: given back under pressure"),
	BYTES(pagetables, P, "page tables (a counter of the node since 5.11)"),
	BYTES(kernel_stack, P, "kernel stacks (a counter of the node since 5.9)"),
	PAGES(numa_hit, P, "allocated here as wanted"),
	PAGES(numa_miss, P, "allocated here although another node was wanted"),
	PAGES(numa_foreign, 0, "wanted here and allocated elsewhere"),
	PAGES(interleave_hit, 0, "allocated here by turns, as wanted"),
	PAGES(local_node, 0, "allocated here by a CPU of this node"),
	PAGES(other_node, P, "allocated here by a CPU of another node"),
	COL(struct row, distances, COL_STR, P, "", "distance to each node in turn; 10 is the node itself"),
};

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a == ZONE_UNKNOWN || b == ZONE_UNKNOWN ? ZONE_UNKNOWN : a + b;
}

static uint64_t bytes(const struct snapshot *s, uint64_t pages)
{
	return pages == ZONE_UNKNOWN ? COL_UNKNOWN : pages << s->k->page_shift;
}

static void set_memory(const struct snapshot *s, const struct zones *zs, const struct node *n,
		       struct row *r)
{
#define COUNT(name) bytes(s, node_count(zs, n, name))
	uint64_t present = 0, managed = 0, free = 0, stack;

	for (uint32_t i = n->first_zone; i < n->first_zone + n->nzones; i++) {
		present += zs->v[i].present;
		managed += zs->v[i].managed;
		free = sum(free, zone_free(zs, &zs->v[i]));
	}
	r->size = bytes(s, present);
	r->managed = bytes(s, managed);
	r->free = bytes(s, free);
	r->file = COUNT("nr_file_pages");
	r->anon = COUNT("nr_anon_pages");
	r->shmem = COUNT("nr_shmem");
	r->mapped = COUNT("nr_mapped");
	r->dirty = COUNT("nr_dirty");
	r->writeback = COUNT("nr_writeback");
	r->unevictable = COUNT("nr_unevictable");
	r->slab_reclaimable = COUNT("nr_slab_reclaimable");
	r->slab = sum(r->slab_reclaimable, COUNT("nr_slab_unreclaimable"));
	r->pagetables = COUNT("nr_page_table_pages");
	/* in KiB */
	stack = node_count(zs, n, "nr_kernel_stack");
	r->kernel_stack = stack == ZONE_UNKNOWN ? COL_UNKNOWN : stack << 10;
}

static enum status numa_report(const struct snapshot *s, const struct report_opts *o,
			       struct table *t, struct diag *diag)
{
	struct zones zs;
	struct row *rows;
	enum status st = zones_build(s, &t->mem, 0, &zs);

	(void)o;
	if (st)
		return fail(diag, st, "this image does not show the nodes of memory");
	rows = arena_array(&t->mem, struct row, zs.nnodes);
	for (uint32_t i = 0; i < zs.nnodes; i++) {
		const struct node *n = &zs.nodes[i];

		rows[i].node = n->id;
		set_memory(s, &zs, n, &rows[i]);
		rows[i].numa_hit = node_count(&zs, n, "numa_hit");
		rows[i].numa_miss = node_count(&zs, n, "numa_miss");
		rows[i].numa_foreign = node_count(&zs, n, "numa_foreign");
		rows[i].interleave_hit = node_count(&zs, n, "numa_interleave");
		rows[i].local_node = node_count(&zs, n, "numa_local");
		rows[i].other_node = node_count(&zs, n, "numa_other");
		rows[i].distances = node_distances(s, &zs, n, &t->mem);
	}
	t->rows = rows;
	t->nrows = zs.nnodes;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

const struct report report_numa = {
	.name = "numa",
	.about = "nodes of memory: what is in them, and where allocations were placed",
	.needs = NEED_KERNEL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = numa_report,
	.help = "One row for each node, with the counters of the kernel: without what CPUs have counted\n"
		"and not yet added to them. size is all RAM of the node. The columns of placement count\n"
		"pages since boot, as numastat shows them.",
};
