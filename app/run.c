/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dump, kernel, snapshot, rows, output; one function for each. Results go to stdout, -o or
 * the host's stream, all else to stderr.
 */
#include "app/run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "app/answers/answers.h"
#include "app/headers.h"
#include "app/keep.h"
#include "app/sandbox/confined.h"
#include "app/screen.h"
#include "app/spool.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/memory.h"
#include "model/memory/frames/frames.h"
#include "reports/charts/chart.h"
#include "reports/core/list.h"
#include "reports/fleet/id.h"

/* ---- output -------------------------------------------------------------------- */

static bool would_overwrite(const struct output *out, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	struct image_piece piece;
	size_t len;

	image_name_split(name, &len, &piece);
	snprintf(path, sizeof(path), "%.*s", (int)min_u64(len, PATH_MAX), name);
	return !stat(path, &st) && output_is(out, &st);
}

/* Output that is no text would fill the reader's screen, and may change the settings of the
   terminal. */
static int refuse_terminal(struct run *run)
{
	const char *form = run->product ? run->product->name : run->renderer->name;

	if ((!run->product && !run->renderer->binary) || !output_is_terminal(&run->output))
		return 0;
	fail(&run->diag, ST_ABSENT,
	     "%s -f %s is not written to a terminal; name a file with -o FILE", run->o.report->name,
	     form);
	return EXIT_USAGE;
}

/* --index: a file that exists is read; another one is made, if there is something to keep. */
static int open_index(struct run *run)
{
	const char *path = run->o.index;

	if (!path)
		return 0;
	run->index.path = path;
	if (!access(path, F_OK))
		return 0;
	if (output_open(&run->index_output, path, NULL, &run->diag))
		return EXIT_NO_ANSWER;
	run->index.to = run->index_output.file;
	return 0;
}

/* It is kept also if the report failed: what it lacked may be there at the next try. */
static int end_index(struct run *run, int status)
{
	FILE *to = run->index_output.file;
	struct stat st;

	if (!to || fstat(fileno(to), &st) || !st.st_size)
		return status;
	return run_end_output(run, &run->index_output, status);
}

static int open_output(struct run *run)
{
	const struct options *o = &run->o;

	if (run->product && run->product->dir)
		return 0;
	if (output_open(&run->output, o->output, run->out ? run->out : stdout, &run->diag))
		return EXIT_NO_ANSWER;
	for (unsigned i = 0; i < o->nimages + o->ntypes; i++) {
		const char *in = i < o->nimages ? o->images[i] : o->types[i - o->nimages];

		if (would_overwrite(&run->output, in)) {
			fail(&run->diag, ST_IO, "-o %s would overwrite an input", o->output);
			return EXIT_USAGE;
		}
	}
	if (o->output && o->index &&
	    (!strcmp(o->output, o->index) || would_overwrite(&run->output, o->index))) {
		fail(&run->diag, ST_IO, "-o %s would overwrite the file of --index", o->output);
		return EXIT_USAGE;
	}
	return refuse_terminal(run);
}

/* ---- what the image cannot tell ------------------------------------------------- */

/* A source without memory may lack what the report needs. */
bool run_offers(const struct kernel *k, const struct report *r, unsigned needs, const char *image,
		struct diag *diag)
{
	static const struct { unsigned need; const char *what; } words[] = {
		{ NEED_KERNEL, "symbols and types of the kernel" },
		{ NEED_LOG, "kernel log" },
		{ NEED_CONFIG, "kernel image, with the configuration in it" },
		{ NEED_MACHINE, "counters of the machine" },
		{ NEED_CGROUPS, "control groups" },
		{ NEED_TASKS | NEED_VMAS, "processes" },
		{ NEED_FRAMES, "page frames" },
	};
	unsigned lacks = needs & ~k->offers;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (lacks & words[i].need) {
			fail(diag, ST_NODATA, "%s is %s: it has no %s, which %s needs", image,
			     k->offers & NEED_TASKS ? "a collector's text"
						    : "a text of the kernel's log",
			     words[i].what, r->name);
			return false;
		}
	return true;
}

static bool offers(struct run *run, const struct kernel *k, const char *image)
{
	const struct report *r = run->o.report;

	return run_offers(k, r, r->needs | (run->product ? run->product->needs : 0), image,
			  &run->diag);
}

/* ---- the answer --------------------------------------------------------------- */

/* It needs more memory than it may use. */
static bool is_refused(struct run *run, const struct snapshot *s)
{
	if (s->refused)
		fail(&run->diag, ST_LIMIT, "%s", s->refused);
	return s->refused;
}

