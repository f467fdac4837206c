/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swaps.c - the swap areas, as in /proc/swaps.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/system.h"
#include "model/kernel/file/files.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

#define SWAP_AREAS_MAX 128u	/* MAX_SWAPFILES is 32 at most; more is damage */
#define SWP_USED 1u
#define SWP_WRITEOK 2u
#define SWP_BLKDEV 0x40u	/* a partition, not a file; 2.6.29 .. now */
/* in inuse_pages since v6.14: the area is on no list of areas with room */
#define USAGE_OFFLIST (1ull << 30)

static const char *area_path(const struct system *y, uint64_t file)
{
	uint64_t mnt, dentry;

	if (kmember_u64(y->k, y->r, file, M_SWAP_FILE_MNT, &mnt) ||
	    kmember_u64(y->k, y->r, file, M_SWAP_FILE_DENTRY, &dentry))
		return NULL;
	return path_of(y->k, y->r, y->mem, mnt, dentry);
}

/* Address of the struct of area I. */
static enum status area_addr(const struct system *y, uint64_t base, uint32_t i, uint64_t *ret)
{
	if (has(y->k, M_AREA_TYPE))
		return read_kva_word(y->r, base + (uint64_t)i * y->k->dump->word_size, ret);
	*ret = base + (uint64_t)i * layout_size(&y->k->layout, S_SWAP_AREA);
	return ST_OK;
}

static void add_area(struct system *y, const struct kobj *o, unsigned type)
{
	struct swap_area *a = &y->m->swaps[y->m->nswaps];
	uint64_t file = kobj_u64(o, M_AREA_FILE), flags = kobj_u64(o, M_AREA_FLAGS);

	if (!(flags & SWP_USED) || !file)
		return;
	if (!kernel_ptr_ok(y->k, file, y->k->dump->word_size))
		issue_add(y->k->issues, ST_CORRUPT, "swap area", 1, "file of type %u", type);
	a->type = type;
	a->pages = kobj_u64(o, M_AREA_PAGES);
	a->used = kobj_u64(o, M_AREA_INUSE);
	if (a->used > a->pages)
		a->used &= ~USAGE_OFFLIST;
	a->prio = (int)kobj_int(o, M_AREA_PRIO);
	a->active = flags & SWP_WRITEOK;
	a->blockdev = flags & SWP_BLKDEV;
	a->path = area_path(y, file);
	y->m->nswaps++;
}

/*
 * total_swap_pages has the pages of all areas in use, nr_swap_pages those that are free. Each CPU
 * may hold some that it has subtracted already (get_swap_pages(), mm/swapfile.c).
 */
static void check_swaps(const struct system *y)
{
	uint64_t total = word_var(y, Y_TOTAL_SWAP), left = word_var(y, Y_FREE_SWAP), pages = 0,
		 used = 0;
	uint64_t slack = (uint64_t)y->k->ncpus * SWAP_BATCH;

	for (uint32_t i = 0; i < y->m->nswaps; i++) {
		if (!y->m->swaps[i].active)
			return; /* swapoff() subtracts in steps */
		pages += y->m->swaps[i].pages;
		used += y->m->swaps[i].used;
	}
	if ((has(y->k, Y_TOTAL_SWAP) && total != UNKNOWN && total != pages) || used > pages ||
	    (has(y->k, Y_FREE_SWAP) && left != UNKNOWN &&
	     (left > pages || left + used > pages + slack || left + used + slack < pages)))
		issue_add(y->k->issues, ST_CORRUPT, "swap area", 1,
			  "the sizes of the areas, and those of all swap");
}

void read_swaps(struct system *y)
{
	uint64_t base = layout_symbol(&y->k->layout, Y_SWAP_AREAS), addr;
	uint64_t n = int_var(y, Y_SWAP_AREA_COUNT);
	struct kobj o;

	if (!base)
		return;
	if (n > SWAP_AREAS_MAX) {
		issue_add(y->k->issues, n == UNKNOWN ? ST_NODATA : ST_LIMIT, "swap area", 1,
			  "the number of swap areas cannot be read or believed");
		return;
	}
	y->m->swaps = arena_array(y->mem, struct swap_area, n);
	kobj_init(&o, y->k, S_SWAP_AREA);
	for (uint32_t i = 0; i < n; i++) {
		enum status st = area_addr(y, base, i, &addr);

		if (!st && !addr)
			continue;
		if (!st)
			st = kobj_read(&o, y->r, addr);
		if (st)
			issue_add(y->k->issues, st, "swap area", 1, "swap area %u", i);
		else
			add_area(y, &o, i);
	}
	kobj_release(&o);
	if (!y->k->dump->live)
		check_swaps(y);
}
