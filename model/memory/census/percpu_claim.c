/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * percpu_claim.c - pages of per-CPU variables: the chunks of mm/percpu.c, of which each CPU has
 * a unit. Only populated pages of a unit exist. To 4.13 all pages of the first chunk are marked
 * populated, and those behind its areas were given back to the page allocator.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/layout/census.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"
#include "model/memory/census/claims.h"

#define SHARED_PAGES 2u		/* of a chunk, with another one */
#define CHUNKS_MAX (1u << 20)
#define SLOTS_MAX 256u
#define AREAS_MAX (1u << 24)		/* of a chunk: PCPU_MIN_UNIT_SIZE and 4 bytes each */
#define UNIT_PAGES_MAX (1u << 16)	/* a unit of 256 MiB: VMALLOC space limits it */

struct percpu {
	const struct kernel *k;
	struct reader *r;
	struct page_classes *c;
	struct kobj chunk;
	uint64_t unit_pages;
	uint64_t *unit;			/* [ncpus]: offset of the CPU's unit in a chunk */
	uint64_t chunks_left;
	uint64_t taken;			/* frames, of all CPUs */
	bool part;			/* a chunk or a list of them is not whole */
	/* static variables lie before the first chunk's own memory, and in no chunk */
	uint64_t first;			/* pcpu_base_addr */
	uint64_t statics;		/* bytes of them */
};

static bool is_populated(const struct percpu *p, uint64_t page)
{
	unsigned bits = 8 * p->k->dump->word_size;
	uint64_t word,
		at = kobj_member_kva(&p->chunk, M_PCPU_CHUNK_POPULATED) + page / bits * (bits / 8);

	return !read_kva_uint(p->r, at, p->k->dump->word_size, &word) && word >> page % bits & 1;
}

/* The page at KVA of the first unit, and its like in the others; how many nobody else has. */
static uint32_t claim_page(struct percpu *p, uint64_t kva)
{
	uint32_t own = 0;
	uint64_t pa;

	for (uint32_t cpu = 0; cpu < p->k->ncpus; cpu++)
		if (!reader_kvtop(p->r, kva + p->unit[cpu], &pa, NULL))
			own += page_classes_claim(p->c, pa >> p->k->page_shift, CLASS_PERCPU) ==
			       CLAIM_TAKEN;
	p->taken += own;
	return own;
}

/*
 * Bytes of a unit that the areas of the chunk cover, by chunk->map: lengths, negative if in use, or
 * since 723ad1d90b56 (v3.15) offsets, odd if in use, of which the last is the end.
 */
static bool areas_end(const struct percpu *p, uint64_t *ret)
{
	uint64_t map = kobj_u64(&p->chunk, M_PCPU_CHUNK_MAP), v, sum = 0;
	uint64_t used = kobj_u64(&p->chunk, M_PCPU_CHUNK_MAP_USED);

	if (used > AREAS_MAX || read_kva_uint(p->r, map, 4, &v))
		return false;
	if ((int32_t)v >= 0) {
		if (read_kva_uint(p->r, map + 4 * used, 4, &v))
			return false;
		*ret = v & ~UINT64_C(1);
		return true;
	}
	for (uint64_t i = 0; i < used; i++) {
		if (read_kva_uint(p->r, map + 4 * i, 4, &v))
			return false;
		sum += (int32_t)v < 0 ? -(uint64_t)(int64_t)(int32_t)v : v;
	}
	*ret = sum;
	return true;
}

/* Pages of a unit that may be the chunk's; 0: not known. */
static uint64_t chunk_pages(const struct percpu *p, uint64_t base)
{
	uint64_t page = UINT64_C(1) << p->k->page_shift, end;

	if (has(p->k, M_PCPU_CHUNK_PAGES))
		return kobj_u64(&p->chunk, M_PCPU_CHUNK_PAGES);
	if (base != p->first || !has(p->k, M_PCPU_CHUNK_MAP))
		return p->unit_pages;
	return areas_end(p, &end) ? (end + page - 1) >> p->k->page_shift : 0;
}

