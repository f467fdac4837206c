/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hang.c - finds the report of a hang in the log. */
#include "model/kernel/stack/hang.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/stack/calltrace.h"

/* A CPU that hangs is reported every 63 s at least: each third of rcu_cpu_stall_timeout (21 s), and soft
   lockups every 20 s. With other settings it takes longer. */
#define LATELY UINT64_C(600000000000) /* ns */

/* The panic, and the line that it is about. What hangs most comes first: others wait for it. */
static const struct hang_sign {
	const char *panic, *line, *reason;
	bool of_task;
} signs[] = {
	{ "Watchdog detected hard LOCKUP", "detected hard LOCKUP", "hard LOCKUP", false },
	{ "Hard LOCKUP", "detected hard LOCKUP", "hard LOCKUP", false },
	{ "softlockup: ", "BUG: soft lockup", "softlockup: hung tasks", false },
	{ "RCU Stall", "detected stall", "RCU Stall", false },
	{ "hung_task: ", " blocked for more than ", "hung_task: blocked tasks", true },
};

static const struct hang_sign *sign_of(const char *message)
{
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (str_begins(message, signs[i].panic))
			return &signs[i];
	return NULL;
}

const char *hang_reason(const char *message)
{
	const struct hang_sign *sign = sign_of(message);

	return sign ? sign->reason : NULL;
}

static bool is_report(const struct log_line *l, const struct hang_sign *sign)
{
	return strstr(l->text, sign->line) &&
	       (!sign->of_task || str_begins(l->text, "INFO: task "));
}

uint32_t hang_line(const struct machine *m, const char *message, uint32_t end)
{
	const struct hang_sign *sign = sign_of(message);
	uint32_t found = end;

	for (uint32_t i = end; sign && i-- > 0;)
		if (is_report(&m->log[i], sign)) {
			found = i;
			if (!sign->of_task)
				break;
		}
	return found;
}

/* ---- dumps that somebody asked for ------------------------------------------------------ */

/* "INFO: task NAME:PID blocked for more than": is it still? */
static bool still_waits(const struct snapshot *s, const struct log_line *l)
{
	const char *p = strstr(l->text, " blocked for more than ");
	long pid;

	if (!(s->built & NEED_TASKS))
		return true;
	while (p > l->text && p[-1] != ':')
		p--;
	pid = strtol(p, NULL, 10);
	for (uint32_t i = 0; i < s->ntasks; i++)
		if (s->tasks[i].pid == pid)
			return s->tasks[i].state == 'D';
	return false;
}

static bool is_late(const struct machine *m, uint32_t line, uint32_t end)
{
	return m->log[end - 1].ts < m->log[line].ts + LATELY;
}

/* The message of sysrq, just before the oops that it makes (to 5.0). */
static bool is_sysrq_oops(const struct machine *m)
{
	for (uint32_t i = m->panic_line; i-- > 0 && m->panic_line - i <= 3;)
		if (strstr(m->log[i].text, "Trigger a crash"))
			return true;
	return false;
}

const char *hang_of_asked(const struct snapshot *s, uint32_t *line)
{
	const struct machine *m = &s->machine;
	uint32_t end = m->panic_line;

	if (m->panic && !panic_is_asked(m->panic) && !is_sysrq_oops(m))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(signs) && end; i++) {
		const struct hang_sign *sign = &signs[i];
		bool found = false;

		for (uint32_t j = end; j-- > 0 && !(found && !sign->of_task);)
			if (is_report(&m->log[j], sign) &&
			    (sign->of_task ? still_waits(s, &m->log[j]) : is_late(m, j, end))) {
				*line = j;
				found = true;
			}
		if (found)
			return sign->reason;
	}
	return NULL;
}
