/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * window.c - read-ahead over a file.
 */
#include "dumpread/image/window.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

void window_init(struct window *w, size_t min, size_t cap)
{
	memset(w, 0, sizeof(*w));
	w->buf = heap_bytes(cap);
	w->cap = cap;
	w->min = min;
	w->ahead = min;
}

void window_free(struct window *w)
{
	free(w->buf);
	memset(w, 0, sizeof(*w));
}

enum status window_get(struct window *w, const struct image_part *p, uint64_t off, size_t len,
		       const uint8_t **ret)
{
	enum status st;
	uint64_t end = w->off + w->len;

	if (w->part == p && off >= w->off && off <= end && len <= end - off) {
		*ret = w->buf + (off - w->off);
		w->lent += len;
		return ST_OK;
	}
	/*
	 * Going on from the last window, or a little further, and most of that was
	 * wanted: read more. Pages that lie far apart cost less one by one.
	 */
	if (w->part == p && off >= w->off && off <= end + w->ahead && w->lent >= w->len / 4)
		w->ahead = w->ahead * 2 <= w->cap ? w->ahead * 2 : w->cap;
	else
		w->ahead = w->min;
	w->part = p;
	w->off = off;
	w->lent = len;
	st = part_read_some(p, off, w->buf, len > w->ahead ? len : w->ahead, &w->len);
	if (st == ST_OK && w->len < len)
		st = ST_NODATA;
	if (st) {
		w->len = 0;
		return st;
	}
	*ret = w->buf;
	return ST_OK;
}
