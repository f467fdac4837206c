/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unreached - objects of the kernel that nothing points to, in groups that look alike.
 */
#include "model/memory/reach/unreached.h"

#include <inttypes.h>
#include <math.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/kernel/reach_words.h"

#define LEAST_OBJECTS 10u
#define LEAST_BYTES   (64u << 10)

struct row {
	const char *kind, *from, *signature, *certainty;
	uint64_t objects, memory, heads, example;
	double share;
};

#define P COL_SHOWN

static const struct column cols[] = {
	COL(struct row, kind, COL_STR, P, "",
	    "slab cache; large kmalloc; pages N: blocks of so many pages without an owner; vmalloc; other groups"),
	COL(struct row, objects, COL_UINT, P | COL_TOTAL, "",
	    "objects of the group that nothing in use points to"),
	COL(struct row, memory, COL_BYTES, P | COL_TOTAL, "bytes", "their memory, with metadata"),
	COL(struct row, heads, COL_UINT, P | COL_TOTAL, "",
	    "of them, those that nothing at all points to; the others hang on these, or on each other"),
	COL(struct row, share, COL_RATIO, P, "%", "of the objects of the cache that are in use"),
	COL(struct row, from, COL_STR, P | COL_WIDE, "",
	    "who allocated them (slub_debug=U, allocation tags, page_owner, vmalloc), else what of a module they point to"),
	COL(struct row, signature, COL_STR, P, "",
	    "what words of their beginning point to, by offset; zeros, text, data: no word points anywhere"),
	COL(struct row, example, COL_HEX, P, "", "address of the first one"),
	COL(struct row, certainty, COL_STR, P | COL_WIDE, "",
	    "no pointer found; only from unreached objects; known: of the kernel itself; cannot tell, with the reason"),
};

static const char *certainty(const struct reach *x, const struct unreached_group *g,
			     struct arena *mem)
{
	switch (g->certainty) {
	case UNREACHED_NO_POINTER: return "no pointer found";
	case UNREACHED_FROM_UNREACHED: return "only from unreached objects";
	case UNREACHED_KNOWN: return "known";
	case UNREACHED_CANNOT_TELL:
		return arena_printf(mem, "cannot tell: %s", reach_doubt_words(x->doubt));
	case UNREACHED_MIXED: return NULL;
	case UNREACHED_USUAL: break;
	}
	return arena_printf(mem, "cannot tell: up to %u such pages are usual", UNREACHED_PAGES);
}

static const char *kind(const struct reach *x, const struct unreached_group *g, struct arena *mem)
{
	switch (g->kind) {
	case UNREACHED_OBJECT: break;
	case UNREACHED_KMALLOC: return "large kmalloc";
	case UNREACHED_PAGES_OF: return arena_printf(mem, "pages %" PRIu64, g->pages);
	case UNREACHED_AREA: return "vmalloc";
	case UNREACHED_OTHERS: return "other groups";
	}
	return arena_strdup(mem, x->caches.v[g->cache].name);
}

/* Is the group too small to be a leak, or none? */
static bool is_minor(const struct unreached_group *g)
{
	return g->certainty == UNREACHED_KNOWN || g->certainty == UNREACHED_USUAL ||
	       (g->objects < LEAST_OBJECTS && g->bytes < LEAST_BYTES);
}

static const char *note(const struct reach *x, const struct unreached *u, uint64_t left_out,
			struct arena *mem)
{
	return arena_printf(
		mem,
		"%" PRIu64 " of %" PRIu64 " objects in use are not reached (%.3f %%), %" PRIu64
		" KiB; groups not shown: %" PRIu64 " (--all)\n"
		"Objects kept by a physical address or an encoded pointer look the same.%s%s",
		u->objects, x->in_use,
		x->in_use ? 100.0 * (double)u->objects / (double)x->in_use : 0.0, u->bytes >> 10,
		left_out, x->doubt ? "\nNot to be believed: " : "",
		x->doubt ? reach_doubt_words(x->doubt) : "");
}

static void set_row(const struct reach *x, const struct unreached_group *g, struct arena *mem,
		    struct row *r)
{
	*r = (struct row){ .kind = kind(x, g, mem),
			   .objects = g->objects,
			   .memory = g->bytes,
			   .heads = g->heads,
			   .share = g->of ? 100.0 * (double)g->objects / (double)g->of : NAN,
			   .from = g->from,
			   .signature = g->signature,
			   .example = g->example,
			   .certainty = certainty(x, g, mem) };
}

static enum status unreached_report(const struct snapshot *s, const struct report_opts *o,
				    struct table *t, struct diag *diag)
{
	enum reach_doubt why;
	struct reach *x = reach_build(s, &why);
	struct unreached u;
	struct row *rows;

	if (!x)
		return fail(diag, ST_ABSENT, "%s", reach_doubt_words(why));
	unreached_build(x, UNREACHED_GROUPS, &t->mem, &u);
	rows = arena_array(&t->mem, struct row, u.n);
	for (uint32_t i = 0; i < u.n; i++)
		if (o->all || !is_minor(&u.v[i]))
			set_row(x, &u.v[i], &t->mem, &rows[t->nrows++]);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->note = note(x, &u, u.n - t->nrows, &t->mem);
	reach_tell(s, x);
	reach_free(x);
	return ST_OK;
}

const struct report report_unreached = {
	.name = "unreached",
	.about = "objects of the kernel that nothing points to: what may have leaked",
	.needs = NEED_TASKS | NEED_VMAS | NEED_MACHINE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-memory,example",
	.run = unreached_report,
	.dump_only = "it reads all of the kernel's memory",
	.help = "Reads the words of all that the kernel has: variables, per-CPU memory, stacks, struct\n"
		"pages, and from there each object of a slab, large kmalloc, area of vmalloc and page of\n"
		"no known use that one of them points to. What is in use and was not met is shown in\n"
		"groups of one slab cache, one maker and one shape, of at least 10 objects or 64 KiB; --all\n"
		"shows all. Beyond 16383 groups the rest is one row, \"other groups\", and exit status 2.\n"
		"\n"
		"That nothing points to an object does not prove that it leaked: it may be kept by a\n"
		"physical address or by an encoded pointer. And a leaked object is not shown if an old\n"
		"pointer to it is left anywhere. Needs the kernel's own memory in full (makedumpfile -d 31\n"
		"is enough), and SLUB; a running machine changes too fast.",
};
