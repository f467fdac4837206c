/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mission Critical Linux "mcore" dumps, as the in-memory dumper of 2.4 boards
 * left them and crash's va_server reads them. Words (W) are 4 or 8 bytes, in
 * the byte order of the machine; positions count blocks, and a block is a page.
 *
 * Version 2, header at 0 (offsets for W=4 / W=8):
 *	0 / 0	magic[4]	longs; the first is 0x9a8bccdd
 *	16 / 32	blk_size	i32
 *	20 / 36	map_block	i32, from the start of the file
 *	24 / 40	map_blocks	i32
 * map: entries of 16 / 24 bytes, ascending, ended by start_va 0:
 *	0 start_va  4 / 8 exp_data (a pointer, not to be believed)
 *	8 / 16 start_blk i32  12 / 20 num_blks i32
 * A unit is one zlib stream: a table of up to 128 page addresses, ended by 0 and
 * filled up to whole blocks, then those pages. Pages that no unit names are not there.
 *
 * Version 1, at 0: i32 positions of headers, ended by 0; each header as above and
 *	28 / 44	map_entries i32	 32 / 48 va_per_entry (W)
 * with map_block counted from the header, and entries of 20 / 32 bytes (a checksum
 * after num_blks) that each expand to va_per_entry bytes of memory. A data block
 * is start_blk + position - 100: it was written 100 blocks into a swap device.
 *
 * Addresses are those of the kernel's identity map; the lowest is physical 0.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "dumpread/image/bundles.h"
#include "dumpread/image/format.h"
#include "dumpread/image/saved.h"

#define MAGIC		0x9a8bccddu
#define UNIT_PAGES	128u	    /* CRASH_SOURCE_PAGES */
#define BLOCK_SHIFT_MAX 18	    /* pages of 256 KiB: 44x */
#define OFFSET_BLKS	100	    /* CRASH_OFFSET_BLKS, version 1 */
#define REGIONS_MAX	1024u	    /* headers of version 1 */
#define STREAM_MAX	(32u << 20) /* bytes of one compressed unit */
#define PACKED_AT_ONCE	(64u << 10)
#define EXPANDED_MAX	(16u << 20) /* bytes of one unit of version 1 */
#define MEMORY_MAX  (UINT64_C(1) << 40) /* an identity map of more is not believed */

struct unit {
	uint64_t off; /* of its stream, in the file */
	uint64_t va;  /* of its first page */
	uint32_t len; /* bytes of the stream, with padding */
	uint32_t npages;
};

struct page {
	uint64_t va; /* later: frame number */
	uint32_t unit, index;
};

struct mcore {
	struct unit *units;
	struct page *pages; /* ascending */
	size_t nunits, npages;
	uint32_t table;	   /* bytes before the pages of a unit */
	uint32_t expanded; /* most bytes that a unit expands to */
	struct bundles *kept; /* a byte longer than any unit: its end is seen */
};

struct image_ctx {
	uint8_t packed[PACKED_AT_ONCE];
};

/* A header of either version, wherever it lies. */
struct header {
	uint64_t at; /* of the header, bytes */
	uint32_t blk_size;
	uint64_t map_off, map_len; /* bytes */
	uint32_t map_entries;	   /* version 1 */
	uint64_t va_per_entry;	   /* version 1 */
};

/* ---- headers ---------------------------------------------------------------------- */

static bool shape_ok(const struct image_part *p, const struct header *h)
{
	return page_shift_of(h->blk_size) && h->map_len && part_holds(p, h->map_off, 1);
}

/* Is there a header at AT for words of W bytes in that order? */
static bool parse_header(const struct image_part *p, uint64_t at, unsigned w, bool big, bool v1,
			 struct header *h)
{
	uint8_t raw[80];
	size_t got;
	uint64_t block, blocks;

	if (part_read_some(p, at, raw, sizeof(raw), &got) || got < sizeof(raw) ||
	    load_uint(raw, w, big) != MAGIC)
		return false;
	h->at = at;
	h->blk_size = load32(raw + 4 * w, big);
	block = load32(raw + 4 * w + 4, big);
	blocks = load32(raw + 4 * w + 8, big);
	h->map_off = (v1 ? at : 0) + block * h->blk_size;
	h->map_len = blocks * h->blk_size;
	h->map_entries = load32(raw + 4 * w + 12, big);
	h->va_per_entry = load_uint(raw + (w == 4 ? 32 : 48), w, big);
	return shape_ok(p, h);
}

