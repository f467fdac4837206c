/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kimage.h - look through the kernel image for something without a name.
 *
 * The image is read piece by piece, each overlapping the one before; what
 * cannot be read is zeros. Addresses are kernel-virtual if VMCOREINFO says where
 * the text starts, else physical, from 0: the image is in one piece in both.
 */
#ifndef VMCENSUS_KIMAGE_H
#define VMCENSUS_KIMAGE_H

#include "dumpread/dump.h"

#define KIMAGE_STEP ((size_t)1 << 20)	/* bytes between two pieces */
#define KIMAGE_OVERLAP ((size_t)64 << 10)

struct kimage {
	struct reader *r;
	uint64_t start, end;	/* addresses to look at */
	uint64_t data;		/* of .data where it is known, else start */
	bool physical;
};

void kimage_init(struct kimage *ki, struct reader *r);

/*
 * LEN bytes at ADDR of the image's space; what cannot be read is zeros. Returns ST_OK, or why
 * a part of it could not be read: ST_FAULT if that is the reason everywhere.
 */
enum status kimage_read(const struct kimage *ki, uint64_t addr, uint8_t *buf, size_t len);

/*
 * Call FN for each piece: STEP bytes and the overlap after them, at ADDR. Things
 * that start in [0, STEP) are this piece's; FN returns true to stop, which is
 * then the answer. From .data backwards, then onwards: the searched data are
 * constant, and .rodata lies between .text and .data.
 */
bool kimage_scan(const struct kimage *ki,
		 bool (*fn)(void *arg, uint64_t addr, const uint8_t *buf, size_t len),
		 void *arg);

/* A word (4 bytes, as a little-endian number) with which something begins: not 0, and ... */
struct kimage_word {
	uint32_t mask;
	uint32_t either, or;	/* ... of the bits of the mask it has these or those */
};

/*
 * The first offset of BUF, from OFF on in steps of 4 bytes, at which there is such a word; END if
 * there is none below it. OFF and END are multiples of 4.
 */
size_t kimage_next(const uint8_t *buf, size_t off, size_t end, const struct kimage_word *begin);

#endif
