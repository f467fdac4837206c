/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * segments.h - containers that are runs of plain memory: the PT_LOADs of an ELF
 * dump, the ranges of a LiME file, raw memory at an address. They may overlap,
 * be unsorted, start inside a page or reach beyond the end of the file.
 */
#ifndef VMCENSUS_IMAGE_SEGMENTS_H
#define VMCENSUS_IMAGE_SEGMENTS_H

#include "dumpread/image/blocks.h"
#include "dumpread/image/extents.h"
#include "dumpread/image/format.h"

/* im->priv of such a format. */
struct segments {
	struct extents x;	/* physical address -> place */
	struct extents left_out; /* of their memory, what they have no bytes of */
	uint64_t top;		/* exclusive end of memory, bytes */
	uint64_t lost;		/* bytes beyond the end of their file */
	uint64_t claimed;	/* bytes that the headers say are there */
	uint64_t beyond;	/* segments above what can be believed */
	struct blocks *blocks;	/* NULL: live */
};

#define SEGMENTS_PARTS 0xffu	/* files of one image */

struct segment {
	unsigned part;		/* which file */
	uint64_t pa, off;	/* of the first byte: in memory, in the file */
	uint64_t filesz;	/* bytes in the file */
	uint64_t memsz;		/* bytes of memory; those beyond filesz were left out */
};

/* Needs im->page_shift. */
void segments_take(struct image *im, const struct segment *g);

/* After the last: sets max_pfn and pages_present; damage becomes issues. */
void segments_finish(struct image *im);

/* Hooks of struct image_ops. */
bool segments_present(const struct image *im, uint64_t pfn);
uint64_t segments_next(const struct image *im, uint64_t pfn);
enum status segments_read(const struct image *im, struct image_ctx *ctx, uint64_t pfn,
			  uint8_t *out);
struct image_ctx *segments_ctx_new(const struct image *im);
void segments_ctx_free(struct image_ctx *ctx);
void segments_close(struct image *im);
void segments_set_page_shift(struct image *im, uint8_t shift);

#define SEGMENTS_OPS							\
	.present = segments_present, .next = segments_next,		\
	.read = segments_read,						\
	.ctx_new = segments_ctx_new, .ctx_free = segments_ctx_free,	\
	.close = segments_close, .set_page_shift = segments_set_page_shift

#endif
