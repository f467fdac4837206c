/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files - one row for each file that is mapped, and for [heap], [stack], [anon] ...:
 * its sizes over all processes, or in one of them. The list "files" of exmap.
 */
#include "dumpread/base/bytes.h"
#include "model/memory/areas/object_sizes.h"
#include "model/memory/areas/objects.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/cell.h"
#include "reports/core/common.h"
#include "reports/core/usage_cols.h"
#include "reports/file/sizes_cols.h"
#include "reports/render/render.h"

struct row {
	const char *name, *kind, *dev, *build_id, *incomplete;
	unsigned parts;		/* enum incomplete, over the mms that map it */
	uint64_t procs, vmas, ino, file_size, cached, deleted;
	struct sizes_cells z;
};

#define P COL_SHOWN
#define PT (COL_SHOWN | COL_TOTAL)

static const struct column cols[] = {
	COL(struct row, procs, COL_UINT, P, "", "processes that map it"),
	COL(struct row, vmas, COL_UINT, 0, "", "vmas that map it"),
	Z_COLUMNS(struct row, PT),
	COL(struct row, cached, COL_BYTES, P, "bytes",
	    "page cache of the file, mapped or not"),
	COL(struct row, file_size, COL_BYTES, 0, "bytes", "length of the file"),
	COL(struct row, deleted, COL_UINT, 0, "", "1: deleted; no path leads to it"),
	COL(struct row, kind, COL_STR, 0, "", "regular, shmem, hugetlb, device, other; - no file"),
	COL(struct row, dev, COL_STR, 0, "", "device of its filesystem, major:minor in hex"),
	COL(struct row, ino, COL_UINT, 0, "", "inode number"),
	{ "build_id", COL_STR, 0, offsetof(struct row, build_id), "",
	  "build-id of an ELF file, if the dump has its first pages", NEED_BUILD_IDS, 0 },
	COL(struct row, name, COL_STR, P, "", "path, or [heap], [stack], [anon] ..."),
	U_INCOMPLETE(struct row),
};

static const char *file_kind_name(enum file_kind kind)
{
	static const char *const names[] = {
		[FILE_REGULAR] = "regular", [FILE_SHMEM] = "shmem", [FILE_HUGETLB] = "hugetlb",
		[FILE_DEVICE] = "device", [FILE_OTHER] = "other",
	};

	return names[kind];
}

static const char *hex_of(struct arena *mem, const uint8_t *id, unsigned len)
{
	char *s = arena_alloc(mem, 2 * (size_t)len + 1);

	for (unsigned i = 0; i < len; i++)
		snprintf(s + 2 * i, 3, "%02x", id[i]);
	return s;
}

static void set_file_cells(const struct snapshot *s, const struct file *f, struct row *r,
			   struct table *t)
{
	r->kind = file_kind_name(f->kind);
	r->dev = arena_printf(&t->mem, "%02x:%02x", f->dev_major, f->dev_minor);
	r->ino = f->ino;
	r->file_size = f->size;
	r->cached = f->cached == UINT64_MAX ? COL_UNKNOWN : f->cached * page_size(s);
	r->deleted = f->deleted;
	if (f->build_id_len)
		r->build_id = hex_of(&t->mem, f->build_id, f->build_id_len);
}

static void set_object(const struct snapshot *s, const struct object *o, struct row *r,
		       struct table *t)
{
	*r = (struct row){
		.name = o->name,
		.ino = COL_UNKNOWN,
		.file_size = COL_UNKNOWN,
		.cached = COL_UNKNOWN,
	};
	if (o->file < s->nfiles)
		set_file_cells(s, &s->files[o->file], r, t);
}

/* Rows of the objects that are asked for; of_row[object] is the row, or NONE. */
static uint32_t *make_rows(const struct snapshot *s, const struct report_opts *o,
			   const struct objects *objects, struct table *t)
{
	uint32_t *of_row = arena_array(&t->mem, uint32_t, objects->n);
	struct row *rows = arena_array(&t->mem, struct row, objects->n);

	for (uint32_t i = 0; i < objects->n; i++) {
		of_row[i] = NONE;
		if (o->file && !object_is(objects->v[i].name, o->file))
			continue;
		set_object(s, &objects->v[i], &rows[t->nrows], t);
		of_row[i] = (uint32_t)t->nrows++;
	}
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->incomplete = offsetof(struct row, incomplete);
	return of_row;
}

/* Rows without a vma belong to other processes than the one asked for. */
static void drop_unmapped(struct table *t)
{
	struct row *rows = t->rows;
	size_t n = 0;

	for (size_t i = 0; i < t->nrows; i++)
		if (rows[i].vmas)
			rows[n++] = rows[i];
	t->nrows = n;
}

