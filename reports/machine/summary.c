/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary - the machine, when and why it crashed, the use of its memory, the largest
 * users, and the data that the dump lacks.
 */
#include "reports/machine/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/kernel/source.h"
#include "model/memory/trust/attributed.h"
#include "model/memory/trust/found.h"
#include "model/memory/trust/incomplete.h"
#include "reports/compat/like.h"
#include "reports/core/cell.h"
#include "reports/core/common.h"
#include "reports/core/damage.h"
#include "reports/core/usage_cols.h"
#include "reports/machine/left_out.h"
#include "reports/machine/noted.h"
#include "reports/oom/verdict_text.h"

#define TOP 10		/* processes, unless --top says how many */

static const struct column cols[] = {
	COL(struct summary_row, section, COL_STR, COL_SHOWN, "",
	    "damage, note, verdict, machine, memory, swap, other, process, processes, log, left_out "
	    "or issues"),
	COL(struct summary_row, pid, COL_INT, COL_SHOWN, "", "of section process"),
	COL(struct summary_row, key, COL_STR, COL_SHOWN, "", "name of the fact"),
	COL(struct summary_row, value, COL_UINT, COL_SHOWN, "",
	    "value as a number, in the unit of the next column"),
	COL(struct summary_row, unit, COL_STR, COL_SHOWN, "",
	    "unit of the value: bytes, s, ns or a count"),
	COL(struct summary_row, text, COL_STR, COL_SHOWN, "", "value as text"),
};

struct maker {
	const struct snapshot *s;
	struct arena *mem;
	VEC(struct summary_row) rows;
	const char *section;
	bool first;		/* only what needs no process */
	const struct class_counts *classes;	/* the evidence of the verdict has them */
	struct left_out left_out;
};

static struct summary_row *add_fact(struct maker *m, const char *key, uint64_t value,
				    const char *unit, const char *text)
{
	struct summary_row *r = vec_push(m->mem, &m->rows);

	*r = (struct summary_row){ .section = m->section,
				   .key = key,
				   .value = value,
				   .unit = unit,
				   .text = text,
				   .pid = COL_UNKNOWN_INT };
	return r;
}

static void say(struct maker *m, const char *key, const char *text)
{
	if (text && *text)
		add_fact(m, key, COL_UNKNOWN, "", text);
}

/* ---- verdict ------------------------------------------------------------------ */

/* Why memory ran out, or that it did not: sentences. */
static void add_verdict(struct maker *m)
{
	const struct verdict *v = verdict_of(m->s);

	m->section = SECTION_VERDICT;
	m->classes = v->e->classes;
	for (unsigned i = 0; i < v->n; i++)
		add_fact(m, cause_facts[v->v[i].cause].words, v->v[i].bytes, "bytes",
			 verdict_sentence(v, &v->v[i], m->mem));
}

/* ---- machine ------------------------------------------------------------------ */

static const char *duration(struct maker *m, uint64_t ns)
{
	char buf[CELL_TEXT];

	uint_text(COL_NSEC, ns, NULL, buf);
	return arena_strdup(m->mem, buf);
}

static bool is_live(const struct maker *m)
{
	return source_has(m->s->k, SOURCE_CHANGES);
}

/* No kernel is older. A clock that shows an earlier time was never set. */
#define CLOCK_SET 662688000	/* 1991-01-01 */

static void when(struct maker *m)
{
	const struct machine *mc = &m->s->machine;
	time_t at = (time_t)mc->crash_time;
	struct tm tm;
	bool crashed = mc->panic || mc->panic_pid >= 0, unset = at && at < CLOCK_SET;
	char buf[64] = "at a time unknown";

	if (at && gmtime_r(&at, &tm))
		strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S UTC", &tm);
	add_fact(m,
		 is_live(m) ? "read"
		 : crashed  ? "crashed"
			    : "dumped",
		 at && !unset ? (uint64_t)at : COL_UNKNOWN, "s",
		 arena_printf(m->mem,
			      unset ? "at a time unknown: the clock was not set (%s)" : "%s", buf));
	if (mc->uptime)
		add_fact(m, "uptime", mc->uptime, "ns",
			 arena_printf(m->mem, "%s%s", mc->uptime_least ? "at least " : "",
				      duration(m, mc->uptime)));
}