static int look_back(struct run *run, struct kernel_opts *ko)
{
	const struct report *r = run->o.report;

	ko->nimages = run->o.nearlier;
	ko->near_vmlinux = run->near_vmlinux;
	ko->near_release = run->near_release;
	progress_phase(run->progress, "opening the earlier dump");
	if (kernel_open(ko, &run->diag, &run->before_k) ||
	    !offers(run, run->before_k, ko->images[0]))
		return EXIT_NO_ANSWER;
	progress_phase(run->progress, "taking its census");
	run->before = snapshot_build(run->before_k, r->needs, NULL);
	if (is_refused(run, run->before))
		return EXIT_NO_ANSWER;
	run->o.report_opts.before = run->before;
	ko->images += run->o.nearlier;
	ko->nimages = run->o.nimages - run->o.nearlier;
	return 0;
}

/* The parts of the model to build: for the report, and for the options. */
static unsigned needs(const struct run *run)
{
	const struct report *r = run->o.report;
	const struct like *like = report_like(r, &run->o.report_opts);
	unsigned n = r->needs | r->wants | (like ? like->needs : 0);

	if (run->product)
		return n | run->product->needs;
	if (run->statement)
		return n | statement_needs(run->statement);
	if (run->renderer->of_chart)
		n |= chart_needs(r);
	return n | columns_needs(&run->columns) | sort_needs(&run->sort) | where_needs(run->where);
}

/* Page tables tell what the rows are made of, where they can: snapshot_opts. */
static bool is_of_sizes(const struct run *run)
{
	const struct report *r = run->o.report;

	return r->of_sizes && !run->product && !run->renderer->of_chart &&
	       !report_like(r, &run->o.report_opts) &&
	       !pick_uses(run->cols, run->ncols, COL_PAGE, &run->columns, &run->sort, run->where);
}

/* Puts the name of the dump behind each row, if an option names that column. */
static void name_dump(struct run *run)
{
	struct table *t = &run->t;
	size_t at = (t->row_size + 7) / 8 * 8, size = at + sizeof(const char *);
	const char *name = run->stored && run->image.npaths ? run->image.paths[0]
			   : run->o.nimages		    ? run->o.images[run->o.nearlier]
							    : NULL;
	char *rows;

	if (!run_names_dump(run))
		return;
	rows = arena_calloc(&t->mem, t->nrows, size);
	for (size_t i = 0; i < t->nrows; i++) {
		memcpy(rows + i * size, table_row(t, i), t->row_size);
		memcpy(rows + i * size + at, &name, sizeof(name));
	}
	run->cols[run->ncols - 1].offset = at;
	t->rows = rows;
	t->row_size = size;
}

struct kernel_opts run_kernel_opts(struct run *run)
{
	const struct options *o = &run->o;

	return (struct kernel_opts){
		.images = o->images,
		.nimages = o->nimages,
		.types = o->types,
		.ntypes = o->ntypes,
		.layouts = run->layouts,
		.nlayouts = run->nlayouts,
		.jobs = o->jobs,
		.memory = o->memory,
		.machine = o->machine,
		.index = o->index ? &run->index : NULL,
		.log = &run->log,
	};
}

void run_pick_rows(struct run *run)
{
	const struct report *r = run->o.report;

	name_dump(run);
	if (run->where)
		table_filter(&run->t, run->where);
	/* a chart adds up the rows after the first ones */
	table_sort(&run->t, &run->sort, run->renderer->of_chart || r->own_top ? 0 : run->o.top);
}

static void take_facts(struct run *run)
{
	run_pick_rows(run);
	run->image = image_facts_of(run->s, run->o.images, run->o.nimages);
	run->issues = run->k->issues;
}

/* The report, made of headers and the kernel's log alone. */
static int answer_bare(struct run *run)
{
	const struct report *r = run->o.report;

	run->s = snapshot_build(run->k, NEED_LOG | NEED_MACHINE, NULL);
	run->t.cols = r->cols;
	run->t.ncols = r->ncols;
	r->bare(run->s, &run->t);
	take_facts(run);
	return 0;
}

/* There is a log and nothing else, and the report can be made of it. */
static bool is_bare(const struct run *run)
{
	const struct report *r = run->o.report;

	return r->bare && !run->product && !report_like(r, &run->o.report_opts) &&
	       run->k->offers & NEED_LOG && r->needs & ~run->k->offers & NEED_TASKS;
}

/* What the dump's headers and the kernel's log tell where its types are not known, if the report is made of that. */
static int analyse_bare(struct run *run, struct kernel_opts *ko)
{
	const struct report *r = run->o.report;
	struct diag why = run->diag;

	ko->log_only = true;
	/* a file of -t that does not fit is to be told */
	if (!r->bare || run->o.ntypes || run->product || run->open || run->o.nearlier ||
	    run->renderer->of_chart || kernel_open(ko, &run->diag, &run->k)) {
		run->diag = why;
		return EXIT_NO_ANSWER;
	}
	log_warn(&run->log, "%s", why.text);
	issue_add(run->k->issues, ST_ABSENT, "types", 1, "%s", why.text);
	return answer_bare(run);
}

