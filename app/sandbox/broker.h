/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * broker.h - two processes: one in a sandbox, which reads the dump, and this one, which opens
 * what that one asks for (app/sandbox/permits.h) and reads none of it.
 */
#ifndef VMCENSUS_BROKER_H
#define VMCENSUS_BROKER_H

#include "app/sandbox/permits.h"
#include "app/sandbox/sandbox.h"

struct broker {
	struct permits permits;
	const char *tree;	/* the directory that may be exported to; NULL: none */
	const char *into;	/* the directory that new files may be made in; NULL: none */
	const int *file;	/* in place of INTO: the file that is open, whatever its name */
	/* NULL, or: INSIDE asks for nothing, and is confined as sandbox_enter_below() says. */
	const char *below;
	unsigned debuginfo;	/* build-ids that debuginfod may be asked for: one for each dump */
	unsigned patience;	/* seconds without a request after which it is killed; 0: any */
	struct sandbox_limits limits;
	/* In the sandboxed process, before it is one: opens files, loads libraries. */
	void (*prepare)(void *arg);
	/* In the sandboxed process; returns its exit status. LACKS: what the sandbox lacks. */
	int (*inside)(void *arg, const struct sandbox_lacks *lacks);
	void *arg;
};

/*
 * Runs B->inside in a sandbox, and serves it. What it printed is flushed. *STATUS: as of
 * waitpid(). ST_IO with DIAG: the process could not be started.
 */
enum status broker_run(struct broker *b, int *status, struct diag *diag);

#endif
