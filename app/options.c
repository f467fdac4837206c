/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.c - parses the command line into a struct options.
 */
#include "app/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "reports/core/nearest.h"

enum {
	ID_UNKNOWN, ID_BY,
	ID_TYPES, ID_SYSROOT, ID_FORMAT, ID_COLUMNS, ID_SORT, ID_TOP, ID_WHERE, ID_BYTES,
	ID_PAGES, ID_JOBS, ID_OUTPUT, ID_INDEX, ID_MACHINE, ID_QUIET, ID_VERBOSE, ID_HELP, ID_VERSION, ID_LIST,
	ID_MAN, ID_SCHEMA, ID_WORDS, ID_PID, ID_THREADS, ID_KERNEL, ID_ALL, ID_VIRTUAL, ID_FILE, ID_LIKE, ID_PAPER,
	ID_EARLIER, ID_HEADERS, ID_CONFIG, ID_TASKS, ID_ZONES, ID_CGROUPS, ID_HOLDERS,
	ID_LIMITS, ID_EVENTS, ID_PSI, ID_DYING, ID_GROUPS, ID_TABLES,
	ID_VERDICT, ID_KILLS, ID_MEMORY, ID_NO_SANDBOX, ID_NO_PAGER, ID_SANDBOX_TEST,
	ID_LAYOUTS, ID_KEEP, ID_LIBRARY,
};

