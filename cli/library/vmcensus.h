/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmcensus.h - the tables of vmcensus(1), for programs.
 *
 * Each table and each text is made by a process of its own, which runs the program vmcensus: the options, the
 * sandbox and the sentences of errors are the program's. What a dump contains is interpreted there. This library
 * starts the process and reads its cells. It does not confine the process that calls it. It prints nothing, never exits,
 * installs no signal handler, and waits for its own children only: a caller must not ignore SIGCHLD.
 *
 * Functions that return int give the exit status of the program: 0 complete; 1 failed; 2 incomplete, with damaged or
 * missing data; 64 wrong usage. With 1, 2 and 64 the program's sentence is in ERROR, cut to its size. A result
 * exists with 0 and 2. All functions may be called by several threads for one image, but vmcensus_close().
 */
#ifndef VMCENSUS_H
#define VMCENSUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VMCENSUS_ERROR_SIZE 1024

struct vmcensus;
struct vmcensus_table;
struct ArrowArrayStream;	/* of the Arrow C stream interface */

struct vmcensus_options {
	const char *program;	/* to run; NULL: vmcensus, as PATH has it */
	void (*log)(void *arg, const char *line);	/* lines of the program's stderr, in the thread that called; NULL */
	int (*interrupted)(void *arg);	/* asked about ten times a second in the thread that called: other than 0
					   ends this call, with status 1; NULL */
	void *arg;
	uint64_t max_output;	/* bytes of a table's cells, or of a text; 0, and at most: 1 GiB */
};

struct vmcensus_column {
	const char *name;
	const char *type;	/* text, letter, number, size, address, time, ratio: as vmcensus REPORT --columns */
	const char *unit;	/* "bytes", "ns", "pages", "%" ...; "": none */
	const char *about;	/* one line */
};

/* What could not be read or believed, as json has it. */
struct vmcensus_issue {
	const char *kind;	/* nodata, fault, corrupt, limit ... */
	const char *object;
	uint64_t count;
};

/* IMAGES: paths, NULL ends them; they are copied, and first read for a table. OPTIONS may be
   NULL. 0, or 1 with ERROR. */
int vmcensus_open(const char *const *images, const struct vmcensus_options *options, struct vmcensus **ret,
		  char error[VMCENSUS_ERROR_SIZE]);
void vmcensus_close(struct vmcensus *v);
/* Ends what other threads ask of V, now and later, with status 1. */
void vmcensus_cancel(struct vmcensus *v);

/*
 * What "vmcensus REPORT -f FORMAT OPTIONS... IMAGES" prints. OPTIONS: words of the command line, NULL ends them; may
 * be NULL; what writes a file (-o) or leaves the sandbox is refused, with 64. *TEXT, of *LEN bytes and a 0 behind them, is the caller's, for free().
 */
int vmcensus_text(struct vmcensus *v, const char *report, const char *format, const char *const *options, char **text,
		  size_t *len, char error[VMCENSUS_ERROR_SIZE]);

/* The rows of a report, which do not change; layouts of --like are texts alone. Of the caller, for vmcensus_table_free(). */
int vmcensus_table(struct vmcensus *v, const char *report, const char *const *options, struct vmcensus_table **ret,
		   char error[VMCENSUS_ERROR_SIZE]);
void vmcensus_table_free(struct vmcensus_table *t);
size_t vmcensus_table_rows(const struct vmcensus_table *t);
/* With the rows that -n left out. */
size_t vmcensus_table_all(const struct vmcensus_table *t);
size_t vmcensus_table_columns(const struct vmcensus_table *t);
/* Lives as long as T; NULL: there is no such column. */
const struct vmcensus_column *vmcensus_table_column(const struct vmcensus_table *t, size_t column);
/* The cell: sizes in bytes, times in ns, addresses 0x..., bytes that are no character \xHH. NULL: unknown, or no such
   cell. */
const char *vmcensus_table_cell(const struct vmcensus_table *t, size_t row, size_t column);

size_t vmcensus_table_issues(const struct vmcensus_table *t);
/* Lives as long as T; NULL: there is no such issue. */
const struct vmcensus_issue *vmcensus_table_issue(const struct vmcensus_table *t, size_t issue);

/*
 * The table as one batch of an Arrow C stream, which is independent of T: number, size and time are int64, address is
 * uint64, ratio is double, the others are utf8; unknown is null. The unit of a column is in its metadata. A stored
 * number beyond the range of its type is an error of get_next. 0, or 1: no memory.
 */
int vmcensus_table_stream(struct vmcensus_table *t, struct ArrowArrayStream *ret);

#ifdef __cplusplus
}
#endif
#endif
