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

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"
#include "model/kernel/source.h"
#include "model/memory/areas/objects.h"
#include "model/memory/census/census.h"
#include "reports/core/cell.h"
#include "reports/core/common.h"
#include "reports/machine/diff.h"

#define BYTES_OF(row, name, fl, about) COL(row, name, COL_BYTES, fl, "bytes", about)
#define BYTES(name, fl, about) COL(struct diff_row, name, COL_BYTES, fl, "bytes", about)
#define DELTA(name, fl, about) COL(struct diff_row, name, COL_DELTA, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct diff_row, group, COL_STR, COL_SHOWN, "",
	    "processes, programs, objects, classes, or the subject of a line of meminfo"),
	COL(struct diff_row, what, COL_STR, 0, "",
	    "system (a line of meminfo), program, process, object or class (of the census)"),
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

struct things {
	VEC(struct diff_thing) v;
	struct hash at;		/* key -> index in v */
	struct arena *mem;
};

static const char *what_of(enum diff_group of)
{
	static const char *const what[] = { "process", "program", "object" };

	return of < DIFF_MEMORY ? what[of] : of == DIFF_CLASSES ? "class" : "system";
}

static struct diff_thing *thing_of(struct things *ts, enum diff_group of, const char *name,
				   uint64_t key)
{
	uint32_t i = hash_get(&ts->at, key);
	struct diff_thing *t;

	if (i != HASH_NONE)
		return &ts->v.v[i];
	hash_put(&ts->at, key, (uint32_t)ts->v.n);
	t = vec_push(ts->mem, &ts->v);
	*t = (struct diff_thing){
		.of = of, .what = what_of(of), .name = name, .key = key, .pid = COL_UNKNOWN_INT
	};
	return t;
}

static void add_usage(struct diff_thing *t, const struct usage *u)
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

enum kind { SYSTEM, PROGRAM, PROCESS, OBJECT, CLASS };

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

static void add_processes(struct things *ts, const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nprocs; i++) {
		const struct proc *p = &s->procs[i];
		const struct mm *mm = proc_mm(s, p);
		const char *name = proc_comm(s, p), *program;
		struct diff_thing *t;

		if (!mm)
			continue;
		t = thing_of(ts, DIFF_PROCESSES, name,
			     key_of(PROCESS, (uint64_t)p->pid, p->start_boottime));
		t->pid = p->pid;
		t->start = p->start_boottime;
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
		struct diff_thing *t;
		unsigned line;

		if (z->value == UINT64_MAX || !strncmp(z->name, "HugePages_", 10))
			continue;
		of = diff_line(z->name, &line);
		t = thing_of(ts, of, z->name, key_of(SYSTEM, hash_str(z->name), 0));
		t->size = z->value << PSS_SHIFT;
		t->line = line;
	}
}

/* Memory that no process maps and no line of meminfo has is in a class: pipes, rings, modules. */
static void add_classes(struct things *ts, const struct snapshot *s)
{
	const struct census *c;

	if (!source_has(s->k, SOURCE_MEMORY))
		return;
	c = census_of(s);
	for (unsigned i = 1; i < PAGE_CLASSES; i++) {
		const char *name = page_class_name((enum page_class)i);
		uint64_t pages = c->classes->count[i].pages;

		if (pages && !page_class_is(i, CF_NO_RAM))
			thing_of(ts, DIFF_CLASSES, name, key_of(CLASS, i, 0))->size =
				pages << (s->k->page_shift + PSS_SHIFT);
	}
}

/* What S costs, by thing. Strings live as long as S and MEM. */
static void add_all(struct things *ts, const struct snapshot *s, struct arena *mem)
{
	ts->mem = ts->at.mem = mem;
	add_system(ts, &s->machine);
	add_processes(ts, s);
	add_objects(ts, s);
	add_classes(ts, s);
	for (size_t i = 0; i < ts->v.n; i++) {
		struct diff_thing *t = &ts->v.v[i];

		t->group = diff_group_name(t->of);
		t->size >>= PSS_SHIFT;
		if (t->of >= DIFF_MEMORY)
			t->rss = t->uss = t->swap = COL_UNKNOWN;
	}
}

static const struct column cost_cols[] = {
	COL(struct diff_thing, group, COL_STR, COL_SHOWN, "",
	    "processes, programs, objects, classes, or the subject of a line of meminfo"),
	COL(struct diff_thing, pid, COL_INT, COL_SHOWN, "", "process id"),
	COL(struct diff_thing, start, COL_NSEC, 0, "ns", "of a process: when it began, since boot"),
	COL_AS(struct diff_thing, size, "pss", COL_BYTES, COL_SHOWN, "bytes",
	       "proportional size, or the line's value"),
	BYTES_OF(struct diff_thing, uss, COL_SHOWN, "memory that no other process maps"),
	BYTES_OF(struct diff_thing, rss, 0, "resident size"),
	BYTES_OF(struct diff_thing, swap, COL_SHOWN, "swapped out"),
	COL(struct diff_thing, name, COL_STR, COL_SHOWN, "", "name"),
};

static void fill_costs(const struct snapshot *s, struct table *t, struct arena *mem)
{
	struct things ts = { .mem = NULL };

	add_all(&ts, s, mem);
	t->rows = ts.v.v;
	t->nrows = ts.v.n;
	t->row_size = sizeof(struct diff_thing);
}

