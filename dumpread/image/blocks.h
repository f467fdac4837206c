/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blocks.h - what was read of the files of an image, kept for all its readers: walks go forward
 * in many places by turns, and come back to pages beside those that they read before.
 */
#ifndef VMCENSUS_IMAGE_BLOCKS_H
#define VMCENSUS_IMAGE_BLOCKS_H

#include "dumpread/image/format.h"

#define BLOCKS_BYTES (8u << 20)	/* that are kept at most; less of a smaller image */

struct blocks;

/* For the files of IM. Memory is taken as it is filled. */
struct blocks *blocks_new(const struct image *im);
/* B may be NULL. */
void blocks_free(struct blocks *b);

/* LEN bytes at OFF of P, a part of the image, to OUT; ST_NODATA if the file ends before. By any
   thread. */
enum status blocks_read(struct blocks *b, const struct image_part *p, uint64_t off, void *out,
			size_t len);

#endif
