/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call.h - a report in a process of its own, sandbox and all. What it says is kept in files in memory. */
#ifndef VMCENSUS_CALL_H
#define VMCENSUS_CALL_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define CALL_BYTES (1u << 20)	/* of an answer that is sent on; the renderer ends before */

struct call {
	pid_t pid;
	int out, err;		/* files in memory */
	int alive;		/* readable when the process has ended */
	const char *stopped;	/* why it was ended; NULL: it was not */
};

/* The report of WORDS, a command line. 0, or errno. */
int call_start(struct call *c, char **words);
/* Ends the process because of WHY. */
void call_stop(struct call *c, const char *why);
/* After ALIVE: writes the "result" of tools/call, as JSON. */
void call_end(struct call *c, FILE *out);

#endif
