/* SPDX-License-Identifier: GPL-3.0-or-later */
/* refs - dentries, inodes and open files with more references than pointers. */
#include "model/memory/reach/refcounts.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/kernel/reach_words.h"

#define LEAST_OBJECTS 10u
#define LEAST_EXCESS  1000u

struct row {
	const char *type, *superblock, *name, *certainty;
	uint64_t objects, excess, memory, example;
};

#define P COL_SHOWN

static const struct column cols[] = {
	COL(struct row, type, COL_STR, P, "", "dentry, inode, file (open file)"),
	COL(struct row, superblock, COL_STR, P | COL_WIDE, "",
	    "file system, and its device or else its mount point"),
	COL(struct row, objects, COL_UINT, P | COL_TOTAL, "",
	    "objects with more references than pointers to them"),
	COL(struct row, excess, COL_UINT, P | COL_TOTAL, "",
	    "references above the pointers, of all of them"),
	COL(struct row, memory, COL_BYTES, P | COL_TOTAL, "bytes",
	    "their memory, with metadata, and that of the dentries and inodes that they keep; no cached pages"),
	COL(struct row, example, COL_HEX, P, "", "address of the first one"),
	COL(struct row, name, COL_STR, P | COL_WIDE, "", "its path"),
	COL(struct row, certainty, COL_STR, P | COL_WIDE, "",
	    "count above all pointers found; cannot tell, with the reason"),
};

static const char *const types[REFCOUNTS_TYPES] = { "dentry", "inode", "file" };

static const char *superblock(const struct refcounts_group *g, struct arena *mem)
{
	const char *where = g->device ? g->device : g->mount;

	return where ? arena_printf(mem, "%s %s", g->fs, where) : arena_strdup(mem, g->fs);
}

static const char *certainty(const struct reach *x, struct arena *mem)
{
	return x->doubt ? arena_printf(mem, "cannot tell: %s", reach_doubt_words(x->doubt))
			: "count above all pointers found";
}

/* Too few to be a leak: references in use, whose pointer was in a register. */
static bool is_minor(const struct refcounts_group *g)
{
	return g->objects < LEAST_OBJECTS && g->excess < LEAST_EXCESS;
}

static const char *note(const struct reach *x, const struct refcounts *v, uint64_t left_out,
			struct arena *mem)
{
	const char *text = arena_printf(mem,
					"%" PRIu64 " dentries, %" PRIu64 " inodes and %" PRIu64
					" files were compared; groups not shown: %" PRIu64
					" (--all)",
					v->seen[REFCOUNTS_DENTRY], v->seen[REFCOUNTS_INODE],
					v->seen[REFCOUNTS_FILE], left_out);

	for (int i = 0; i < REFCOUNTS_TYPES; i++)
		if (!v->known[i])
			text = arena_printf(mem,
					    "%s\nNot compared, for its slab cache is not known: %s",
					    text, types[i]);
	return x->doubt ? arena_printf(mem, "%s\nNot to be believed: %s", text,
				       reach_doubt_words(x->doubt))
			: text;
}

static void set_rows(const struct reach *x, const struct refcounts *v, bool all, struct table *t)
{
	struct row *rows = arena_array(&t->mem, struct row, v->n);

	for (uint32_t i = 0; i < v->n; i++) {
		const struct refcounts_group *g = &v->v[i];

		if (is_minor(g) && !all)
			continue;
		rows[t->nrows++] = (struct row){ .type = types[g->type],
						 .superblock = superblock(g, &t->mem),
						 .name = g->name,
						 .certainty = certainty(x, &t->mem),
						 .objects = g->objects,
						 .excess = g->excess,
						 .memory = g->bytes,
						 .example = g->example };
	}
	t->rows = rows;
}

static enum status refs_report(const struct snapshot *s, const struct report_opts *o,
			       struct table *t, struct diag *diag)
{
	enum reach_doubt why;
	struct reach *x = reach_build(s, &why);
	struct refcounts v;

	t->row_size = sizeof(struct row);
	if (!x)
		return fail(diag, ST_ABSENT, "%s", reach_doubt_words(why));
	refcounts_build(x, &t->mem, &v);
	set_rows(x, &v, o->all, t);
	t->note = note(x, &v, v.n - t->nrows, &t->mem);
	reach_tell(s, x);
	reach_free(x);
	return ST_OK;
}

const struct report report_refs = {
	.name = "refs",
	.about = "dentries, inodes and open files with more references than pointers to them",
	.needs = NEED_TASKS | NEED_VMAS | NEED_MACHINE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-excess,example",
	.run = refs_report,
	.dump_only = "it reads all of the kernel's memory",
	.help = "Counts the words of the kernel's memory that are the address of a dentry, an inode or an\n"
		"open file, and compares them with its reference count. Where the count is higher, a\n"
		"reference is left that nobody can give back: dget(), ihold() or fget() without the put.\n"
		"Groups are of one type and one super block; those of fewer than 10 objects and 1000\n"
		"references are shown with --all.\n"
		"\n"
		"A dentry of a file system in memory (tmpfs, debugfs) has a reference of its own, which is\n"
		"expected. Pointers that are known to be no references do not count: file.f_inode,\n"
		"socket.file, those of security modules, the journal and the inode tree of XFS. All others\n"
		"count, also old ones, so a leaked reference may be hidden by one, and a count that is too\n"
		"low is not shown. Needs the kernel's own memory in full (makedumpfile -d 31 is enough),\n"
		"and SLUB; a running machine changes too fast.",
};