/* An empty ABOUT is not listed by --help. */
const struct option_spec option_specs[] = {
	{ ID_TYPES, 't', "types", "FILE",
	  "vmlinux, .btf, System.map, layout file or VMCOREINFO; may be given more than once", 0 },
	{ ID_LAYOUTS, 0, "layouts", "DIR",
	  "layouts by build-id, for dumps that lost types; before ~/.cache/vmcensus/layouts", 0 },
	{ ID_SYSROOT, 0, "sysroot", "DIR",
	  "where the machine's files are: its binaries, etc/passwd", OPT_SYSROOT },
	{ ID_FORMAT, 'f', "format", "F",
	  "text (default), csv, json, jsonl, sqlite, svg, ps, pdf, png, or a format of the report", 0 },
	{ ID_COLUMNS, 'c', "columns", "LIST",
	  "columns, by commas; \"+NAME\" adds, \"all\", \"dump\": its file, \"help\" lists", OPT_COLUMNS },
	{ ID_SORT, 's', "sort", "LIST", "sort by columns; \"-NAME\": largest first",
	  OPT_SORT },
	{ ID_TOP, 'n', "top", "N", "only the first N rows", OPT_TOP },
	{ ID_WHERE, 'w', "where", "EXPR",
	  "only rows where EXPR holds, e.g. 'pss>10M and uid=0'", OPT_WHERE },
	{ ID_BYTES, 0, "bytes", NULL, "text: sizes in bytes (default: KiB)", OPT_BYTES },
	{ ID_PAGES, 0, "pages", NULL, "text: sizes in pages", OPT_PAGES },
	{ ID_PID, 0, "pid", "N", "only this process", OPT_PID },
	{ ID_THREADS, 0, "threads", NULL, "one row per thread", OPT_THREADS },
	{ ID_KERNEL, 0, "kernel", NULL, "include kernel threads", OPT_KERNEL },
	{ ID_ALL, 0, "all", NULL, "include rows that are normally left out", OPT_ALL },
	{ ID_UNKNOWN, 0, "unknown", NULL, "frames whose use is unknown, in groups", OPT_UNKNOWN },
	{ ID_BY, 0, "by", "WHAT", "divided by cgroup; census also by node, zone, order ...; holders by kind ...",
	  OPT_BY },
	{ ID_FILE, 0, "file", "NAME", "only this file", OPT_FILE },
	{ ID_VIRTUAL, 0, "virtual", NULL, "virtual size instead of resident pages", OPT_VIRTUAL },
	{ ID_LIKE, 0, "like", "TOOL", "use the layout of an older tool", OPT_LIKE },
	{ ID_PAPER, 0, "paper", NULL, "the same as --like paper", OPT_PAPER },
	{ ID_EARLIER, 0, "earlier", "FILE",
	  "a file of the earlier dump, once per file; IMAGE is then the later dump", OPT_EARLIER },
	{ ID_HEADERS, 0, "headers", "DIR",
	  "types from the kernel's headers: a package of them, or a source tree", OPT_HEADERS },
	{ ID_CONFIG, 0, "config", "FILE", "its .config (default: the dump's, else that in DIR)",
	  OPT_CONFIG },
	{ ID_KEEP, 0, "keep", NULL,
	  "keep it for damaged dumps of this kernel (--layouts, ~/.cache)",
	  OPT_KEEP },
	{ ID_TASKS, 0, "tasks", NULL, "oom: the kernel's table of tasks; thrash: processes that waited", OPT_TASKS },
	{ ID_ZONES, 0, "zones", NULL, "zones, and which of them failed the request", OPT_ZONES },
	{ ID_CGROUPS, 0, "cgroups", NULL, "control groups that were at their limit", OPT_CGROUPS },
	{ ID_HOLDERS, 0, "holders", NULL, "owners of the kernel's memory, and who holds them",
	  OPT_HOLDERS },
	{ ID_LIMITS, 0, "limits", NULL, "limits of control groups, and what is left", OPT_LIMITS },
	{ ID_EVENTS, 0, "events", NULL, "what happened at these limits", OPT_EVENTS },
	{ ID_PSI, 0, "psi", NULL, "pressure: the share of time that tasks waited", OPT_PSI },
	{ ID_DYING, 0, "dying", NULL, "removed groups that are still referenced", OPT_DYING },
	{ ID_VERDICT, 0, "verdict", NULL, "why memory ran out: causes with their figures", OPT_VERDICT },
	{ ID_KILLS, 0, "kills", NULL, "what killing a process or control group would free", OPT_KILLS },
	{ ID_GROUPS, 0, "groups", NULL, "one row for each stack, with its tasks", OPT_GROUPS },
	{ ID_JOBS, 'j', "jobs", "N", "number of threads (default: number of CPUs)", 0 },
	{ ID_MEMORY, 0, "memory", "SIZE",
	  "bytes of memory to use, as 512M or 8G (default: half of this machine's)", 0 },
	{ ID_OUTPUT, 'o', "output", "FILE", "write the result to FILE, once it is complete", 0 },
	{ ID_INDEX, 0, "index", "FILE",
	  "of a flattened, mcore or AVML dump: its index; FILE is made if it does not exist", 0 },
	{ ID_MACHINE, 0, "machine", "N",
	  "of several kernels in one image: the N-th (default: 1, the one that crashed)", 0 },
	{ ID_QUIET, 'q', "quiet", NULL, "print only errors on stderr", 0 },
	{ ID_VERBOSE, 'v', "verbose", NULL, "print where symbols and types were found; twice: more", 0 },
	{ ID_NO_SANDBOX, 0, "no-sandbox", NULL, "read the dump with all rights of this user", 0 },
	{ ID_NO_PAGER, 0, "no-pager", NULL, "print on a terminal without a pager ($PAGER, less)", 0 },
	{ ID_SANDBOX_TEST, 0, "sandbox-test", NULL,
	  "try what the sandbox must refuse, and print what happened", 0 },
	{ ID_HELP, 'h', "help", NULL, "this text; with the name of a report: its help", 0 },
	{ ID_LIST, 0, "list-reports", NULL, "names of all reports", 0 },
	{ ID_TABLES, 0, "tables", NULL, "names of the tables that sql has, and their columns", 0 },
	{ ID_VERSION, 'V', "version", NULL, "the version", 0 },
	{ ID_MAN, 0, "help-man", "PAGE", "", 0 },
	{ ID_SCHEMA, 0, "help-schema", NULL, "", 0 },
	{ ID_WORDS, 0, "help-words", NULL, "", 0 },
	{ ID_LIBRARY, 0, "library", "VERSION", "", 0 },
	{ 0 }
};

/* The arguments, as they are consumed. */
struct args {
	char **v;
	int n, i;
	const char **plain;		/* report and images */
	unsigned nplain;
	const char **earlier;
	unsigned nearlier;
	int format_at;			/* word that was the argument of --format; 0: none */
	unsigned behind_format;		/* the plain word right after it, + 1; 0: none */
	struct diag *diag;
};

