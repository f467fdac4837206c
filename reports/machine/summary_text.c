/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary_text.c - prints the summary as text.
 */
#include <inttypes.h>
#include <string.h>

#include "model/kernel/source.h"
#include "model/memory/trust/found.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/cell.h"
#include "reports/core/common.h"
#include "reports/machine/summary.h"
#include "reports/oom/verdict_text.h"
#include "reports/render/render.h"

#define WIDTH 98	/* columns of a line that is cut */
#define LEAST 60	/* the same, of a narrow terminal */
#define SIZE_COLUMNS 42	/* name, size and percent */

struct text {
	const struct table *t;
	size_t i;		/* row to print next */
	struct summary_row row;	/* the same: what a damaged capsule lacks of it is empty */
	uint64_t total;		/* of memory, bytes */
	bool marked;		/* a process is incomplete */
	unsigned screen;	/* columns of the terminal; 0: there is none */
	FILE *out;
};

static const struct summary_row *row(struct text *x)
{
	if (x->i >= x->t->nrows)
		return NULL;
	memcpy(&x->row, table_row(x->t, x->i), sizeof(x->row));
	x->row.section = x->row.section ? x->row.section : "";
	x->row.key = x->row.key ? x->row.key : "";
	x->row.text = x->row.text ? x->row.text : "";
	return &x->row;
}

/* The row to print if it is of SECTION. */
static const struct summary_row *in(struct text *x, const char *section)
{
	const struct summary_row *r = row(x);

	return r && !strcmp(r->section, section) ? r : NULL;
}

/* What is wrong with the dump comes before all else. */
static void text_causes(struct text *x)
{
	const char *mark = "INCOMPLETE";
	const struct summary_row *r;
	struct arena mem = { 0 };

	if (!in(x, SECTION_DAMAGE) && !in(x, SECTION_NOTE))
		return;
	for (; (r = in(x, SECTION_DAMAGE)) || (mark = "NOTE", r = in(x, SECTION_NOTE)); x->i++) {
		put_folded(x->out, arena_printf(&mem, "%s: %s", mark, r->text), 4, x->screen);
	}
	putc('\n', x->out);
	arena_release(&mem);
}

static void text_verdict(struct text *x)
{
	struct arena mem = { 0 };

	if (!in(x, SECTION_VERDICT))
		return;
	fputs("VERDICT\n", x->out);
	for (const struct summary_row *r; (r = in(x, SECTION_VERDICT)); x->i++)
		put_lines(x->out, verdict_wrap(r->text, x->screen, &mem));
	putc('\n', x->out);
	arena_release(&mem);
}

static void text_machine(struct text *x)
{
	struct arena mem = { 0 };

	for (const struct summary_row *r; (r = in(x, SECTION_MACHINE)); x->i++) {
		const char *line = arena_printf(&mem, "%-10s %s", r->key, r->text);

		if (!strcmp(r->key, "oom_kills"))
			line = arena_printf(&mem, "%-10s %" PRIu64 " %s", r->key, r->value,
					    r->text);
		put_folded(x->out, line, 11, x->screen);
	}
	arena_release(&mem);
}

static size_t line_width(const struct text *x)
{
	return !x->screen ? WIDTH : x->screen > LEAST ? x->screen : LEAST;
}

static void put_size(struct text *x, const struct summary_row *r)
{
	fprintf(x->out, "  %-18s%12" PRIu64, r->key, r->value >> 10);
	if (x->total)
		fprintf(x->out, "%8.1f", 100.0 * (double)r->value / (double)x->total);
	if (*r->text) {
		fputs("  ", x->out);
		put_text_cut(x->out, r->text, line_width(x) - SIZE_COLUMNS);
	}
	putc('\n', x->out);
}

static void sizes(struct text *x, const char *section, const char *title)
{
	const struct summary_row *r = in(x, section);

	if (!r)
		return;
	x->total = strcmp(r->key, "total") ? 0 : r->value;
	fprintf(x->out, "\n%-20s%12s%s\n", title, "KIB", x->total ? "       %" : "");
	for (; (r = in(x, section)); x->i++)
		put_size(x, r);
}

/* Parts of what MEMORY calls other, in percent of all memory. */
static void text_other(struct text *x, const struct snapshot *s)
{
	const struct summary_row *r = in(x, SECTION_OTHER);

	if (!r)
		return;
	x->total = machine_meminfo(&s->machine, "MemTotal");
	fprintf(x->out, "\n%-20s%12s%s\n", "OF OTHER MEMORY", "KIB", "       %");
	for (; (r = in(x, SECTION_OTHER)); x->i++)
		put_size(x, r);
	fputs("  census has all classes, census --holders the owners\n", x->out);
}

/* The rows of one process become one line. */
static void text_process(struct text *x)
{
	static const char *const keys[] = { "pss", "uss", "rss", "swap" };
	int64_t pid = row(x)->pid;
	const char *comm = row(x)->text;
	const struct summary_row *r;

	fprintf(x->out, "  %8" PRId64, pid);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		r = in(x, SECTION_PROCESS);

		bool is = r && r->pid == pid && !strcmp(r->key, keys[i]);

		if (is && r->value != COL_UNKNOWN)
			fprintf(x->out, "%12" PRIu64, r->value >> 10);
		else
			fprintf(x->out, "%12s", "-");
		x->i += is;
	}
	fputs("  ", x->out);
	put_text(x->out, comm);
	r = in(x, SECTION_PROCESS);
	if (r && r->pid == pid && !strcmp(r->key, "incomplete")) {
		fputs(" *", x->out);
		x->marked = true;
		x->i++;
	}
	putc('\n', x->out);
}

