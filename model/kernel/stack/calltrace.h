/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calltrace.h - the calls that the kernel printed when it panicked, as data, and what names a
 * panic across machines and builds.
 */
#ifndef VMCENSUS_CALLTRACE_H
#define VMCENSUS_CALLTRACE_H

#include "model/model.h"

#define CALLS_MAX 256u
#define DUPHASH_TEXT 41		/* a SHA-1 in hexadecimal digits, terminated */

struct call {
	const char *function;	/* as printed: "f.isra.0" */
	uint64_t offset, size;	/* bytes: "+0x1/0x2" */
	const char *module;	/* NULL: of the kernel itself */
	const char *stack;	/* "IRQ", "NMI" ...: of <IRQ>; NULL: of the task */
	bool reliable;		/* false: printed with "?", or as (unreliable) */
	bool at;		/* the instruction itself (RIP, NIP ...), not a call */
	bool hashed;		/* ABRT's hash has it, if it is reliable */
};

struct calltrace {
	struct call *v;		/* the instruction first, then innermost calls first */
	unsigned n;
};

/* The trace of the panic of M, in MEM; without one n is 0. A panic about other tasks (a hung
   task, a lockup) has their trace. */
void calltrace_of(const struct machine *m, struct arena *mem, struct calltrace *ret);
/* The trace of the report that begins in line FROM of the log. */
void calltrace_at(const struct machine *m, uint32_t from, struct arena *mem, struct calltrace *ret);
/* The call on line S, which may be any line, into C. False: there is none. */
bool calltrace_line(const char *s, struct arena *mem, struct call *c);

/*
 * The name without what a compiler adds (".isra.0", ".part.1", ".constprop.0", ".cold") and
 * PowerPC's leading dot, in MEM. NULL: a function that only reports, enters a fault, waits or
 * finds what its caller did, and is on many traces (panic, page_fault, schedule, mutex_lock).
 */
const char *call_plain(const char *function, struct arena *mem);

/* ABRT's hash of an oops into RET; false: no frame is reliable. */
bool calltrace_duphash(const struct calltrace *t, char ret[DUPHASH_TEXT]);

/* Did somebody ask for a dump, by sysrq or an NMI? Before 5.1 sysrq follows a NULL pointer: that is not told. */
bool panic_is_asked(const char *message);
/* Does the panic's MESSAGE only say that the report before it is fatal? */
bool panic_is_of_report(const char *message);

/* A panic message without what differs between two machines or builds: numbers, addresses, names
   of tasks, folders of sources; in the words of the newest release where those have changed. In MEM. */
const char *panic_plain(const char *message, struct arena *mem);

#endif