/* Writes the sentence for wrong usage into A's diag, as printf(). Returns the exit status. */
#define usage(a, ...) (fail((a)->diag, ST_ABSENT, __VA_ARGS__), EXIT_USAGE)

static int number_option(struct args *a, const char *text, uint64_t max, const char *what,
			 uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text < '0' || *text > '9' || *ret > max) {
		fail(a->diag, ST_ABSENT, "%s '%.60s' is not a number from 0 to %llu", what, text,
		     (unsigned long long)max);
		return EXIT_USAGE;
	}
	return 0;
}

/* "512M": a number above 0 and K, M, G or T. */
static int size_option(struct args *a, const char *text, uint64_t *ret)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit && !end[1] && *ret <= UINT64_MAX >> 10 * (unit - units + 1)) {
		*ret <<= 10 * (unit - units + 1);
		end++;
	}
	if (errno || *end || end == text || *text < '0' || *text > '9' || !*ret)
		return usage(a, "--memory '%.60s' is not a size such as 512M or 8G", text);
	return 0;
}

static int apply(struct options *o, struct args *a, const struct option_spec *spec, const char *arg)
{
	uint64_t v = 0;
	int err = 0;

	o->given |= spec->report_opt;
	switch (spec->id) {
	case ID_TYPES: o->types[o->ntypes++] = arg; break;
	case ID_SYSROOT: o->report_opts.sysroot = arg; break;
	case ID_FORMAT:
		o->format = arg;
		a->format_at = a->i;
		break;
	case ID_COLUMNS: o->columns = arg; break;
	case ID_SORT: o->sort = arg; break;
	case ID_WHERE: o->where = arg; break;
	case ID_OUTPUT: o->output = arg; break;
	case ID_TOP:
		err = number_option(a, arg, UINT32_MAX, "--top", &o->top);
		o->report_opts.top = o->top;
		break;
	case ID_BYTES: o->unit = UNIT_BYTES; break;
	case ID_PAGES: o->unit = UNIT_PAGES; break;
	case ID_JOBS:
		err = number_option(a, arg, 4096, "--jobs", &v);
		o->jobs = (unsigned)v;
		break;
	case ID_MEMORY: err = size_option(a, arg, &o->memory); break;
	case ID_PID:
		err = number_option(a, arg, INT32_MAX, "--pid", &v);
		o->report_opts.pid = (int32_t)v;
		if (!err && !v)
			err = usage(a, "--pid 0 is the idle task; give the id of a process");
		break;
	case ID_THREADS: o->report_opts.threads = true; break;
	case ID_KERNEL: o->report_opts.kernel_threads = true; break;
	case ID_ALL: o->report_opts.all = true; break;
	case ID_VIRTUAL: o->report_opts.virt = true; break;
	case ID_FILE: o->report_opts.file = arg; break;
	case ID_BY: o->report_opts.by = arg; break;
	case ID_LIKE: o->report_opts.like = arg; break;
	case ID_PAPER: o->report_opts.like = "paper"; break;
	case ID_EARLIER: a->earlier[a->nearlier++] = arg; break;
	case ID_HEADERS: o->report_opts.headers = arg; break;
	case ID_CONFIG: o->report_opts.config = arg; break;
	case ID_INDEX: o->index = arg; break;
	case ID_LAYOUTS: o->layouts = arg; break;
	case ID_KEEP: o->keep = true; break;
	case ID_MACHINE:
		err = number_option(a, arg, 16, "--machine", &v);
		o->machine = (unsigned)v;
		break;
	case ID_NO_SANDBOX: o->no_sandbox = true; break;
	case ID_NO_PAGER: o->no_pager = true; break;
	case ID_SANDBOX_TEST: o->action = DO_SANDBOX_TEST; break;
	case ID_QUIET: o->quiet = true; break;
	case ID_VERBOSE:
		o->verbose++;
		o->report_opts.verbose = true;
		break;
	case ID_HELP: o->action = DO_HELP; break;
	case ID_VERSION: o->action = DO_VERSION; break;
	case ID_LIST: o->action = DO_LIST; break;
	case ID_TABLES: o->action = DO_TABLES; break;
	case ID_MAN:
		o->action = DO_MAN;
		o->page = arg;
		break;
	case ID_SCHEMA: o->action = DO_SCHEMA; break;
	case ID_WORDS: o->action = DO_WORDS; break;
	case ID_LIBRARY: o->library = arg; break;
	}
	return err;
}