static int analyse(struct run *run)
{
	const struct options *o = &run->o;
	struct kernel_opts ko = run_kernel_opts(run);
	const struct snapshot_opts so = {
		.pid = o->report_opts.pid,
		.file = o->report_opts.file,
		.sizes_only = is_of_sizes(run),
		.first = screen_first(run),
		.first_arg = run,
	};
	const struct report *r = o->report;

	ko.log_only = needs(run) == NEED_LOG;
	ko.config_only = needs(run) == NEED_CONFIG;
	if (o->nearlier && look_back(run, &ko))
		return EXIT_NO_ANSWER;
	progress_phase(run->progress, "opening the dump");
	if (run->open ? run->open(run->host, &ko, &run->diag, &run->k)
		      : kernel_open(&ko, &run->diag, &run->k))
		return analyse_bare(run, &ko);
	if (is_bare(run))
		return answer_bare(run);
	if (!offers(run, run->k, ko.nimages ? ko.images[0] : "this machine"))
		return EXIT_NO_ANSWER;
	progress_phase(run->progress, "taking the census");
	run->s = snapshot_build(run->k, needs(run), &so);
	if (is_refused(run, run->s))
		return EXIT_NO_ANSWER;
	progress_phase(run->progress, "making the report");
	if (run->product)
		return 0;
	run->t.cols = r->cols;
	run->t.ncols = r->ncols;
	if (r->run(run->s, &o->report_opts, &run->t, &run->diag))
		return statement_wrong(run->statement) ? EXIT_USAGE : EXIT_NO_ANSWER;
	if (r == &report_id && o->nimages) /* under a host: else run_ids() */
		((struct id_row *)run->t.rows)->dump = o->images[0];
	take_facts(run);
	return 0;
}

static void print_rows(struct run *run, FILE *out)
{
	const struct render render = {
		.report = run->o.report,
		.opts = &run->o.report_opts,
		.s = run->s,
		.t = &run->t,
		.cols = run->columns.v,
		.ncols = run->columns.n,
		.chosen = run->o.columns != NULL,
		.top = run->o.top,
		.sorted = run->o.sort != NULL,
		.units = { run->o.unit, run->image.page_size },
		.image = &run->image,
		.issues = run->issues,
		.made = options_rows(&run->o, &run->mem),
	};

	if (run->o.keep)
		return;
	if (run->text)
		fputs(run->text, out);
	else
		run->renderer->render(&render, out);
}

static int write_product(struct run *run, FILE *out)
{
	if (run->fleet) {
		run->product->write_fleet(run->fleet, out);
		return 0;
	}
	if (run->capsule) {
		capsule_write(run->capsule, out);
		run->capsule = NULL;
		return 0;
	}
	if (run->stored)
		return stored_page_write(run, out) ? EXIT_NO_ANSWER : 0;
	return run->product->write(run->s, &run->o.report_opts, run->o.output, out, &run->diag)
		       ? EXIT_NO_ANSWER
		       : 0;
}

static int print(struct run *run)
{
	FILE *out = run->output.file;

	errno = 0; /* a failing stream gives the reason only in errno */
	if (!run->product)
		print_rows(run, out);
	else if (write_product(run, out))
		return EXIT_NO_ANSWER;
	if (out && run_written(run))
		return EXIT_NO_ANSWER;
	if (run->inside || !run->pager.pid)
		return 0;
	progress_stop(run->progress, stderr); /* what follows is said after it */
	return screen_leave(run);
}

static int answer(struct run *run)
{
	const struct report *r = run->o.report;
	int status = run->of_fleet	    ? run_fleet(run)
		     : run->found	    ? run_ids(run)
		     : r == &report_capsule ? run_capsule(run)
		     : run_has_capsule(run)
			     ? (run->o.nearlier ? run_compared(run) : run_stored(run))
			     : analyse(run);

	progress_stop(run->progress, run->pager.pid && !status ? run->output.file : stderr);
	return status ? status : print(run);
}

/* One line with the number of damaged or missing objects; -v adds the first of each. */
static int report_issues(struct run *run, struct issues *is)
{
	char line[1024];
	size_t n;

	if (!is || !issues_total(is))
		return 0;
	if (run->o.quiet)
		return EXIT_DAMAGED;
	n = (size_t)snprintf(line, sizeof(line), "incomplete result:");
	for (unsigned i = 0; i < is->n && n + 80 < sizeof(line); i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s %" PRIu64 " %s (%s)",
				      i ? "," : "", is->v[i].count, is->v[i].object,
				      status_name(is->v[i].kind));
	progress_say(run->progress, line);
	for (unsigned i = 0; run->o.verbose && i < is->n; i++)
		for (unsigned j = 0; j < is->v[i].ntexts; j++) {
			snprintf(line, sizeof(line), "  %s (%s): %s", is->v[i].object,
				 status_name(is->v[i].kind), is->v[i].text[j]);
			progress_say(run->progress, line);
		}
	return EXIT_DAMAGED;
}

