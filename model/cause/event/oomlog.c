/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From records of the log to events. One event is written by one task: the one that asked
 * for memory. Lines that two CPUs wrote at the same time are told apart by the caller that
 * each record has (15ff2069cb7f, v5.1; always since 5.10). Some lines are printed in pieces
 * (pr_cont), which become records of their own if another CPU prints between them: they are
 * joined again.
 */
#include "model/cause/event/oomlog.h"

#include <assert.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"
#include "model/cause/event/events.h"
#include "model/shared.h"

const char *oom_string(struct oom_reader *rd, struct span s)
{
	return arena_strndup(rd->mem, s.p, s.n);
}

const char *oom_constraint_text(enum oom_constraint c)
{
	static const char *const texts[OOM_CONSTRAINTS] = {
		[OOM_NONE] = "none", [OOM_CPUSET] = "cpuset",
		[OOM_MEMPOLICY] = "mempolicy", [OOM_MEMCG] = "memcg",
	};

	return texts[c];
}

const char *oom_kind_text(enum oom_kind k)
{
	static const char *const texts[OOM_KINDS] = {
		[OOM_KILL] = "oom kill", [OOM_FAILURE] = "allocation failure",
		[OOM_STALL] = "allocation stall", [OOM_FAULT] = "page fault",
		[OOM_ANDROID] = "lowmemorykiller", [OOM_PROGRAM] = "killed by a program",
	};

	return texts[k];
}

/* ---- events ------------------------------------------------------------------------- */

static struct oom_event *new_event(struct oom_reader *rd, enum oom_kind kind, uint32_t line)
{
	const struct log_line *l = &rd->lines[line];
	struct oom_event *e;

	/* the last place takes all others */
	if (rd->events.n >= OOM_EVENTS_MAX) {
		rd->left_out++;
		e = &rd->events.v[OOM_EVENTS_MAX - 1];
	} else {
		e = vec_push(&rd->scratch, &rd->events);
	}
	*e = (struct oom_event){
		.kind = kind,
		.time = l->ts,
		.printed = l->printed,
		.first_line = line,
		.caller = rd->o->callers ? l->caller : 0,
		.pid = OOM_UNKNOWN,
		.gfp = OOM_UNKNOWN,
		.order = OOM_UNKNOWN,
		.oom_score_adj = OOM_UNKNOWN,
		.chosen_pid = OOM_UNKNOWN,
		.chosen_score = OOM_UNKNOWN,
	};
	/* a caller with the highest bit is a CPU (printk_caller_id()) */
	if (rd->o->callers && !(l->caller >> 31) && kind != OOM_PROGRAM)
		e->pid = l->caller;
	return e;
}

static struct oom_event *begin(struct oom_reader *rd, struct oom_writer *w, enum oom_kind kind,
			       uint32_t line)
{
	struct oom_event *e = new_event(rd, kind, line);

	w->event = (uint32_t)rd->events.n;
	w->table = TABLE_NONE;
	w->told = w->done = false;
	return e;
}

static struct oom_event *event_of(struct oom_reader *rd, const struct oom_writer *w)
{
	return w->event ? &rd->events.v[w->event - 1] : NULL;
}

/* TEXT is in the middle of a table whose beginning is not in the log: an event of which the rest is. */
static struct oom_event *begin_cut(struct oom_reader *rd, struct oom_writer *w, uint32_t line,
				   struct span text)
{
	struct oom_event *e;

	if (!oom_columns_infer(rd, w, text))
		return event_of(rd, w);
	e = begin(rd, w, OOM_KILL, line);
	w->table = TABLE_TASKS;
	e->cut = true;
	return e;
}

/* The event of a line that tells an outcome; a new one if that has its victim already. */
static struct oom_event *outcome_event(struct oom_reader *rd, struct oom_writer *w, uint32_t line,
				       bool again)
{
	struct oom_event *e = event_of(rd, w);

	if (!e || e->kind != OOM_KILL || (w->done && !again && !e->group))
		return begin(rd, w, OOM_KILL, line);
	return e;
}

static enum oom_table table_of(enum oom_line line)
{
	switch (line) {
	case LINE_STATS: return TABLE_STATS;
	case LINE_SLABS: return TABLE_SLABS;
	case LINE_ALLOCATIONS: return TABLE_SITES;
	case LINE_MEMINFO:
	case LINE_NODE:
	case LINE_ZONE:
	case LINE_RESERVE: return TABLE_COUNTS;
	default: return TABLE_NONE;
	}
}

