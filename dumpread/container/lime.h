/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lime.h - the headers of LiME and AVML files: 32 bytes in front of each range
 * of memory (LiME src/lime.h, struct lime_mem_range_header; AVML src/image.rs).
 *
 *	0	magic	u32	"LiME" or "LMVA", in the byte order of the machine
 *	4	version	u32	1 LiME, 2 AVML
 *	8	s_addr	u64
 *	16	e_addr	u64	inclusive
 *	24	reserved	zeros
 */
#ifndef VMCENSUS_IMAGE_LIME_H
#define VMCENSUS_IMAGE_LIME_H

#include "dumpread/image/format.h"

#define LIME_HEADER 32u

struct lime_kind {
	uint32_t magic, version;
};

struct lime_range {
	uint64_t off;		/* of what follows the header, in the file */
	uint64_t start, end;	/* of the memory; end exclusive */
	/* of lime_next(); all 0 at first */
	uint64_t searched;	/* bytes that were read in search of headers */
	uint8_t *window;	/* the last of them, freed at the end */
	uint64_t window_off;
	size_t window_len;
};

/* Is there a header of that kind at OFF? Sets im->big_endian if FIRST. */
bool lime_header(struct image *im, const struct lime_kind *kind, uint64_t off, bool first,
		 struct lime_range *ret);

/*
 * The first header at OFF or after it. A range whose header is damaged is counted as
 * an issue and costs only itself. RET is that of the call before and knows how much
 * was read in search: at most twice the bytes that the file has on disk, because a file
 * inside a flattened one may claim any size. Call it until it returns false, at the end.
 */
bool lime_next(struct image *im, const struct lime_kind *kind, uint64_t off,
	       struct lime_range *ret);

#endif
