/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * census --unknown - the frames whose use is unknown, in groups: who allocated them where the
 * kernel keeps that, their shape, and what the words of some of them point to.
 */
#include "reports/page/census.h"

#include <inttypes.h>
#include <math.h>

#include "dumpread/base/bytes.h"
#include "model/memory/census/unknown.h"
#include "reports/core/common.h"

struct row {
	uint64_t size, pages, refs, blocks, pfn, sampled, absent;
	const char *zone, *shape, *cgroup, *site, *stack, *contents, *guess, *page_guess;
	double percent, addresses, zeros;
};

#define S COL_SHOWN
#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)
#define NUM(name, fl, unit, about) COL(struct row, name, COL_UINT, fl, unit, about)
#define PART(name, fl, about) COL(struct row, name, COL_RATIO, fl, "%", about)

static const struct column cols[] = {
	COL(struct row, size, COL_BYTES, S | COL_TOTAL, "bytes", "frames of this group"),
	PART(percent, S, "of the frames whose use is unknown"),
	STR(zone, S | COL_WIDE, "node and zone of the first"),
	NUM(pages, S, "pages", "in one block of the group"),
	STR(shape, S | COL_WIDE,
	    "compound; block: a page with references, and pages behind it without; no reference"),
	NUM(refs, 0, "", "references of the first page of a block; 2: or more"),
	NUM(blocks, 0, "", "number of blocks"),
	COL(struct row, pfn, COL_HEX, 0, "", "first frame of the first block"),
	STR(cgroup, 0, "control group that is charged with them"),
	STR(site, S | COL_WIDE, "line of the kernel that allocated them: allocation tags"),
	STR(stack, S, "functions that allocated them, the innermost first: page_owner"),
	STR(contents, S | COL_WIDE,
	    "of the pages that were read: zeros, one value everywhere, data; absent: not in the dump"),
	STR(guess, S, "a guess: what addresses in these pages point to, in % of all addresses in them"),
	STR(page_guess, 0, "a guess: the same of addresses in their struct pages, as of lists"),
	PART(addresses, 0, "words of the pages that are addresses of the kernel"),
	PART(zeros, 0, "words of the pages that are 0"),
	NUM(sampled, 0, "pages", "that were read for this: 64 of a group, 4096 in all, at most"),
	NUM(absent, 0, "pages", "that should have been read and are not in the dump"),
};

/* "slab kmalloc-64 41%, module x 12%" */
static const char *hits_text(const struct unknown_hit *to, uint64_t all, struct arena *mem)
{
	const char *text = NULL;

	for (unsigned i = 0; i < UNKNOWN_TOP && to[i].name; i++)
		text = arena_printf(mem, "%s%s%s %.0f%%", text ? text : "", text ? ", " : "",
				    to[i].name, 100.0 * (double)to[i].n / (double)all);
	return text;
}

static const char *shape_of(const struct unknown_group *u)
{
	if (u->compound)
		return u->mapped ? "compound, mapped" : "compound";
	if (!u->refs)
		return "no reference";
	if (u->mapped)
		return "mapped";
	return u->pages > 1 ? "block" : "page";
}

static const char *contents_of(const struct unknown_group *u, struct arena *mem)
{
	if (!u->sampled)
		return u->absent ? "absent" : NULL;
	if (u->uniform)
		return u->value ? arena_printf(mem, "all %#" PRIx64, u->value) : "zeros";
	return "data";
}

static void set_row(const struct snapshot *s, const struct unknown_group *u, uint64_t frames,
		    struct arena *mem, struct row *r)
{
	double words = (double)u->words;

	*r = (struct row){
		.size = u->frames * page_size(s),
		.percent = 100.0 * (double)u->frames / (double)frames,
		.zone = u->node_zone,
		.pages = u->pages,
		.shape = shape_of(u),
		.refs = u->refs,
		.blocks = u->blocks,
		.pfn = u->pfn,
		.cgroup = u->cgroup,
		.site = u->site,
		.stack = u->stack,
		.contents = contents_of(u, mem),
		.guess = hits_text(u->to, u->addresses, mem),
		.page_guess = hits_text(u->page_to, u->page_addresses, mem),
		.addresses = u->words ? 100.0 * (double)u->addresses / words : NAN,
		.zeros = u->words ? 100.0 * (double)u->zeros / words : NAN,
		.sampled = u->sampled,
		.absent = u->absent,
	};
	if (u->sampled && !r->guess)
		r->guess = "nothing";
}

static enum status unknown_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	const struct census *c = census_of(s);
	struct unknown u;
	struct row *rows;
	uint64_t frames = 0;

	(void)o;
	(void)diag;
	unknown_build(s, c, &t->mem, &u);
	rows = arena_array(&t->mem, struct row, u.n);
	for (size_t i = 0; i < u.n; i++)
		frames += u.v[i].frames;
	for (size_t i = 0; i < u.n; i++)
		set_row(s, &u.v[i], frames, &t->mem, &rows[i]);
	t->rows = rows;
	t->nrows = u.n;
	t->row_size = sizeof(*rows);
	t->note =
		u.origins
			? NULL
			: "This kernel does not keep who allocated a page (page_owner, allocation tags).";
	return ST_OK;
}

const struct report report_census_unknown = {
	.name = "census",
	.about = "frames whose use is unknown, by who allocated them, shape and contents",
	.needs = NEED_MACHINE | NEED_VMAS | NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_UNKNOWN,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-size,pfn",
	.run = unknown_report,
};
