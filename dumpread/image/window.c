/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * window.c - read-ahead over files.
 */
#include "dumpread/image/window.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define FAR_NS 200000u		/* a call that takes longer went to a disk or a server */

void window_init(struct window *w, size_t min, size_t cap)
{
	*w = (struct window){ .min = min, .cap = cap };
}

void window_free(struct window *w)
{
	for (unsigned i = 0; i < WINDOW_PLACES; i++)
		free(w->place[i].buf);
	*w = (struct window){ 0 };
}

static bool holds(const struct window_place *at, const struct image_part *p, uint64_t off,
		  size_t len)
{
	return at->part == p && off >= at->off && off - at->off <= at->len &&
	       len <= at->len - (off - at->off);
}

/* Going on from the last bytes, or a little further, and most of those were wanted. */
static bool goes_on(const struct window_place *at, const struct image_part *p, uint64_t off)
{
	return at->part == p && off >= at->off && off <= at->off + at->len + at->ahead &&
	       at->lent >= at->len / 4;
}

static struct window_place *find(struct window *w, const struct image_part *p, uint64_t off,
				 size_t len)
{
	for (unsigned i = 0; i < WINDOW_PLACES; i++)
		if (holds(&w->place[i], p, off, len)) {
			w->last = i;
			return &w->place[i];
		}
	return NULL;
}

/* The place that goes on to OFF, or the one that was not used for longest. */
static struct window_place *choose(struct window *w, const struct image_part *p, uint64_t off)
{
	unsigned oldest = 0;

	for (unsigned i = 0; i < WINDOW_PLACES; i++) {
		struct window_place *at = &w->place[i];

		if (goes_on(at, p, off)) {
			at->ahead = min_u64(at->ahead * 2, w->cap);
			w->last = i;
			return at;
		}
		if (w->turn - at->used > w->turn - w->place[oldest].used)
			oldest = i;
	}
	w->last = oldest;
	/* pages that lie far apart cost less one by one, if a call costs little */
	w->place[oldest].ahead = w->took > FAR_NS ? w->cap : w->min;
	return &w->place[oldest];
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static enum status fill(struct window *w, struct window_place *at, size_t len)
{
	uint64_t start = now();
	enum status st = part_read_some(at->part, at->off, at->buf,
					len > at->ahead ? len : at->ahead, &at->len);

	/* a call during which others ran must not count for much */
	w->took += (uint32_t)(min_u64(now() - start, 2 * FAR_NS) / 8) - w->took / 8;
	if (st == ST_OK && at->len < len)
		st = ST_NODATA;
	if (st)
		at->len = 0;
	return st;
}

enum status window_get(struct window *w, const struct image_part *p, uint64_t off, size_t len,
		       const uint8_t **ret)
{
	struct window_place *at = &w->place[w->last];
	enum status st;

	if (!holds(at, p, off, len))
		at = find(w, p, off, len);
	if (!at) {
		at = choose(w, p, off);
		if (!at->buf)
			at->buf = heap_bytes(w->cap);
		at->part = p;
		at->off = off;
		at->lent = 0;
		st = fill(w, at, len);
		if (st)
			return st;
	}
	at->used = ++w->turn;
	at->lent += len;
	*ret = at->buf + (off - at->off);
	return ST_OK;
}
