/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * glyphs.c - page maps with one character per page.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/page/glyphs.h"

#define LINE 64
#define EMPTY_MAX 16	/* lines: for more of them in a row, only their number is printed */

struct printer {
	FILE *out;
	uint64_t empty;		/* whole lines without a page, not yet printed */
};

static void flush_empty(struct printer *p)
{
	char line[LINE + 1];

	memset(line, '.', LINE);
	line[LINE] = '\0';
	if (p->empty > EMPTY_MAX)
		fprintf(p->out, "[%" PRIu64 " pages that are not resident]\n", p->empty * LINE);
	else
		while (p->empty--)
			fprintf(p->out, "[%s]\n", line);
	p->empty = 0;
}

static char glyph(uint8_t count)
{
	return count >= 10 ? '#' : count ? (char)('0' + count) : '.';
}

/* N counts, at most LINE; NULL: all 0. */
static void put_glyphs(struct printer *p, const uint8_t *counts, uint64_t n)
{
	static const uint8_t zero[LINE];
	char line[LINE + 1];

	if (n == LINE && (!counts || !memcmp(counts, zero, LINE))) {
		p->empty++;
		return;
	}
	flush_empty(p);
	memset(line, ' ', LINE);
	line[LINE] = '\0';
	for (uint64_t i = 0; i < n; i++)
		line[i] = glyph(counts ? counts[i] : 0);
	fprintf(p->out, "[%s]\n", line);
}

void glyphs_print(const struct residency *map, uint64_t n, FILE *out)
{
	struct printer p = { .out = out };

	for (uint64_t at = 0; at < n; at += RESIDENCY_CHUNK) {
		const uint8_t *c = residency_chunk(map, at / RESIDENCY_CHUNK);
		uint64_t here = min_u64(n - at, RESIDENCY_CHUNK);

		if (!c && here == RESIDENCY_CHUNK) {
			p.empty += RESIDENCY_CHUNK / LINE;
			continue;
		}
		for (uint64_t i = 0; i < here; i += LINE)
			put_glyphs(&p, c ? c + i : NULL, min_u64(here - i, LINE));
	}
	flush_empty(&p);
}