/* Lines that only describe the event that W is writing. */
static void describe(struct oom_reader *rd, struct oom_writer *w, const struct oom_text *t)
{
	struct oom_event *e = event_of(rd, w);
	enum oom_line line = t->m->form->line;

	if (!e || w->done)
		return;
	if (line == LINE_MEMINFO && w->told) {
		w->event = 0; /* one that somebody else asked for */
		return;
	}
	if (line >= LINE_NODE && line <= LINE_ALLOCATIONS && !w->told)
		return;
	w->table = table_of(line);
	switch (line) {
	case LINE_MEMINFO: w->told = true; break;
	case LINE_COLUMNS: oom_columns(w, t->text); break;
	case LINE_TASKS:
	case LINE_SLABS:
	case LINE_ALLOCATIONS: break;
	case LINE_CPUSET:
	case LINE_SUMMARY:
	case LINE_WHO: oom_request(rd, e, t); break;
	case LINE_TASK_IN:
	case LINE_LIMIT_OF:
	case LINE_USAGE:
	case LINE_STATS:
	case LINE_PROTECTION: oom_memcg(rd, e, t); break;
	default: oom_memory(rd, e, t); break;
	}
}

static void handle(struct oom_reader *rd, struct oom_writer *w, uint32_t line,
		   const struct oom_text *t)
{
	struct oom_event *e = event_of(rd, w);

	if (!t->m->form) {
		if (!e || w->done)
			e = begin_cut(rd, w, line, t->text);
		if (e && !w->done && w->table == TABLE_NONE && !w->told)
			oom_asker(rd, e, t->text);
		if (e && !w->done)
			oom_table_row(rd, w, e, t->text);
		return;
	}
	switch (t->m->form->line) {
	case LINE_INVOKED: oom_request(rd, begin(rd, w, OOM_KILL, line), t); break;
	case LINE_FAILURE: oom_request(rd, begin(rd, w, OOM_FAILURE, line), t); break;
	case LINE_STALL: oom_request(rd, begin(rd, w, OOM_STALL, line), t); break;
	case LINE_LEAKED: oom_outcome(rd, new_event(rd, OOM_FAULT, line), t); break;
	case LINE_LOWMEMORYKILLER: oom_outcome(rd, new_event(rd, OOM_ANDROID, line), t); break;
	case LINE_SUMMARY: oom_request(rd, outcome_event(rd, w, line, false), t); break;
	case LINE_CHOSEN: oom_outcome(rd, outcome_event(rd, w, line, false), t); break;
	case LINE_EXITING:
	case LINE_KILLED:
		oom_outcome(rd, outcome_event(rd, w, line, false), t);
		w->done = true;
		break;
	case LINE_GROUP: /* after the first of them */
	case LINE_NO_TASK:
	case LINE_PANIC: oom_outcome(rd, outcome_event(rd, w, line, true), t); break;
	case LINE_REAPED:
	case LINE_UNREAPED: oom_after(rd, t); break;
	case LINE_PINNED: break;
	default: describe(rd, w, t); break;
	}
}

/* ---- lines -------------------------------------------------------------------------- */

/* The line that W left open is as whole as it gets. */
static void flush(struct oom_reader *rd, struct oom_writer *w)
{
	struct oom_match m;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): W is one of a vector */
	struct oom_text t = { &m, { w->open.v, w->open.n } };

	if (!w->open_form)
		return;
	w->open_form = NULL;
	oom_line_read(t.text, &rd->o->release, &m);
	handle(rd, w, w->open_line, &t);
}

static void open_append(struct oom_reader *rd, struct oom_writer *w, struct span s)
{
	for (size_t i = 0; i < s.n && w->open.n < TEXT_MAX; i++)
		*vec_push(&rd->scratch, &w->open) = s.p[i];
}

/*
 * May TEXT continue the line that W left open? One that seems whole may still go on with a
 * comma or colon, because names hold anything. Without callers the look of TEXT must do.
 */
