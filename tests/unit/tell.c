/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tell.c - runs a report on a snapshot; its output is discarded.
 */
#include "tests/unit/tell.h"

#include <stdlib.h>

#include "reports/core/pick.h"
#include "reports/render/render.h"

void tell(const struct snapshot *s, const char *name, const char *format)
{
	const struct report_opts opts = { .all = true, .kernel_threads = true };
	const struct report *r = report_find(name);
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct arena mem = { 0 };
	struct columns deflt, cols;
	struct diag diag;
	static const char *const paths[] = { "image" };
	const struct image_facts image = image_facts_of(s, paths, 1);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	columns_default(r->cols, r->ncols, false, &mem, &deflt);
	columns_all(r->cols, r->ncols, &deflt, &mem, &cols);
	if (!out || r->run(s, &opts, &t, &diag))
		abort();
	renderer_find(r, format)->render(&(struct render){
		.report = r, .opts = &opts, .s = s, .t = &t, .cols = cols.v, .ncols = cols.n,
		.units = { UNIT_KIB, 4096 }, .image = &image, .issues = s->k->issues }, out);
	fclose(out);
	free(text);
	arena_release(&t.mem);
	arena_release(&mem);
}
