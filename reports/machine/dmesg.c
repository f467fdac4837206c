/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dmesg - the kernel's log, as dmesg would have printed it.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/render/render.h"

struct row {
	uint64_t ts, level, facility;
	const char *printed, *level_name, *facility_name, *text;
};

static const struct column cols[] = {
	COL(struct row, ts, COL_NSEC, COL_SHOWN, "ns", "time since boot"),
	COL(struct row, printed, COL_STR, 0, "", "time as a text of the log has it, without time since boot"),
	COL(struct row, level, COL_UINT, 0, "", "0 (emergency) ... 7 (debug)"),
	COL(struct row, level_name, COL_STR, COL_SHOWN, "", "name of the level"),
	COL(struct row, facility, COL_UINT, 0, "", "0: the kernel"),
	COL(struct row, facility_name, COL_STR, 0, "", "name of the facility"),
	COL(struct row, text, COL_STR, COL_SHOWN, "", "the line"),
};

static const char *word(const char *const *words, unsigned n, unsigned i)
{
	return i < n ? words[i] : NULL;
}

static enum status dmesg_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	static const char *const levels[] = {
		"emerg", "alert", "crit", "err", "warn", "notice", "info", "debug",
	};
	static const char *const facilities[] = {
		"kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp",
		"cron", "authpriv", "ftp",
	};
	const struct machine *m = &s->machine;
	struct row *rows = arena_array(&t->mem, struct row, m->nlog);

	(void)o;
	if (!m->nlog)
		return fail(diag, ST_NODATA, "%s", machine_no_log(m));
	for (uint32_t i = 0; i < m->nlog; i++)
		rows[i] = (struct row){
			.ts = m->log_by_clock ? COL_UNKNOWN : m->log[i].ts,
			.printed = m->log[i].printed,
			.level = m->log[i].level == LOG_LEVEL_UNKNOWN ? COL_UNKNOWN
								      : m->log[i].level,
			.facility = m->log[i].facility,
			.level_name = word(levels, ARRAY_LEN(levels), m->log[i].level),
			.facility_name =
				word(facilities, ARRAY_LEN(facilities), m->log[i].facility),
			.text = m->log[i].text,
		};
	t->rows = rows;
	t->nrows = m->nlog;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

/* As put_text(), but it keeps tabs, which are harmless and common in the log. */
static void put_log_line(FILE *out, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\t");

		put_text_len(out, s, n);
		s += n;
		if (*s) {
			putc('\t', out);
			s++;
		}
	}
}

static void dmesg_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
		       FILE *out)
{
	(void)s;
	(void)o;
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct row *r = table_row(t, i);

		if (r->ts != COL_UNKNOWN)
			fprintf(out, "[%5" PRIu64 ".%06" PRIu64 "] ", r->ts / 1000000000,
				r->ts / 1000 % 1000000);
		else if (r->printed)
			fprintf(out, "[%s] ", r->printed);
		put_log_line(out, r->text ? r->text : ""); /* of a damaged capsule */
		putc('\n', out);
	}
}

const struct report report_dmesg = {
	.name = "dmesg",
	.about = "the kernel's log",
	.needs = NEED_LOG,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = dmesg_report,
	.text = dmesg_text,
	.text_of_rows = true,
	.help = "The log as dmesg prints it, oldest line first. Control characters and bytes that are\n"
		"not UTF-8 are shown as \\xHH. Types are not needed: without them VMCOREINFO describes\n"
		"the log.",
};
