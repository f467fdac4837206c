/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * window.h - read-ahead over one file: the bytes of neighbouring pages come
 * with one system call when a reader goes forward, and only those asked for
 * when it jumps.
 */
#ifndef VMCENSUS_IMAGE_WINDOW_H
#define VMCENSUS_IMAGE_WINDOW_H

#include "dumpread/image/format.h"

struct window {
	uint8_t *buf;
	size_t cap;			/* bytes of buf: most that is read ahead */
	size_t min;			/* bytes read after a jump */
	size_t ahead;			/* bytes to read at the next miss */
	const struct image_part *part;
	uint64_t off;			/* of buf[0] in part */
	size_t len;
	size_t lent;			/* bytes asked for since buf was filled */
};

/* CAP >= the largest LEN ever asked for. Allocates; free with window_free(). */
void window_init(struct window *w, size_t min, size_t cap);
void window_free(struct window *w);

/* Lend LEN bytes at OFF of P in *ret until the next call. */
enum status window_get(struct window *w, const struct image_part *p, uint64_t off,
		       size_t len, const uint8_t **ret);

#endif
