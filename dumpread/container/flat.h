/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flat.h - the flattened format of makedumpfile -F: a dump sent through a pipe
 * as (offset, length, bytes) records, read as if makedumpfile -R had put it
 * back together.
 */
#ifndef VMCENSUS_IMAGE_FLAT_H
#define VMCENSUS_IMAGE_FLAT_H

#include "dumpread/image/extents.h"
#include "dumpread/image/format.h"

/*
 * Index the records of P. ST_NOTMINE: not flattened. Otherwise p->flat and
 * p->size are set; a cut-off file is counted in im->issues and still opens.
 */
enum status flat_open(struct image *im, struct image_part *p);
void flat_free(struct flat *f);

/* The places in the file of the bytes of the dump. */
const struct extents *flat_extents(const struct flat *f);

/* As part_read_some(); holes between records read as zeros, as with -R. */
enum status flat_read_some(const struct image_part *p, uint64_t off, void *buf,
			   size_t len, size_t *got);

#endif
