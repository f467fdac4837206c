/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report.h - a report is rows of a table; so are its columns.
 *
 * A report is a struct for its row, a static table of columns over it, a run function
 * (read-only snapshot in, array of rows out) and one struct report with a line in
 * reports.def. Its help text, --columns list, man page section, csv, json and crash
 * command follow from the tables. Renderers (render/) know columns, never reports.
 * CONTRIBUTING.md has the steps to add one.
 */
#ifndef VMCENSUS_REPORT_H
#define VMCENSUS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dumpread/base/arena.h"
#include "model/model.h"

/* How a cell is stored in the row struct, and its meaning. */
enum col_type {
	COL_STR,	/* const char *; NULL prints as "-" (json null) */
	COL_CHAR,	/* char */
	COL_INT,	/* int64_t */
	COL_UINT,	/* uint64_t: a count */
	COL_BYTES,	/* uint64_t bytes: KiB in text unless --bytes or --pages */
	COL_DELTA,	/* int64_t bytes, printed as COL_BYTES are, with its sign */
	COL_HEX,	/* uint64_t: an address or flags */
	COL_NSEC,	/* uint64_t ns: [days-]hh:mm:ss in text, ns in csv and json */
	COL_RATIO,	/* double: 3 decimals */
};

#define COL_UNKNOWN UINT64_MAX	/* COL_UINT, COL_BYTES, COL_HEX, COL_NSEC: "-" or null */
#define COL_UNKNOWN_INT INT64_MIN	/* COL_INT, COL_DELTA; COL_RATIO: NAN; COL_CHAR: '\0' */

enum col_flag {
	COL_SHOWN = 1 << 0,	/* in text when no -c is given */
	COL_TOTAL = 1 << 1,	/* summed in the totals line of text */
	COL_THREADS = 1 << 2,	/* shown with --threads, as COL_SHOWN is without */
	COL_ONCE = 1 << 3,	/* as COL_TOTAL, but once for each total_key */
	COL_FILE = 1 << 4,	/* shown with --file, as COL_SHOWN is without */
	COL_WIDE = 1 << 5,	/* of words, not of names: text makes room for all of them */
	COL_NAMED = 1 << 6,	/* only if -c names it: neither in csv and json nor in "all" */
	COL_PAGE = 1 << 7,	/* needs the struct pages of all that is mapped: of_sizes */
};

struct column {
	const char *name;	/* lower_case; text upper-cases it */
	enum col_type type;
	unsigned flags;
	size_t offset;		/* of the cell in the row */
	const char *unit;	/* "bytes", "pages", "ns", "" ... for json */
	const char *about;	/* one line for --columns and the man page */
	/* enum need, in addition to the report's. Built when the column is used: named by -c,
	   -s or -w, or shown by default. Otherwise csv and json leave the column out. */
	unsigned needs;
	size_t order;		/* of a cell of the same type that sorts in its place; 0: itself */
};