static const struct option_spec *by_name(const char *name, size_t len)
{
	for (const struct option_spec *s = option_specs; s->name; s++)
		if (strlen(s->name) == len && !memcmp(s->name, name, len))
			return s;
	return NULL;
}

static const struct option_spec *by_letter(char c)
{
	for (const struct option_spec *s = option_specs; s->name; s++)
		if (s->letter == c)
			return s;
	return NULL;
}

/* The argument of SPEC: ATTACHED text, or the next word. */
static int with_arg(struct options *o, struct args *a, const struct option_spec *spec,
		    const char *attached)
{
	if (attached)
		return apply(o, a, spec, attached);
	if (a->i + 1 < a->n)
		return apply(o, a, spec, a->v[++a->i]);
	if (spec->id == ID_COLUMNS) {
		o->columns = "help";
		return 0;
	}
	fail(a->diag, ST_ABSENT, "--%s needs an argument: %s", spec->name, spec->arg);
	return EXIT_USAGE;
}

static int no_option(struct args *a, const char *word, size_t len)
{
	struct nearest near = { .word = word, .len = len };
	char meant[96];

	for (const struct option_spec *s = option_specs; s->name; s++)
		if (*s->about)
			nearest_try(&near, s->name);
	return usage(a, "unknown option --%.60s%s; --help lists them", word,
		     nearest_words(&near, "--", meant, sizeof(meant)));
}

static int no_report(struct args *a, const char *word)
{
	struct nearest near = { .word = word, .len = strlen(word) };
	char meant[96];

	for (unsigned i = 0; reports[i]; i++)
		nearest_try(&near, reports[i]->name);
	return usage(a, "no report '%.60s'%s; --list-reports shows all", word,
		     nearest_words(&near, "", meant, sizeof(meant)));
}

static int long_option(struct options *o, struct args *a, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct option_spec *spec = by_name(word, len);
	const char *value = word[len] ? word + len + 1 : NULL;

	if (!spec)
		return no_option(a, word, len);
	if (!spec->arg)
		return value ? usage(a, "--%s takes no argument", spec->name)
			     : apply(o, a, spec, "");
	return with_arg(o, a, spec, value);
}

static int letters(struct options *o, struct args *a, const char *word)
{
	int err = 0;

	while (!err && *word) {
		const struct option_spec *spec = by_letter(*word);
		char name[2] = { *word++, '\0' };

		if (!spec)
			return usage(a, "unknown option -%s; --help lists them", name);
		if (spec->arg)
			return with_arg(o, a, spec, *word ? word : NULL);
		err = apply(o, a, spec, "");
	}
	return err;
}

static void plain_word(struct args *a, const char *w)
{
	a->plain[a->nplain++] = w;
	if (a->format_at && a->i == a->format_at + 1)
		a->behind_format = a->nplain;
}

static int words(struct options *o, struct args *a)
{
	bool plain = false;
	int err = 0;

	for (a->i = 1; !err && a->i < a->n; a->i++) {
		const char *w = a->v[a->i];

		if (plain || w[0] != '-' || !w[1])
			plain_word(a, w);
		else if (!strcmp(w, "--"))
			plain = true;
		else if (w[1] == '-')
			err = long_option(o, a, w + 2);
		else
			err = letters(o, a, w + 1);
	}
	return err;
}

/* The first plain word is a report if it is the name of one. */
static int report_and_images(struct options *o, struct args *a)
{
	unsigned first = 0;

	if (a->nplain)
		o->report = report_find(a->plain[0]);
	first = o->report != NULL;
	if (!first && a->nplain > 1 && !strpbrk(a->plain[0], "./") && access(a->plain[0], F_OK))
		return no_report(a, a->plain[0]);
	if (!o->report && o->action == DO_HELP && a->nplain)
		return no_report(a, a->plain[0]);
	if (!o->report && o->action != DO_HELP)
		o->report = reports[0];
	o->images = a->plain + first;
	o->nimages = a->nplain - first;
	return 0;
}

const struct product *options_product(const struct options *o)
{
	const struct product *p = o->report->products;

	if (p && !strcmp(o->format, "text"))
		return p;
	while (p && p->name && strcmp(p->name, o->format))
		p++;
	return p && p->name ? p : NULL;
}

