/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nearest.c - the distance of Damerau and Levenshtein, in three rows.
 */
#include "reports/core/nearest.h"

#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"

#define LONGEST 32u	/* bytes of a name; nobody mistypes a longer one */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Both have at most LONGEST bytes. */
static unsigned steps(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2], *spare;

	for (unsigned j = 0; j <= nb; j++)
		last[j] = j;
	for (unsigned i = 1; i <= na; i++) {
		now[0] = i;
		for (unsigned j = 1; j <= nb; j++) {
			now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]),
				       least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

void nearest_try(struct nearest *n, const char *name)
{
	size_t len = strlen(name);
	unsigned d;

	if (n->len > LONGEST || len > LONGEST)
		return;
	d = steps(n->word, n->len, name, len);
	if (d > max_u64(n->len / 3, 1) || d >= max_u64(n->len, len) || (n->name && d >= n->steps))
		return;
	n->name = name;
	n->steps = d;
}

const char *nearest_words(const struct nearest *n, const char *prefix, char *buf, size_t size)
{
	*buf = '\0';
	if (n->name)
		snprintf(buf, size, " (did you mean %s%s?)", prefix, n->name);
	return buf;
}