static void why(struct maker *m)
{
	const struct machine *mc = &m->s->machine;

	if (mc->panic)
		say(m, "reason", mc->panic);
	else if (is_live(m))
		say(m, "reason", "none: this kernel runs, and memory changed while it was read");
	else if (!mc->nlog)
		say(m, "reason", arena_printf(m->mem, "unknown: %s", machine_no_log(mc)));
	else if (mc->log_partial)
		say(m, "reason", "unknown: a part of the kernel's log could not be read");
	else
		say(m, "reason", "no panic in the log: dumped from outside, or while it ran");
	if (mc->panic_pid >= 0)
		say(m, "task",
		    arena_printf(m->mem, "%s (%d)", mc->panic_comm ? mc->panic_comm : "?",
				 mc->panic_pid));
	if (mc->oom_kills && mc->oom_kills != UINT64_MAX)
		add_fact(m, "oom_kills", mc->oom_kills, "", "killed by the OOM killer since boot");
}

static void victims(struct maker *m)
{
	for (uint32_t i = 0; i < m->s->nprocs; i++)
		if (m->s->procs[i].oom_victim)
			say(m, "victim",
			    arena_printf(m->mem, "%s (%d), chosen by the OOM killer",
					 proc_comm(m->s, &m->s->procs[i]), m->s->procs[i].pid));
}

/* Rounded as in /proc/loadavg. */
static const char *load_text(struct maker *m)
{
	const uint64_t *load = m->s->machine.load;
	uint64_t v[3];

	for (unsigned i = 0; i < 3; i++) {
		if (load[i] >= UINT32_MAX)
			return NULL;
		v[i] = (load[i] + 2048 / 200) * 100 / 2048;
	}
	return arena_printf(m->mem,
			    "%" PRIu64 ".%02u %" PRIu64 ".%02u %" PRIu64 ".%02u (1, 5, 15 "
			    "minutes)",
			    v[0] / 100, (unsigned)(v[0] % 100), v[1] / 100, (unsigned)(v[1] % 100),
			    v[2] / 100, (unsigned)(v[2] % 100));
}

static void activity(struct maker *m)
{
	const struct snapshot *s = m->s;
	uint64_t kernel = 0, threads = 0, n = 0;
	const char *found = found_text(s, m->mem);

	if (found_no_list(s)) {
		say(m, "processes", "unknown: the list of tasks is not in the dump");
		return;
	}
	for (uint32_t i = 0; i < s->nprocs; i++) {
		bool user = !s->procs[i].kthread && s->procs[i].pid;

		kernel += s->procs[i].kthread;
		n += user;
		threads += user ? s->procs[i].ntasks : 0;
	}
	add_fact(m, "processes", found ? COL_UNKNOWN : n, "",
		 arena_printf(m->mem,
			      "%" PRIu64 " with %" PRIu64 " threads, and %" PRIu64
			      " kernel threads%s%s",
			      n, threads, kernel, found ? ", of those found: " : "",
			      found ? found : ""));
}

static void load(struct maker *m)
{
	say(m, "load", load_text(m));
	say(m, "boot", m->s->machine.boot_args);
}

static const char *dump_text(struct maker *m, const struct source_about *a)
{
	const char *packed = a->compression;
	const char *level = a->level >= 0 ? arena_printf(m->mem, ", level %d", a->level) : "";
	bool tell = *packed && strcmp(packed, "none") && !strstr(a->format, packed);

	return arena_printf(m->mem, "%s%s%s%s, %" PRIu64 " MiB of pages", a->format,
			    tell ? ", " : "", tell ? packed : "", level, a->bytes >> 20);
}

static void captured(struct maker *m, const struct source_about *a)
{
	const struct kernel *k = m->s->k;

	say(m, "capture",
	    arena_printf(m->mem,
			 source_has(k, SOURCE_COUNTERS) ? "%s, %" PRIu64 " runs of pages"
							: "%s of a collector, %" PRIu64
							  " pages listed",
			 a->format, a->pages));
	if (*k->release)
		say(m, "kernel", arena_printf(m->mem, "%s %s", k->release, k->uts_version));
	if (*k->nodename)
		say(m, "host", k->nodename);
	say(m, "cpu",
	    arena_printf(m->mem, "%s by its page-table entries, pages of %u KiB",
			 k->arch ? k->arch->name : "unknown", page_size(m->s) >> 10));
	if (m->s->frames.references)
		say(m, "sharing",
		    "by the counts that the kernel kept of references, not of "
		    "mappings");
}

/* N of CPUs, 0: unknown. */
static const char *cpus(const struct maker *m, uint32_t n)
{
	return n ? arena_printf(m->mem, "%u", n) : "?";
}

