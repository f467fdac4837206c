/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * panic - the calls that led to the panic: those that the log has, and those on the stack of the
 * task that panicked.
 */
#include "dumpread/base/bytes.h"
#include "model/memory/crash.h"
#include "reports/core/common.h"

#define S COL_SHOWN

struct row {
	const char *from, *function, *module, *stack, *name, *hash, *reason;
	uint64_t n, offset, size, reliable, at;
};

#define STR(name, fl, about)	    COL(struct row, name, COL_STR, fl, "", about)
#define UINT(name, fl, unit, about) COL(struct row, name, COL_UINT, fl, unit, about)

static const struct column cols[] = {
	STR(from, S, "log: printed by the kernel; stack: read from the task's stack"),
	UINT(n, S, "", "number of the frame, from 0: the innermost"),
	UINT(at, 0, "", "1: the instruction that it is about (RIP, NIP), not a call"),
	UINT(reliable, S, "", "0: the kernel was not sure (printed with \"?\")"),
	STR(stack, S, "of log: IRQ, NMI ...; empty: the stack of the task"),
	STR(module, S, "module; empty: the kernel itself"),
	UINT(offset, 0, "bytes", "in the function"),
	UINT(size, 0, "bytes", "of the function"),
	STR(function, S | COL_WIDE, "function, as the kernel prints it"),
	STR(name, 0, "without what compilers add (.cold); empty: it reports, waits or helps"),
	STR(hash, 0, "of log: the hash of the oops that ABRT and FAF have"),
	STR(reason, 0,
	    "message of the panic without numbers, addresses and names of tasks; what hung"),
};

static enum status panic_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct crash c;
	struct row *rows;
	unsigned in_log = 0;

	(void)o, (void)diag;
	crash_of(s, &t->mem, &c);
	rows = arena_array(&t->mem, struct row, c.n);
	for (unsigned i = 0; i < c.n; i++) {
		const struct crash_call *v = &c.v[i];

		in_log += !v->of_stack;
		rows[i] = (struct row){
			.from = v->of_stack ? "stack" : "log",
			.n = v->of_stack ? i - in_log : i,
			.at = v->call.at,
			.reliable = v->call.reliable,
			.stack = v->call.stack ? v->call.stack : "",
			.module = v->call.module ? v->call.module : "",
			.offset = v->call.function ? v->call.offset : COL_UNKNOWN,
			.size = v->call.function ? v->call.size : COL_UNKNOWN,
			.function = v->call.function,
			.name = v->plain ? v->plain : "",
			.hash = !v->of_stack && *c.hash ? arena_strdup(&t->mem, c.hash) : NULL,
			.reason = c.reason,
		};
	}
	if (s->machine.panic || c.hang)
		t->head = arena_printf(&t->mem, "%s%s%s%s%s",
				       s->machine.panic ? s->machine.panic : "no panic",
				       c.hang ? "\nhang: " : "", c.hang ? c.hang : "",
				       *c.hash ? "\nhash " : "", c.hash);
	t->note = c.n	     ? NULL
		  : c.reason ? "The log has no call trace."
			     : "No panic: the log has none.";
	t->rows = rows;
	t->nrows = c.n;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

const struct report report_panic = {
	.name = "panic",
	.about = "calls that led to the panic, and its hash",
	.needs = NEED_MACHINE | NEED_LOG,
	.wants = NEED_TASKS,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = panic_report,
	.help = "The call trace that the kernel printed, one row for each frame, innermost first; of a\n"
		"panic about another task (hung task, lockup) that of the other. If somebody asked for the\n"
		"dump (sysrq, NMI, hypervisor), that of the task or CPU that hangs by the log. Then the\n"
		"stack of the task that panicked, if the dump has the registers of its CPU. The hash is the one\n"
		"that ABRT computes for an oops, and under which FAF knows it; clusters compares it, and\n"
		"the names, between dumps.",
};
