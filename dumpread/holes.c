/* SPDX-License-Identifier: GPL-3.0-or-later */
/* holes.c - a large table of the kernel that is read although pages of it are missing. */
#include "dumpread/holes.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/dump.h"

#define ZEROS_MIN 512u		/* fewer at an end of the table prove nothing */

static void add(struct holes *h, size_t from, size_t to, enum status st)
{
	h->lost++;
	if (!h->st)
		h->st = st;
	if (h->n && (h->v[h->n - 1].to == from || h->n == HOLES_MAX))
		h->v[h->n - 1].to = to;
	else
		h->v[h->n++] = (struct hole){ from, to };
}

static bool zeros(const uint8_t *p, size_t len)
{
	return len >= ZEROS_MIN && !p[0] && !memcmp(p, p + 1, len - 1);
}

/* Bytes from AT of LEN bytes at ADDR that lie on one page. */
static size_t part_of_page(uint64_t addr, size_t at, size_t len, size_t page)
{
	return min_u64(len - at, page - ((addr + at) & (page - 1)));
}

void holes_read(struct reader *r, uint64_t kva, uint8_t *buf, size_t len, struct holes *ret)
{
	size_t page = dump_page_size(reader_dump(r));

	memset(ret, 0, sizeof(*ret));
	for (size_t at = 0, n; at < len; at += n) {
		enum status st;

		n = part_of_page(kva, at, len, page);
		st = read_kva(r, kva + at, buf + at, n);
		if (st)
			memset(buf + at, 0, n);
		else if (zeros(buf + at, n))
			st = ST_CORRUPT;
		ret->pages++;
		if (st)
			add(ret, at, at + n, st);
	}
}

void holes_of_zeros(const uint8_t *buf, uint64_t addr, size_t len, size_t page, struct holes *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t at = 0, n; at < len; at += n) {
		n = part_of_page(addr, at, len, page);
		ret->pages++;
		if (zeros(buf + at, n))
			add(ret, at, at + n, ST_CORRUPT);
	}
}

const struct hole *holes_in(const struct holes *h, size_t from, size_t to)
{
	for (unsigned i = 0; i < h->n && h->v[i].from < to; i++)
		if (h->v[i].to > from)
			return &h->v[i];
	return NULL;
}