static void add_machine(struct maker *m)
{
	const struct kernel *k = m->s->k;
	const struct machine *mc = &m->s->machine;
	struct source_about a;

	m->section = SECTION_MACHINE;
	source_about(k, &a);
	if (!source_has(k, SOURCE_FRAMES)) {
		captured(m, &a);
		return;
	}
	say(m, "kernel",
	    arena_printf(m->mem, "%s%s%s", k->release, *k->uts_version ? " " : "", k->uts_version));
	say(m, "host", k->nodename);
	say(m, "cpu",
	    arena_printf(m->mem, "%s, %s online of %s, %s, pages of %u KiB",
			 k->arch ? k->arch->name : "?", cpus(m, mc->cpus_online),
			 cpus(m, mc->cpus_possible), k->paging ? k->paging->name : "?",
			 page_size(m->s) >> 10));
	if (a.format)
		say(m, "dump", dump_text(m, &a));
	if (counts_references(k))
		say(m, "sharing",
		    "by the mappings that page tables have: this kernel counts none, "
		    "but references (--paper, check)");
	when(m);
	why(m);
	if (!m->first) {
		victims(m);
		activity(m);
	}
	load(m);
}

/* ---- memory -------------------------------------------------------------------- */

/* Where memory is: lines of meminfo that do not overlap. */
static const struct part {
	const char *key, *plus, *plus2, *minus, *about;
	bool optional;		/* not all kernels have its line */
} parts[] = {
	{ "free", "MemFree", NULL, NULL, "unused", false },
	{ "anonymous", "AnonPages", NULL, NULL, "of processes: heaps, stacks, copied pages", false },
	{ "file cache", "Cached", "Buffers", "Shmem", "contents of files and block devices", false },
	{ "shared memory", "Shmem", NULL, NULL, "tmpfs, memfd, SysV, shared anonymous", false },
	{ "slab reclaimable", "SReclaimable", NULL, NULL, "reclaimable objects: dentries, inodes", false },
	{ "slab", "SUnreclaim", NULL, NULL, "unreclaimable objects", false },
	{ "page tables", "PageTables", "SecPageTables", NULL, "", false },
	{ "kernel stacks", "KernelStack", NULL, NULL, "", false },
	{ "per-CPU", "Percpu", NULL, NULL, "", true },
	{ "hugetlb", "Hugetlb", NULL, NULL, "huge page pools, used or not", true },
};

static uint64_t info(const struct maker *m, const char *name)
{
	return name ? machine_meminfo(&m->s->machine, name) : COL_UNKNOWN;
}

static uint64_t part_bytes(const struct maker *m, const struct part *p)
{
	uint64_t a = info(m, p->plus), b = info(m, p->plus2), c = info(m, p->minus);

	if (a == COL_UNKNOWN)
		return a;
	if (b != COL_UNKNOWN)
		a += b;
	if (c != COL_UNKNOWN)
		a = a > c ? a - c : 0;
	return a;
}

static void memory(struct maker *m)
{
	uint64_t total = info(m, "MemTotal"), known = 0, v;
	bool all_known = true;

	m->section = SECTION_MEMORY;
	if (total == COL_UNKNOWN)
		return;
	add_fact(m, "total", total, "bytes", "RAM that the kernel manages");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		v = part_bytes(m, &parts[i]);
		if (v == COL_UNKNOWN) {
			if (!parts[i].optional || machine_prints(&m->s->machine, parts[i].plus))
				all_known = false;
			continue;
		}
		known += v;
		if (v)
			add_fact(m, parts[i].key, v, "bytes", parts[i].about);
	}
	v = machine_zsmalloc(&m->s->machine);
	if (v && v != COL_UNKNOWN) {
		v *= page_size(m->s);
		known += v;
		add_fact(m, "compressed", v, "bytes", "zsmalloc: pages in zram and zswap");
	}
	if (all_known && known <= total)
		add_fact(m, "other", total - known, "bytes",
			 "drivers, vmalloc, free pages held by CPUs");
	v = info(m, "MemAvailable");
	if (v != COL_UNKNOWN)
		add_fact(m, "available", v, "bytes", "for new work, without swapping");
}

/* Classes that no counter shows, if the verdict had to look at every page frame. */
static void other(struct maker *m)
{
	uint64_t total = info(m, "MemTotal");

	m->section = SECTION_OTHER;
	for (unsigned i = 0; m->classes && i < PAGE_CLASSES; i++) {
		uint64_t bytes = m->classes[i].pages * page_size(m->s);

		if (page_class_is(i, CF_UNCOUNTED) && bytes >= total / 100)
			add_fact(m, page_class_name(i), bytes, "bytes", class_facts[i].what);
	}
}