/* "export --format proc DIR IMAGE": without -o, the word after a product's name is the
   destination. */
static int take_destination(struct options *o, struct args *a)
{
	const struct product *p = options_product(o);
	unsigned at = a->behind_format;

	if (!at || o->output || !p || !p->dest_word || a->plain + at <= o->images)
		return 0;
	o->output = a->plain[at - 1];
	if (!p->dir && !access(o->output, F_OK))
		return usage(a, "%s exists; -o FILE would overwrite it", o->output);
	memmove(&a->plain[at - 1], &a->plain[at], (a->nplain - at) * sizeof(*a->plain));
	a->nplain--;
	o->nimages--;
	return 0;
}

bool option_address(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 16);
	return !errno && end != text && !*end && isxdigit((unsigned char)*text);
}

/* "who ADDRESS IMAGE", "sql STATEMENT IMAGE". False: the report takes a word, and none stands there. */
static bool take_word(struct options *o)
{
	const struct report *r = o->report;

	if (!r || !r->word)
		return true;
	if (!o->nimages)
		return false;
	if (r->statement)
		o->statement = o->images[0];
	else if (!option_address(o->images[0], &o->report_opts.address))
		return false;
	o->images++;
	o->nimages--;
	return true;
}

const struct option_spec *option_given(const struct options *o, unsigned flags)
{
	const struct option_spec *s = option_specs;

	while (s->name && !(o->given & s->report_opt & flags))
		s++;
	return s->name ? s : NULL;
}

/* The part of the report that an option asks for, in its place. */
static void take_part(struct options *o)
{
	for (const struct report_part *p = o->report->parts; p && p->opt; p++) {
		if (!(o->given & p->opt))
			continue;
		o->report = p->report;
		return;
	}
}

static int check_taken(const struct options *o, struct args *a)
{
	const struct option_spec *s = option_given(o, ~report_takes(o->report));

	if (!s)
		return 0;
	fail(a->diag, ST_ABSENT, "report %s takes no --%s", o->report->name, s->name);
	return EXIT_USAGE;
}

bool option_of_hosts(const struct option_spec *s)
{
	return s->id != ID_TYPES && s->id != ID_HEADERS && s->id != ID_CONFIG &&
	       s->id != ID_INDEX && s->id != ID_LAYOUTS && s->id != ID_KEEP &&
	       s->id != ID_MACHINE && s->id != ID_NO_SANDBOX && s->id != ID_SANDBOX_TEST;
}

/*
 * Inside a host the words name no dump, except the earlier of two that are compared. Any
 * other word that is no report is mistyped.
 */
static int take_hosts(struct options *o, struct args *a, const char *image)
{
	unsigned named = o->report && o->report->compares && !a->nearlier;

	if (o->nimages > named && a->nplain == o->nimages)
		return no_report(a, o->images[named]);
	if (o->nimages > named)
		return usage(a,
			     "unexpected argument '%.60s': the host has opened the dump; put an "
			     "expression with spaces in double quotes",
			     o->images[named]);
	if (o->ntypes || o->given & (OPT_HEADERS | OPT_CONFIG))
		return usage(a, "--%s is not possible here: symbols and types come from the host",
			     o->ntypes		      ? "types"
			     : o->report_opts.headers ? "headers"
						      : "config");
	if (o->index)
		return usage(a, "--index is not possible here: the host has opened the dump");
	if (o->layouts || o->keep)
		return usage(a, "--%s is not possible here: the host has opened the dump",
			     o->keep ? "keep" : "layouts");
	if (o->machine)
		return usage(a, "--machine is not possible here: the host has opened the dump");
	if (o->no_sandbox || o->action == DO_SANDBOX_TEST)
		return usage(a, "there is no sandbox here: the host has opened the dump");
	if (o->action == DO_REPORT && o->nimages < named)
		return usage(a, "report %s compares two dumps: name the earlier one",
			     o->report->name);
	o->images[o->nimages++] = image;
	return 0;
}

