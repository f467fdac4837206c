/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.h - one report from parsed options to its last line, for every front end: the
 * program (main.c) and hosts that bring their own dump and output.
 */
#ifndef VMCENSUS_RUN_H
#define VMCENSUS_RUN_H

#include <sys/ioctl.h>

#include "app/options.h"
#include "app/output.h"
#include "app/pager.h"
#include "app/progress.h"
#include "app/sandbox/sandbox.h"
#include "reports/capsule/capsule.h"
#include "reports/core/pick.h"
#include "reports/render/render.h"
#include "reports/sql/statement.h"

/* Zero except for the members that a front end sets; then run_report(), then run_end(). */
struct run {
	struct options o;		/* parsed */
	/*
	 * The origin of the kernel: NULL opens o.images. A host fills *ret or writes a sentence
	 * into DIAG; the run closes the kernel.
	 */
	enum status (*open)(void *host, const struct kernel_opts *ko, struct diag *diag,
			    struct kernel **ret);
	void *host;
	const char *near_vmlinux, *near_release;	/* from a host, for the earlier dump */
	FILE *out;			/* instead of stdout; stays open */
	const char *const *names;	/* of the images, for people; NULL: as they are opened */

	const struct renderer *renderer;
	const struct product *product;	/* instead of rows */
	struct column *cols;		/* of the report, and "dump" */
	unsigned ncols;
	struct columns columns;
	struct sort sort;
	struct where *where;
	struct statement *statement;	/* NULL: the report has no such word */
	bool inside;			/* this is the process in the sandbox */
	const struct sandbox_lacks *lacks;	/* of it */
	int told;			/* of headers.c: a file in memory, for both processes */
	struct progress *progress;
	struct log log;
	struct kernel *k;
	struct snapshot *s;
	struct kernel *before_k;	/* the first image of a report that compares */
	struct snapshot *before;
	struct table t;
	struct image_facts image;	/* of the rows */
	struct issues *issues;		/* the same; NULL: none */
	struct arena sides[2];		/* of rows that were compared */
	struct found *found;		/* for a report of many dumps; in MEM */
	bool of_fleet;			/* the images are fleets or capsules, asked for many */
	struct fleet *fleet;		/* of a report of many crashes; in MEM */
	int status;			/* exit status of an answer that has no issues */
	const char *text;		/* printed in place of the rows; NULL: them */
	struct capsule *capsule;	/* the same: being made */
	struct capsule_file *stored, *stored_before;	/* images that are capsules */
	struct issues *stored_issues, *stored_issues_before;	/* what they say; in MEM */
	struct output output;
	struct pager pager;		/* it shows OUTPUT */
	struct winsize screen;		/* of the terminal; if there is none, the usual size */
	struct output index_output;	/* of --index, if the file is made */
	const char *layouts[2];		/* directories with layouts by build-id (app/keep.h) */
	unsigned nlayouts;
	const char *keep;		/* where the kernel's layout is kept; a front end may set it */
	FILE *keep_to;			/* it, in memory; NULL: it is not kept */
	struct image_index index;
	struct arena mem;
	struct diag diag;
};

/* Returns the exit status. Errors were printed on stderr. */
int run_report(struct run *run);
/* Prints the error as one line on stderr. */
void run_complain(const struct run *run);
/* Releases everything; also after an interrupted run_report(). */
void run_end(struct run *run);

#endif
