/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * holes.h - a large table of the kernel that is read although pages of it are missing.
 *
 * The kernel's symbols and types take hundreds of pages. One that cannot be read costs what lies on it: it
 * is a hole, a range of bytes that are zeros. A page of zeros is a hole as well: no page of these tables is
 * so, and a dump whose writer or whose decompression failed has zeros there.
 */
#ifndef VMCENSUS_HOLES_H
#define VMCENSUS_HOLES_H

#include "dumpread/reader.h"

#define HOLES_MAX 64u		/* more are joined with what lies between them */

struct hole {
	size_t from, to;	/* bytes from the start of the table */
};

struct holes {
	struct hole v[HOLES_MAX];	/* ascending, apart from each other */
	unsigned n;
	unsigned lost, pages;	/* pages that are missing, of all */
	enum status st;		/* why the first is missing; ST_OK: there is none */
};

/* LEN bytes at KVA into BUF. */
void holes_read(struct reader *r, uint64_t kva, uint8_t *buf, size_t len, struct holes *ret);
/* The holes of LEN bytes at BUF, whose first is at ADDR, by their zeros; pages have PAGE bytes. */
void holes_of_zeros(const uint8_t *buf, uint64_t addr, size_t len, size_t page, struct holes *ret);
/* The first hole that has a byte of [from, to); NULL: none. */
const struct hole *holes_in(const struct holes *h, size_t from, size_t to);

#endif