static const struct {
	uint8_t word;
	bool big;
} kinds[] = {
	{ 8, false },
	{ 8, true },
	{ 4, false },
	{ 4, true },
};

static bool find_kind(struct image *im, uint64_t at, bool v1, struct header *h)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (parse_header(&im->parts[0], at, kinds[i].word, kinds[i].big, v1, h)) {
			im->word_size = kinds[i].word;
			im->big_endian = kinds[i].big;
			return true;
		}
	return false;
}

/* ---- units ------------------------------------------------------------------------ */

/*
 * Expand the unit to to->got bytes. A unit that the end of the file cuts off gives what
 * it can. If a unit does not end, or its checksum is wrong, none of it can be believed:
 * damaged data may have expanded to something.
 */
static void expand(const struct image *im, struct image_ctx *ctx, size_t number, struct bundle *to)
{
	const struct image_part *part = &im->parts[0];
	const struct mcore *m = im->priv;
	const struct unit *u = &m->units[number];
	size_t cap = m->expanded + 1u;
	z_stream z = { .next_out = to->bytes, .avail_out = (uInt)cap };
	int err = inflateInit(&z);
	size_t got = 1;

	to->got = 0;
	to->st = ST_OK;
	for (uint64_t at = 0; err == Z_OK && z.avail_out && at < u->len && got && !to->st;
	     at += got) {
		to->st = part_read_some(part, u->off + at, ctx->packed,
					min_u64(PACKED_AT_ONCE, u->len - at), &got);
		z.next_in = ctx->packed;
		z.avail_in = (uInt)got;
		while (err == Z_OK && z.avail_out && z.avail_in)
			err = inflate(&z, Z_NO_FLUSH);
	}
	if (err == Z_STREAM_END || (err == Z_OK && !part_holds(part, u->off, u->len)))
		to->got = cap - z.avail_out;
	else
		to->st = ST_CORRUPT;
	inflateEnd(&z);
}

static void damaged(struct image *im, const struct unit *u, const char *what)
{
	cause_table(&im->causes, "units of pages", 0, 0);
	issue_add(&im->issues, ST_CORRUPT, "mcore unit", 1, "%s: unit at byte %" PRIu64 " %s",
		  im->parts[0].path, u->off, what);
}

static void add_page(struct mcore *m, uint32_t unit, uint32_t index, uint64_t va, size_t *cap)
{
	if (m->npages == *cap) {
		*cap = *cap ? *cap * 2 : 4096;
		m->pages = heap_grow(m->pages, *cap, sizeof(*m->pages));
	}
	m->pages[m->npages++] = (struct page){ .va = va, .unit = unit, .index = index };
}

/* The table of page addresses at the start of X, a unit of version 2. */
static void take_table(struct image *im, const struct bundle *x, uint32_t unit, size_t *cap)
{
	struct mcore *m = im->priv;
	struct unit *u = &m->units[unit];
	unsigned w = im->word_size;
	uint64_t last = 0, mask = (1u << im->page_shift) - 1;

	for (; u->npages < UNIT_PAGES && m->table <= x->got; u->npages++) {
		uint64_t va = load_uint(x->bytes + u->npages * w, w, im->big_endian);

		if (!va)
			break;
		if (va & mask || va <= last) {
			damaged(im, u, "has a table out of order");
			break;
		}
		add_page(m, unit, u->npages, va, cap);
		last = va;
	}
}

/* The stream has one checksum for all of it, so all of it is expanded. */
static void read_table(struct image *im, struct image_ctx *ctx, uint32_t unit, size_t *cap)
{
	struct mcore *m = im->priv;
	const struct bundle *x = bundles_get(m->kept, im, ctx, unit);

	if (x->st || x->got < im->word_size)
		damaged(im, &m->units[unit], "does not expand");
	else
		take_table(im, x, unit, cap);
	bundles_release(m->kept);
}

