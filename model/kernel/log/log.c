/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel log: which of its three forms this kernel has, and its lines. */
#include <string.h>

#include "facts/layout/system.h"
#include "model/kernel/machine/machine.h"
#include "model/kernel/machine/system.h"

static void add_line(struct log_lines *l, const struct log_line *like, const char *text, size_t len)
{
	struct log_line *n = vec_push(l->mem, &l->v);
	char *copy = arena_alloc(l->mem, len + 1);

	memcpy(copy, text, len);
	*n = *like;
	n->text = copy;
	n->len = (uint32_t)len;
}

bool log_add(struct log_lines *l, const struct log_line *like, const char *text, size_t len)
{
	const char *end = text + len;

	/* the newline that ends a record does not begin another line */
	if (len && end[-1] == '\n')
		end--;
	/* an empty record also costs a line */
	if (l->budget < len + 1)
		return false;
	l->budget -= len + 1;
	while (l->v.n < LOG_LINES_MAX) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		add_line(l, like, text, (size_t)((nl ? nl : end) - text));
		if (!nl)
			return true;
		text = nl + 1;
	}
	return false;
}

const char *machine_no_log(const struct machine *m)
{
	switch (m->log_status) {
	case ST_CORRUPT: return "the kernel's log is damaged: no line of it can be read";
	case ST_FAULT: return "the kernel's log cannot be read: its address is not mapped";
	default: return "the kernel's log is not in the dump";
	}
}

void machine_log(struct snapshot *s, struct reader *r)
{
	struct system y = { .k = s->k, .r = r, .mem = &s->mem, .m = &s->machine };
	struct log_lines l = { .mem = &s->mem };

	if (has(s->k, Y_PRB))
		log_ring_read(&y, &l);
	else if (has(s->k, Y_LOG_NEXT_IDX))
		log_records_read(&y, &l);
	else if (has(s->k, Y_LOG_BUF))
		log_text_read(&y, &l);
	else
		issue_add(s->k->issues, ST_ABSENT, "kernel log", 1,
			  "none of prb, log_next_idx, log_buf is known");
	s->machine.log = l.v.v;
	s->machine.nlog = (uint32_t)l.v.n;
	s->machine.log_callers = has(s->k, M_INFO_CALLER) || has(s->k, M_LOG_CALLER);
	s->machine.log_status = l.v.n ? ST_OK : issues_reason(s->k->issues, "kernel log");
	s->machine.log_partial = l.v.n && (issues_reason(s->k->issues, "kernel log") ||
					   issues_reason(s->k->issues, "log record"));
	find_panic_text(&y);
	/* without a clock, the last stamp is a lower bound for the uptime */
	if (!s->machine.uptime && l.v.n) {
		s->machine.uptime = l.v.v[l.v.n - 1].ts;
		s->machine.uptime_least = true;
	}
}

void machine_log_lines(struct snapshot *s, struct log_line *v, uint32_t n)
{
	struct system y = { .k = s->k, .mem = &s->mem, .m = &s->machine };

	s->machine.log = v;
	s->machine.nlog = n;
	find_panic_text(&y);
}
