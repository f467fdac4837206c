/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * alerts - vmas that cost more than they should, each with its reason.
 *
 * The paper has one reason (Figure 7): an area with pages of its own beside shared ones.
 * The other reasons go further: text that was copied (a library built without -fPIC), one
 * library under several inodes, files deleted and still mapped, areas that can be written
 * and executed, and the cost of libraries' data in all processes.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/memory/areas/paper_counts.h"
#include "model/memory/areas/units.h"
#include "reports/core/common.h"
#include "reports/render/render.h"

#define LIB_DATA_MIN (UINT64_C(1) << 20)	/* bytes, to be worth a row without --all */

struct row {
	const char *severity, *kind, *comm, *evidence, *name;
	int64_t pid;
	uint64_t cost, uses, start, single, shared, flags;
};

#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)
#define NUM(name, type, unit, fl, about) COL(struct row, name, type, fl, unit, about)

static const struct column cols[] = {
	STR(severity, COL_SHOWN, "warn; or info: normal, but costs memory"),
	STR(kind, COL_SHOWN, "text copied, write+exec, duplicate, deleted, library data, mixed"),
	NUM(cost, COL_BYTES, "bytes", COL_SHOWN,
	    "memory that would be freed, at most: distinct frames"),
	NUM(uses, COL_UINT, "", COL_SHOWN, "affected processes"),
	COL(struct row, pid, COL_INT, COL_SHOWN, "", "process, if there is only one"),
	STR(comm, COL_SHOWN, "its name"),
	NUM(start, COL_HEX, "", 0, "address of the vma, if there is only one"),
	NUM(single, COL_UINT, "pages", 0, "of one vma: pages of only this process"),
	NUM(shared, COL_UINT, "pages", 0, "of one vma: all other pages"),
	NUM(flags, COL_HEX, "", 0, "of one vma: its flags, as the paper prints them"),
	STR(evidence, COL_SHOWN | COL_WIDE, "evidence found"),
	STR(name, COL_SHOWN, "file, or name of the vma in maps"),
};

struct maker {
	const struct snapshot *s;
	const struct area *areas;
	struct unit_list units;
	struct paper_counts *counts;
	struct arena *mem;
	VEC(struct row) rows;
	bool all;
	uint64_t page;
};

static struct row *add_alert(struct maker *m, const char *severity, const char *kind, uint64_t cost)
{
	struct row *r = vec_push(m->mem, &m->rows);

	*r = (struct row){
		.severity = severity,
		.kind = kind,
		.cost = cost,
		.pid = COL_UNKNOWN_INT,
		.uses = COL_UNKNOWN,
		.start = COL_UNKNOWN,
		.single = COL_UNKNOWN,
		.shared = COL_UNKNOWN,
		.flags = COL_UNKNOWN,
	};
	return r;
}

static void set_process(struct maker *m, struct row *r, uint32_t mm)
{
	uint32_t owner = mm < m->s->nmms ? m->s->mms[mm].owner : NONE;

	r->uses = mm < m->s->nmms ? m->s->mms[mm].nprocs : 0;
	if (owner >= m->s->nprocs)
		return;
	r->pid = m->s->procs[owner].pid;
	r->comm = proc_comm(m->s, &m->s->procs[owner]);
}

/* ---- one vma: its own pages beside shared ones ----------------------------------------- */

static void mixed(struct maker *m, const struct vma *v)
{
	struct paper_pages x;
	struct row *r;

	paper_counts_mixed(m->counts, v, &x);
	if (!x.single || !x.shared)
		return;
	r = add_alert(m, "info", "mixed", x.single * m->page);
	set_process(m, r, v->mm);
	r->start = v->start;
	r->single = x.single;
	r->shared = x.shared;
	r->flags = area_paper_flags(m->s, v, &m->areas[v - m->s->vmas]);
	r->evidence = arena_printf(m->mem, "%" PRIu64 " pages of its own, %" PRIu64 " shared",
				   x.single, x.shared);
	r->name = v->name && *v->name ? v->name : NULL;
}

/* ---- one process: memory that is written and executed ------------------------------------ */

