/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdump_parts.h - one file of a kdump-compressed dump: its page descriptors, and what is wrong with them and
 * with the bitmap that counts them.
 */
#ifndef VMCENSUS_IMAGE_KDUMP_PARTS_H
#define VMCENSUS_IMAGE_KDUMP_PARTS_H

#include "dumpread/container/bitmap.h"
#include "dumpread/container/kdump.h"

struct kdump_part {
	struct kdump_header h;
	const struct image_part *file;
	uint64_t first_rank;	/* set bits before start_pfn */
	uint64_t ndescs;	/* descriptors that the file holds */
	uint64_t zero_off;	/* data of the page of zeros that many share */
	uint8_t *lost;		/* bit set: descriptor's data is not in the file;
				   NULL: none */
	uint64_t bad;		/* descriptors that no writer wrote; atomic, 0 until one is met */
	bool counted;		/* they are; atomic */
};

struct desc {
	uint64_t off;
	uint32_t size, flags;
};

struct desc kdump_parse_desc(const uint8_t *d, bool big);

/* Bytes of a block of KP: what a descriptor describes. */
static inline uint64_t kdump_block(const struct kdump_part *kp)
{
	return (uint64_t)1 << kp->h.page_shift;
}

/* Can a writer have written D? If not, the table is damaged there. */
bool kdump_desc_ok(const struct kdump_part *kp, const struct desc *d);

/*
 * The number of descriptors before the data of KP: data follow the descriptors, and the first of them is the
 * page of zeros that all such pages share, or the first page. TOTAL, by the bitmap, if they do not show it.
 */
uint64_t kdump_count_descs(const struct kdump_part *kp, uint64_t total);

/* Count what a cut-off file lost of TOTAL pages: sets kp->ndescs and kp->zero_off. */
uint64_t kdump_find_losses(struct image *im, struct kdump_part *kp, uint64_t total);

/* A descriptor that is not kdump_desc_ok() was met: counts all of them, once. */
void kdump_meet_bad(const struct image *im, struct kdump_part *kp);

/*
 * The bitmap B counts other pages in [start_pfn, end_pfn) of KP than the WANT descriptors: finds which chunks of it
 * are damaged, and leaves them out. Pages after them have their descriptors again; *LOST gets the number of those in
 * them, 0 if the first bitmap tells them all. False: it cannot be told where the damage is.
 */
bool kdump_mend_bitmap(struct bitmap *b, const struct kdump_part *kp, uint64_t want, uint64_t *lost);

#endif
