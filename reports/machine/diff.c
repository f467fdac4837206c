/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diff - two dumps of one machine, or of two similar ones: growth and shrinkage.
 *
 * Within one boot a process is identified by pid and start time. Between boots the nth
 * process of a name is compared with the nth of that name.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"
#include "model/views/objects.h"
#include "reports/core/common.h"
#include "reports/machine/diff.h"

#define BYTES(name, fl, about) COL(struct diff_row, name, COL_BYTES, fl, "bytes", about)
#define DELTA(name, fl, about) COL(struct diff_row, name, COL_DELTA, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct diff_row, group, COL_STR, COL_SHOWN, "",
	    "processes, programs, objects, or the subject of a line of meminfo"),
	COL(struct diff_row, what, COL_STR, 0, "",
	    "system (a line of meminfo), program, process or object"),
	COL(struct diff_row, change, COL_STR, COL_SHOWN, "", "new, gone, grew, shrank or same"),
	COL(struct diff_row, pid, COL_INT, COL_SHOWN, "", "process id, in the later dump if it is there"),
	DELTA(delta, COL_SHOWN, "growth"),
	BYTES(before, COL_SHOWN, "in the earlier dump: pss, or the line's value"),
	BYTES(after, COL_SHOWN, "the same in the later dump"),
	COL(struct diff_row, percent, COL_RATIO, COL_SHOWN, "%", "growth in percent of the earlier value"),
	DELTA(uss_delta, COL_SHOWN, "growth of uss"),
	DELTA(rss_delta, 0, "growth of rss"),
	DELTA(swap_delta, COL_SHOWN, "growth of swapped out memory"),
	BYTES(uss_before, 0, "uss in the earlier dump"), BYTES(uss_after, 0, "uss in the later"),
	BYTES(rss_before, 0, "rss in the earlier dump"), BYTES(rss_after, 0, "rss in the later"),
	BYTES(swap_before, 0, "swapped out in the earlier dump"),
	BYTES(swap_after, 0, "swapped out in the later"),
	COL(struct diff_row, name, COL_STR, COL_SHOWN, "", "name"),
};

/* One thing in one snapshot, and its cost. */
struct thing {
	enum diff_group of;
	unsigned line;		/* of a group of meminfo */
	const char *what, *name;
	int64_t pid;
	uint64_t key;		/* equal in both snapshots when it is the same thing */
	uint64_t size, rss, uss, swap;
};

struct things {
	VEC(struct thing) v;
	struct hash at;		/* key -> index in v */
	struct arena *mem;
};

static const char *what_of(enum diff_group of)
{
	static const char *const what[] = { "process", "program", "object" };

	return of < DIFF_MEMORY ? what[of] : "system";
}

static struct thing *thing_of(struct things *ts, enum diff_group of, const char *name, uint64_t key)
{
	uint32_t i = hash_get(&ts->at, key);
	struct thing *t;

	if (i != HASH_NONE)
		return &ts->v.v[i];
	hash_put(&ts->at, key, (uint32_t)ts->v.n);
	t = vec_push(ts->mem, &ts->v);
	*t = (struct thing){
		.of = of, .what = what_of(of), .name = name, .key = key, .pid = COL_UNKNOWN_INT
	};
	return t;
}

static void add_usage(struct thing *t, const struct usage *u)
{
	t->size += u->pss;
	t->rss += u->rss;
	t->uss += usage_uss(u);
	t->swap += u->swap;
}

/* FNV-1a once more over two numbers; never 0. */
static uint64_t key_of(uint64_t kind, uint64_t a, uint64_t b)
{
	const uint64_t v[] = { kind, a, b };

	return hash_bytes(v, sizeof(v));
}

enum kind { SYSTEM, PROGRAM, PROCESS, OBJECT };

static const char *program_of(const struct snapshot *s, const struct mm *mm, const char *comm)
{
	return mm->exe < s->nfiles ? s->files[mm->exe].path : comm;
}

/* Its number among the things of its name; 0 for the first. */
static uint32_t nth(struct hash *seen, const char *name)
{
	uint64_t key = hash_str(name);
	uint32_t n = hash_get(seen, key);

	n = n == HASH_NONE ? 0 : n + 1;
	hash_put(seen, key, n);
	return n;
}

