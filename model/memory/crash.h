/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crash.h - the calls of a panic: those that the log has, and those on the task's stack. Of a dump that
 * somebody asked for, the calls of what hangs.
 */
#ifndef VMCENSUS_VIEWS_CRASH_H
#define VMCENSUS_VIEWS_CRASH_H

#include "model/kernel/stack/calltrace.h"

struct crash_call {
	struct call call;
	const char *plain;	/* call_plain() of it */
	bool of_stack;		/* read from the stack; else printed in the log */
};

struct crash {
	struct crash_call *v;	/* those of the log first */
	unsigned n;
	char hash[DUPHASH_TEXT];	/* ABRT's; "": none */
	const char *reason;	/* panic_plain() of the message, or hang_reason(); NULL: no panic, no hang */
	const char *hang;	/* of a dump that was asked for: the report of the hang; NULL: none */
};

/* Needs NEED_MACHINE and NEED_LOG; of the stack NEED_TASKS. Texts are in MEM. */
void crash_of(const struct snapshot *s, struct arena *mem, struct crash *ret);

#endif
