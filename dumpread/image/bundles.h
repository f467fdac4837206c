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

/* One that is expanded. */
struct bundle {
	uint8_t *bytes;		/* room for the SIZE of bundles_new() */
	size_t got;		/* bytes that it gave */
	enum status st;		/* of its expansion */
};

/* Expands bundle NUMBER into TO, whose got and st it sets. Several threads run it at once. */
typedef void bundles_expand(void *arg, size_t number, struct bundle *to);

/*
 * SIZE: bytes, room for any bundle. Keeps up to 32 MiB of them, four bundles at least; memory is taken
 * as they come. Never NULL.
 */
struct bundles *bundles_new(size_t size);
void bundles_free(struct bundles *b);

/*
 * Bundle NUMBER, which EXPAND is asked for if it is not kept. No other thread gets one until it is
 * given back with bundles_release().
 */
const struct bundle *bundles_get(struct bundles *b, size_t number, bundles_expand *expand, void *arg);
void bundles_release(struct bundles *b);

#endif
