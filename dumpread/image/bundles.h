/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundles.h - pages that a file holds compressed together: a unit of mcore, a frame of AVML. Pages of
 * many bundles are read by turns: those that were expanded are kept for all readers, and the one
 * that was not asked for the longest gives way.
 */
#ifndef VMCENSUS_IMAGE_BUNDLES_H
#define VMCENSUS_IMAGE_BUNDLES_H

#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/status.h"

struct bundles;
struct image;
struct image_ctx;

/* One that is expanded. */
struct bundle {
	uint8_t *bytes;		/* room for the SIZE of bundles_new() */
	size_t got;		/* bytes that it gave */
	enum status st;		/* of its expansion */
};

/* Expands bundle NUMBER of IM into TO, whose got and st it sets. Several threads run it at once, each
   with a CTX of its own. */
typedef void bundles_expand(const struct image *im, struct image_ctx *ctx, size_t number,
			    struct bundle *to);

/*
 * SIZE: bytes, room for any bundle, which EXPAND expands. Keeps up to 32 MiB of them, four bundles at least; memory is taken
 * as they come. Never NULL.
 */
struct bundles *bundles_new(size_t size, bundles_expand *expand);
void bundles_free(struct bundles *b);

/*
 * Bundle NUMBER, which is expanded if it is not kept. No other thread gets one until it is given back
 * with bundles_release().
 */
const struct bundle *bundles_get(struct bundles *b, const struct image *im, struct image_ctx *ctx,
				 size_t number);
void bundles_release(struct bundles *b);

#endif
