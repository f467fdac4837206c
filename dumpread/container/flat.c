/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flattened format (makedumpfile.h, struct makedumpfile_header and
 * makedumpfile_data_header); all integers are big-endian, whatever the machine:
 *
 *	0	16	"makedumpfile", zero-padded
 *	16	8	type, 1
 *	24	8	version, 1
 *	4096	16	first record: offset, length
 *	4112	length	its bytes, at `offset` of the dump; then the next record
 *	...	16	end record: offset -1
 *
 * The writer goes back to rewrite headers when it knows their final values, so
 * a later record replaces what an earlier one wrote.
 */
#include "dumpread/container/flat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/image/saved.h"

#define FLAT_HEADER 4096	/* bytes before the first record */
#define FLAT_RECORD 16		/* bytes of a record's header */
#define FLAT_TYPE 1
#define FLAT_SCAN (64 << 10)	/* bytes read at once by the indexing pass */

struct flat {
	struct extents x;
};

/* The stored file as a stream, so that small records do not cost a system call each. */
struct scan {
	struct image_part raw;	/* the same file without the rearrangement */
	uint8_t *buf;
	uint64_t off;		/* of buf[0] in the file */
	size_t len;
	size_t want;		/* bytes to read at the next miss */
};

static const uint8_t *scan_at(struct scan *s, uint64_t off, size_t len)
{
	if (off < s->off || off - s->off > s->len || s->len - (off - s->off) < len) {
		s->off = off;
		if (part_read_some(&s->raw, off, s->buf, s->want, &s->len) || s->len < len) {
			s->len = 0;
			return NULL;
		}
	}
	return s->buf + (off - s->off);
}

static bool is_flat(const uint8_t *h)
{
	static const char signature[16] = "makedumpfile";

	return !memcmp(h, signature, sizeof(signature)) && load64(h + 16, true) == FLAT_TYPE;
}

/*
 * Returns false, with *pos at the place, if there is no end record. A hole reads as
 * empty records: no more records are read than fit into the stored part of the file.
 */
static bool index_records(struct scan *s, struct extents *x, uint64_t *end, uint64_t *pos)
{
	uint64_t at = FLAT_HEADER;

	for (uint64_t n = 0; n <= s->raw.stored / FLAT_RECORD; n++) {
		const uint8_t *h = scan_at(s, at, FLAT_RECORD);
		uint64_t off, len, left;

		*pos = at;
		if (!h)
			return false;
		off = load64(h, true);
		len = load64(h + 8, true);
		if (off == UINT64_MAX)
			return true;
		at += FLAT_RECORD;
		left = s->raw.size - at;
		/* Negative numbers, or the end of a file offset, are no record */
		if (off > INT64_MAX || len > INT64_MAX - off)
			return false;
		extents_add(x, off, off + min_u64(len, left), at);
		*end = max_u64(*end, off + min_u64(len, left));
		if (len > left)
			return false;
		at += len;
		/* only the headers of long records are needed */
		s->want = len < FLAT_SCAN / 16 ? FLAT_SCAN : FLAT_RECORD;
	}
	return false;
}

/* ---- the saved index: the end of the dump, then start, end and place of each extent ------- */

/* As extents_resolve() leaves them, and in the file? */
static bool is_index(const struct extents *x, const struct image_part *p, uint64_t end)
{
	uint64_t last = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct extent *e = &x->v[i];

		if (e->start < last || e->end <= e->start || e->end > end || e->pos > p->raw_size ||
		    e->end - e->start > p->raw_size - e->pos)
			return false;
		last = e->end;
	}
	return end <= INT64_MAX;
}

/* Sets X and *END if there is one. */
static bool index_get(const struct image *im, const struct image_part *p, struct extents *x,
		      uint64_t *end)
{
	size_t n = 0;
	uint64_t *v = saved_get(im, p, "flat", &n), last;

	if (!v)
		return false;
	for (size_t i = 1; i + 3 <= n; i += 3)
		extents_add(x, v[i], v[i + 1], v[i + 2]);
	last = n ? v[0] : UINT64_MAX;
	free(v);
	if (n % 3 == 1 && x->n == n / 3 && is_index(x, p, last)) {
		*end = last;
		return true;
	}
	saved_refuse(im, p);
	extents_free(x);
	*x = (struct extents){ 0 };
	return false;
}