static enum status costs_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	(void)o;
	(void)diag;
	fill_costs(s, t, &t->mem);
	return ST_OK;
}

/* ---- the two together ------------------------------------------------------------ */

/* Were both booted at the same time? Clocks are set to within two seconds. */
static bool same_boot(const struct diff_side *a, const struct diff_side *b)
{
	int64_t t = a->crash_time - (int64_t)(a->uptime / 1000000000);
	int64_t u = b->crash_time - (int64_t)(b->uptime / 1000000000);

	return a->crash_time && b->crash_time && llabs(t - u) <= 2 &&
	       !strcmp(a->nodename, b->nodename) && !strcmp(a->release, b->release);
}

static const char *change_of(const struct diff_thing *a, const struct diff_thing *b, int64_t delta)
{
	if (!a || !b)
		return a ? "gone" : "new";
	return delta > 0 ? "grew" : delta < 0 ? "shrank" : "same";
}

static void set_row(struct diff_row *r, const struct diff_thing *a, const struct diff_thing *b)
{
	static const struct diff_thing none;
	const struct diff_thing *t = b ? b : a;
	const struct diff_thing *x = a ? a : &none, *y = b ? b : &none;

	*r = (struct diff_row){
		.of = t->of,
		.line = t->line,
		.group = diff_group_name(t->of),
		.what = t->what,
		.name = t->name,
		.pid = t->pid,
		.before = x->size,
		.after = y->size,
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

static void add_row(struct table *t, const struct report_opts *o, const struct diff_thing *a,
		    const struct diff_thing *b)
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

static enum diff_group group_of(const char *name)
{
	int g = 0;

	while (g < DIFF_OTHER && strcmp(diff_group_name((enum diff_group)g), name ? name : ""))
		g++;
	return (enum diff_group)g;
}

/* The things of one side with the keys by which they are found in the other. */
static void index_side(struct things *ts, const struct diff_side *side, bool one_boot,
		       struct arena *mem)
{
	struct hash seen = { .mem = mem };

	ts->mem = ts->at.mem = mem;
	ts->v.v = arena_array(mem, struct diff_thing, side->costs->nrows);
	for (size_t i = 0; i < side->costs->nrows; i++) {
		struct diff_thing *t = &ts->v.v[i];

		memcpy(t, table_row(side->costs, i), min_u64(sizeof(*t), side->costs->row_size));
		t->name = t->name ? t->name : "";
		t->of = group_of(t->group);
		t->line = 0;
		if (t->of >= DIFF_MEMORY && t->of != DIFF_CLASSES)
			diff_line(t->name, &t->line);
		t->what = what_of(t->of);
		t->key = t->of == DIFF_CLASSES	  ? key_of(CLASS, hash_str(t->name), 0)
			 : t->of >= DIFF_MEMORY	  ? key_of(SYSTEM, hash_str(t->name), 0)
			 : t->of == DIFF_PROGRAMS ? key_of(PROGRAM, hash_str(t->name), 0)
			 : t->of == DIFF_OBJECTS  ? key_of(OBJECT, hash_str(t->name), 0)
			 : one_boot		  ? key_of(PROCESS, (uint64_t)t->pid, t->start)
				    : key_of(PROCESS, hash_str(t->name), nth(&seen, t->name));
		hash_put(&ts->at, t->key, (uint32_t)i);
	}
	ts->v.n = side->costs->nrows;
}

void diff_compare(const struct diff_side *before, const struct diff_side *after,
		  const struct report_opts *o, struct table *t)
{
	struct things old = { .mem = NULL }, new = { .mem = NULL };
	bool one_boot = same_boot(before, after);

	index_side(&old, before, one_boot, &t->mem);
	index_side(&new, after, one_boot, &t->mem);
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
}

void diff_side_of(const struct snapshot *s, struct diff_side *ret, struct table *costs,
		  struct arena *mem)
{
	fill_costs(s, costs, mem);
	*ret = (struct diff_side){ .costs = costs,
				   .crash_time = s->machine.crash_time,
				   .uptime = s->machine.uptime,
				   .nodename = s->k->nodename,
				   .release = s->k->release };
}

static enum status diff_report(const struct snapshot *s, const struct report_opts *o,
			       struct table *t, struct diag *diag)
{
	struct table old = { .nrows = 0 }, new = { .nrows = 0 };
	struct diff_side before, after;

	if (!o->before)
		return fail(diag, ST_ABSENT, "an earlier dump is needed");
	diff_side_of(o->before, &before, &old, &t->mem);
	diff_side_of(s, &after, &new, &t->mem);
	diff_compare(&before, &after, o, t);
	return ST_OK;
}

const struct report report_costs = {
	.name = "costs",
	.about = "what each thing costs: programs, processes, objects, classes, lines of meminfo",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_MACHINE,
	.cols = cost_cols,
	.ncols = ARRAY_LEN(cost_cols),
	.run = costs_report,
	.help = "The rows that diff compares, of one dump. The groups are those of diff; sizes of the\n"
		"first three are pss.",
};

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
		"memory of processes, page cache, swap, kernel memory, huge pages; and the classes of\n"
		"the census, which add up to RAM. Sizes in the first three groups are pss. Within one\n"
		"boot, processes are matched by pid and start time; between boots, the nth process of a\n"
		"name is matched with the nth of that name. The largest change in a group comes first;\n"
		"lines of meminfo have a fixed order. -n N shows the first N rows of each group. --all\n"
		"adds the rows without a change.",
};
