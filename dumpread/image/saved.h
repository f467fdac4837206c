/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * saved.h - what the opening of a dump finds out by reading all of it (where the records of a flattened
 * file and the frames of an AVML file are, which pages the units of an mcore file have), in a file of
 * its own: the next opening reads that instead.
 *
 * The file is 24 bytes of SAVED_MAGIC, then for each file of the dump
 *	0	8	kind, zero-padded
 *	8	8	bytes of that file
 *	16	8	a hash of parts of it
 *	24	8	N, the number of words
 *	32	8	a hash of the words
 *	40	8 N	words; all integers are little-endian
 */
#ifndef VMCENSUS_IMAGE_SAVED_H
#define VMCENSUS_IMAGE_SAVED_H

#include "dumpread/image/image.h"

#define SAVED_MAGIC "vmcensus index 1\n"

/*
 * The words that saved_put() wrote of the file P for KIND, and their number; malloc'ed. NULL: there are none. They are
 * as they were written, which does not make them true.
 */
uint64_t *saved_get(const struct image *im, const struct image_part *p, const char *kind, size_t *n);

/* Says that they are of no use. */
void saved_refuse(const struct image *im, const struct image_part *p);

/* Is there a place to write to? */
bool saved_wanted(const struct image *im);
/* Writes V[n]. If that fails a warning says so, and nothing is kept. */
void saved_put(const struct image *im, const struct image_part *p, const char *kind,
	       const uint64_t *v, size_t n);

#endif
