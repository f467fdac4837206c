/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elfloads.c - finds where the segments of an ELF file lie in a process.
 */
#include "model/memory/elf/elfloads.h"

#include <elf.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"

#define CANDIDATES 64		/* biases that are weighed for one mm */
#define LOADS_MAX 8		/* of one file in one mm */
#define CREDIT_CALL 64		/* vmas */

struct candidate {
	uint64_t bias, bytes;	/* of vmas that it explains */
};

static uint64_t page_mask(const struct snapshot *s)
{
	return (UINT64_C(1) << s->k->page_shift) - 1;
}

/* Bytes of the file that V maps and G covers, in whole pages; *bias is the bias that this
   implies. */
static uint64_t overlap(const struct snapshot *s, const struct vma *v, const struct elf_segment *g,
			uint64_t *bias)
{
	uint64_t mask = page_mask(s), off = v->pgoff << s->k->page_shift;
	uint64_t lo = g->offset & ~mask, hi = (g->offset + g->filesz + mask) & ~mask;
	uint64_t end = off + (v->end - v->start);

	if (!g->filesz || hi <= lo || end <= off)
		return 0;
	*bias = (v->start - off) - (g->vaddr - g->offset);
	lo = max_u64(lo, off);
	hi = min_u64(hi, end);
	return hi > lo ? hi - lo : 0;
}

static void weigh(struct candidate *c, unsigned *n, uint64_t bias, uint64_t bytes)
{
	unsigned i = 0;

	while (i < *n && c[i].bias != bias)
		i++;
	if (i == CANDIDATES)
		return;
	if (i == *n)
		c[(*n)++] = (struct candidate){ .bias = bias };
	c[i].bytes += bytes;
}

/* Does BIAS explain the vma? */
static bool explained(const struct snapshot *s, const struct vma *v, const struct elf_head *h,
		      uint64_t bias)
{
	uint64_t b;

	for (unsigned i = 0; i < h->nsegments; i++)
		if (overlap(s, v, &h->segments[i], &b) && b == bias)
			return true;
	return false;
}

static bool taken(const struct snapshot *s, const struct vma *v, const struct elf_head *h,
		  const struct elf_loads *loads, size_t first)
{
	for (size_t i = first; i < loads->n; i++)
		if (explained(s, v, h, loads->v[i].bias))
			return true;
	return false;
}

/* The bias that explains most of the vmas that no load explains yet; false: none. */
static bool best_bias(const struct snapshot *s, const struct mm *m, uint32_t file,
		      const struct elf_head *h, const struct elf_loads *loads, size_t first,
		      uint64_t *ret)
{
	struct candidate c[CANDIDATES];
	unsigned n = 0, best = 0;
	uint64_t bias;

	for (uint32_t k = m->first_vma; k < m->first_vma + m->nvmas && k < s->nvmas; k++) {
		const struct vma *v = &s->vmas[k];

		/* without any permission: the dynamic loader leaves it between segments */
		if (v->file != file || !(v->flags & (VMA_READ | VMA_WRITE | VMA_EXEC)) ||
		    taken(s, v, h, loads, first))
			continue;
		for (unsigned i = 0; i < h->nsegments; i++) {
			uint64_t bytes = overlap(s, v, &h->segments[i], &bias);

			/* a file that is not relocated is at its own addresses */
			if (bytes && !(h->type == ET_EXEC && bias))
				weigh(c, &n, bias, bytes);
		}
	}
	for (unsigned i = 1; i < n; i++)
		if (c[i].bytes > c[best].bytes)
			best = i;
	if (n)
		*ret = c[best].bias;
	return n != 0;
}

void elf_loads_find(const struct snapshot *s, const struct mm *m, uint32_t file,
		    const struct elf_head *h, struct arena *mem, struct elf_loads *ret)
{
	size_t first = ret->n;
	uint64_t bias;

	while (ret->n - first < LOADS_MAX && best_bias(s, m, file, h, ret, first, &bias)) {
		struct elf_load *l = vec_push(mem, ret);

		l->mm = (uint32_t)(m - s->mms);
		l->bias = bias;
	}
}

/* Does [start, end) of V, at the addresses of a load, belong to the file? */
static bool belongs(const struct snapshot *s, const struct vma *v, const struct elf_head *h,
		    uint32_t file, uint64_t bias, uint64_t *start, uint64_t *end)
{
	uint64_t mask = page_mask(s), lo = *start, hi = *end;

	if (v->file == file)
		return explained(s, v, h, bias);
	if (v->file != NONE)
		return false;
	for (unsigned i = 0; i < h->nsegments; i++) {
		const struct elf_segment *g = &h->segments[i];
		uint64_t bss = ((g->vaddr + g->filesz + mask) & ~mask) + bias;
		uint64_t behind = g->vaddr + g->memsz + bias;

		if (g->memsz <= g->filesz || lo >= behind || hi <= bss)
			continue;
		*start = max_u64(lo, bss);
		*end = min_u64(hi, behind);
		return *start < *end;
	}
	return false;
}

static bool pay(const struct snapshot *s, int64_t *credit)
{
	int64_t left = __atomic_sub_fetch(credit, 1, __ATOMIC_RELAXED);

	if (!left)
		issue_add(s->k->issues, ST_LIMIT, "ELF file", 1,
			  "its sections or symbols are in too many vmas");
	return left > 0;
}

/* The first of M's VMAs that ends after ADDR. */
static uint32_t first_behind(const struct snapshot *s, const struct mm *m, uint64_t addr)
{
	const struct vma *v = &s->vmas[m->first_vma];
	uint32_t n = (uint32_t)min_u64(m->nvmas, s->nvmas - m->first_vma);

	return m->first_vma + (uint32_t)search_first(n, mid, v[mid].end <= addr);
}

void elf_load_sizes(const struct snapshot *s, struct reader *r, const struct elf_head *h,
		    uint32_t file, const struct elf_load *load, uint64_t start, uint64_t end,
		    int64_t *credit, struct sizes *sum)
{
	const struct mm *m = &s->mms[load->mm];

	start += load->bias;
	end += load->bias;
	if (start >= end)
		return;
	__atomic_fetch_add(credit, CREDIT_CALL, __ATOMIC_RELAXED);
	for (uint32_t i = first_behind(s, m, start);
	     i < m->first_vma + m->nvmas && i < s->nvmas && s->vmas[i].start < end; i++) {
		const struct vma *v = &s->vmas[i];
		uint64_t lo = max_u64(start, v->start), hi = min_u64(end, v->end);
		struct sizes z;

		if (!pay(s, credit))
			return;
		if (lo >= hi || !belongs(s, v, h, file, load->bias, &lo, &hi))
			continue;
		refs_sizes(s->refs, r, v, lo, hi, &z);
		sizes_add(sum, &z);
	}
}