/* The state of adding up. */
struct adder {
	const struct snapshot *s;
	struct object_sizes *sizes;
	uint32_t *row_of_file;	/* NONE: not asked for, or not mapped */
	struct sizes *sums;	/* of the rows */
};

/* The sum that FILE's .bss belongs to. */
static struct sizes *sum_of_file(void *arg, uint32_t file)
{
	const struct adder *a = arg;

	return a->row_of_file[file] == NONE ? NULL : &a->sums[a->row_of_file[file]];
}

static void prepare(struct adder *a, const struct objects *objects, const uint32_t *of_row,
		    const char *sysroot, uint32_t only, struct table *t)
{
	const struct snapshot *s = a->s;
	unsigned whole;

	a->row_of_file = objects_by_file(objects, s->nfiles, &t->mem);
	for (uint32_t i = 0; i < s->nfiles; i++)
		if (a->row_of_file[i] != NONE)
			a->row_of_file[i] = of_row[a->row_of_file[i]];
	a->sizes = object_sizes_new(s, sysroot, only, &t->mem);
	whole = object_sizes_bss(a->sizes)->whole;
	if (whole)
		t->note = arena_printf(&t->mem,
				       "%u vmas after a file's data are counted as "
				       "its .bss: the dump has no headers of these files; "
				       "try --sysroot DIR",
				       whole);
}

static enum status files_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct adder a = { .s = s };
	uint32_t first, end, only, *of_row;
	struct objects objects;
	struct row *rows;
	enum status st = procs_range(s, o, diag, &first, &end);

	if (st)
		return st;
	only = o->pid ? s->procs[first].mm : NONE;
	objects_build(s, &t->mem, &objects);
	of_row = make_rows(s, o, &objects, t);
	rows = t->rows;
	a.sums = arena_array(&t->mem, struct sizes, t->nrows);
	prepare(&a, &objects, of_row, o->sysroot, only, t);
	for (uint32_t i = 0; i < s->nvmas; i++) {
		uint32_t row = of_row[objects.of_vma[i]], mm = s->vmas[i].mm;
		uint32_t n = s->mms[mm].nprocs && !o->pid ? s->mms[mm].nprocs : 1;

		if (o->pid && mm != only)
			continue;
		if (row != NONE) {
			rows[row].vmas++;
			rows[row].parts |= mm_incomplete(s, &s->mms[mm]);
			rows[row].incomplete = incomplete_text(rows[row].parts);
			rows[row].procs = o->pid ? 1 : objects.v[objects.of_vma[i]].nprocs;
		}
		if (s->sizes)
			object_sizes_add(a.sizes, i, n, row == NONE ? NULL : &a.sums[row],
					 sum_of_file, &a);
	}
	object_sizes_free(a.sizes);
	for (size_t i = 0; i < t->nrows; i++)
		if (s->sizes)
			sizes_cells_set(&rows[i].z, &a.sums[i]);
		else
			sizes_cells_unknown(&rows[i].z);
	drop_unmapped(t);
	if (o->file && !t->nrows)
		return fail(diag, ST_ABSENT, "no process maps %.200s", o->file);
	return ST_OK;
}

static void text_like_exmap(const struct snapshot *s, const struct report_opts *o,
			    const struct table *t, FILE *out)
{
	(void)s;
	(void)o;
	fprintf(out, "%s\tNAME\n", sizes_names_like_exmap);
	for (size_t i = 0; i < t->nrows; i++) {
		const struct row *r = table_row(t, i);

		sizes_like_exmap(&r->z, out);
		put_text(out, r->name);
		putc('\n', out);
	}
}

static const struct like likes[] = {
	{ .name = "exmap", .about = "exmtool files", .sort = "name", .text = text_like_exmap },
	{ .name = NULL }
};

const struct report report_files = {
	.name = "files",
	.about = "memory of each mapped file, over all processes",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_SIZES,
	.opts = OPT_PID | OPT_FILE | OPT_SYSROOT,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-eff_resident,name",
	.run = files_report,
	.likes = likes,
	.help = "One row for each mapped file, by inode and path, and one for each kind of memory that\n"
		"belongs to no file: [heap], [stack], [anon]. Sizes are those of exmap, over all\n"
		"processes or for --pid N. The page-table and swap entries of all processes that refer\n"
		"to a page are counted, and the effective sizes divide each page by that count. So the\n"
		"sum of the effective sizes is all mapped memory, each page once. Anonymous memory that\n"
		"a file's segments cover (.bss) belongs to the file. If neither the dump nor --sysroot\n"
		"DIR has the file's headers, the full vma after its data counts as .bss. If processes\n"
		"share an mm, each of them counts as a reference.",
};