static void add_processes(struct things *ts, const struct snapshot *s, bool one_boot)
{
	struct hash seen = { .mem = ts->mem };

	for (uint32_t i = 0; i < s->nprocs; i++) {
		const struct proc *p = &s->procs[i];
		const struct mm *mm = proc_mm(s, p);
		const char *name = proc_comm(s, p), *program;
		struct thing *t;

		if (!mm)
			continue;
		t = thing_of(ts, DIFF_PROCESSES, name,
			     one_boot ? key_of(PROCESS, (uint64_t)p->pid, p->start_boottime)
				      : key_of(PROCESS, hash_str(name), nth(&seen, name)));
		t->pid = p->pid;
		add_usage(t, &mm->usage);
		if (mm->owner != i)
			continue; /* shares the memory of a process that has it */
		program = program_of(s, mm, name);
		add_usage(thing_of(ts, DIFF_PROGRAMS, program,
				   key_of(PROGRAM, hash_str(program), 0)),
			  &mm->usage);
	}
}

static void add_objects(struct things *ts, const struct snapshot *s)
{
	struct objects o;

	objects_build(s, ts->mem, &o);
	for (uint32_t i = 0; i < s->nvmas; i++) {
		const char *name = o.v[o.of_vma[i]].name;

		add_usage(thing_of(ts, DIFF_OBJECTS, name, key_of(OBJECT, hash_str(name), 0)),
			  &s->vmas[i].usage);
	}
}

static void add_system(struct things *ts, const struct machine *m)
{
	for (uint32_t i = 0; i < m->nmeminfo; i++) {
		const struct zone_count *z = &m->meminfo[i];
		enum diff_group of;
		struct thing *t;
		unsigned line;

		if (z->value == UINT64_MAX || !strncmp(z->name, "HugePages_", 10))
			continue;
		of = diff_line(z->name, &line);
		t = thing_of(ts, of, z->name, key_of(SYSTEM, hash_str(z->name), 0));
		t->size = z->value << PSS_SHIFT;
		t->line = line;
	}
}

static void add_all(struct things *ts, const struct snapshot *s, bool one_boot, struct arena *mem)
{
	ts->mem = ts->at.mem = mem;
	add_system(ts, &s->machine);
	add_processes(ts, s, one_boot);
	add_objects(ts, s);
}

/* ---- the two together ------------------------------------------------------------ */

/* Were both booted at the same time? Clocks are set to within two seconds. */
static bool same_boot(const struct snapshot *a, const struct snapshot *b)
{
	int64_t t = a->machine.crash_time - (int64_t)(a->machine.uptime / 1000000000);
	int64_t u = b->machine.crash_time - (int64_t)(b->machine.uptime / 1000000000);

	return a->machine.crash_time && b->machine.crash_time && llabs(t - u) <= 2 &&
	       !strcmp(a->k->nodename, b->k->nodename) && !strcmp(a->k->release, b->k->release);
}

static const char *change_of(const struct thing *a, const struct thing *b, int64_t delta)
{
	if (!a || !b)
		return a ? "gone" : "new";
	return delta > 0 ? "grew" : delta < 0 ? "shrank" : "same";
}

static void set_row(struct diff_row *r, const struct thing *a, const struct thing *b)
{
	static const struct thing none;
	const struct thing *t = b ? b : a;
	const struct thing *x = a ? a : &none, *y = b ? b : &none;

	*r = (struct diff_row){
		.of = t->of,
		.line = t->line,
		.group = diff_group_name(t->of),
		.what = t->what,
		.name = t->name,
		.pid = t->pid,
		.before = x->size >> PSS_SHIFT,
		.after = y->size >> PSS_SHIFT,
		.rss_before = x->rss,
		.rss_after = y->rss,
		.rss_delta = (int64_t)(y->rss - x->rss),
		.uss_before = x->uss,
		.uss_after = y->uss,
		.uss_delta = (int64_t)(y->uss - x->uss),
		.swap_before = x->swap,
		.swap_after = y->swap,
		.swap_delta = (int64_t)(y->swap - x->swap),
	};
	r->delta = (int64_t)(r->after - r->before);
	r->percent = r->before ? 100.0 * (double)r->delta / (double)r->before : NAN;
	r->change = change_of(a, b, r->delta);
	if (t->of < DIFF_MEMORY)
		return;
	r->rss_before = r->rss_after = r->uss_before = r->uss_after = COL_UNKNOWN;
	r->swap_before = r->swap_after = COL_UNKNOWN;
	r->rss_delta = r->uss_delta = r->swap_delta = COL_UNKNOWN_INT;
}

