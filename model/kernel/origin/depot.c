/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * depot.c - the pools of the stack depot.
 *
 * lib/stackdepot.c, read in 4.9, 5.10, 6.1, 6.6, 6.8, 6.12, 7.1. Pools are of alloc_pages(), not
 * compound. stack_slabs[] (cd11016e5f52, v4.6), stack_pools[] since 6.3, allocated in 7.1. Up to 6.7 the
 * pool after the current one may be made in advance, and is in the array; since 6.8 it is in new_pool.
 */
#include "model/kernel/origin/depot.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/origin.h"
#include "model/kernel/kobj.h"

#define POOLS_CAP 8192u		/* DEPOT_POOLS_CAP, of the static array; 1024 before 5.x */
#define INDEX_BITS 21u		/* of a handle, for the number of the pool: 21 in 4.9, 17 in 6.12 */
/* STACK_DEPOT_POISON, in its low 16 bits: the value of new_pool when no more are wanted */
#define SPARE_POISON 0xd390u

static enum status lost(const struct depot *d, enum status st, enum layout_id id)
{
	issue_add(d->k->issues, st, "stack depot", 1, "a variable at %#" PRIx64,
		  layout_symbol(&d->k->layout, id));
	return st;
}

static enum status get_var(const struct depot *d, enum layout_id id, unsigned size, uint64_t *ret)
{
	enum status st = has(d->k, id) ? kvar_u64(d->k, d->r, id, size, ret) : ST_ABSENT;

	return st && st != ST_ABSENT ? lost(d, st, id) : st;
}

/* An address of the kernel, of a page if PAGE. */
static bool is_place(const struct depot *d, uint64_t kva, bool page)
{
	return kernel_ptr_ok(d->k, kva, page ? 1u << d->k->page_shift : d->k->dump->word_size);
}

enum status depot_find(struct depot *d, const struct kernel *k, struct reader *r)
{
	enum status st;

	*d = (struct depot){ .k = k, .r = r, .most = POOLS_CAP };
	if (!has(k, Y_DEPOT_POOLS))
		return ST_ABSENT;
	d->array = layout_symbol(&k->layout, Y_DEPOT_POOLS);
	if (!has(k, Y_DEPOT_MAX_POOLS))
		return ST_OK;
	st = get_var(d, Y_DEPOT_POOLS, 0, &d->array);
	if (!st)
		st = get_var(d, Y_DEPOT_MAX_POOLS, 4, &d->most);
	if (st)
		return st;
	if (d->most >> INDEX_BITS || (d->array && !is_place(d, d->array, false)))
		return lost(d, ST_CORRUPT, Y_DEPOT_POOLS);
	return ST_OK;
}

enum status depot_pool(const struct depot *d, uint64_t no, uint64_t *kva)
{
	unsigned word = d->k->dump->word_size;
	enum status st;

	if (!d->array || no >= d->most)
		return ST_ABSENT;
	st = read_kva_word(d->r, d->array + no * word, kva);
	if (st || !*kva)
		return st ? st : ST_ABSENT;
	return is_place(d, *kva, true) ? ST_OK : ST_CORRUPT;
}

enum status depot_used(const struct depot *d, uint64_t *n)
{
	enum status st = get_var(d, Y_DEPOT_USED, 4, n);

	if (st)
		return st;
	if (*n > d->most)
		return lost(d, ST_CORRUPT, Y_DEPOT_USED);
	/* "pools_num" is their number, the others the index of the current one */
	if (d->k->layout.v[Y_DEPOT_USED].alt)
		*n = min_u64(*n + 2, d->most);
	return ST_OK;
}

enum status depot_spare(const struct depot *d, uint64_t *kva)
{
	enum status st;

	*kva = 0;
	/* other code has variables of that name */
	if (d->k->layout.v[Y_DEPOT_USED].alt || !has(d->k, Y_DEPOT_SPARE))
		return ST_OK;
	st = get_var(d, Y_DEPOT_SPARE, 0, kva);
	if (st || !*kva || is_place(d, *kva, true))
		return st;
	if ((*kva & 0xffff) != SPARE_POISON)
		return lost(d, ST_CORRUPT, Y_DEPOT_SPARE);
	*kva = 0;
	return ST_OK;
}
