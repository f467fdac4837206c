/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * absent_frames.c - counts the pages that are not in the dump (makedumpfile filters them).
 */
#include "model/memory/trust/absent_frames.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/kernel/machine/resources.h"
#include "model/memory/frames/frames.h"

static const uint32_t kind_flags[ABSENT_KINDS] = {
	/* the first whose flags are all there */
	[ABSENT_FREE] = FR_BUDDY,
	[ABSENT_OFFLINE] = FR_OFFLINE,
	[ABSENT_HUGETLB] = FR_HUGETLB,
	[ABSENT_ANON] = FR_ANON,
	[ABSENT_SHMEM] = FR_CACHE | FR_SWAPBACKED,
	[ABSENT_CACHE] = FR_CACHE,
	[ABSENT_SLAB] = FR_SLAB,
	[ABSENT_TABLES] = FR_PGTABLE,
	[ABSENT_RESERVED] = FR_RESERVED,
	[ABSENT_OTHER] = 0,
};

struct counter {
	const struct snapshot *s;
	struct reader *r;
	struct resources resources;
	size_t at;			/* in resources */
	int level;			/* of makedumpfile; less than 1: it left out nothing */
	uint64_t zeros_end;		/* frames below it that are not in the dump are zeros */
	struct absent_frames *to;
};

static void count_name(struct counter *c, struct absent_name *n, uint64_t pfn)
{
	const char *name = resource_name(&c->resources, pfn << c->s->k->page_shift, &c->at);
	unsigned i = 0;

	/* frames in plain memory have no known cause */
	if (!name || !strcmp(name, "System RAM"))
		return;
	while (i < ABSENT_NAMES - 1 && n[i].name && strcmp(n[i].name, name))
		i++;
	n[i].name = i == ABSENT_NAMES - 1 ? "others" : name;
	n[i].frames++;
}

/*
 * Bits of makedumpfile -d that stand for all frames of a kind (makedumpfile(8)). 2 without 4 leaves out a part of
 * the page cache.
 */
static const int kind_level[ABSENT_KINDS] = {
	[ABSENT_FREE] = 16, [ABSENT_HUGETLB] = 8, [ABSENT_ANON] = 8,
	[ABSENT_SHMEM] = 2 | 4, [ABSENT_CACHE] = 2 | 4,
};

static unsigned kind_of(const struct frame *fr)
{
	unsigned kind = 0;

	while ((fr->flags & kind_flags[kind]) != kind_flags[kind])
		kind++;
	return kind;
}

/* N frames from PFN on, each of which is FR. */
static void count_frames(struct counter *c, uint64_t pfn, uint64_t n, const struct frame *fr)
{
	unsigned kind = kind_of(fr);

	if (pfn < c->zeros_end && kind != ABSENT_RESERVED) {
		uint64_t zeros = min_u64(n, c->zeros_end - pfn);

		c->to->zeros += zeros;
		pfn += zeros;
		n -= zeros;
	}
	c->to->n[kind] += n;
	for (; n && kind == ABSENT_RESERVED; n--)
		count_name(c, c->to->reserved, pfn++);
	for (; n && kind == ABSENT_OTHER; n--)
		count_name(c, c->to->other, pfn++);
}

/* The frames [PFN, END) of one chunk, none of which is in the dump. */
static void count_absent(struct counter *c, uint64_t pfn, uint64_t end)
{
	const struct frames *f = &c->s->frames;

	while (pfn < end) {
		const struct frame *fr = frame_of_all(f, pfn);
		uint64_t from = pfn++;

		while (pfn < end && frame_at(f, pfn) == fr)
			pfn++;
		if (fr && fr->flags & FR_EXISTS)
			count_frames(c, from, pfn - from, fr);
	}
}

/* The frames [PFN, END) of one chunk, all of which are in the dump. */
static void count_kept(struct counter *c, uint64_t pfn, uint64_t end)
{
	const struct frames *f = &c->s->frames;

	while (pfn < end && c->level > 0) {
		const struct frame *fr = frame_of_all(f, pfn);
		uint64_t from = pfn++;
		unsigned kind;

		while (pfn < end && frame_at(f, pfn) == fr)
			pfn++;
		if (!fr || !(fr->flags & FR_EXISTS))
			continue;
		kind = kind_of(fr);
		if (kind_level[kind] && (kind_level[kind] & c->level) == kind_level[kind])
			c->to->kept[kind] += pfn - from;
	}
}

/* Not by reader_next(), which passes over holes of a file: they are pages of zeros, and in the dump. */
static void count_chunk(struct counter *c, uint64_t pfn, uint64_t end)
{
	while (pfn < end) {
		uint64_t from = pfn;

		while (pfn < end && !reader_present(c->r, pfn))
			pfn++;
		count_absent(c, from, pfn);
		for (from = pfn; pfn < end && reader_present(c->r, pfn);)
			pfn++;
		count_kept(c, from, pfn);
	}
}

static int most_first(const void *pa, const void *pb)
{
	const struct absent_name *a = pa, *b = pb;

	return a->frames < b->frames ? 1 : -(a->frames > b->frames);
}

void absent_frames_count(const struct snapshot *s, struct arena *mem, struct absent_frames *ret)
{
	const struct frames *f = &s->frames;
	const struct dump *d = s->k->dump;
	struct counter c = { .s = s, .to = ret };

	*ret = (struct absent_frames){ 0 };
	if (!d || !d->pages)
		return;
	c.r = kernel_reader(s->k);
	resources_read(s->k, c.r, mem, &c.resources);
	c.level = d->image ? d->image->header.dump_level : -1;
	ret->zeros_absent = d->image && c.level < 0;
	/* a file that is cut between two blocks is not known to be cut */
	c.zeros_end = d->image && d->image->zeros_left_out ? d->image->max_pfn : 0;
	frames_load_all(s);
	for (uint64_t i = frames_next_chunk(f, 0); i < f->nchunks; i = frames_next_chunk(f, i + 1))
		count_chunk(&c, i << FRAME_CHUNK_SHIFT,
			    min_u64((i + 1) << FRAME_CHUNK_SHIFT, f->max_pfn));
	reader_free(c.r);
	sort_array(ret->reserved, ABSENT_NAMES, sizeof(*ret->reserved), most_first);
	sort_array(ret->other, ABSENT_NAMES, sizeof(*ret->other), most_first);
}
