/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Issues that threads meet: the sentences and the order are those of one thread. */
#include "dumpread/base/issues.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/jobs.h"
#include "tests/unit/check.h"
#include "tests/unit/issue_texts.h"

enum { ITEMS = 60 };

struct rig {
	struct issues *is;
	bool aside;
};

static void inner(void *ctx, unsigned worker, size_t item)
{
	struct rig *g = ctx;

	(void)worker;
	(void)item;
	issue_add(g->is, ST_FAULT, "inner", 1, "in a run of an item");
}

/* The first items take longest. */
static void meet(void *ctx, unsigned worker, size_t item)
{
	struct rig *g = ctx;
	struct issues_aside *own = g->aside ? calloc(1, sizeof(*own)) : NULL;

	(void)worker;
	usleep(item < 8 ? (unsigned)(8 - item) * 500 : 0);
	if (own)
		issues_begin_aside(g->is, own);
	if (item % 5 == 1)
		issue_add(g->is, ST_NODATA, "page", 2, "%zu", item);
	if (item % 7 == 3) {
		issue_add(g->is, ST_NODATA, "task", 1, "%zu", item);
		issue_add(g->is, ST_NODATA, "task", 1, "%zu again", item);
	}
	if (item == 50)
		jobs_run(2, 2, inner, g);
	if (own)
		issues_end_aside(g->is, own);
	free(own);
}

static const char *met_by(unsigned threads, bool aside)
{
	struct rig g = { .is = calloc(1, sizeof(*g.is)), .aside = aside };
	const char *ret;

	issues_init(g.is);
	issue_add(g.is, ST_FAULT, "file", 1, "before");
	jobs_run(threads, ITEMS, meet, &g);
	issue_add(g.is, ST_FAULT, "log", 1, "between");
	issue_add(g.is, ST_FAULT, "file", 1, "between");
	jobs_run(threads, ITEMS, meet, &g);
	issue_add(g.is, ST_FAULT, "file", 1, "after");
	ret = all_of(g.is);
	issues_release(g.is);
	free(g.is);
	return ret;
}

TEST(threads)
{
	static const char want[] = "file*3:before,between,after page*48:1,6,11 task*36:3,3 again,10 "
				   "inner*4:in a run of an item,in a run of an item,in a run of an item "
				   "log*1:between";

	for (unsigned threads = 1; threads < 9; threads++)
		for (unsigned aside = 0; aside < 2; aside++)
			CHECK_STR(met_by(threads, aside && threads > 1), want);
}