/* A program asks, through a library of one version: what it gets comes through the pipe, and from the sandbox. */
static int take_library(const struct options *o, struct args *a)
{
	if (strcmp(o->library, VMCENSUS_VERSION)) {
		fail(a->diag, ST_ABSENT,
		     "this is vmcensus %s, and libvmcensus %.20s: install one version of both",
		     VMCENSUS_VERSION, o->library);
		return EXIT_NO_ANSWER;
	}
	if (o->output || o->no_sandbox || o->index || o->keep)
		return usage(a, "--%s is not possible here: a library asks",
			     o->output	     ? "output"
			     : o->no_sandbox ? "no-sandbox"
			     : o->index	     ? "index"
					     : "keep");
	return 0;
}

/* Files of the earlier dump first, then those of the later. */
static int take_earlier(struct options *o, struct args *a)
{
	const char **all = arena_array(&o->mem, const char *, a->nearlier + o->nimages);

	if (!o->nimages || (!a->nearlier && o->nimages != 2))
		return usage(a,
			     "report %s compares two dumps: name the earlier one first, or "
			     "each of its files with --earlier",
			     o->report->name);
	o->nearlier = a->nearlier ? a->nearlier : 1;
	for (unsigned i = 0; i < a->nearlier; i++)
		all[i] = a->earlier[i];
	for (unsigned i = 0; i < o->nimages; i++)
		all[a->nearlier + i] = o->images[i];
	o->images = all;
	o->nimages += a->nearlier;
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct diag *diag)
{
	return options_parse_hosted(o, argc, argv, NULL, diag);
}

int options_parse_hosted(struct options *o, int argc, char **argv, const char *image,
			 struct diag *diag)
{
	struct args a = { .v = argv, .n = argc, .diag = diag };
	bool has_word = true;
	int err;

	memset(o, 0, sizeof(*o));
	o->format = "text";
	o->types = arena_array(&o->mem, const char *, (size_t)argc + 1);
	a.plain = arena_array(&o->mem, const char *, (size_t)argc + 1);
	a.earlier = arena_array(&o->mem, const char *, (size_t)argc + 1);
	err = words(o, &a);
	if (!err)
		err = report_and_images(o, &a);
	if (!err && o->action == DO_REPORT)
		err = take_destination(o, &a);
	if (!err && o->action == DO_REPORT)
		has_word = take_word(o);
	if (!err && image)
		err = take_hosts(o, &a, image);
	if (!err && o->library)
		err = take_library(o, &a);
	if (err || o->action != DO_REPORT)
		return err;
	take_part(o);
	if (o->columns && report_takes(o->report) & OPT_COLUMNS &&
	    (!strcmp(o->columns, "help") || !strcmp(o->columns, "?"))) {
		o->action = DO_COLUMNS;
		return 0;
	}
	if ((o->report->compares || (a.nearlier && o->report->opts & OPT_EARLIER)) &&
	    take_earlier(o, &a))
		return EXIT_USAGE;
	if (!o->nimages && !(o->report_opts.headers && o->report->opts & OPT_HEADERS))
		return usage(&a, "no dump was named; usage: vmcensus [REPORT] IMAGE");
	if (!has_word)
		return usage(&a, "report %s needs %s, %s, before the dump", o->report->name,
			     o->report->word,
			     o->report->statement ? "a SELECT" : "a hexadecimal number");
	return check_taken(o, &a);
}

const char *options_rows(const struct options *o, struct arena *mem)
{
	const struct report_opts *r = &o->report_opts;
	const struct { const char *name, *arg; bool given; } words[] = {
		{ "threads", NULL, r->threads }, { "kernel", NULL, r->kernel_threads },
		{ "all", NULL, r->all },	 { "virtual", NULL, r->virt },
		{ "file", r->file, r->file },	 { "sysroot", r->sysroot, r->sysroot },
		{ "like", r->like, r->like },	 { "where", o->where, o->where },
	};
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].given)
			text = arena_printf(mem, "%s%s--%s%s%s", text ? text : "", text ? " " : "",
					    words[i].name, words[i].arg ? " " : "",
					    words[i].arg ? words[i].arg : "");
	if (r->pid)
		text = arena_printf(mem, "%s%s--pid %d", text ? text : "", text ? " " : "", r->pid);
	if (o->top)
		text = arena_printf(mem, "%s%s--top %llu", text ? text : "", text ? " " : "",
				    (unsigned long long)o->top);
	return text;
}

void options_release(struct options *o)
{
	arena_release(&o->mem);
}