static void swap(struct maker *m)
{
	uint64_t total = info(m, "SwapTotal"), free_ = info(m, "SwapFree");

	m->section = SECTION_SWAP;
	if (total == COL_UNKNOWN || free_ == COL_UNKNOWN || free_ > total)
		return;
	add_fact(m, "total", total, "bytes", total ? "" : "none");
	if (total)
		add_fact(m, "used", total - free_, "bytes", "");
}

/* ---- processes -------------------------------------------------------------------- */

/* A process with memory: its sizes, and its sort key. */
struct holder {
	uint32_t proc;
	const char *incomplete;
	uint64_t order;
	struct usage_cells u;
};

static void set_holder(const struct snapshot *s, uint32_t i, struct holder *h)
{
	const struct mm *mm = proc_mm(s, &s->procs[i]);
	struct usage_sum sum = { .order = 0 };

	if (mm)
		usage_sum_mm(&sum, s, mm);
	else
		usage_sum_none(&sum, s, &s->procs[i]);
	h->proc = i;
	h->incomplete = incomplete_text(sum.incomplete);
	h->order = sum.order + (sum.u.swap_pss >> PSS_SHIFT);
	usage_cells_of(&h->u, &sum);
}

static int process_largest_first(const void *pa, const void *pb)
{
	const struct holder *a = pa, *b = pb;

	if (a->order != b->order)
		return a->order < b->order ? 1 : -1;
	return a->proc < b->proc ? -1 : a->proc > b->proc;
}

static void add_process(struct maker *m, const struct holder *h)
{
	const struct proc *p = &m->s->procs[h->proc];
	const char *comm = proc_comm(m->s, p);

	add_fact(m, "pss", h->u.pss, "bytes", comm)->pid = p->pid;
	add_fact(m, "uss", h->u.uss, "bytes", comm)->pid = p->pid;
	add_fact(m, "rss", h->u.rss, "bytes", comm)->pid = p->pid;
	add_fact(m, "swap", h->u.swap, "bytes", comm)->pid = p->pid;
	if (h->incomplete)
		add_fact(m, "incomplete", COL_UNKNOWN, "", h->incomplete)->pid = p->pid;
}

/* The sum over all N, of which NLACK are incomplete, compared with the kernel's count. */
static void sum_processes(struct maker *m, uint32_t n, uint32_t nlack)
{
	const char *found = found_text(m->s, m->mem), *lacks = "";
	struct attributed a;

	if (nlack)
		lacks = arena_printf(m->mem, "; %u could not all be read", nlack);
	m->section = SECTION_PROCESSES;
	attributed(m->s, &a);
	add_fact(m, "in all processes", nlack && !a.pss ? COL_UNKNOWN : a.pss, "bytes",
		 arena_printf(m->mem, "pss of %u with memory%s%s%s", n,
			      found ? ", of those found: " : "", found ? found : "", lacks));
	if (a.counted == UINT64_MAX)
		return;
	add_fact(m, "not attributed", a.missing, "bytes",
		 arena_printf(m->mem, "%s%s", a.why ? a.why : "counted as mapped, and in no pss",
			      nlack || found ? ": a part of the processes could not be read" : ""));
	add_fact(m, "mapped", a.counted, "bytes",
		 m->s->machine.mapped_on_cpus == INT64_MIN && (nlack || found)
			 ? "by the kernel's counters AnonPages and Mapped; a part of the counts, "
			   "that of each CPU, is not in the dump"
			 : "by the kernel's counters AnonPages and Mapped");
}

/* The largest first; a shared mm counts only for its owner. */
static void add_processes(struct maker *m, uint64_t top)
{
	const struct snapshot *s = m->s;
	struct holder *v = arena_array(m->mem, struct holder, s->nprocs);
	uint32_t n = 0, nlack = 0;

	m->section = SECTION_PROCESS;
	for (uint32_t i = 0; i < s->nprocs; i++) {
		const struct mm *mm = proc_mm(s, &s->procs[i]);

		if (mm ? mm->owner == i : s->procs[i].mm_unread)
			set_holder(s, i, &v[n++]);
	}
	for (uint32_t i = 0; i < n; i++)
		nlack += v[i].incomplete != NULL;
	sort_array(v, n, sizeof(*v), process_largest_first);
	for (uint32_t i = 0; i < n && i < top; i++)
		add_process(m, &v[i]);
	if (n)
		sum_processes(m, n, nlack);
}

