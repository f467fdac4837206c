/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --where over arbitrary text: it is refused, or it can be evaluated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/core/pick.h"
#include "reports/core/where.h"

struct row {
	const char *name;
	char state;
	int64_t n;
	uint64_t count, bytes, addr, ns;
	double ratio;
};

static const struct column cols[] = {
	COL(struct row, name, COL_STR, 0, "", ""), COL(struct row, state, COL_CHAR, 0, "", ""),
	COL(struct row, n, COL_INT, 0, "", ""), COL(struct row, count, COL_UINT, 0, "", ""),
	COL(struct row, bytes, COL_BYTES, 0, "", ""), COL(struct row, addr, COL_HEX, 0, "", ""),
	COL(struct row, ns, COL_NSEC, 0, "", ""), COL(struct row, ratio, COL_RATIO, 0, "", ""),
};

#define NCOLS (sizeof(cols) / sizeof(cols[0]))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct row rows[] = {
		{ "apple", 'R', -1, 1, 4096, 0xffff000000000000, 1000000000, 0.5 },
		{ NULL, 0, COL_UNKNOWN_INT, COL_UNKNOWN, COL_UNKNOWN, COL_UNKNOWN, COL_UNKNOWN,
		  NAN },
	};
	struct where *w = NULL;
	struct sort order;
	struct diag diag;
	char *text;

	/* the C library's regular expressions may need exponential room: not ours to fuzz */
	if (size > 512 || memchr(data, '~', size))
		return 0;
	text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!where_parse(text, cols, NCOLS, &diag, &w))
		for (size_t i = 0; i < 2; i++)
			where_match(w, &rows[i]);
	where_free(w);
	sort_parse(text, cols, NCOLS, &diag, &order);
	free(text);
	return 0;
}
