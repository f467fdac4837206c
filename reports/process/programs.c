/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programs - one row per program: its processes together, under the name that
 * ps_mem (Padraig Brady) would find for them.
 */
#include "reports/process/programs.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "model/memory/elf/rootpath.h"
#include "model/memory/trust/incomplete.h"
#include "reports/compat/like.h"
#include "reports/core/common.h"
#include "reports/core/group_cols.h"

#define BYTES(member, name, about) \
	COL_AS(struct program_row, member, name, COL_BYTES, COL_SHOWN | COL_TOTAL, "bytes", about)

static const struct column cols[] = {
	COL(struct program_row, procs, COL_UINT, COL_SHOWN | COL_TOTAL, "", "processes"),
	COL(struct program_row, mms, COL_UINT, COL_TOTAL, "", "distinct mms"),
	BYTES(private_, "private", "mapped only here, private hugetlb included"),
	BYTES(shared, "shared",
	      "share of shared memory: pss minus uss, plus the largest shared hugetlb"),
	{ "ram", COL_BYTES, COL_SHOWN | COL_TOTAL, offsetof(struct program_row, ram), "bytes",
	  "private plus shared", 0, offsetof(struct program_row, order) },
	GROUP_USAGE_COLUMNS(struct program_row),
	COL(struct program_row, name, COL_STR, COL_SHOWN, "", "name of the program"),
	U_INCOMPLETE(struct program_row),
};

struct maker {
	const struct snapshot *s;
	const struct report_opts *o;
	struct table *t;
	VEC(struct program_row) rows;
	struct hash by_name;
};

/* ---- names --------------------------------------------------------------------- */

static bool on_sysroot(struct maker *m, const char *path)
{
	return m->o->sysroot && path[0] == '/' && rootpath_exists(m->o->sysroot, path);
}

/* argv[0], as far as it is known: words are joined by blanks. */
static const char *first_word(struct maker *m, const struct mm *mm)
{
	const char *line = mm->cmdline ? mm->cmdline : "";

	return arena_strndup(&m->t->mem, line, strcspn(line, " "));
}

/*
 * Last component of the path of the file that P runs; NULL: not known. For a deleted file
 * the sysroot shows whether another file took its place.
 */
static const char *exe_name(struct maker *m, const struct proc *p)
{
	static const char deleted[] = " (deleted)";
	const struct mm *mm = proc_mm(m->s, p);
	const char *path, *slash;
	size_t n;

	if (!mm || mm->exe >= m->s->nfiles || !m->s->files[mm->exe].status_known)
		return NULL;
	path = m->s->files[mm->exe].path;
	n = strlen(path);
	if (n >= sizeof(deleted) && !strcmp(path + n - sizeof(deleted) + 1, deleted)) {
		const char *argv0 = first_word(m, mm);

		path = arena_strndup(&m->t->mem, path, n - sizeof(deleted) + 1);
		if (on_sysroot(m, path))
			path = arena_printf(&m->t->mem, "%s [updated]", path);
		else if (on_sysroot(m, argv0))
			path = arena_printf(&m->t->mem, "%s [updated]", argv0);
		else
			path = arena_printf(&m->t->mem, "%s [deleted]", path);
	}
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/*
 * The file's name if it begins with the task's name (at most 15 bytes), or if the parent
 * runs the same file: "Web Content" belongs to firefox. Otherwise the task's name.
 */
static const char *program_name(struct maker *m, const struct proc *p)
{
	const char *comm = proc_comm(m->s, p), *exe = exe_name(m, p), *parent;
	uint32_t pp;

	if (!exe || !strncmp(exe, comm, strlen(comm)))
		return exe ? exe : comm;
	pp = p->ppid > 0 ? snapshot_proc_by_pid(m->s, p->ppid) : NONE;
	parent = pp == NONE ? NULL : exe_name(m, &m->s->procs[pp]);
	return parent && !strcmp(parent, exe) ? exe : comm;
}

/* ---- rows ---------------------------------------------------------------------- */

static struct program_row *program_row_of(struct maker *m, const char *name)
{
	for (uint64_t key = hash_str(name);; key++) {
		uint32_t i = hash_get(&m->by_name, key ? key : 1);

		if (i == HASH_NONE) {
			struct program_row *r = vec_push(&m->t->mem, &m->rows);

			hash_put(&m->by_name, key ? key : 1, (uint32_t)(m->rows.n - 1));
			r->name = name;
			return r;
		}
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): I is one of v */
		if (!strcmp(m->rows.v[i].name, name))
			return &m->rows.v[i];
	}
}

