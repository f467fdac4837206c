/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.h - one report from parsed options to its last line, for every front: the
 * program itself (main.c) and hosts that bring their own dump and output.
 */
#ifndef VMCENSUS_RUN_H
#define VMCENSUS_RUN_H

#include "app/options.h"
#include "app/output.h"
#include "app/progress.h"
#include "reports/core/pick.h"
#include "reports/render/render.h"

/* Zero but for what a front sets, then run_report(), then run_end(). */
struct run {
	struct options o;		/* parsed */
	/*
	 * Where the kernel comes from: NULL opens o.images. A host fills *ret or
	 * leaves its sentence in DIAG; the run closes what it was given.
	 */
	enum status (*open)(void *host, const struct kernel_opts *ko, struct diag *diag,
			    struct kernel **ret);
	void *host;
	const char *near_vmlinux, *near_release;	/* a host's, for the earlier dump */
	FILE *out;			/* instead of stdout; stays open */

	const struct renderer *renderer;
	const struct product *product;	/* instead of rows */
	struct columns columns;
	struct sort sort;
	struct where *where;
	struct progress *progress;
	struct log log;
	struct kernel *k;
	struct snapshot *s;
	struct kernel *before_k;	/* the first image of a report that compares */
	struct snapshot *before;
	struct table t;
	struct output output;
	struct arena mem;
	struct diag diag;
};

/* The exit status. What went wrong was said on stderr. */
int run_report(struct run *run);
/* What went wrong, as one line on stderr. */
void run_complain(const struct run *run);
/* Release everything; also after an interrupted run_report(). */
void run_end(struct run *run);

#endif