/* ---- the log ------------------------------------------------------------------------ */

static void add_noted(struct maker *m)
{
	struct noted v;

	m->section = SECTION_LOG;
	for (size_t at = 0; noted_next(&m->s->machine, &at, &v);)
		add_fact(m, v.key, v.n, "", noted_text(&m->s->machine, v.last, m->mem));
}

/* ---- data that the dump lacks ---------------------------------------------------------- */

static void add_left_out(struct maker *m)
{
	struct left_out *l = &m->left_out;

	m->section = SECTION_LEFT_OUT;
	left_out_count(m->s, m->mem, l);
	for (unsigned i = 0; i < l->n; i++)
		add_fact(m, l->v[i].key, l->v[i].frames * page_size(m->s), "bytes", l->v[i].note);
}

static void add_damage(struct maker *m)
{
	const struct issues *is = m->s->k->issues;

	m->section = SECTION_ISSUES;
	for (unsigned i = 0; is && i < is->n; i++)
		add_fact(m, is->v[i].object, is->v[i].count, "", status_name(is->v[i].kind));
}

/* ---- what is wrong with the dump ------------------------------------------------------ */

static void add_causes(struct maker *m, const struct causes *c)
{
	for (unsigned id = 0; id < CAUSES; id++) {
		const struct cause *v = cause_find(c, (enum cause_id)id);
		struct damage d;

		if (!v)
			continue;
		damage_words(v, m->mem, &d);
		m->section = d.loss ? SECTION_DAMAGE : SECTION_NOTE;
		add_fact(m, d.key, d.n, d.unit, d.text);
	}
}

/* In front of all rows, though they are known last. */
static void put_causes_first(struct maker *m)
{
	struct maker first = { .s = m->s, .mem = m->mem };
	struct causes all;

	damage_causes(m->s, false, &all);
	left_out_causes(&m->left_out, &all);
	add_causes(&first, &all);
	for (size_t i = 0; i < m->rows.n; i++)
		*vec_push(m->mem, &first.rows) = m->rows.v[i];
	m->rows.v = first.rows.v;
	m->rows.n = first.rows.n;
}

/* The rows before the processes; with m->first also those after them that need none. */
static void add_first(struct maker *m)
{
	add_machine(m);
	memory(m);
	swap(m);
}

static void summary_first(const struct snapshot *s, const struct report_opts *o, FILE *out)
{
	struct table t = { .row_size = sizeof(struct summary_row) };
	struct maker m = { .s = s, .mem = &t.mem, .first = true };
	struct causes c;

	damage_causes(s, true, &c);
	add_causes(&m, &c);
	add_first(&m);
	add_noted(&m);
	t.rows = m.rows.v;
	t.nrows = m.rows.n;
	summary_first_text(&t, o->width, out);
	arena_release(&t.mem);
}

static enum status summary_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .mem = &t->mem };

	(void)diag;
	if (source_has(s->k, SOURCE_FRAMES))
		add_verdict(&m);
	add_first(&m);
	other(&m);
	add_processes(&m, o->top ? o->top : TOP);
	add_noted(&m);
	add_left_out(&m);
	add_damage(&m);
	put_causes_first(&m);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct summary_row);
	return ST_OK;
}

const struct report report_summary = {
	.name = "summary",
	.about = "overview: machine, crash, memory, largest memory users",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.wants = NEED_VERDICT,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.own_top = true,
	.run = summary_report,
	.text = summary_text,
	.first = summary_first,
	.bare = summary_bare,
	.text_refuses = OPT_SORT,
	.likes = summary_likes,
	.help = "Why memory ran out, or that it did not (oom --verdict has the same as rows). The\n"
		"machine, when and why it crashed, its memory by the kernel's own counters and what\n"
		"they do not count, the ten largest memory users (--top N: N of them; by pss plus\n"
		"swap_pss), notable lines of the log, and the data that the dump lacks.\n"
		"csv, json and -c give one row per fact.\n"
		"\n"
		"An incomplete process is marked with *: its sizes are lower bounds, and it is sorted\n"
		"by the kernel's counters. Below the processes: the pss of all of them; the kernel's\n"
		"count of mapped memory (AnonPages + Mapped of /proc/meminfo, plus counts that are\n"
		"still per CPU); and the difference, which is not attributed (procs names its causes).",
};
