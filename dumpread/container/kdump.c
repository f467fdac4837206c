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
#include "dumpread/container/kdump_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "dumpread/image/blocks.h"
#include "dumpread/image/decompress.h"

struct kdump {
	struct bitmap bitmap;
	struct kdump_part *parts;	/* by start_pfn */
	unsigned nparts;
	struct blocks *blocks;
	bool whole;		/* every set bit has its page: nothing was lost */
	uint8_t block_shift;	/* log2 of the bytes that a bit stands for */
};

static size_t block_size(const struct image *im)
{
	const struct kdump *k = im->priv;

	return (size_t)1 << k->block_shift;
}

/* ---- opening ---------------------------------------------------------- */

/* A cut-off file may have only a part of the bitmap. */
static enum status open_bitmap(struct image *im, struct kdump *k, unsigned part)
{
	const struct kdump_part *kp = &k->parts[part];
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

/* Clip the part to the bitmap, and count its pages there. */
static uint64_t clip_part(struct kdump *k, struct kdump_part *kp)
{
	struct kdump_header *h = &kp->h;
	uint64_t nbits = k->bitmap.nbits;

	if (!h->split) {
		h->start_pfn = 0;
		h->end_pfn = nbits;
	}
	h->start_pfn = min_u64(h->start_pfn, nbits);
	h->end_pfn = max_u64(h->start_pfn, min_u64(h->end_pfn, nbits));
	kp->first_rank = bitmap_rank(&k->bitmap, NULL, h->start_pfn);
	return bitmap_rank(&k->bitmap, NULL, h->end_pfn) - kp->first_rank;
}

/* Does the bitmap count as many pages in each part as it has descriptors? */
static bool bitmap_fits(struct kdump *k)
{
	for (unsigned i = 0; i < k->nparts; i++) {
		struct kdump_part kp = k->parts[i];
		uint64_t n = clip_part(k, &kp);

		if (!kp.h.no_sub && kdump_count_descs(&kp, n) != n)
			return false;
	}
	return true;
}

/* Each part has the whole bitmap: the first that fits, or that of the first part. */
static enum status choose_bitmap(struct image *im, struct kdump *k)
{
	enum status st = open_bitmap(im, k, 0);

	if (st || k->nparts == 1 || bitmap_fits(k))
		return st;
	for (unsigned i = 1; !st && i < k->nparts; i++) {
		bitmap_close(&k->bitmap);
		st = open_bitmap(im, k, i);
		if (st || !bitmap_fits(k))
			continue;
		cause_table(&im->causes, "the page bitmap", 0, 0);
		issue_add(&im->issues, ST_CORRUPT, "page bitmap", 1,
			  "%s: the page bitmap is damaged; that of %s is used",
			  k->parts[0].file->path, k->parts[i].file->path);
		return ST_OK;
	}
	bitmap_close(&k->bitmap);
	return open_bitmap(im, k, 0);
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

		if (h->no_sub) {
			cause_table(&im->causes, "the sub-header", 0, 0);
			issue_add(&im->issues, ST_CORRUPT, "sub-header", 1,
				  "%s: the sub-header is damaged", p->path);
		}
		part_claims(im, p, h->bitmap_off, h->bitmap_len, "page bitmap");
		part_claims(im, p, h->vmcoreinfo_off, h->vmcoreinfo_len, "VMCOREINFO");
		part_claims(im, p, h->notes_off, h->notes_len, "notes");
		part_claims(im, p, h->erase_off, h->erase_len, "list of erased data");
	}
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
		if (im->nparts > 1 && !kp->h.split && !kp->h.no_sub)
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

/* N pages by the bitmap; returns how many the part has. */
static uint64_t settle_count(struct image *im, struct kdump *k, struct kdump_part *kp, uint64_t n)
{
	uint64_t want = kdump_count_descs(kp, n), lost = 0;
	bool mended;

	if (want == n)
		return n;
	mended = kdump_mend_bitmap(&k->bitmap, kp, want, &lost);
	im->pages_present -= lost;
	cause_table(&im->causes, "the page bitmap", lost, lost ? want : 0);
	issue_add(&im->issues, ST_CORRUPT, "page bitmap", 1,
		  "%s: has %" PRIu64 " page descriptors for %" PRIu64 " pages in the bitmap, %s",
		  kp->file->path, want, n,
		  !mended ? "and it cannot be told where it is damaged"
		  : lost  ? "a part of which is damaged"
			  : "which is mended from the bitmap of all memory");
	return mended ? want : min_u64(want, n);
}

/* The part without a sub-header is where the others leave a gap with as many pages as it has. */
static bool place_in_gap(struct kdump *k, struct kdump_part *kp)
{
	uint64_t next = 0;

	for (unsigned i = 0; i <= k->nparts; i++) {
		bool last = i == k->nparts;
		struct kdump_part gap = *kp;
		uint64_t n;

		if (!last && k->parts[i].h.no_sub)
			continue;
		gap.h.split = true;
		gap.h.start_pfn = next;
		gap.h.end_pfn = last ? k->bitmap.nbits : k->parts[i].h.start_pfn;
		n = clip_part(k, &gap);
		if (n && kdump_count_descs(&gap, n) == n) {
			*kp = gap;
			return true;
		}
		next = last ? next : k->parts[i].h.end_pfn;
	}
	return false;
}

/* Find out what of the dump the parts without a sub-header have. */
static enum status place_lost(struct image *im, struct kdump *k)
{
	for (unsigned i = 0; i < k->nparts; i++) {
		struct kdump_part *kp = &k->parts[i];
		uint64_t n;

		if (!kp->h.no_sub)
			continue;
		n = clip_part(k, kp);
		if (k->nparts == 1 ? kdump_count_descs(kp, n) >= n : place_in_gap(k, kp))
			continue;
		return fail(&im->diag, ST_CORRUPT,
			    "%s: the sub-header is damaged, and the file has a part of the pages: "
			    "if the dump is split, name all its other parts too",
			    kp->file->path);
	}
	return ST_OK;
}

/* Sort the parts, clip them to the bitmap and to each other, find their pages. */
static enum status place_parts(struct image *im, struct kdump *k)
{
	uint64_t next = 0, held = 0, n, total;
	enum status st;

