/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runs.c - encodes the pages of vmas.
 */
#include "reports/html/runs.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"

static void put_byte(struct runs *x, uint8_t b)
{
	if (x->n == x->cap) {
		x->cap = x->cap ? x->cap * 2 : 65536;
		x->bytes = heap_grow(x->bytes, x->cap, 1);
	}
	x->bytes[x->n++] = b;
}

static void put_leb128(struct runs *x, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(x, (uint8_t)(v | 0x80));
	put_byte(x, (uint8_t)v);
}

static uint32_t state_number(struct runs *x, struct page_run state)
{
	uint64_t key = UINT64_C(1) << 48 | (uint64_t)state.kind << 40 |
		       (uint64_t)state.writable << 32 | state.count;
	uint32_t i = hash_get(&x->known, key);

	if (i != HASH_NONE)
		return i;
	hash_put(&x->known, key, (uint32_t)x->states.n);
	state.pages = 0;
	*vec_push(&x->mem, &x->states) = state;
	return (uint32_t)x->states.n - 1;
}

static bool put_run(void *arg, const struct page_run *run)
{
	struct runs *x = arg;

	put_leb128(x, run->pages);
	put_leb128(x, state_number(x, *run));
	return x->n < RUNS_BYTES;
}

static void put_vma_runs(struct runs *x, struct page_runs *from, const struct snapshot *s,
			 uint32_t i)
{
	size_t at = x->n;

	state_number(x, (struct page_run){ .kind = PAGE_ABSENT });
	if (x->n < RUNS_BYTES)
		page_runs_each(from, &s->vmas[i], put_run, x);
	x->of_vma[i].at = (uint32_t)at;
	x->of_vma[i].len = (uint32_t)(x->n - at);
	if (x->n < RUNS_BYTES)
		return;
	x->n = at; /* not part of a vma */
	x->of_vma[i].at = UINT32_MAX;
	x->of_vma[i].len = 0;
	x->left_out++;
}

struct rank { uint64_t cost; uint32_t mm; };

static int mm_largest_first(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return x->mm < y->mm ? -1 : x->mm > y->mm;
}

static bool empty(const struct usage *u)
{
	return !(u->rss | u->swap_ptes | u->special | u->shared_hugetlb | u->private_hugetlb |
		 u->unknown);
}

void runs_build(const struct snapshot *s, struct runs *x)
{
	struct page_runs *from = page_runs_new(s);
	struct rank *order;

	memset(x, 0, sizeof(*x));
	x->known.mem = &x->mem;
	x->of_vma = arena_calloc(&x->mem, s->nvmas, sizeof(*x->of_vma));
	order = arena_array(&x->mem, struct rank, s->nmms);
	for (uint32_t i = 0; i < s->nmms; i++)
		order[i] = (struct rank){ s->mms[i].usage.pss, i };
	sort_array(order, s->nmms, sizeof(*order), mm_largest_first);
	for (uint32_t i = 0; from && i < s->nmms; i++) {
		const struct mm *mm = &s->mms[order[i].mm];

		for (uint32_t j = 0; j < mm->nvmas && mm->first_vma + j < s->nvmas; j++)
			if (!empty(&s->vmas[mm->first_vma + j].usage))
				put_vma_runs(x, from, s, mm->first_vma + j);
	}
	page_runs_free(from);
}

void runs_release(struct runs *x)
{
	free(x->bytes);
	arena_release(&x->mem);
}
