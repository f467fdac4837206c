/* SPDX-License-Identifier: GPL-3.0-or-later */
/* who - the places that point to an object of the kernel. */
#include "model/memory/reach/who.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/kernel/reach_words.h"

struct row {
	const char *kind, *where, *reached;
	uint64_t at, from, to;
};

#define P COL_SHOWN

static const struct column cols[] = {
	COL(struct row, kind, COL_STR, P, "",
	    "variable, module, per-CPU, stack, boot (reserved then), struct page, object, pages, vmalloc"),
	COL(struct row, where, COL_STR, P | COL_WIDE, "",
	    "symbol, task, slab cache or class of the page, and how far in it the pointer is"),
	COL(struct row, at, COL_HEX, P, "", "address of the pointer"),
	COL(struct row, from, COL_HEX, P, "", "of an object: where it begins"),
	COL(struct row, to, COL_HEX, P, "bytes", "how far into the object the pointer points; unknown: to its struct page"),
	COL(struct row, reached, COL_STR, P, "", "no: nothing points to the place itself"),
};

static const char *const kinds[] = {
	[WHO_VARIABLE] = "variable", [WHO_MODULE] = "module", [WHO_PERCPU] = "per-CPU",
	[WHO_STACK] = "stack",	     [WHO_BOOT] = "boot",     [WHO_STRUCT_PAGE] = "struct page",
	[WHO_OBJECT] = "object",     [WHO_PAGES] = "pages",   [WHO_AREA] = "vmalloc",
};

static const char *state_words(enum who_state state)
{
	switch (state) {
	case WHO_REACHED: break;
	case WHO_UNREACHED: return "not reached from any variable or stack";
	case WHO_FREE: return "free";
	}
	return "in use";
}

static const char *note(const struct who *w, const struct reach *x, struct arena *mem)
{
	return arena_printf(mem,
			    "%s, %" PRIu64 " bytes at %#" PRIx64 ", %s: %" PRIu64 " pointers%s%s",
			    w->what, w->size, w->kva, state_words(w->state), w->all,
			    x->doubt ? "\nIncomplete: " : "",
			    x->doubt ? reach_doubt_words(x->doubt) : "");
}

static void set_rows(const struct who *w, struct table *t)
{
	struct row *rows = arena_array(&t->mem, struct row, w->n);

	for (size_t i = 0; i < w->n; i++)
		rows[i] = (struct row){ .kind = kinds[w->v[i].kind],
					.where = w->v[i].name,
					.at = w->v[i].at,
					.from = w->v[i].from ? w->v[i].from : COL_UNKNOWN,
					.to = w->v[i].to == WHO_STRUCT ? COL_UNKNOWN : w->v[i].to,
					.reached = w->v[i].reached ? "yes" : "no" };
	t->rows = rows;
	t->nrows = w->n;
}

static enum status who_report(const struct snapshot *s, const struct report_opts *o,
			      struct table *t, struct diag *diag)
{
	enum status st = ST_OK;
	enum reach_doubt why;
	struct reach *x;
	struct who w;

	t->row_size = sizeof(struct row);
	x = reach_build(s, &why);
	if (!x)
		return fail(diag, ST_ABSENT, "%s", reach_doubt_words(why));
	if (who_build(x, o->address, &t->mem, &w)) {
		st = fail(diag, ST_ABSENT,
			  "%#llx is in no slab, no area of vmalloc and no page of the kernel's own",
			  (unsigned long long)o->address);
	} else {
		set_rows(&w, t);
		t->note = note(&w, x, &t->mem);
		reach_tell(s, x);
	}
	reach_free(x);
	return st;
}

const struct report report_who = {
	.name = "who",
	.about = "the places that point to an object of the kernel",
	.needs = NEED_TASKS | NEED_VMAS | NEED_MACHINE,
	.word = "ADDRESS",
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = who_report,
	.dump_only = "it reads all of the kernel's memory",
	.help = "One row for each word of the kernel that points into the object that ADDRESS is in: an\n"
		"object of a slab, a large kmalloc, an area of vmalloc, or pages that the kernel uses itself,\n"
		"also by the address of their struct page. A number that looks like the address counts too.\n"
		"Free objects are not read; of an object that is free, the rows are pointers that are left.\n"
		"At most 10000 places are shown.",
};