static void new_unit(struct image *im, uint64_t off, uint64_t len, uint64_t va, uint32_t npages,
		     size_t *cap)
{
	struct mcore *m = im->priv;
	struct unit u = { .off = off, .len = (uint32_t)len, .va = va, .npages = npages };

	if (!len || len > STREAM_MAX || !part_holds(&im->parts[0], off, 1)) {
		damaged(im, &u, "is not in the file");
		return;
	}
	if (!part_holds(&im->parts[0], off, len)) {
		issue_add(&im->issues, ST_NODATA, "truncated image", 1,
			  "%s: the file ends %" PRIu64
			  " bytes before the end of the unit at %" PRIu64,
			  im->parts[0].path, off + len - im->parts[0].size, off);
		cause_add(&im->causes, CAUSE_CUT, 0, 0, NULL);
	}
	if (m->nunits == *cap) {
		*cap = *cap ? *cap * 2 : 1024;
		m->units = heap_grow(m->units, *cap, sizeof(*m->units));
	}
	m->units[m->nunits++] = u;
}

static uint8_t *read_map(struct image *im, const struct header *h, uint64_t *len)
{
	const struct image_part *p = &im->parts[0];
	uint8_t *map;
	size_t got;

	part_claims(im, p, h->map_off, h->map_len, "map");
	*len = min_u64(min_u64(h->map_len, p->size - h->map_off), p->stored);
	map = heap_bytes(*len);
	if (part_read_some(p, h->map_off, map, *len, &got))
		got = 0;
	*len = got;
	return map;
}

static void open_v2(struct image *im, const struct header *h, struct image_ctx *ctx)
{
	struct mcore *m = im->priv;
	unsigned w = im->word_size;
	uint64_t step = 2 * w + 8, len;
	uint8_t *map = read_map(im, h, &len);
	size_t ucap = 0, pcap = 0;

	for (uint64_t at = 0; at + step <= len; at += step) {
		uint64_t va = load_uint(map + at, w, im->big_endian);

		if (!va)
			break;
		new_unit(im, (uint64_t)load32(map + at + 2 * w, im->big_endian) * h->blk_size,
			 (uint64_t)load32(map + at + 2 * w + 4, im->big_endian) * h->blk_size, va,
			 0, &ucap);
	}
	free(map);
	for (uint32_t i = 0; i < m->nunits; i++)
		read_table(im, ctx, i, &pcap);
}

static void open_region_v1(struct image *im, const struct header *h, size_t *ucap, size_t *pcap)
{
	struct mcore *m = im->priv;
	unsigned w = im->word_size;
	uint64_t step = w == 4 ? 20 : 32, len, blk = h->blk_size;
	uint8_t *map = read_map(im, h, &len);
	uint32_t npages = (uint32_t)(h->va_per_entry / blk);

	for (uint64_t i = 0; i < h->map_entries && (i + 1) * step <= len; i++) {
		const uint8_t *e = map + i * step;
		uint64_t va = load_uint(e, w, im->big_endian);
		int64_t first = (int32_t)load32(e + 2 * w, im->big_endian);
		int64_t at = first + (int64_t)(h->at / blk) - OFFSET_BLKS;
		size_t before = m->nunits;

		if (!va)
			continue;
		new_unit(im, at < 0 ? UINT64_MAX : (uint64_t)at * blk,
			 (uint64_t)load32(e + 2 * w + 4, im->big_endian) * blk, va, npages, ucap);
		for (uint32_t p = 0; m->nunits > before && p < npages; p++)
			add_page(m, (uint32_t)before, p, va + p * blk, pcap);
	}
	free(map);
}

/* ---- opening ------------------------------------------------------------------------ */

