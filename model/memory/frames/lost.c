/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lost.c - chunks of frames that lack something, and the veil before them. */
#include "model/memory/frames/lost.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "model/kernel/source.h"

static bool lacks(const struct frame_lost *l)
{
	return l->unread || l->heads;
}

void lost_note(struct frame_store *st, uint64_t c, const struct frame_sums *sums)
{
	if (!sums->unread && !sums->lost_heads)
		return;
	if (!st->lost)
		st->lost = heap_array(struct frame_lost, st->frames->nchunks);
	st->lost[c].unread = (uint32_t)sums->unread;
	st->lost[c].heads = (uint32_t)sums->lost_heads;
}

static void count(struct frame_store *st, const struct frame_lost *l)
{
	__atomic_fetch_add(&st->frames->unread, l->unread, __ATOMIC_RELAXED);
	__atomic_fetch_add(&st->lost_heads, l->heads, __ATOMIC_RELAXED);
}

void lost_ask(struct frame_store *st, uint64_t c)
{
	struct frame_lost *l = st->lost ? &st->lost[c] : NULL;
	unsigned was;

	if (!l || !lacks(l) || __atomic_load_n(&l->asked, __ATOMIC_RELAXED) & st->asker)
		return;
	was = __atomic_fetch_or(&l->asked, st->asker, __ATOMIC_RELAXED);
	if (!(was & (st->counted | st->asker)))
		count(st, l);
}

void lost_ask_seen(const struct frames *f)
{
	const struct frame_store *st = f->store;

	for (uint64_t c = 0; st->lost && c < f->nchunks; c++)
		if (lacks(&st->lost[c]) && st->seen[c])
			st->lost[c].asked |= FRAMES_WALK;
}

void lost_forget(struct frame_store *st)
{
	free(st->lost);
	st->lost = NULL;
	st->frames->unread = st->lost_heads = 0;
}

unsigned frames_ask_as(const struct frames *f, unsigned who)
{
	unsigned was = f->store ? f->store->asker : 0;

	if (f->store)
		f->store->asker = who;
	return was;
}

/* ---- the veil -------------------------------------------------------------------------- */

struct frame_chunk *lost_unveiled(const struct frames *f, uint64_t c)
{
	struct frame_chunk *chunk = f->chunk[c];

	return chunk && chunk == f->store->veil ? f->store->lost[c].behind : chunk;
}

struct frame_chunk *lost_veiled(struct frame_store *st, uint64_t c, struct frame_chunk *chunk)
{
	if (!st->veil || !chunk || !lacks(&st->lost[c]))
		return chunk;
	st->lost[c].behind = chunk;
	return st->veil;
}

void lost_drop(struct frame_store *st, uint64_t c)
{
	struct frame_chunk *chunk = lost_unveiled(st->frames, c);

	if (st->veil)
		st->lost[c].behind = NULL;
	st->frames->chunk[c] = NULL;
	frames_free_chunk(st, chunk);
}

static void veil(struct frame_store *st)
{
	st->veil = pool_take(&st->pool);
	st->veil->rare = NULL;
	st->veil->parts = NULL;
	st->veil->nrare = st->veil->shared = 0;
	st->veil->alike = false;
	memset(st->veil->kind, 0xff, sizeof(st->veil->kind)); /* FRAME_RARE: ask frame_fetch() */
	for (uint64_t c = 0; c < st->frames->nchunks; c++)
		st->frames->chunk[c] = lost_veiled(st, c, st->frames->chunk[c]);
}

/* ---- reports --------------------------------------------------------------------------- */

/* Sums of the chunks that one of WHO asked for. */
static void sum_up(const struct frame_store *st, unsigned who, uint64_t *unread, uint64_t *heads)
{
	*unread = *heads = 0;
	for (uint64_t c = 0; st->lost && c < st->frames->nchunks; c++) {
		const struct frame_lost *l = &st->lost[c];

		*unread += l->asked & who ? l->unread : 0;
		*heads += l->asked & who ? l->heads : 0;
	}
}

void frames_serve(const struct snapshot *s, unsigned who)
{
	struct frame_store *st = s->frames.store;

	if (!st || !st->lost)
		return;
	if (!st->veil)
		veil(st);
	for (uint64_t c = 0; c < s->frames.nchunks; c++)
		st->lost[c].asked &= ~(unsigned)FRAMES_REPORT;
	st->asker = FRAMES_REPORT;
	st->counted = who | FRAMES_REPORT;
	sum_up(st, st->counted, &st->frames->unread, &st->lost_heads);
}

void frames_ask_also(const struct frames *f, unsigned who)
{
	struct frame_store *st = f->store;

	if (!st || !st->veil)
		return;
	st->counted |= who;
	sum_up(st, st->counted, &st->frames->unread, &st->lost_heads);
}

void frames_serve_end(const struct snapshot *s)
{
	struct frame_store *st = s->frames.store;

	if (!st || !st->veil)
		return;
	st->frames->unread = st->told_unread;
	st->lost_heads = st->told_lost;
}

static void tell(const struct kernel *k, struct issues *is, uint64_t unread, uint64_t heads)
{
	if (unread)
		issue_add(is, ST_NODATA, "struct page", unread,
			  "struct pages that the dump does not hold");
	if (heads) /* of a live machine: allocated or freed just then */
		issue_add(is, kernel_contradicts(k), "compound page", heads,
			  "tail pages whose head is not readable");
}

uint64_t frames_tell_of(const struct snapshot *s, unsigned who, struct issues *is)
{
	uint64_t unread, heads;

	if (!s->frames.store || !s->frames.store->k)
		return 0;
	sum_up(s->frames.store, who, &unread, &heads);
	if (is)
		tell(s->k, is, unread, heads);
	return unread + heads;
}

void frames_tell(const struct snapshot *s)
{
	struct frame_store *st = s->frames.store;
	uint64_t unread = s->frames.unread, heads;

	if (!st || !st->k)
		return;
	heads = st->lost_heads;
	tell(s->k, s->k->issues, unread > st->told_unread ? unread - st->told_unread : 0,
	     heads > st->told_lost ? heads - st->told_lost : 0);
	st->told_unread = unread;
	st->told_lost = heads;
}