static void claim_chunk(struct percpu *p, uint64_t chunk)
{
	uint64_t base, pages, lost = 0;

	if (!kernel_ptr_ok(p->k, chunk, p->k->dump->word_size) ||
	    kobj_read(&p->chunk, p->r, chunk)) {
		issue_add(p->k->issues, ST_CORRUPT, "per-CPU chunk", 1, "a chunk is not readable");
		p->part = true;
		return;
	}
	base = kobj_u64(&p->chunk, M_PCPU_CHUNK_BASE);
	pages = chunk_pages(p, base);
	if (!pages) {
		issue_add(p->k->issues, ST_CORRUPT, "per-CPU chunk", 1,
			  "its areas are not readable");
		p->part = true;
	}
	for (uint64_t i = 0; i < min_u64(pages, p->unit_pages); i++)
		if (is_populated(p, i))
			lost += claim_page(p, base + (i << p->k->page_shift)) < p->k->ncpus;
	/* chunks of the first units may share a page; to 4.13 not all that is marked is theirs */
	if (lost > SHARED_PAGES && has(p->k, M_PCPU_CHUNK_PAGES))
		issue_add(p->k->issues, ST_CORRUPT, "per-CPU chunk", 1,
			  "its pages are not there, or somebody else's");
	if (base - p->first < p->unit_pages << p->k->page_shift)
		p->statics = min_u64(p->statics, base - p->first);
}

static void claim_slot(struct percpu *p, uint64_t head)
{
	struct listwalk w = listwalk_start(p->k, p->r, head, p->chunks_left);

	while (listwalk_next(&w)) {
		p->chunks_left--;
		claim_chunk(p, w.node - layout_offset(&p->k->layout, M_PCPU_CHUNK_LIST));
	}
	if (w.st) {
		issue_add(p->k->issues, w.st, "per-CPU chunks", 1, "a list ends after %llu chunks",
			  (unsigned long long)w.seen);
		p->part = true;
	}
}

static bool read_units(struct percpu *p)
{
	unsigned word = p->k->dump->word_size;
	uint64_t offsets;

	if (!p->k->ncpus || kvar_u64(p->k, p->r, Y_PCPU_UNIT_OFFSETS, 0, &offsets) ||
	    kvar_u64(p->k, p->r, Y_PCPU_UNIT_PAGES, 4, &p->unit_pages) ||
	    p->unit_pages > UNIT_PAGES_MAX)
		return false;
	p->unit = heap_array(uint64_t, p->k->ncpus);
	for (uint32_t i = 0; i < p->k->ncpus; i++)
		if (read_kva_uint(p->r, offsets + (uint64_t)p->k->possible[i] * word, word,
				  &p->unit[i]))
			return false;
	return true;
}

bool claim_percpu(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	struct percpu p = {
		.k = k, .r = r, .c = c, .chunks_left = CHUNKS_MAX, .statics = UINT64_MAX
	};
	unsigned word = k->dump->word_size;
	uint64_t lists, nslots, chunk, counted = 0;
	bool whole = false;

	if (!has(k, M_PCPU_CHUNK_BASE) || !has(k, M_PCPU_CHUNK_POPULATED))
		return false;
	kobj_init(&p.chunk, k, S_PCPU_CHUNK);
	if (!read_units(&p) || kvar_u64(k, r, Y_PCPU_BASE, 0, &p.first) ||
	    kvar_u64(k, r, Y_PCPU_LISTS, 0, &lists) ||
	    kvar_u64(k, r, Y_PCPU_NR_SLOTS, 4, &nslots) || nslots > SLOTS_MAX) {
		issue_add(k->issues, ST_NODATA, "per-CPU chunks", 1,
			  "their lists are not readable");
		goto out;
	}
	/* 5.9 to 5.13 keep lists for each type of chunk (3c7be18ac9a0) */
	nslots *= (uint64_t)layout_enum(&k->layout, E_PCPU_CHUNK_TYPES, 1);
	for (uint64_t i = 0; i < min_u64(nslots, SLOTS_MAX); i++)
		claim_slot(&p, lists + i * 2 * word);
	if (has(k, Y_PCPU_RESERVED) && !kvar_u64(k, r, Y_PCPU_RESERVED, 0, &chunk) && chunk)
		claim_chunk(&p, chunk);
	for (uint64_t at = 0; p.statics != UINT64_MAX && at < p.statics;
	     at += UINT64_C(1) << k->page_shift)
		claim_page(&p, p.first + at);
	/* the counter includes the static variables (pcpu_setup_first_chunk()) */
	if (has(k, M_PCPU_CHUNK_PAGES) && has(k, Y_PCPU_POPULATED) &&
	    (kvar_u64(k, r, Y_PCPU_POPULATED, 0, &counted) || counted != p.taken / k->ncpus))
		issue_add(k->issues, kernel_contradicts(k), "per-CPU chunks", 1,
			  "%" PRIu64 " pages found, of %u CPUs, not %" PRIu64 " of each", p.taken,
			  k->ncpus, counted);
	whole = !p.part && k->ncpus == k->cpus_possible;
out:
	kobj_release(&p.chunk);
	free(p.unit);
	return whole;
}