static void say_memory(struct run *run)
{
	char line[80];

	if (!run->o.verbose)
		return;
	snprintf(line, sizeof(line), "memory: %" PRIu64 " KiB at most", memory_peak() >> 10);
	progress_say(run->progress, line);
	if (!run->k || !run->k->dump)
		return;
	snprintf(line, sizeof(line), "%" PRIu64 " pages of the dump were read",
		 run->k->dump->pages_read);
	progress_say(run->progress, line);
}

/* How much of the dump was needed: it may have come over a network. */
static void say_read(struct run *run)
{
	const struct image *im = run->k && run->k->dump ? run->k->dump->image : NULL;
	uint64_t size, n = im ? image_bytes_read(im, &size) : 0;
	char line[100];

	if (!im || !run->o.verbose)
		return;
	snprintf(line, sizeof(line), "read: %" PRIu64 " bytes of a dump of %" PRIu64, n, size);
	progress_say(run->progress, line);
}

static void say(void *arg, enum log_level level, const char *line)
{
	(void)level;
	progress_say(arg, line);
}

void run_complain(const struct run *run)
{
	fputs("vmcensus: ", stderr);
	put_text(stderr, run->diag.text);
	putc('\n', stderr);
}

/* The lines of this process, on stderr. */
static void begin(struct run *run)
{
	log_init(&run->log);
	run->progress = progress_start(!run->o.quiet, run->screen.ws_row, run->screen.ws_col);
	run->log.write = say;
	run->log.arg = run->progress;
	run->log.level = run->o.verbose > 1 ? LOG_DEBUG
			 : run->o.verbose   ? LOG_INFO
			 : run->o.quiet	    ? LOG_ERROR
					    : LOG_WARN;
}

/* Everything that is read of a dump is read in here. */
static int read_and_print(struct run *run)
{
	int status;

	begin(run);
	run_say_lacks(run);
	status = answer(run);
	if (!status && run->s)
		frames_tell(run->s);
	if (!status && run->k)
		status = report_issues(run, run->k->issues);
	if (!status && run->before)
		status = report_issues(run, run->before_k->issues);
	if (!status)
		status = run->status;
	if (!status)
		status = report_issues(run, run->stored_issues);
	if (!status)
		status = report_issues(run, run->stored_issues_before);
	status = keep_write(run, status);
	say_read(run);
	say_memory(run);
	if (status && status != EXIT_DAMAGED)
		run_complain(run);
	return status;
}

static int make_layout(struct run *run)
{
	bool said;
	int status;

	begin(run);
	status = run_headers(run, &said);
	say_memory(run);
	if (status && !said)
		run_complain(run);
	return status;
}

int run_report(struct run *run)
{
	int status = run_plan(run);

	keep_find(run);
	if (!status)
		status = spool_images(run);
	run->of_fleet = !status && run_is_of_fleet(run);
	if (run->of_fleet)
		status = run_find_fleet(run);
	else if (!status && run->o.report->many && !run->open)
		status = run_find(run);
	if (!status)
		status = open_output(run);
	if (!status)
		status = open_index(run);
	if (!status)
		status = keep_begin(run);
	if (status) {
		run_complain(run);
		return status;
	}
	if (run->o.report_opts.headers)
		return make_layout(run);
	screen_open(run);
	if (!run_is_confined(run))
		return keep_end(run, end_index(run, read_and_print(run)));
	status = run_confined(run, read_and_print);
	if (!status || status == EXIT_DAMAGED)
		status = run_end_output(run, &run->output, status);
	if (run->pager.pid && screen_leave(run)) {
		run_complain(run);
		status = EXIT_NO_ANSWER;
	}
	return keep_end(run, end_index(run, status));
}

void run_end(struct run *run)
{
	arena_release(&run->t.mem);
	arena_release(&run->sides[0]);
	arena_release(&run->sides[1]);
	capsule_drop(run->capsule);
	capsule_close(run->stored);
	capsule_close(run->stored_before);
	snapshot_free(run->s);
	snapshot_free(run->before);
	if (run->before_k)
		kernel_close(run->before_k);
	if (run->k)
		kernel_close(run->k);
	where_free(run->where);
	statement_free(run->statement);
	if (run->progress)
		progress_free(run->progress);
	output_drop(&run->output);
	pager_wait(&run->pager);
	output_drop(&run->index_output);
	if (run->keep_to)
		fclose(run->keep_to);
	arena_release(&run->mem);
	options_release(&run->o);
}