static void index_put(const struct image *im, const struct image_part *p, const struct extents *x,
		      uint64_t end)
{
	uint64_t *v = heap_array(uint64_t, 1 + 3 * x->n);

	v[0] = end;
	for (size_t i = 0; i < x->n; i++) {
		v[1 + 3 * i] = x->v[i].start;
		v[2 + 3 * i] = x->v[i].end;
		v[3 + 3 * i] = x->v[i].pos;
	}
	saved_put(im, p, "flat", v, 1 + 3 * x->n);
	free(v);
}

/* ---- opening ---------------------------------------------------------------------------- */

/* False: the file is cut off, at *POS. */
static bool make_index(struct image *im, struct image_part *p, struct extents *x, uint64_t *end,
		       uint64_t *pos)
{
	struct scan s = { .raw = *p, .buf = heap_bytes(FLAT_SCAN), .want = FLAT_SCAN };
	bool whole = index_records(&s, x, end, pos);

	free(s.buf);
	extents_resolve(x, EXTENTS_LAST_WINS);
	if (whole && saved_wanted(im))
		index_put(im, p, x, *end);
	return whole;
}

/* No record is at POS: the file ends there, in its header or its bytes, or it is damaged. */
static void note_end(struct image *im, const struct image_part *p, uint64_t pos)
{
	uint8_t h[FLAT_RECORD];
	bool cut = part_read(p, pos, h, sizeof(h)) ||
		   (load64(h, true) <= INT64_MAX && load64(h + 8, true) <= (uint64_t)1 << 32);

	if (cut)
		cause_add(&im->causes, CAUSE_CUT, 0, 0, NULL);
	else
		cause_table(&im->causes, "records of the flattened file", 0, 0);
	issue_add(&im->issues, cut ? ST_NODATA : ST_CORRUPT,
		  cut ? "truncated image" : "flattened record", 1,
		  "%s: the flattened file is %s at byte %" PRIu64, p->path,
		  cut ? "cut off" : "damaged", pos);
}

enum status flat_open(struct image *im, struct image_part *p)
{
	struct extents x = { 0 };
	uint8_t h[FLAT_RECORD * 2];
	uint64_t end = 0, pos = 0;
	size_t got;

	if (part_read_some(p, 0, h, sizeof(h), &got) || got < sizeof(h) || !is_flat(h))
		return ST_NOTMINE;
	if (!index_get(im, p, &x, &end) && !make_index(im, p, &x, &end, &pos)) {
		note_end(im, p, pos);
	}
	p->flat = arena_alloc(&im->mem, sizeof(*p->flat));
	p->flat->x = x;
	p->size = end;
	return ST_OK;
}

const struct extents *flat_extents(const struct flat *f)
{
	return &f->x;
}

void flat_free(struct flat *f)
{
	if (f)
		extents_free(&f->x);
}

enum status flat_read_some(const struct image_part *p, uint64_t off, void *buf, size_t len,
			   size_t *got)
{
	const struct extents *x = &p->flat->x;
	struct image_part raw = *p;
	uint8_t *out = buf;
	size_t i, n;

	raw.flat = NULL;
	*got = 0;
	if (off >= p->size)
		return ST_OK;
	len = (size_t)min_u64(len, p->size - off);
	for (i = extents_find(x, off); *got < len; off += n) {
		const struct extent *e = i < x->n ? &x->v[i] : NULL;
		size_t part;
		enum status st;

		if (!e || off < e->start) {
			n = (size_t)min_u64(len - *got, e ? e->start - off : UINT64_MAX);
			memset(out + *got, 0, n);
			*got += n;
			continue;
		}
		n = (size_t)min_u64(len - *got, e->end - off);
		st = part_read_some(&raw, e->pos + (off - e->start), out + *got, n, &part);
		*got += part;
		if (st || part < n)
			return st;
		i++;
	}
	return ST_OK;
}
