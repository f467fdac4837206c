/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify_frames.c - compares the mapcounts of all frames with the mappings that the walk
 * found.
 *
 * First by the sums of each chunk (model/memory/frames/frames.h). Where they differ, the mappings are
 * counted frame by frame, in another walk.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "model/memory/frames/lost.h"
#include "model/memory/trust/verify.h"
#include "model/memory/usage/account.h"

/* Frames of one worker that differ. */
struct tally {
	struct verify_frames v[VERIFY_REASONS][VERIFY_KINDS];
	uint64_t differ, mapped;
};

struct pass {
	struct snapshot *s;
	bool all;			/* also chunks in which nothing is mapped */
	bool *differs;			/* [nchunks] */
	bool *walked; /* [nchunks]: the walk read it, or found mappings there; NULL: those
					   alone are compared */
	uint64_t *chunks;		/* those that differ, ascending */
	const uint64_t *group;		/* of them: being counted */
	size_t n;
	struct tally *tallies[JOBS_MAX];
};

static struct tally *tally_of(struct pass *p, unsigned worker)
{
	if (!p->tallies[worker])
		p->tallies[worker] = heap_array(struct tally, 1);
	return p->tallies[worker];
}

static uint64_t chunk_end(const struct frames *f, uint64_t first)
{
	return min_u64(FRAME_CHUNK, f->max_pfn - first);
}

/* By the sums of its mappings (frames.h). */
static void check_chunk(void *ctx, unsigned worker, size_t chunk)
{
	struct pass *p = ctx;
	const struct frame_store *st = p->s->frames.store;
	uint64_t seen = st->seen[chunk];

	(void)worker;
	if (frames_are_parts(&p->s->frames, chunk))
		return;
	if (!seen && !p->all && !frames_summed(&p->s->frames, chunk))
		return;
	if (frames_next_chunk(&p->s->frames, chunk) == chunk)
		frames_sum(&p->s->frames, chunk);
	p->differs[chunk] = seen != st->sum[chunk].expected;
}

/* Frames that differ, by reason and kind. */
static void classify_chunk(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	const struct frames *f = &p->s->frames;
	uint64_t first = p->group[item] << FRAME_CHUNK_SHIFT, end = chunk_end(f, first);
	struct verify_folio folio = { 0 };
	struct tally *t = tally_of(p, worker);

	for (uint64_t pfn = first; pfn < first + end; pfn++) {
		struct verify_frames one = { .frames = 1,
					     .pfn = pfn,
					     .found = frame_found(f, pfn) };
		const struct frame *fr = frame_at(f, pfn);
		enum verify_reason why;
		uint32_t kernel;

		if (!fr || !(fr->flags & (FR_EXISTS | FR_UNREAD)))
			continue;
		t->mapped += one.found != 0;
		why = verify_frame(p->s, pfn, &folio, &kernel);
		one.kernel = kernel;
		t->differ += why != VERIFY_AGREE;
		if (why != VERIFY_AGREE)
			verify_add(&t->v[why][verify_kind(fr)], &one);
	}
}

static void take_tally(struct verify *v, const struct tally *t)
{
	v->differ += t->differ;
	v->mapped += t->mapped;
	for (unsigned why = 0; why < VERIFY_REASONS; why++)
		for (unsigned kind = 0; kind < VERIFY_KINDS; kind++)
			verify_add(&v->frames[why][kind], &t->v[why][kind]);
}

/* Chunks that differ; the numbers of frames of all that were read. */
static void list_differing(struct pass *p)
{
	const struct frames *f = &p->s->frames;
	struct verify *v = p->s->verify;

	p->chunks = heap_array(uint64_t, f->nchunks);
	for (uint64_t c = 0; c < f->nchunks; c++) {
		v->agree += f->store->sum[c].there;
		v->elsewhere |= p->walked && p->differs[c] && !p->walked[c];
		if (p->differs[c])
			p->chunks[p->n++] = c;
		else
			v->mapped += f->store->sum[c].mapped;
	}
}

/* How many of the chunks from AT on can be counted at once. */
static size_t group_size(const struct pass *p, size_t at)
{
	const struct frames *f = &p->s->frames;
	uint64_t left = p->n - at;

	if (frames_room(f) / FRAMES_FOUND_BYTES < left)
		frames_drop(f);
	return min_u64(left, max_u64(frames_room(f) / FRAMES_FOUND_BYTES, 1));
}

/* Counts the mappings of the frames of CHUNKS[n], unless that was done. */
static void count_missing(struct pass *p, const uint64_t *chunks, size_t n)
{
	uint64_t *missing = heap_array(uint64_t, n);
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (!p->s->frames.store->found[chunks[i]])
			missing[m++] = chunks[i];
	if (m)
		account_found(p->s, missing, m);
	free(missing);
}

static void classify(struct pass *p)
{
	bool keep = p->s->built & NEED_FOUND || !p->s->frames.store->k;
	size_t n;

	for (size_t at = 0; at < p->n; at += n) {
		n = group_size(p, at);
		if (keep && n < p->n - at) {
			p->s->refused =
				arena_printf(&p->s->mem,
					     "the mappings of each frame take %" PRIu64
					     " MiB more than may be "
					     "used; allow more with --memory",
					     ((p->n - at - n) * FRAMES_FOUND_BYTES >> 20) + 1);
			return;
		}
		count_missing(p, p->chunks + at, n);
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the caller frees the chunks */
		p->group = p->chunks + at;
		jobs_run(p->s->k->jobs, n, classify_chunk, p);
		if (!keep)
			frames_found_drop(&p->s->frames);
	}
}

/* Those that are compared without NEED_FOUND, too. */
static bool *walked_chunks(const struct frames *f)
{
	bool *walked = heap_array(bool, f->nchunks);

	for (uint64_t c = 0; c < f->nchunks; c++)
		walked[c] = f->store->seen[c] || frames_summed(f, c);
	return walked;
}

void verify_all_frames(struct snapshot *s)
{
	struct pass p = { .s = s,
			  .all = s->built & NEED_FOUND,
			  .differs = heap_array(bool, s->frames.nchunks) };

	/* reports that ask for all look at them again */
	if (p.all) {
		p.walked = walked_chunks(&s->frames);
		frames_load_all(s);
	}
	jobs_run(s->k->jobs, s->frames.nchunks, check_chunk, &p);
	lost_ask_seen(&s->frames);
	list_differing(&p);
	if (p.n) {
		verify_find_causes(s);
		classify(&p);
	}
	for (unsigned i = 0; i < JOBS_MAX; i++)
		if (p.tallies[i]) {
			take_tally(s->verify, p.tallies[i]);
			free(p.tallies[i]);
		}
	s->verify->agree -= s->verify->differ;
	free(p.chunks);
	free(p.differs);
	free(p.walked);
}