static void write_exec(struct maker *m, uint32_t mm)
{
	const struct mm *p = &m->s->mms[mm];
	uint64_t cost = 0;
	struct row *r;
	uint32_t n = 0;

	for (uint32_t i = p->first_vma; i - p->first_vma < p->nvmas && i < m->s->nvmas; i++)
		if ((m->areas[i].flags & (AREA_W | AREA_E)) == (AREA_W | AREA_E)) {
			cost += usage_uss(&m->s->vmas[i].usage) +
				m->s->vmas[i].usage.private_hugetlb;
			n++;
		}
	if (!n)
		return;
	/* up to then data was executable, on most CPUs */
	r = add_alert(m, kernel_rule(m->s->k, RULE_VM_EXECUTABLE) ? "info" : "warn", "write+exec",
		      cost);
	set_process(m, r, mm);
	r->evidence = arena_printf(m->mem, "%u vmas can be written and executed", n);
}

/* ---- one file ------------------------------------------------------------------------------- */

struct sums {
	uint64_t text, frames, text_copies, data;	/* distinct frames */
	uint32_t uses;
	bool code, lib;
};

static struct sums *sum_files(struct maker *m)
{
	struct sums *sums = arena_array(m->mem, struct sums, m->s->nfiles);

	for (uint32_t i = 0; i < m->units.n; i++) {
		const struct unit *u = &m->units.v[i];
		struct sums *x = u->file < m->s->nfiles ? &sums[u->file] : NULL;
		bool text = u->class == AREA_TEXT || u->class == AREA_LIB_TEXT;

		if (!x)
			continue;
		x->code |= u->code;
		x->lib |= u->class == AREA_LIB_TEXT;
		x->uses = u->nprocs > x->uses ? u->nprocs : x->uses;
		if (u->class != AREA_HEAP)
			x->frames += unit_cost(u);
		if (text) {
			x->text += unit_cost(u);
			x->text_copies += u->new_copies;
		} else if (u->class == AREA_LIB_DATA || u->class == AREA_LIB_BSS) {
			x->data += u->new_copies;
		}
	}
	return sums;
}

static struct row *add_file_alert(struct maker *m, const char *severity, const char *kind,
				  uint64_t pages, uint32_t file, const struct sums *x)
{
	struct row *r = add_alert(m, severity, kind, pages * m->page);

	r->uses = x->uses;
	r->name = m->s->files[file].path;
	return r;
}

static void file_alerts(struct maker *m, uint32_t file, const struct sums *x)
{
	const struct file *f = &m->s->files[file];

	if (x->text_copies)
		add_file_alert(m, "warn", "text copied", x->text_copies, file, x)->evidence =
			arena_printf(m->mem,
				     "%" PRIu64 " pages of text are private copies "
				     "(relocated text, or breakpoints)",
				     x->text_copies);
	if (f->deleted && (x->code || f->kind == FILE_REGULAR) && x->uses)
		add_file_alert(m, "warn", "deleted", x->frames, file, x)->evidence =
			"deleted or replaced, and still mapped";
	if (x->lib && x->uses > 1 && (m->all || x->data * m->page >= LIB_DATA_MIN))
		add_file_alert(m, "info", "library data", x->data, file, x)->evidence =
			arena_printf(m->mem,
				     "%" PRIu64 " pages of data and .bss, about %" PRIu64
				     " for each process",
				     x->data, x->data / x->uses);
}

/* ---- the same file under several inodes ------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t base_len(const struct file *f)
{
	const char *base = base_name(f->path);
	size_t n = strlen(base), cut = strlen(" (deleted)");

	return f->deleted && n > cut && !strcmp(base + n - cut, " (deleted)") ? n - cut : n;
}

/* Was the file copied? By build-id if both have one, otherwise by name and size. */
static bool same_content(const struct file *a, const struct file *b)
{
	size_t n = base_len(a);

	if (a->inode == b->inode || a->ino == UINT64_MAX || b->ino == UINT64_MAX)
		return false;
	if (a->build_id_len && b->build_id_len)
		return a->build_id_len == b->build_id_len &&
		       !memcmp(a->build_id, b->build_id, a->build_id_len);
	return a->size && a->size != UINT64_MAX && a->size == b->size && n == base_len(b) &&
	       !memcmp(base_name(a->path), base_name(b->path), n);
}