static bool continues(const struct oom_reader *rd, const struct oom_writer *w, struct span text)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): W is one of a vector */
	struct span open = { w->open.v, w->open.n }, f[TEXT_FIELDS];

	if (!w->open_form || !text.n)
		return false;
	if (text_match(w->open_form->whole, open, f))
		return *text.p == ',' || span_is(text, ":");
	/* the lines of memory.stat that follow the header since 5.3 */
	if (w->open_form->line == LINE_STATS && text_match("%w %d", text, f))
		return false;
	return rd->o->callers || strchr(" ,(/=*", *text.p) || span_take('d', text) ||
	       strchr(" =/", open.p[open.n - 1]);
}

/* Is TEXT the end of the summary that W left open? The name in it may make it look like another line. */
static bool ends_summary(const struct oom_writer *w, struct span text)
{
	struct span f[TEXT_FIELDS];

	return w->open_form && w->open_form->line == LINE_SUMMARY &&
	       text_match(",task=%c,pid=%d,uid=%d", text, f);
}

static void take_line(struct oom_reader *rd, struct oom_writer *w, uint32_t line)
{
	const struct log_line *l = &rd->lines[line];
	struct span text = { l->text, min_u64(l->len, TEXT_MAX) };
	struct oom_match m;
	struct oom_text t = { &m, text };

	if (!w->open_form && (!w->event || w->done) && !oom_line_may_begin(text))
		return;
	oom_line_read(text, &rd->o->release, &m);
	if ((!m.form || ends_summary(w, text)) && continues(rd, w, text)) {
		open_append(rd, w, text);
		return;
	}
	flush(rd, w);
	if (!oom_line_partial(&m, text)) {
		handle(rd, w, line, &t);
		return;
	}
	w->open.n = 0;
	open_append(rd, w, text);
	w->open_form = m.form;
	w->open_line = line;
}

static void take_program_line(struct oom_reader *rd, uint32_t line)
{
	const struct log_line *l = &rd->lines[line];
	struct oom_match m;
	struct oom_text t = { &m, { l->text, min_u64(l->len, TEXT_MAX) } };

	oom_user_line_read(t.text, &m);
	if (m.form)
		oom_program(rd, new_event(rd, OOM_PROGRAM, line), &t);
}

static int by_line(const void *pa, const void *pb)
{
	const struct oom_event *a = pa, *b = pb;

	return a->first_line < b->first_line ? -1 : a->first_line > b->first_line;
}

void oom_log_read(const struct log_line *lines, uint32_t n, const struct oom_opts *o,
		  struct arena *mem, struct oom_log *ret)
{
	struct oom_reader rd = { .lines = lines, .o = o, .mem = mem };
	struct hash index = { .mem = &rd.scratch };
	VEC(struct oom_writer) writers = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = o->callers ? UINT64_C(1) + lines[i].caller : 1;
		uint32_t w;

		/* the kernel writes as facility 0, and programs may not */
		if (lines[i].facility) {
			take_program_line(&rd, i);
			continue;
		}
		w = hash_get(&index, key);
		if (w == HASH_NONE) {
			w = (uint32_t)writers.n;
			vec_push(&rd.scratch, &writers);
			hash_put(&index, key, w);
		}
		assert(w < writers.n);
		take_line(&rd, &writers.v[w], i);
	}
	for (size_t i = 0; i < writers.n; i++)
		flush(&rd, &writers.v[i]);
	ret->n = rd.events.n;
	ret->left_out = rd.left_out;
	ret->v = arena_array(mem, struct oom_event, ret->n);
	for (size_t i = 0; i < ret->n; i++) {
		oom_infer(&rd.events.v[i]);
		ret->v[i] = rd.events.v[i];
	}
	sort_array(ret->v, ret->n, sizeof(*ret->v), by_line);
	arena_release(&rd.scratch);
}

static void *make_log(const struct snapshot *s, struct arena *mem)
{
	struct oom_log *log = arena_array(mem, struct oom_log, 1);
	struct oom_opts o = {
		.release = s->k->version,
		.callers = s->machine.log_callers,
		.page_shift = s->k->page_shift,
	};

	oom_log_read(s->machine.log, s->machine.nlog, &o, mem, log);
	oom_infer_nodes(s, log, mem);
	if (log->left_out)
		issue_add(s->k->issues, ST_LIMIT, "kernel log", log->left_out,
			  "more than %u events of the OOM killer", OOM_EVENTS_MAX);
	return log;
}

const struct oom_log *oom_log_of(const struct snapshot *s)
{
	static const struct shared_maker maker = { .make = make_log };

	return shared_view(s, SHARED_OOM_LOG, &maker);
}