	sort_array(k->parts, k->nparts, sizeof(*k->parts), by_start_pfn);
	st = place_lost(im, k);
	if (st)
		return st;
	sort_array(k->parts, k->nparts, sizeof(*k->parts), by_start_pfn);
	for (unsigned i = 0; i < k->nparts; i++) {
		struct kdump_part *kp = &k->parts[i];
		struct kdump_header *h = &kp->h;

		n = settle_count(im, k, kp, clip_part(k, kp));
		im->pages_present += n - kdump_find_losses(im, kp, n);
		if (h->end_pfn > next)
			held += bitmap_rank(&k->bitmap, NULL, h->end_pfn) -
				bitmap_rank(&k->bitmap, NULL, max_u64(next, h->start_pfn));
		next = max_u64(next, h->end_pfn);
	}
	total = bitmap_rank(&k->bitmap, NULL, k->bitmap.nbits);
	k->whole = k->nparts == 1 && im->pages_present == total;
	if (held == total)
		return ST_OK;
	issue_add(&im->issues, ST_NODATA, "missing part", total - held,
		  "%s: %" PRIu64 " pages are in parts of the split dump that were not named",
		  im->parts[0].path, total - held);
	name_missing(im, k, held, total);
	return ST_OK;
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
		flags |= kdump_parse_desc(buf + at, kp->h.big_endian).flags;
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
	st = choose_bitmap(im, k);
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
	st = place_parts(im, k);
	if (st)
		return st;
	k->blocks = blocks_new(im);
	describe(im, &k->parts[0]);
	return ST_OK;
}

/* ---- reading ---------------------------------------------------------- */

/* The part that holds PFN and the page's descriptor in it, or NULL. W may be NULL. */
static struct kdump_part *find_page(struct kdump *k, struct bitmap_window *w, uint64_t pfn,
				    uint64_t *index)
{
	unsigned lo = 0, hi = k->nparts;
	struct kdump_part *kp;

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
	*ret = kdump_parse_desc(raw + (index - first) * KDUMP_DESC, big);
	for (size_t i = 0; i < n; i++) {
		struct desc other = kdump_parse_desc(raw + i * KDUMP_DESC, big);

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
	struct kdump_part *kp;
	uint64_t index;
	enum status st;
	struct desc d;

	kp = find_page(k, &ctx->bits, pfn, &index);
	if (!kp)
		return ST_NODATA;
	st = get_desc(k, kp, index, &d);
	if (st)
		return st;
	if (!kdump_desc_ok(kp, &d)) {
		kdump_meet_bad(im, kp);
		return ST_CORRUPT;
	}
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

static void kdump_causes(const struct image *im, struct causes *to)
{
	const struct kdump *k = im->priv;

	for (unsigned i = 0; i < k->nparts; i++) {
		uint64_t bad = __atomic_load_n(&k->parts[i].bad, __ATOMIC_ACQUIRE);

		if (bad)
			cause_table(to, "page descriptors", bad, k->parts[i].ndescs);
	}
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
	.causes = kdump_causes,
};
