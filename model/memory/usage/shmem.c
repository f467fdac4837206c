/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shmem.c - the swapped pages of shmem objects, which smaps adds to the Swap of vmas that
 * map them: mm/shmem.c, shmem_swap_usage() and shmem_partial_swap_usage().
 *
 * A page in swap is a value entry in the object's tree. Since 6.12 an entry has an order n
 * and stands for 1 << n pages.
 */
#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "facts/layout/swap.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/swap.h"
#include "model/kernel/walk/xarray.h"

#define ORDER_BITS 6
#define ORDER_MASK ((UINT64_C(1) << ORDER_BITS) - 1)

static bool add_pages(void *arg, const struct xa_entry *e)
{
	if (e->is_value && e->order < 40)
		*(uint64_t *)arg += UINT64_C(1) << e->order;
	return true;
}

static bool add_slot(void *arg, const struct xa_entry *e)
{
	struct shmem_swap *h = arg;

	if (!e->is_value || e->order >= 40 || e->index > UINT64_MAX >> ORDER_BITS)
		return true;
	if (h->nslots == h->cap) {
		h->cap = h->cap ? h->cap * 2 : 256;
		h->slots = heap_grow(h->slots, h->cap, sizeof(*h->slots));
	}
	h->slots[h->nslots++] = e->index << ORDER_BITS | e->order;
	return true;
}

static bool slot_ends_by(uint64_t slot, uint64_t index)
{
	return (slot >> ORDER_BITS) + (UINT64_C(1) << (slot & ORDER_MASK)) <= index;
}

uint64_t shmem_swap_range(const struct shmem_swap *h, uint64_t first, uint64_t end)
{
	size_t lo;
	uint64_t pages = 0;

	lo = search_first(h->nslots, mid, slot_ends_by(h->slots[mid], first));
	for (; lo < h->nslots && h->slots[lo] >> ORDER_BITS < end; lo++)
		pages += UINT64_C(1) << (h->slots[lo] & ORDER_MASK);
	return pages;
}

/*
 * A private, writable vma may have copies that the object does not know: the object's page
 * counts only where the vma has no entry of its own.
 */
static void prepare_holes(const struct kernel *k, struct reader *r, uint64_t tree, uint64_t first,
			  uint64_t end, uint64_t *budget, struct shmem_swap *h)
{
	/* holes may be looked up by address, which is no index of this VMA */
	if (kernel_rule(k, RULE_SHMEM_HOLE_BY_ADDRESS)) {
		first = 0;
		end = UINT64_MAX;
	}
	h->by_hole = true;
	h->bytes = 0;
	xarray_walk_within(k, r, tree, first, end - 1, add_slot, h, budget);
}

void shmem_swap_of(const struct snapshot *s, struct reader *r, const struct vma *v,
		   uint64_t *budget, struct shmem_swap *ret)
{
	const struct kernel *k = s->k;
	const struct file *f = v->file == NONE ? NULL : &s->files[v->file];
	uint64_t end = v->pgoff + ((v->end - v->start) >> k->dump->page_shift), tree, n = 0;

	*ret = (struct shmem_swap){ 0 };
	if (!f || f->kind != FILE_SHMEM || !f->shmem_swapped || !f->mapping || end <= v->pgoff ||
	    !has(k, M_MAPPING_I_PAGES) || !kernel_rule(k, RULE_SHMEM_SWAP))
		return;
	tree = f->mapping + layout_offset(&k->layout, M_MAPPING_I_PAGES);
	if (!v->pgoff && v->end - v->start >= f->size)
		n = f->shmem_swapped;
	else
		xarray_walk_within(k, r, tree, v->pgoff, end - 1, add_pages, &n, budget);
	ret->bytes = n << k->dump->page_shift;
	if (n && !(v->flags & VMA_SHARED) && v->flags & VMA_WRITE)
		prepare_holes(k, r, tree, v->pgoff, end, budget, ret);
}

void shmem_swap_release(struct shmem_swap *h)
{
	free(h->slots);
	*h = (struct shmem_swap){ 0 };
}