static uint64_t content_key(const struct file *f)
{
	if (f->build_id_len)
		return hash_bytes(f->build_id, f->build_id_len);
	return hash_bytes(base_name(f->path), base_len(f)) ^ f->size;
}

/* A later file with the content of an earlier one costs its text again. */
static void duplicates(struct maker *m, const struct sums *sums)
{
	struct hash first = { .mem = m->mem };

	for (uint32_t i = 0; i < m->s->nfiles; i++) {
		uint64_t key = content_key(&m->s->files[i]);
		uint32_t other;

		if (!sums[i].code || !sums[i].uses)
			continue;
		key = key ? key : 1;
		other = hash_get(&first, key);
		if (other == HASH_NONE)
			hash_put(&first, key, i);
		else if (same_content(&m->s->files[other], &m->s->files[i]))
			add_file_alert(m, "warn", "duplicate",
				       sums[i].text < sums[other].text ? sums[i].text
								       : sums[other].text,
				       i, &sums[i])
				->evidence =
				arena_printf(m->mem, "the same %s as inode %" PRIu64 " of %s",
					     m->s->files[i].build_id_len ? "build-id"
									 : "name and size",
					     m->s->files[other].ino, m->s->files[other].path);
	}
}

static enum status alerts_report(const struct snapshot *s, const struct report_opts *o,
				 struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .mem = &t->mem, .all = o->all, .page = page_size(s) };
	bool paper = o->like != NULL;
	struct sums *sums;

	(void)diag;
	m.areas = areas_build(s, m.mem);
	m.counts = paper_counts_new(s);
	for (uint32_t i = 0; (paper || o->all) && i < s->nvmas; i++)
		mixed(&m, &s->vmas[i]);
	paper_counts_free(m.counts);
	if (!paper) {
		units_build(s, m.areas, UNITS_CODE | UNITS_FILES, m.mem, &m.units);
		sums = sum_files(&m);
		for (uint32_t i = 0; i < s->nfiles; i++)
			file_alerts(&m, i, &sums[i]);
		duplicates(&m, sums);
		for (uint32_t i = 0; i < s->nmms; i++)
			write_exec(&m, i);
	}
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct row);
	if (!t->nrows && !paper)
		t->note = "nothing found";
	return ST_OK;
}

static void alerts_paper(const struct snapshot *s, const struct report_opts *o,
			 const struct table *t, FILE *out)
{
	(void)s;
	(void)o;
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct row *r = table_row(t, i);

		fputs("Alert! VMA [", out);
		put_text(out, r->name ? r->name : "NULL");
		fputs("] in \"", out);
		put_text(out, r->comm ? r->comm : "?");
		fprintf(out,
			"\" has %" PRIu64 " single usage and %" PRIu64
			" shared usage, flags = %08" PRIX64 "\n",
			r->single, r->shared, r->flags);
	}
}

static const struct like likes[] = {
	{ .name = "paper",
	  .about = "single and shared pages in one vma: Figure 7 of the USENIX 2005 paper",
	  .sort = "pid,start", .text = alerts_paper },
	{ 0 }
};

const struct report report_alerts = {
	.name = "alerts",
	.about = "vmas that use more memory than they should, and why",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-cost,kind,pid,start",
	.run = alerts_report,
	.likes = likes,
	.help = "text copied: private pages of text. The library was built without position\n"
		"independent code, or a debugger set breakpoints. duplicate: two inodes with one\n"
		"build-id (if unknown: one name and size), so the text is in memory twice. deleted:\n"
		"files that are mapped but deleted. write+exec: vmas that are writable and\n"
		"executable. library data: memory of a library's data and .bss in all processes, if\n"
		"it is at least 1 MiB.\n"
		"\n"
		"cost is the memory that would be free without the alert, at most: distinct frames,\n"
		"each counted once. text copied: the private pages. duplicate: the smaller text.\n"
		"deleted: all units of the file. library data: the private pages. write+exec and\n"
		"mixed: memory that is mapped only there.\n"
		"\n"
		"--all adds smaller library data, and every vma that has both private and shared\n"
		"pages (mixed). --paper prints only the latter, in the paper's words.",
};