/* Under the column PSS. */
static void put_process_sum(struct text *x, const struct summary_row *r)
{
	struct arena mem = { 0 };
	const char *size = r->value == COL_UNKNOWN ? "-"
						   : arena_printf(&mem, "%" PRIu64, r->value >> 10);

	put_folded(x->out, arena_printf(&mem, "%22s  %s: %s", size, r->key, r->text), 26,
		   x->screen);
	arena_release(&mem);
}

static void text_processes(struct text *x, const struct snapshot *s)
{
	const struct summary_row *r;

	if (in(x, SECTION_PROCESS))
		fprintf(x->out, "\nLARGEST PROCESSES%s, KIB\n%10s%12s%12s%12s%12s  %s\n",
			found_lacks(s, NULL) ? " OF THOSE FOUND" : "", "PID", "PSS", "USS", "RSS",
			"SWAP", "COMM");
	while (in(x, SECTION_PROCESS))
		text_process(x);
	x->total = 0;
	for (; (r = in(x, SECTION_PROCESSES)); x->i++)
		put_process_sum(x, r);
	if (x->marked)
		fputs("  * not all of it could be read: sizes are lower bounds, - is unknown; sorted "
		      "by the\n    kernel's counters\n",
		      x->out);
}

static void text_noted(struct text *x)
{
	const struct summary_row *r = in(x, SECTION_LOG);

	if (r)
		fputs("\nIN THE LOG (how often, and the last of each)\n", x->out);
	for (; (r = in(x, SECTION_LOG)); x->i++) {
		int n = fprintf(x->out, "  %" PRIu64 " %s: ", r->value, r->key);

		put_text_cut(x->out, r->text, line_width(x) - (size_t)(n < 40 ? n : 40));
		putc('\n', x->out);
	}
}

/* Is it known which frames the dump has? Not for a file that ends early, and not without all
   struct pages, unless they were left out on purpose. */
static bool frames_known(const struct snapshot *s)
{
	const struct issues *is = s->k->issues;
	struct source_about about;

	for (unsigned i = 0; is && i < is->n; i++)
		if (!strcmp(is->v[i].object, "truncated image") ||
		    !strcmp(is->v[i].object, "missing part"))
			return false;
	source_about(s->k, &about);
	return s->frames.existing && (!s->frames.unread || about.no_memmap) &&
	       !s->k->memmap.partial;
}

static void text_left_out(struct text *x, const struct snapshot *s)
{
	bool some = in(x, SECTION_LEFT_OUT);

	if (some)
		sizes(x, SECTION_LEFT_OUT, "NOT IN THE DUMP");
	if (!frames_known(s))
		fputs("\nNOT IN THE DUMP: how much is unknown, the dump is damaged\n", x->out);
	else if (!some)
		fputs("\nNOT IN THE DUMP: nothing, every page frame is there\n", x->out);
}

/* The words for the kind of an issue. */
static const char *in_words(const char *kind)
{
	static const struct { enum status kind; const char *words; } said[] = {
		{ ST_NODATA, "not in the dump" }, { ST_FAULT, "at addresses that are not mapped" },
		{ ST_CORRUPT, "not to be believed" }, { ST_LIMIT, "more than is followed" },
		{ ST_TORN, "changed while it was read" },
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (!strcmp(kind, status_name(said[i].kind)))
			return said[i].words;
	return kind;
}

static void text_damage(struct text *x, const struct snapshot *s, bool all)
{
	unsigned n = 0, kinds = 0;
	const struct summary_row *r = in(x, SECTION_ISSUES);

	if (!r)
		return;
	fputs("\nDAMAGED OR MISSING\n", x->out);
	if (!(s->built & NEED_TASKS)) {
		x->i = x->t->nrows;
		return;
	}
	for (uint32_t i = 0; i < s->nprocs; i++)
		n += proc_incomplete(s, &s->procs[i]) != 0;
	if (found_no_list(s))
		fputs("  which processes there were is unknown: their list is not in the dump\n",
		      x->out);
	else if (n)
		fprintf(x->out,
			"  %u processes could not all be read: their sizes, and all sums, are "
			"lower bounds\n",
			n);
	else if (found_lacks(s, NULL))
		fputs("  not all processes were found: all sums are lower bounds\n", x->out);
	else
		fputs("  no process is concerned; other numbers above may be too small\n", x->out);
	for (; (r = in(x, SECTION_ISSUES)); x->i++, kinds++)
		if (all)
			fprintf(x->out, "  %-18s%12" PRIu64 "  %s\n", r->key, r->value,
				in_words(r->text));
	if (!all)
		fprintf(x->out, "  %u kind%s of damage: -v lists %s\n", kinds,
			kinds == 1 ? "" : "s", kinds == 1 ? "it" : "them");
}

void summary_first_text(const struct table *t, unsigned screen, FILE *out)
{
	struct text x = { .t = t, .out = out, .screen = screen };

	text_causes(&x);
	text_machine(&x);
	sizes(&x, SECTION_MEMORY, "MEMORY");
	sizes(&x, SECTION_SWAP, "SWAP");
	text_noted(&x);
}

void summary_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
		  FILE *out)
{
	struct text x = { .t = t, .out = out, .screen = o->width };

	/* rows come by section; a row that --where removed is skipped */
	text_causes(&x);
	text_verdict(&x);
	text_machine(&x);
	sizes(&x, SECTION_MEMORY, "MEMORY");
	sizes(&x, SECTION_SWAP, "SWAP");
	text_other(&x, s);
	text_processes(&x, s);
	text_noted(&x);
	if (s->built & NEED_FRAMES && source_has(s->k, SOURCE_FRAMES))
		text_left_out(&x, s);
	text_damage(&x, s, o->verbose);
}
