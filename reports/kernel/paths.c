/* SPDX-License-Identifier: GPL-3.0-or-later */
/* paths - by which way the kernel's objects are reached from a variable: who holds them. */
#include "model/memory/reach/paths.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/kernel/reach_words.h"

#define TEXT  1024u /* bytes of a path, in which it is cut */
#define LEAST 1000u /* of all memory, that a row has that is shown without --all */

struct row {
	const char *kind, *root, *path;
	uint64_t objects, memory, steps, example;
};

#define P COL_SHOWN

static const struct column cols[] = {
	COL(struct row, objects, COL_UINT, P | COL_TOTAL, "",
	    "objects, areas and blocks of pages at the end of the path"),
	COL(struct row, memory, COL_BYTES, P | COL_TOTAL, "bytes", "their memory, with metadata"),
	COL(struct row, kind, COL_STR, 0, "",
	    "what is at its end: slab cache, class of pages, vmalloc"),
	COL(struct row, root, COL_STR, 0, "",
	    "where it begins: a variable, stacks, struct pages, reserved at boot; others: too many paths"),
	COL(struct row, steps, COL_UINT, 0, "",
	    "pointers from the root on; those within one cache are one"),
	COL(struct row, example, COL_HEX, P, "", "address of the first one"),
	COL(struct row, path, COL_STR, P | COL_WIDE, "", "root > cache > cache ..."),
};

static const char *path_text(const struct reach_paths *p, uint32_t i, struct arena *mem)
{
	uint32_t steps[PATH_STEPS + 1] = { 0 }, n = 0;
	char text[TEXT] = "";
	size_t len = 0;

	for (; i != UINT32_MAX && n < ARRAY_LEN(steps); i = p->v[i].up)
		steps[n++] = i;
	while (n-- && len < sizeof(text))
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", len ? " > " : "",
					p->v[steps[n]].step);
	return arena_printf(mem, "%s%s", text, len < sizeof(text) ? "" : "...");
}

static const char *root_of(const struct reach_paths *p, uint32_t i)
{
	while (p->v[i].up != UINT32_MAX)
		i = p->v[i].up;
	return p->v[i].step;
}

static const char *note(const struct reach *x, const struct reach_paths *p, struct arena *mem)
{
	uint64_t others = p->v[0].objects;

	return arena_printf(mem, "%" PRIu64 " KiB are reached by %u paths%s%s%s", p->bytes >> 10,
			    p->n - 1,
			    others ? "\nothers: there are more paths, or longer ones" : "",
			    x->doubt ? "\nIncomplete: " : "",
			    x->doubt ? reach_doubt_words(x->doubt) : "");
}

static enum status paths_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	enum reach_doubt why;
	struct reach *x = reach_build(s, &why);
	struct reach_paths p;
	struct row *rows;

	if (!x)
		return fail(diag, ST_ABSENT, "%s", reach_doubt_words(why));
	paths_build(x, PATHS_MAX, &t->mem, &p);
	rows = arena_array(&t->mem, struct row, p.n);
	for (uint32_t i = 0; i < p.n; i++)
		if (p.v[i].objects && (o->all || p.v[i].bytes >= p.bytes / LEAST))
			rows[t->nrows++] = (struct row){ .kind = p.v[i].step,
							 .root = root_of(&p, i),
							 .path = path_text(&p, i, &t->mem),
							 .objects = p.v[i].objects,
							 .memory = p.v[i].bytes,
							 .steps = p.v[i].depth,
							 .example = p.v[i].example };
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->note = note(x, &p, &t->mem);
	reach_tell(s, x);
	reach_free(x);
	return ST_OK;
}

const struct report report_paths = {
	.name = "paths",
	.about = "by which way the kernel's objects are reached from a variable",
	.needs = NEED_TASKS | NEED_VMAS | NEED_MACHINE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-memory,path",
	.run = paths_report,
	.dump_only = "it reads all of the kernel's memory",
	.help = "One row for each path from a variable, the stacks or the struct pages to objects of\n"
		"slabs, areas of vmalloc and pages that the kernel uses itself. An object is counted once, for the\n"
		"shortest path that was found; a list or tree of objects of one cache is one step. So\n"
		"the variable says who holds memory that grows, also if its objects have no type of\n"
		"their own: -w 'kind = \"kmalloc-4k\"'. Rows of less than a thousandth of the memory are left\n"
		"out; --all shows them.",
};