static int by_va(const void *pa, const void *pb)
{
	const struct page *a = pa, *b = pb;

	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void describe(struct image *im)
{
	const struct mcore *m = im->priv;

	im->max_pfn = m->pages[m->npages - 1].va + 1;
	im->pages_present = m->npages;
}

/* Virtual addresses to frame numbers; of two pages at one address the first stays. */
static enum status settle(struct image *im)
{
	struct mcore *m = im->priv;
	uint64_t base;
	size_t n = 0;

	if (!m->npages)
		return fail(&im->diag, ST_NODATA,
			    "%s: an mcore dump without a readable page: "
			    "copy the dump again",
			    im->parts[0].path);
	sort_array(m->pages, m->npages, sizeof(*m->pages), by_va);
	base = m->pages[0].va;
	for (size_t i = 0; i < m->nunits; i++)
		if (m->units[i].va && m->units[i].va < base)
			base = m->units[i].va;
	for (size_t i = 0; i < m->npages; i++) {
		uint64_t pfn = (m->pages[i].va - base) >> im->page_shift;

		if (n && m->pages[n - 1].va == pfn)
			continue;
		if (pfn >= MEMORY_MAX >> im->page_shift) {
			issue_add(&im->issues, ST_LIMIT, "mcore page", m->npages - i,
				  "%s: impossible addresses", im->parts[0].path);
			break;
		}
		m->pages[n] = m->pages[i];
		m->pages[n++].va = pfn;
	}
	m->npages = n;
	if (!n)
		return fail(&im->diag, ST_CORRUPT, "%s: an mcore dump with impossible addresses",
			    im->parts[0].path);
	describe(im);
	return ST_OK;
}

/* ---- the saved index of version 2 ---------------------------------------------------- */

/* The number of units, place and length of each; frame, and unit << 32 | index in it, of each page. */
#define INDEX_WORDS 2u	/* of a unit, of a page */

static void index_put(const struct image *im)
{
	const struct mcore *m = im->priv;
	size_t n = 1 + INDEX_WORDS * (m->nunits + m->npages);
	uint64_t *all = heap_array(uint64_t, n), *v = all;

	*v++ = m->nunits;
	for (size_t i = 0; i < m->nunits; i++) {
		*v++ = m->units[i].off;
		*v++ = m->units[i].len;
	}
	for (size_t i = 0; i < m->npages; i++) {
		*v++ = m->pages[i].va;
		*v++ = (uint64_t)m->pages[i].unit << 32 | m->pages[i].index;
	}
	saved_put(im, &im->parts[0], "mcore", all, n);
	free(all);
}

/* As settle() leaves them? */
static bool is_index(const struct image *im)
{
	const struct mcore *m = im->priv;
	uint64_t below = MEMORY_MAX >> im->page_shift;

	for (size_t i = 0; i < m->nunits; i++)
		if (!m->units[i].len || m->units[i].len > STREAM_MAX ||
		    !part_holds(&im->parts[0], m->units[i].off, m->units[i].len))
			return false;
	for (size_t i = 0; i < m->npages; i++)
		if ((i && m->pages[i].va <= m->pages[i - 1].va) || m->pages[i].va >= below ||
		    m->pages[i].unit >= m->nunits ||
		    m->pages[i].index >= m->expanded >> im->page_shift)
			return false;
	return m->npages != 0;
}

static bool take_index(const struct image *im, const uint64_t *v, size_t n)
{
	struct mcore *m = im->priv;

	m->nunits = *v++;
	m->npages = (n - 1) / INDEX_WORDS - m->nunits;
	m->units = heap_array(struct unit, m->nunits);
	m->pages = heap_array(struct page, m->npages);
	for (size_t i = 0; i < m->nunits; i++, v += INDEX_WORDS)
		m->units[i] = (struct unit){ .off = v[0], .len = (uint32_t)v[1] };
	for (size_t i = 0; i < m->npages; i++, v += INDEX_WORDS)
		m->pages[i] = (struct page){ .va = v[0],
					     .unit = (uint32_t)(v[1] >> 32),
					     .index = (uint32_t)v[1] };
	return is_index(im);
}

static void forget(struct mcore *m)
{
	free(m->units);
	free(m->pages);
	m->units = NULL;
	m->pages = NULL;
	m->nunits = m->npages = 0;
}

static bool index_get(struct image *im)
{
	struct mcore *m = im->priv;
	size_t n = 0;
	uint64_t *v = saved_get(im, &im->parts[0], "mcore", &n);
	bool right = v && n && v[0] <= (n - 1) / INDEX_WORDS && take_index(im, v, n);

	if (right)
		describe(im);
	else
		forget(m);
	if (v && !right)
		saved_refuse(im, &im->parts[0]);
	free(v);
	return right;
}

static void ctx_free(struct image_ctx *ctx)
{
	free(ctx);
}

static struct image_ctx *ctx_new(const struct image *im)
{
	(void)im;
	return heap_array(struct image_ctx, 1);
}

static void set_geometry(struct image *im, const struct header *h, bool v1)
{
	struct mcore *m = im->priv;
	uint32_t blk = h->blk_size;

	im->page_shift = page_shift_of(blk);
	m->table = v1 ? 0 : ((UNIT_PAGES + 1) * im->word_size + blk - 1) / blk * blk;
	m->expanded = v1 ? (uint32_t)h->va_per_entry : m->table + UNIT_PAGES * blk;
	bundles_free(m->kept);
	m->kept = bundles_new(m->expanded + 1u, expand);
	snprintf(im->format, sizeof(im->format), "mcore, version %d", v1 ? 1 : 2);
	snprintf(im->header.compression, sizeof(im->header.compression), "zlib");
}

/* Positions count blocks, whose size only the header tells: it must be the size tried. */
static bool find_v1(struct image *im, uint32_t pos, struct header *h)
{
	for (unsigned shift = 12; shift <= BLOCK_SHIFT_MAX; shift++)
		if (find_kind(im, (uint64_t)pos << shift, true, h) &&
		    h->blk_size == UINT32_C(1) << shift)
			return true;
	return false;
}

/* The first word is a small block number, in one order or the other. */
static bool probe_v1(struct image *im, struct header *h)
{
	uint8_t raw[4];

	return !part_read(&im->parts[0], 0, raw, sizeof(raw)) && load32(raw, false) &&
	       (find_v1(im, load32(raw, false), h) || find_v1(im, load32(raw, true), h)) &&
	       h->va_per_entry && h->va_per_entry <= EXPANDED_MAX &&
	       h->va_per_entry % h->blk_size == 0;
}

static enum status open_v1(struct image *im)
{
	const struct image_part *p = &im->parts[0];
	size_t ucap = 0, pcap = 0;
	struct header h;
	uint8_t raw[4];

	if (!probe_v1(im, &h))
		return ST_NOTMINE;
	set_geometry(im, &h, true);
	for (uint32_t i = 0; i < REGIONS_MAX && !part_read(p, i * 4u, raw, sizeof(raw)); i++) {
		uint64_t pos = load32(raw, im->big_endian);

		if (!pos)
			break;
		if (!parse_header(p, pos << im->page_shift, im->word_size, im->big_endian, true,
				  &h) ||
		    h.va_per_entry != ((struct mcore *)im->priv)->expanded)
			issue_add(&im->issues, ST_CORRUPT, "mcore header", 1,
				  "%s: header %u is damaged", p->path, i);
		else
			open_region_v1(im, &h, &ucap, &pcap);
	}
	return settle(im);
}

static enum status open_v2_file(struct image *im, const struct header *h)
{
	struct image_ctx *ctx;
	enum status st;

	if (im->nparts > 1)
		return fail(&im->diag, ST_UNSUPPORTED,
			    "%s: an mcore dump is one file; name each dump on its own",
			    im->parts[0].path);
	set_geometry(im, h, false);
	if (index_get(im))
		return ST_OK;
	ctx = ctx_new(im);
	open_v2(im, h, ctx);
	ctx_free(ctx);
	st = settle(im);
	if (!st && saved_wanted(im) && !issues_total(&im->issues))
		index_put(im);
	return st;
}

static enum status mcore_open(struct image *im)
{
	struct header h;

	im->priv = arena_alloc(&im->mem, sizeof(struct mcore));
	return find_kind(im, 0, false, &h) ? open_v2_file(im, &h) : open_v1(im);
}

/* ---- pages ------------------------------------------------------------------------------ */

static const struct page *find_page(const struct image *im, uint64_t pfn)
{
	const struct mcore *m = im->priv;
	size_t lo = search_first(m->npages, mid, m->pages[mid].va < pfn);

	return lo < m->npages && m->pages[lo].va == pfn ? &m->pages[lo] : NULL;
}

static bool mcore_present(const struct image *im, uint64_t pfn)
{
	return find_page(im, pfn) != NULL;
}

static enum status mcore_read(const struct image *im, struct image_ctx *ctx, uint64_t pfn,
			      uint8_t *out)
{
	struct mcore *m = im->priv;
	const struct page *p = find_page(im, pfn);
	size_t size = (size_t)1 << im->page_shift, at;
	const struct bundle *x;
	enum status st;

	if (!p)
		return ST_NODATA;
	x = bundles_get(m->kept, im, ctx, p->unit);
	/* what a damaged unit gave is in got: nothing */
	at = m->table + p->index * size;
	st = at + size > x->got ? ST_CORRUPT : ST_OK;
	if (!st)
		memcpy(out, x->bytes + at, size);
	bundles_release(m->kept);
	return st;
}

static void mcore_close(struct image *im)
{
	struct mcore *m = im->priv;

	if (m) {
		bundles_free(m->kept);
		forget(m);
	}
	im->priv = NULL;
}

const struct image_ops mcore_image_ops = {
	.name = "mcore",
	.open = mcore_open,
	.present = mcore_present,
	.read = mcore_read,
	.ctx_new = ctx_new,
	.ctx_free = ctx_free,
	.close = mcore_close,
};