static void add_row(struct table *t, const struct report_opts *o, const struct thing *a,
		    const struct thing *b)
{
	struct diff_row *r = (struct diff_row *)t->rows + t->nrows;

	set_row(r, a, b);
	if (o->all || strcmp(r->change, "same") || r->uss_delta > 0 || r->swap_delta > 0)
		t->nrows++;
}

/* By groups. Groups of meminfo keep the order of its lines; in others the largest change is
   first. */
static int row_order(const void *pa, const void *pb)
{
	const struct diff_row *a = pa, *b = pb;
	uint64_t x = (uint64_t)llabs(a->delta), y = (uint64_t)llabs(b->delta);
	int names;

	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	names = strcmp(a->name, b->name);
	return names ? names : a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* The first TOP rows of each group. */
static void cut_groups(struct table *t, uint64_t top)
{
	struct diff_row *rows = t->rows;
	uint64_t n[DIFF_GROUPS] = { 0 };
	size_t kept = 0;

	for (size_t i = 0; top && i < t->nrows; i++)
		if (n[rows[i].of]++ < top)
			rows[kept++] = rows[i];
	if (top)
		t->nrows = kept;
}

static enum status diff_report(const struct snapshot *s, const struct report_opts *o,
			       struct table *t, struct diag *diag)
{
	struct things old = { .mem = NULL }, new = { .mem = NULL };
	bool one_boot;

	if (!o->before)
		return fail(diag, ST_ABSENT, "an earlier dump is needed");
	one_boot = same_boot(o->before, s);
	add_all(&old, o->before, one_boot, &t->mem);
	add_all(&new, s, one_boot, &t->mem);
	t->rows = arena_array(&t->mem, struct diff_row, old.v.n + new.v.n);
	t->row_size = sizeof(struct diff_row);
	for (size_t i = 0; i < new.v.n; i++) {
		uint32_t was = hash_get(&old.at, new.v.v[i].key);

		add_row(t, o, was == HASH_NONE ? NULL : &old.v.v[was], &new.v.v[i]);
	}
	for (size_t i = 0; i < old.v.n; i++)
		if (hash_get(&new.at, old.v.v[i].key) == HASH_NONE)
			add_row(t, o, &old.v.v[i], NULL);
	if (t->nrows)
		sort_array(t->rows, t->nrows, t->row_size, row_order);
	cut_groups(t, o->top);
	if (!t->nrows)
		t->note = "Nothing differs.";
	else if (!one_boot)
		t->note = "Not one boot of one machine: processes are compared by name.";
	return ST_OK;
}

const struct report report_diff = {
	.name = "diff",
	.about = "two dumps compared: growth and shrinkage",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_MACHINE,
	.opts = OPT_ALL | OPT_EARLIER,
	.compares = true,
	.cols = cols,
	.ncols = sizeof(cols) / sizeof(cols[0]),
	.own_top = true,
	.run = diff_report,
	.text = diff_text,
	.help = "Takes two images, the earlier one first. If a dump has more than one file (split,\n"
		"raw memory), --earlier names each file of the earlier dump, and all images belong to\n"
		"the later dump. The rows are in groups: processes, programs (by path), mapped\n"
		"objects (files by path, [heap] ...), and the lines of meminfo by subject: memory,\n"
		"memory of processes, page cache, swap, kernel memory, huge pages. Sizes in the first\n"
		"three groups are pss. Within one boot, processes are matched by pid and start time;\n"
		"between boots, the nth process of a name is matched with the nth of that name. The\n"
		"largest change in a group comes first; lines of meminfo have a fixed order. -n N\n"
		"shows the first N rows of each group. --all adds the rows without a change.",
};
