/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages of kdump-compressed files (headers: kdump_header.c).
 *
 *	bitmap		bit pfn % 8 of byte pfn / 8 is set if the page is there
 *	descriptors	one for each set bit of [start_pfn, end_pfn), in order:
 *		0	8	offset of the data in the file
 *		8	4	size of the data
 *		12	4	flags: the compressor
 *		16	8	page flags, unused
 *	data
 *
 * The number of set bits before a page's (bitmap.h) is the number of its descriptor. Neither
 * bitmap nor descriptors are held in memory. All parts of a split dump carry the whole
 * bitmap and their share of the pages.
 */
#include "dumpread/container/kdump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "dumpread/container/bitmap.h"
#include "dumpread/image/blocks.h"
#include "dumpread/image/decompress.h"

#define DESCS_AT_ONCE 1024

struct kdump_part {
	struct kdump_header h;
	const struct image_part *file;
	uint64_t first_rank;	/* set bits before start_pfn */
	uint64_t ndescs;	/* descriptors that the file holds */
	uint64_t zero_off;	/* data of the page of zeros that many share */
	uint8_t *lost;		/* bit set: descriptor's data is not in the file;
				   NULL: none */
};

struct kdump {
	struct bitmap bitmap;
	struct kdump_part *parts;	/* by start_pfn */
	unsigned nparts;
	struct blocks *blocks;
	bool whole;		/* every set bit has its page: nothing was lost */
	uint8_t block_shift;	/* log2 of the bytes that a bit stands for */
};

struct desc {
	uint64_t off;
	uint32_t size, flags;
};

static size_t block_size(const struct image *im)
{
	const struct kdump *k = im->priv;

	return (size_t)1 << k->block_shift;
}

static struct desc parse_desc(const uint8_t *d, bool big)
{
	return (struct desc){ load64(d, big), load32(d + 8, big), load32(d + 12, big) };
}

/* ---- opening ---------------------------------------------------------- */

/* A cut-off file may have only a part of the bitmap. */
static enum status open_bitmap(struct image *im, struct kdump *k)
{
	const struct kdump_part *kp = &k->parts[0];
	const struct kdump_header *h = &kp->h;
	uint64_t bytes = min_u64((h->max_mapnr + 7) / 8, h->bitmap_len);
	enum status st;

	if (h->bitmap_off < kp->file->size)
		bytes = min_u64(bytes, kp->file->size - h->bitmap_off);
	else
		bytes = 0;
	st = bitmap_open(&k->bitmap, &im->mem, kp->file, h->bitmap_off,
			 min_u64(h->max_mapnr, bytes * 8));
	if (st)
		return fail(&im->diag, st, "%s: cannot read the page bitmap", kp->file->path);
	return ST_OK;
}

/* Issues for losses before the pages and after them. */
static void note_header_loss(struct image *im, const struct kdump *k)
{
	const struct kdump_part *kp = &k->parts[0];

	if (k->bitmap.nbits < kp->h.max_mapnr) {
		cause_add(&im->causes, CAUSE_HEADER, 0, 0, NULL);
		issue_add(&im->issues, ST_NODATA, "truncated image",
			  kp->h.max_mapnr - k->bitmap.nbits,
			  "%s: the page bitmap is cut off after frame %" PRIu64, kp->file->path,
			  k->bitmap.nbits);
	}
	for (unsigned i = 0; i < k->nparts; i++) {
		const struct kdump_header *h = &k->parts[i].h;
		const struct image_part *p = k->parts[i].file;

		part_claims(im, p, h->bitmap_off, h->bitmap_len, "page bitmap");
		part_claims(im, p, h->vmcoreinfo_off, h->vmcoreinfo_len, "VMCOREINFO");
		part_claims(im, p, h->notes_off, h->notes_len, "notes");
		part_claims(im, p, h->erase_off, h->erase_len, "list of erased data");
	}
}