#define COL(row, name_, type_, flags_, unit_, about_)                          \
	{ #name_, type_, flags_, offsetof(row, name_), unit_, about_, 0, 0 }
/* The same for a member of the row that has another name than the column. */
#define COL_AS(row, member_, name_, type_, flags_, unit_, about_)              \
	{ name_, type_, flags_, offsetof(row, member_), unit_, about_, 0, 0 }

/* The result of a run function. Rows and strings live in mem. */
struct table {
	const struct column *cols;
	unsigned ncols;
	void *rows;
	size_t row_size;
	size_t nrows;
	size_t nall;		/* with the rows that -n cut off; they follow in rows */
	/* For COL_ONCE, where several rows show the same thing (a shared mm): offset of the
	   uint64_t that identifies it; 0: none. */
	size_t total_key;
	/* Offset of a const char *: the parts of the row that could not be read, NULL if none.
	   Text marks such rows. 0: the report does not know. */
	size_t incomplete;
	const char *head;	/* lines above the table in text, or NULL; not with -c */
	const char *note;	/* a line below the table in text, or NULL */
	struct arena mem;
};

struct statement;		/* reports/sql/statement.h */

struct report_opts {
	int32_t pid;		/* --pid N; 0: all */
	bool threads;		/* --threads: one row per thread */
	bool kernel_threads;	/* --kernel: kernel threads too */
	bool verbose;		/* -v: names of the kernel's structures too */
	bool all;		/* --all: also rows that are normally left out */
	unsigned width;		/* columns of the terminal that shows the text, also in a pager; 0: none does */
	bool virt;		/* --virtual: virtual sizes instead of resident pages */
	const char *file;	/* --file NAME: only this file */
	const char *by;		/* --by WHAT: a word of report.by; NULL: as the report does */
	const char *like;	/* --like TOOL: name of one of report.likes; NULL: our own */
	const char *sysroot;	/* --sysroot DIR: the machine's binaries */
	const char *headers;	/* --headers DIR: the kernel's headers, in place of types */
	const char *config;	/* --config FILE: its .config; NULL: the dump's, or DIR's */
	uint64_t address;	/* the word of a report that takes one */
	struct statement *statement;	/* of a report with statement: parsed, and run once */
	uint64_t top;		/* --top N, for a report with own_top; 0: its usual number */
	const struct snapshot *before;	/* for a report that compares: the first image */
};

enum report_opt_flag {
	OPT_PID = 1, OPT_THREADS = 2, OPT_KERNEL = 4, OPT_ALL = 8, OPT_VIRTUAL = 16,
	OPT_FILE = 32, OPT_SYSROOT = 64, OPT_LIKE = 128, OPT_EARLIER = 256,
	/* these follow from the members of a report; no report lists them */
	OPT_PAPER = 512, OPT_COLUMNS = 1024, OPT_SORT = 2048, OPT_TOP = 4096, OPT_WHERE = 8192,
	OPT_BYTES = 16384, OPT_PAGES = 32768,
	OPT_HEADERS = 65536, OPT_CONFIG = 131072,	/* listed like those of the first lines */
	/* parts of a report */
	OPT_UNKNOWN = 1 << 27, OPT_BY = 1 << 30,
	OPT_TASKS = 262144, OPT_ZONES = 524288, OPT_CGROUPS = 1048576,
	OPT_HOLDERS = 2097152,
	OPT_LIMITS = 1 << 22, OPT_EVENTS = 1 << 23, OPT_PSI = 1 << 24, OPT_DYING = 1 << 25,
	OPT_GROUPS = 1 << 26,
	OPT_VERDICT = 1 << 28, OPT_KILLS = 1 << 29,
	OPT_KEEP = 1u << 31,
};

struct chart;			/* reports/charts/chart.h */
struct fleet;			/* reports/fleet/fleet.h */

/*
 * The layout of an older tool, for its users and their scripts: the report's rows in that
 * tool's words. A format without a function here is not offered.
 */
struct like {
	const char *name, *about;	/* --like NAME */
	const char *sort;		/* its order; NULL: the report's */
	void (*text)(const struct snapshot *s, const struct report_opts *o,
		     const struct table *t, FILE *out);
	void (*csv)(const struct snapshot *s, const struct report_opts *o,
		    const struct table *t, FILE *out);
	unsigned needs;			/* enum need, beside those of the report */
	unsigned opts;			/* enum report_opt_flag: options that only this layout
					   takes */
	unsigned refuses;		/* enum report_opt_flag: options that it cannot follow */
	const struct chart *chart;	/* for svg and the like; NULL: none */
};

struct render;

/* What a page is made of that a capsule has. */
struct kept_page {
	const struct render *charts;	/* of the reports that have one, in their order */
	unsigned ncharts;
	/* Writes what write_data() wrote. On failure DIAG has a sentence. */
	enum status (*data)(void *arg, FILE *out, struct diag *diag);
	void *arg;
};

/*
 * Output of a report that is no table of rows: a tree of files, an archive, a page. A
 * report with products has no rows; -f names one of them.
 */
struct product {
	const char *name, *about;	/* -f NAME */
	unsigned needs;			/* enum need, beside those of the report */
	bool dest_word;			/* without -o, the word after its name is DEST */
	bool dir;			/* makes a directory: DEST is its name, OUT NULL */
	/* DEST: the argument of -o, NULL for stdout. On failure DIAG has a sentence. */
	enum status (*write)(const struct snapshot *s, const struct report_opts *o,
			     const char *dest, FILE *out, struct diag *diag);
	/* What a capsule keeps of S in place of what is written without options: JSON without the
	   character "<". NULL: nothing. */
	void (*write_data)(const struct snapshot *s, FILE *out);
	/* The same as write(), from what is kept. */
	enum status (*write_kept)(const struct kept_page *p, FILE *out, struct diag *diag);
	/* The same of a fleet; NULL: there is none. */
	void (*write_fleet)(const struct fleet *f, FILE *out);
};

/* Rows of another kind that an option of the report shows instead: columns of their own. */
struct report_part {
	unsigned opt;			/* enum report_opt_flag; 0 ends a list */
	const char *name;		/* of the option */
	const struct report *report;	/* has the name of the whole, and takes OPT */
};

struct report {
	const char *name, *about;
	unsigned needs;		/* enum need: parts of the model that are built for it */
	unsigned wants;		/* enum need: built too, and done without where the
				   image is a collector's text */
	unsigned opts;		/* enum report_opt_flag: which options it takes */
	const char *const *by;	/* with OPT_BY: words that --by takes, up to NULL */
	const char *word;	/* an address before IMAGE, as usage has it: "ADDRESS"; NULL: it takes none */
	bool statement;		/* the word is a SELECT in its place, which says what its columns are */
	bool own_top;		/* --top counts the entries that it lists, not its rows */
	bool compares;		/* takes two images: an earlier one, and the one reported */
	bool many;		/* takes any number of images: a row for each */
	bool of_sizes;		/* but for columns with COL_PAGE, rows are made of what snapshot_opts
				   calls sizes_only */
	const struct column *cols;
	unsigned ncols;
	const char *sort;	/* default order: "-pss" descending; NULL: as made */
	/* Fill T (cols are set already). ST_ABSENT with DIAG: e.g. no such pid. */
	enum status (*run)(const struct snapshot *s, const struct report_opts *o,
			   struct table *t, struct diag *diag);
	/* The same from many crashes (reports/fleet/fleet.h), in place of run; NULL: of one dump. */
	enum status (*of_fleet)(const struct fleet *f, const struct report_opts *o,
				struct table *t, struct diag *diag);
	/*
	 * Prints the rows as text, if that is not a plain table (summary, smaps, maps, dmesg);
	 * NULL: the table. Filter, order and --top are applied already.
	 */
	void (*text)(const struct snapshot *s, const struct report_opts *o,
		     const struct table *t, FILE *out);
	/*
	 * Prints what a snapshot tells that has its machine and log alone. A terminal shows it until all
	 * is known. NULL: none.
	 */
	void (*first)(const struct snapshot *s, const struct report_opts *o, FILE *out);
	/* RUN for a snapshot that has the kernel's log alone, because the types are not known. NULL: none. */
	void (*bare)(const struct snapshot *s, struct table *t);
	unsigned text_refuses;		/* enum report_opt_flag: options that TEXT cannot follow */
	const struct like *likes;	/* name NULL ends it; NULL: none */
	const struct product *products;	/* the same; the first is the default */
	const struct report_part *parts;	/* NULL: none */
	const struct chart *chart;	/* chart for svg, ps, pdf and png; NULL: none */
	const char *table;		/* of a capsule; NULL: the report's name */
	bool fleet_costs;		/* of a fleet: what each program, object and cache costs is asked */
	bool of_build;			/* dumps of one kernel have the same rows, but for addresses */
	const char *dump_only;		/* why a capsule does not have its rows; NULL: it has */
	bool text_of_rows;		/* TEXT shows cells of columns, and asks the snapshot
					   nothing */
	/* Loads what it would open while it runs: before a sandbox is entered. NULL: nothing. */
	void (*prepare)(void);
	const char *help;	/* paragraphs for --help REPORT and the man page */
};

/* The layout that O asks for; NULL: none, or an unknown one. */
const struct like *report_like(const struct report *r, const struct report_opts *o);

#define OPT_ROWS (OPT_COLUMNS | OPT_SORT | OPT_TOP | OPT_WHERE)

/* enum report_opt_flag: all options that R takes, also those that only one layout takes. */
unsigned report_takes(const struct report *r);

/* The Nth word, from 0, that --by of R or of one of its parts takes, each once; NULL: no more. */
const char *report_by(const struct report *r, unsigned n);

/* The chart that svg and the like draw for a report. */
const struct chart *report_chart(const struct report *r, const struct report_opts *o);

extern const struct report *const reports[];	/* NULL-terminated */

const struct report *report_find(const char *name);

#endif
