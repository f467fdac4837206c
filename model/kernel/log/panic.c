/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * panic.c - finds the CPU and task that crashed, and the reason.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/system.h"
#include "facts/layout/task.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/machine.h"
#include "model/kernel/machine/system.h"
#include "model/kernel/stack/calltrace.h"

/* ---- the task ------------------------------------------------------------------- */

static int32_t cpu_var(const struct system *y, enum layout_id symbol)
{
	uint64_t v = int_var(y, symbol);

	return v == UNKNOWN ? -1 : (int32_t)v; /* in the kernel, too, -1 means none */
}

/* panic() sets panic_cpu; a crash kernel started from an oops sets only crashing_cpu. */
int32_t crashed_cpu(const struct system *y)
{
	int32_t cpu = cpu_var(y, Y_PANIC_CPU);

	if (cpu < 0)
		cpu = cpu_var(y, Y_CRASHING_CPU);
	return cpu < 0 ? -1 : cpu;
}

/* The task that ran on the I-th possible CPU; 0 if it is not known. */
static uint64_t running_task(const struct system *y, uint32_t i)
{
	uint64_t rq = layout_symbol(&y->k->layout, Y_RUNQUEUES), task;

	if (!rq || kmember_u64(y->k, y->r, rq + y->k->percpu[i], M_RQ_CURR, &task))
		return 0;
	return kernel_ptr_ok(y->k, task, y->k->dump->word_size) ? task : 0;
}

uint32_t machine_running(const struct kernel *k, struct reader *r, struct hash *cpu_of)
{
	const struct system y = { .k = k, .r = r };
	int32_t crashed = crashed_cpu(&y);

	for (uint32_t i = 0; i < k->ncpus; i++) {
		uint64_t task = running_task(&y, i);

		if (task)
			hash_put(cpu_of, task, k->possible[i]);
	}
	return crashed < 0 ? NONE : (uint32_t)crashed;
}

static uint64_t task_on(const struct system *y, int32_t cpu)
{
	for (uint32_t i = 0; i < y->k->ncpus; i++)
		if (y->k->possible[i] == (uint32_t)cpu)
			return running_task(y, i);
	return 0;
}

void read_panic_task(struct system *y)
{
	int32_t cpu = crashed_cpu(y);
	struct kobj o;
	char comm[64];
	uint64_t task;

	y->m->panic_pid = -1;
	task = cpu < 0 ? 0 : task_on(y, cpu);
	if (!task)
		return;
	kobj_init(&o, y->k, S_TASK);
	if (!kobj_read(&o, y->r, task)) {
		kobj_str(&o, M_TASK_COMM, comm, sizeof(comm));
		y->m->panic_pid = (int32_t)kobj_int(&o, M_TASK_PID);
		y->m->panic_comm = arena_strdup(y->mem, comm);
	}
	kobj_release(&o);
}

/* ---- the message -------------------------------------------------------------------- */

/* panic() itself, and the messages before it if a fault is the reason. */
static const char panic_mark[] = "Kernel panic - not syncing: ";
static const char *const fault_marks[] = {
	"BUG: ", "kernel BUG at ", "Unable to handle kernel ", "general protection fault",
	"Oops: ", "divide error", "invalid opcode", "stack segment", "double fault",
	"Kernel BUG at ", "Machine check", "watchdog: BUG: ", "PANIC: double fault",
	"traps: PANIC: double fault", "kernel stack overflow",
};
/* With panic_on_warn the report is one of these. */
static const char *const warn_marks[] = { "WARNING: ", "BUG: ", "UBSAN: " };

#define REPORT_LINES 1000u	/* of a report, at most */

static bool begins_with_one(const char *s, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_begins(s, v[i]))
			return true;
	return false;
}

static bool is_fault(const struct log_line *l, bool warned)
{
	return warned ? begins_with_one(l->text, warn_marks, ARRAY_LEN(warn_marks))
		      : begins_with_one(l->text, fault_marks, ARRAY_LEN(fault_marks));
}

/*
 * The first line of the last run of fault lines before END. An oops begins with the event
 * ("BUG: kernel NULL pointer dereference"), followed within a few lines by "Oops: 0002
 * [#1]".
 */
static const struct log_line *fault_before(const struct machine *m, uint32_t end, bool warned)
{
	const struct log_line *found = NULL;
	uint32_t at = 0;

	for (uint32_t i = end; i-- > 0 && end - i <= REPORT_LINES;) {
		if (found && (warned || at - i > 8))
			break;
		if (!is_fault(&m->log[i], warned))
			continue;
		found = &m->log[i];
		at = i;
	}
	return found;
}

/* Index of the first line that starts with MARK; m->nlog if none does. */
static uint32_t line_with(const struct machine *m, const char *mark)
{
	for (uint32_t i = 0; i < m->nlog; i++)
		if (*m->log[i].text == *mark && str_begins(m->log[i].text, mark))
			return i;
	return m->nlog;
}

void find_panic_text(struct system *y)
{
	struct machine *m = y->m;
	uint32_t at = line_with(m, panic_mark);
	const struct log_line *fault;
	const char *text;

	m->panic_line = m->nlog;
	if (at < m->nlog) {
		text = m->log[at].text + strlen(panic_mark);
		fault = panic_is_of_report(text)
				? fault_before(m, at, strstr(text, "panic_on_warn") != NULL)
				: NULL;
		m->panic = fault ? arena_printf(y->mem, "%s (%s)", text, fault->text) : text;
		m->panic_line = fault ? (uint32_t)(fault - m->log) : at;
		return;
	}
	/* an oops that starts the crash kernel never reaches panic(); an oops in the log of a
	   machine that continued is not the reason */
	if (crashed_cpu(y) < 0)
		return;
	fault = fault_before(m, m->nlog, false);
	at = fault ? m->nlog : line_with(m, "sysrq: Trigger a crash");
	if (at < m->nlog)
		fault = &m->log[at];
	if (fault) {
		m->panic = fault->text;
		m->panic_line = (uint32_t)(fault - m->log);
	}
}