/* smaps_rollup, with one Pss line per process, exists since 493b0e9d945f (v4.14). */
static double pss_lines(const struct snapshot *s, const struct mm *mm)
{
	return kernel_rule(s->k, RULE_SMAPS_ROLLUP) ? 1 : mm->nvmas;
}

static void add_mm(struct maker *m, struct program_row *r, const struct mm *mm)
{
	const struct usage *u = &mm->usage;
	uint64_t uss = usage_uss(u) >> 10;

	usage_sum_mm(&r->sum, m->s, mm);
	r->mms++;
	if (u->shared_hugetlb > r->shared_huge)
		r->shared_huge = u->shared_hugetlb;
	r->ps_private += (double)(uss + (u->private_hugetlb >> 10));
	r->ps_shared +=
		(double)(u->pss >> (PSS_SHIFT + 10)) + 0.5 * pss_lines(m->s, mm) - (double)uss;
}

static void finish(struct program_row *r)
{
	const struct usage *u = &r->sum.u;
	uint64_t pss = u->pss >> PSS_SHIFT, uss = usage_uss(u);

	usage_cells_of(&r->u, &r->sum);
	r->private_ = uss + u->private_hugetlb;
	r->shared = (pss > uss ? pss - uss : 0) + r->shared_huge;
	r->ram = r->private_ + r->shared;
	r->order = max_u64(r->ram, r->sum.order);
	r->incomplete = incomplete_text(r->sum.incomplete);
	if (r->incomplete && !r->ram)
		r->private_ = r->shared = r->ram = COL_UNKNOWN;
	r->ps_shared += (double)(r->shared_huge >> 10);
}

static enum status programs_report(const struct snapshot *s, const struct report_opts *o,
				   struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .o = o, .t = t, .by_name.mem = &t->mem };
	uint32_t first, end;
	enum status st = procs_range(s, o, diag, &first, &end);

	if (st)
		return st;
	for (uint32_t i = first; i < end; i++) {
		const struct mm *mm = proc_mm(s, &s->procs[i]);
		struct program_row *r;

		if (!mm && !s->procs[i].mm_unread)
			continue;
		r = program_row_of(&m, program_name(&m, &s->procs[i]));
		r->procs++;
		if (!mm)
			usage_sum_none(&r->sum, s, &s->procs[i]);
		else if (mm->nprocs < 2 || mm->owner == i || o->pid)
			add_mm(&m, r, mm);
	}
	for (size_t i = 0; i < m.rows.n; i++)
		finish(&m.rows.v[i]);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct program_row);
	t->incomplete = offsetof(struct program_row, incomplete);
	return ST_OK;
}

const struct report report_programs = {
	.name = "programs",
	.about = "memory of each program, over all its processes",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_PID | OPT_SYSROOT,
	.of_sizes = true,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-ram,name",
	.run = programs_report,
	.likes = programs_likes,
	.help = "One row for each program, grouped as in ps_mem: by the name of the executable if it\n"
		"begins with the task's name or if the parent runs the same file, otherwise by the\n"
		"task's name. Scripts count as their interpreter. A deleted file is marked [deleted];\n"
		"with --sysroot, [updated] if another file has its path there. Processes that share\n"
		"one mm count it once, in the program of the first of them.",
};
