/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * window.h - read-ahead over files: the bytes of neighbouring pages come with one system call
 * when a reader goes forward, and only those asked for when it jumps. There are several
 * windows, because a reader goes forward in several places by turns. Where each call takes long
 * (a file on a server), jumps read ahead as well.
 */
#ifndef VMCENSUS_IMAGE_WINDOW_H
#define VMCENSUS_IMAGE_WINDOW_H

#include "dumpread/image/format.h"

#define WINDOW_PLACES 8

struct window {
	struct window_place {
		uint8_t *buf;			/* cap bytes, from its first use on */
		size_t ahead;			/* bytes to read when it goes on */
		const struct image_part *part;
		uint64_t off;			/* of buf[0] in part */
		size_t len;
		size_t lent;			/* bytes asked for since buf was filled */
		uint32_t used;			/* window.turn when it was last used */
	} place[WINDOW_PLACES];
	unsigned last;
	uint32_t turn;
	size_t cap;			/* most that is read ahead, bytes */
	size_t min;			/* bytes read after a jump */
	uint32_t took;			/* ns that a call takes, smoothed */
};

/* CAP >= the largest LEN ever asked for. Allocates; free with window_free(). */
void window_init(struct window *w, size_t min, size_t cap);
void window_free(struct window *w);

/* Lend LEN bytes at OFF of P in *ret until the next call. */
enum status window_get(struct window *w, const struct image_part *p, uint64_t off,
		       size_t len, const uint8_t **ret);

#endif