static void mark_lost(struct image *im, struct kdump_part *kp, uint64_t i)
{
	if (!kp->lost)
		kp->lost = arena_alloc(&im->mem, kp->ndescs / 8 + 1);
	kp->lost[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Offset 0: never written, because space ran out. */
static bool is_lost(const struct kdump_part *kp, const struct desc *d)
{
	return !d->off || !part_holds(kp->file, d->off, d->size);
}

/* Read up to DESCS_AT_ONCE descriptors from FIRST on; returns how many. */
static size_t read_descs(const struct kdump_part *kp, uint64_t first, struct desc *out)
{
	uint8_t buf[KDUMP_DESC * DESCS_AT_ONCE];
	size_t n = min_u64(DESCS_AT_ONCE, kp->ndescs - first), got;

	if (part_read_some(kp->file, kp->h.desc_off + first * KDUMP_DESC, buf, n * KDUMP_DESC,
			   &got))
		return 0;
	n = got / KDUMP_DESC;
	for (size_t i = 0; i < n; i++)
		out[i] = parse_desc(buf + i * KDUMP_DESC, kp->h.big_endian);
	return n;
}

static uint64_t mark_all_lost(struct image *im, struct kdump_part *kp)
{
	struct desc d[DESCS_AT_ONCE];
	uint64_t lost = 0;
	size_t n;

	for (uint64_t i = 0; i < kp->ndescs && (n = read_descs(kp, i, d)); i += n)
		for (size_t j = 0; j < n; j++)
			if (is_lost(kp, &d[j])) {
				lost++;
				mark_lost(im, kp, i + j);
			}
	return lost;
}

/*
 * Data follow the order of descriptors, except the page that all pages of zeros share:
 * the last descriptor of another page tells whether the file was cut off. In files that
 * were packed anew the shared page is not the first of all data; the last descriptors
 * name it then.
 */
static bool tail_is_lost(const struct kdump_part *kp)
{
	struct desc d[DESCS_AT_ONCE];
	uint64_t shared = UINT64_MAX;

	for (uint64_t end = kp->ndescs; end;) {
		uint64_t first = end > DESCS_AT_ONCE ? end - DESCS_AT_ONCE : 0;
		size_t n = min_u64(read_descs(kp, first, d), end - first);

		if (n < end - first)
			return true;
		if (end == kp->ndescs)
			/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): n were read */
			shared = d[n - 1].off;
		while (n--)
			if (is_lost(kp, &d[n]) || (d[n].off != kp->zero_off && d[n].off != shared))
				return is_lost(kp, &d[n]);
		end = first;
	}
	return false;
}

/* Count what a cut-off file lost. */
static uint64_t find_losses(struct image *im, struct kdump_part *kp, uint64_t total)
{
	uint64_t left = kp->file->size > kp->h.desc_off
				? (kp->file->size - kp->h.desc_off) / KDUMP_DESC
				: 0;
	bool incomplete = kp->h.status & KDUMP_INCOMPLETE;
	uint64_t lost;

	kp->ndescs = min_u64(total, left);
	lost = total - kp->ndescs;
	if (lost || incomplete || tail_is_lost(kp))
		lost += mark_all_lost(im, kp);
	if (lost || incomplete)
		cause_add(&im->causes, incomplete ? CAUSE_UNFINISHED : CAUSE_CUT, lost, total,
			  NULL);
	if (lost)
		issue_add(&im->issues, ST_NODATA, "truncated image", lost,
			  "%s: %" PRIu64 " of %" PRIu64 " pages are after the end of the file",
			  kp->file->path, lost, total);
	else if (incomplete)
		issue_add(&im->issues, ST_NODATA, "truncated image", 1,
			  "%s: its writer says that it ran out of space", kp->file->path);
	return lost;
}

/*
 * makedumpfile writes one page of zeros, first of all data, for all pages that
 * are zero. Going back there for each of them would defeat reading ahead.
 */
static void find_zero_page(const struct image *im, struct kdump_part *kp, uint64_t total)
{
	size_t size = (size_t)1 << im->page_shift, at = 0;
	uint64_t off = kp->h.desc_off + total * KDUMP_DESC;
	uint8_t buf[4096];

	for (; at < size; at += sizeof(buf)) {
		if (part_read(kp->file, off + at, buf, sizeof(buf)))
			return;
		for (size_t i = 0; i < sizeof(buf); i++)
			if (buf[i])
				return;
	}
	kp->zero_off = off;
}

/*
 * Does one more descriptor follow those of the TOTAL pages in the bitmap? Then the bitmap has lost a bit, and each page
 * after it would get the data of another. Between descriptors and data is nothing, or the page of zeros. One bit too
 * many shows as a page that is lost: its descriptor is data.
 */
static bool has_more_descs(const struct kdump_part *kp, uint64_t total, uint64_t block)
{
	uint64_t end = kp->h.desc_off + (total + 1) * KDUMP_DESC;
	uint8_t raw[KDUMP_DESC];
	struct desc d[DESCS_AT_ONCE], more;
	size_t n;

	if (kp->ndescs < total || part_read(kp->file, end - KDUMP_DESC, raw, sizeof(raw)))
		return false;
	more = parse_desc(raw, kp->h.big_endian);
	if (more.off < end || !more.size || more.size > block ||
	    !part_holds(kp->file, more.off, more.size))
		return false;
	n = read_descs(kp, 0, d);
	for (size_t i = 0; i < n; i++)
		if (d[i].off && d[i].off < end)
			return false;
	return n;
}

static int by_start_pfn(const void *a, const void *b)
{
	const struct kdump_part *x = a, *y = b;

	return (x->h.start_pfn > y->h.start_pfn) - (x->h.start_pfn < y->h.start_pfn);
}

static bool same_dump(const struct kdump_header *a, const struct kdump_header *b)
{
	return a->page_shift == b->page_shift && a->big_endian == b->big_endian &&
	       a->max_mapnr == b->max_mapnr && a->bitmap_len == b->bitmap_len &&
	       !strcmp(a->about.nodename, b->about.nodename) &&
	       !strcmp(a->about.release, b->about.release);
}

static enum status read_headers(struct image *im, struct kdump *k)
{
	struct kdump_part *first = &k->parts[0];

	for (unsigned i = 0; i < im->nparts; i++) {
		struct kdump_part *kp = &k->parts[i];
		enum status st = kdump_read_header(im, &im->parts[i], &kp->h);

		if (st == ST_NOTMINE && i)
			return fail(&im->diag, ST_CORRUPT,
				    "%s: is not a part of the dump that "
				    "starts with %s",
				    im->parts[i].path, im->parts[0].path);
		if (st)
			return st;
		kp->file = &im->parts[i];
		if (i && !same_dump(&first->h, &kp->h))
			return fail(&im->diag, ST_CORRUPT,
				    "%s and %s are not parts of one "
				    "dump",
				    im->parts[0].path, im->parts[i].path);
		if (im->nparts > 1 && !kp->h.split)
			return fail(&im->diag, ST_UNSUPPORTED,
				    "%s: is a whole dump, not a "
				    "part of one; name each dump on its own",
				    im->parts[i].path);
	}
	return ST_OK;
}

#define GAP_PARTS 64u	/* of a gap, at most: more are not named */

/* makedumpfile gives all parts the same number of pages: so many are in a gap of N pages. */
static uint64_t parts_in_gap(uint64_t n, uint64_t each)
{
	return each ? min_u64(max_u64((n + each / 2) / each, 1), GAP_PARTS) : 1;
}

/* The numbers of the parts that were not named: "1 and 3", "2 to 4". */
static void name_missing(struct image *im, struct kdump *k, uint64_t held, uint64_t total)
{
	uint64_t next = 0, number = 1, each = held / k->nparts;
	const char *names = "";

	for (unsigned i = 0; i <= k->nparts; i++) {
		const struct kdump_header *h = &k->parts[i < k->nparts ? i : 0].h;
		uint64_t start = i < k->nparts ? h->start_pfn : k->bitmap.nbits, gap, n;

		gap = start > next ? bitmap_rank(&k->bitmap, NULL, start) -
					     bitmap_rank(&k->bitmap, NULL, next)
				   : 0;
		n = gap ? parts_in_gap(gap, each) : 0;
		if (n)
			names = arena_printf(&im->mem, "%s%s%" PRIu64, names, *names ? " and " : "",
					     number);
		if (n > 1)
			names = arena_printf(&im->mem, "%s to %" PRIu64, names, number + n - 1);
		number += n + 1;
		next = max_u64(next, i < k->nparts ? h->end_pfn : next);
	}
	cause_add(&im->causes, CAUSE_PART, total - held, total, names);
}

/* Sort the parts, clip them to the bitmap and to each other, find their pages. */
static void place_parts(struct image *im, struct kdump *k)
{
	uint64_t next = 0, held = 0, nbits = k->bitmap.nbits, n;
	uint64_t total = bitmap_rank(&k->bitmap, NULL, nbits);

	sort_array(k->parts, k->nparts, sizeof(*k->parts), by_start_pfn);
	for (unsigned i = 0; i < k->nparts; i++) {
		struct kdump_part *kp = &k->parts[i];
		struct kdump_header *h = &kp->h;

		if (!h->split) {
			h->start_pfn = 0;
			h->end_pfn = nbits;
		}
		h->start_pfn = min_u64(h->start_pfn, nbits);
		h->end_pfn = max_u64(h->start_pfn, min_u64(h->end_pfn, nbits));
		kp->first_rank = bitmap_rank(&k->bitmap, NULL, h->start_pfn);
		n = bitmap_rank(&k->bitmap, NULL, h->end_pfn) - kp->first_rank;
		find_zero_page(im, kp, n);
		im->pages_present += n - find_losses(im, kp, n);
		if (has_more_descs(kp, n, block_size(im)))
			issue_add(&im->issues, ST_CORRUPT, "page bitmap", 1,
				  "%s: there are more page descriptors than pages in the bitmap",
				  kp->file->path);
		if (h->end_pfn > next)
			held += bitmap_rank(&k->bitmap, NULL, h->end_pfn) -
				bitmap_rank(&k->bitmap, NULL, max_u64(next, h->start_pfn));
		next = max_u64(next, h->end_pfn);
	}
	k->whole = k->nparts == 1 && im->pages_present == total;
	if (held == total)
		return;
	issue_add(&im->issues, ST_NODATA, "missing part", total - held,
		  "%s: %" PRIu64 " pages are in parts of the split dump that were not named",
		  im->parts[0].path, total - held);
	name_missing(im, k, held, total);
}

static void take_texts(struct image *im, const struct kdump_part *kp)
{
	const struct kdump_header *h = &kp->h;
	uint8_t *buf;

	if (h->vmcoreinfo_len && h->vmcoreinfo_len <= VMCOREINFO_MAX &&
	    h->vmcoreinfo_len <= kp->file->stored) {
		buf = arena_alloc(&im->mem, h->vmcoreinfo_len + 1);
		if (part_read(kp->file, h->vmcoreinfo_off, buf, h->vmcoreinfo_len) == ST_OK)
			image_take_vmcoreinfo(im, buf, h->vmcoreinfo_len);
	}
	if (h->notes_len && h->notes_len <= NOTES_MAX && h->notes_len <= kp->file->stored) {
		buf = arena_alloc(&im->mem, h->notes_len);
		if (part_read(kp->file, h->notes_off, buf, h->notes_len) == ST_OK)
			image_take_notes(im, buf, h->notes_len);
	}
	if (h->erase_len && h->erase_len <= ERASEINFO_MAX && h->erase_len <= kp->file->stored) {
		buf = arena_alloc(&im->mem, h->erase_len);
		if (part_read(kp->file, h->erase_off, buf, h->erase_len) == ST_OK)
			image_take_eraseinfo(im, buf, h->erase_len);
	}
}

/*
 * What the first pages say: each is expanded as its descriptor has it, and old writers leave the compressor out of the
 * header. If the header names one that none of them has, they are not compressed.
 */
static uint32_t used_compressors(const struct kdump_part *kp)
{
	uint8_t buf[KDUMP_DESC * 256];
	size_t n = min_u64(ARRAY_LEN(buf) / KDUMP_DESC, kp->ndescs) * KDUMP_DESC;
	uint32_t flags = 0;

	if (part_read(kp->file, kp->h.desc_off, buf, n))
		return kp->h.status & PAGE_COMPRESSED;
	for (size_t at = 0; at < n; at += KDUMP_DESC)
		flags |= parse_desc(buf + at, kp->h.big_endian).flags;
	return flags & PAGE_COMPRESSED;
}

static void describe(struct image *im, const struct kdump_part *kp)
{
	char split[32] = "";

	if (kp->h.split)
		snprintf(split, sizeof(split), ", split, %u part%s", im->nparts,
			 im->nparts > 1 ? "s" : "");
	snprintf(im->format, sizeof(im->format), "kdump-compressed%s%s",
		 kp->file->flat ? ", flattened" : "", split);
	im->header = kp->h.about;
	im->header.no_memmap = kp->h.status & KDUMP_NO_MEMMAP;
	if (im->header.no_memmap)
		log_warn(im->log,
			 "%s: made with makedumpfile -e: struct pages of the frames that it "
			 "left out are not in it; what these frames were is unknown",
			 kp->file->path);
	snprintf(im->header.compression, sizeof(im->header.compression), "%s",
		 compression_name(used_compressors(kp)));
}

static enum status kdump_open(struct image *im)
{
	struct kdump *k = arena_alloc(&im->mem, sizeof(*k));
	const struct kdump_header *h;
	enum status st;

	k->nparts = im->nparts;
	k->parts = arena_array(&im->mem, struct kdump_part, k->nparts);
	st = read_headers(im, k);
	if (st)
		return st;
	im->priv = k;
	h = &k->parts[0].h;
	im->big_endian = h->big_endian;
	im->elf_machine = h->elf_machine;
	im->word_size = h->word_size;
	im->page_shift = k->block_shift = h->page_shift;
	st = open_bitmap(im, k);
	if (st)
		return st;
	im->max_pfn = k->bitmap.nbits;
	take_texts(im, &k->parts[0]);
	if (!im->max_pfn && !im->vmcoreinfo)
		return fail(&im->diag, ST_NODATA,
			    "%s: cut off before any memory: copy the "
			    "dump again",
			    im->parts[0].path);
	note_header_loss(im, k);
	place_parts(im, k);
	k->blocks = blocks_new(im);
	describe(im, &k->parts[0]);
	return ST_OK;
}

/* ---- reading ---------------------------------------------------------- */

/* The part that holds PFN and the page's descriptor in it, or NULL. W may be NULL. */
static const struct kdump_part *find_page(struct kdump *k, struct bitmap_window *w, uint64_t pfn,
					  uint64_t *index)
{
	unsigned lo = 0, hi = k->nparts;
	const struct kdump_part *kp;

	if (pfn >= k->bitmap.nbits || !bitmap_get(&k->bitmap, w, pfn))
		return NULL;
	while (hi - lo > 1) {
		unsigned mid = lo + (hi - lo) / 2;

		if (k->parts[mid].h.start_pfn <= pfn)
			lo = mid;
		else
			hi = mid;
	}
	kp = &k->parts[lo];
	if (pfn < kp->h.start_pfn || pfn >= kp->h.end_pfn)
		return NULL;
	*index = bitmap_rank(&k->bitmap, w, pfn) - kp->first_rank;
	if (*index >= kp->ndescs || (kp->lost && kp->lost[*index / 8] >> *index % 8 & 1))
		return NULL;
	return kp;
}

/*
 * log2 of the kernel's pages in a block. QEMU's blocks have the size of the machine's
 * largest page (64K for pseries), whatever the kernel uses: cpu_get_dump_info(),
 * target/ppc/arch_dump.c of QEMU 7.2.
 */
static unsigned fold_of(const struct image *im)
{
	const struct kdump *k = im->priv;

	return (unsigned)(k->block_shift - im->page_shift);
}

static bool kdump_present(const struct image *im, uint64_t pfn)
{
	struct kdump *k = im->priv;
	uint64_t index;

	pfn >>= fold_of(im);
	if (k->whole)
		return pfn < k->bitmap.nbits && bitmap_get(&k->bitmap, NULL, pfn);
	return find_page(k, NULL, pfn, &index) != NULL;
}

/* Whole lines of the bitmap without a bit are passed over. */
static uint64_t kdump_next(const struct image *im, uint64_t pfn)
{
	struct kdump *k = im->priv;
	uint64_t bit = pfn >> fold_of(im), next = bitmap_next(&k->bitmap, bit);

	return next > bit ? next << fold_of(im) : pfn;
}

struct image_ctx {
	struct bitmap_window bits;
	struct decompressor *expand;
	uint8_t *data;		/* of a page, compressed */
	uint8_t *block;		/* the last one read in pieces, or NULL */
	uint64_t block_no;
};

/* Pages may share their data (those of zeros do), but have no part of them in common. */
static bool overlap(const struct desc *a, const struct desc *b)
{
	return a->off < b->off ? b->off - a->off < a->size
			       : a->off > b->off && a->off - b->off < b->size;
}

/*
 * Descriptor INDEX. Few compressors have a checksum: that an offset or a size is wrong shows in the
 * data of the page before or after, which follow each other in the file.
 */
static enum status get_desc(const struct kdump *k, const struct kdump_part *kp, uint64_t index,
			    struct desc *ret)
{
	uint64_t first = index ? index - 1 : 0;
	size_t n = min_u64(kp->ndescs - first, index - first + 2);
	bool big = kp->h.big_endian;
	uint8_t raw[3 * KDUMP_DESC];
	enum status st = blocks_read(k->blocks, kp->file, kp->h.desc_off + first * KDUMP_DESC, raw,
				     n * KDUMP_DESC);

	if (st)
		return st;
	*ret = parse_desc(raw + (index - first) * KDUMP_DESC, big);
	for (size_t i = 0; i < n; i++) {
		struct desc other = parse_desc(raw + i * KDUMP_DESC, big);

		if (overlap(ret, &other))
			return ST_CORRUPT;
	}
	return ST_OK;
}

static enum status read_block(const struct image *im, struct image_ctx *ctx, uint64_t pfn,
			      uint8_t *out)
{
	size_t page = block_size(im);
	struct kdump *k = im->priv;
	const struct kdump_part *kp;
	uint64_t index;
	enum status st;
	struct desc d;

	kp = find_page(k, &ctx->bits, pfn, &index);
	if (!kp)
		return ST_NODATA;
	st = get_desc(k, kp, index, &d);
	if (st)
		return st;
	if (!d.off)
		return ST_NODATA;
	if (!d.size || d.size > page)
		return ST_CORRUPT; /* data that do not shrink are stored as they are */
	if (d.off == kp->zero_off && d.size == page && !(d.flags & PAGE_COMPRESSED)) {
		memset(out, 0, page);
		return ST_OK;
	}
	/* no cut has lost it, so its descriptor is wrong */
	if (!part_holds(kp->file, d.off, d.size))
		return ST_CORRUPT;
	st = blocks_read(k->blocks, kp->file, d.off, ctx->data, d.size);
	if (st)
		return st;
	return decompress(ctx->expand, d.flags, ctx->data, d.size, out, page);
}

static enum status kdump_read(const struct image *im, struct image_ctx *ctx, uint64_t pfn,
			      uint8_t *out)
{
	unsigned fold = fold_of(im);
	uint64_t no = pfn >> fold;
	enum status st;

	if (!fold)
		return read_block(im, ctx, pfn, out);
	if (!ctx->block || ctx->block_no != no) {
		if (!ctx->block)
			ctx->block = heap_array(uint8_t, block_size(im));
		ctx->block_no = UINT64_MAX;
		st = read_block(im, ctx, no, ctx->block);
		if (st)
			return st;
		ctx->block_no = no;
	}
	memcpy(out, ctx->block + ((pfn & ((1u << fold) - 1)) << im->page_shift),
	       (size_t)1 << im->page_shift);
	return ST_OK;
}

/* A block may hold several of the kernel's pages, but not part of one. */
static void kdump_set_page_shift(struct image *im, uint8_t shift)
{
	const struct kdump *k = im->priv;
	uint64_t blocks = im->pages_present >> fold_of(im);

	if (shift > k->block_shift)
		return;
	im->page_shift = shift;
	im->max_pfn = k->bitmap.nbits << fold_of(im);
	im->pages_present = blocks << fold_of(im);
}

static struct image_ctx *kdump_ctx_new(const struct image *im)
{
	struct image_ctx *ctx = heap_array(struct image_ctx, 1);

	ctx->data = heap_bytes(block_size(im));
	ctx->expand = decompressor_new();
	return ctx;
}

static void kdump_ctx_free(struct image_ctx *ctx)
{
	bitmap_window_free(&ctx->bits);
	decompressor_free(ctx->expand);
	free(ctx->data);
	free(ctx->block);
	free(ctx);
}

static void kdump_close(struct image *im)
{
	struct kdump *k = im->priv;

	if (k) {
		bitmap_close(&k->bitmap);
		blocks_free(k->blocks);
	}
	im->priv = NULL;
}

const struct image_ops kdump_image_ops = {
	.name = "kdump",
	.open = kdump_open,
	.present = kdump_present,
	.next = kdump_next,
	.read = kdump_read,
	.ctx_new = kdump_ctx_new,
	.ctx_free = kdump_ctx_free,
	.close = kdump_close,
	.set_page_shift = kdump_set_page_shift,
};
