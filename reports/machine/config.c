/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * config - the kernel's configuration, as /proc/config.gz has it.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/headers/kconfig.h"
#include "model/kernel/machine/ikconfig.h"
#include "reports/core/common.h"
#include "reports/render/render.h"

struct row {
	const char *option, *value;
	const char *file;		/* no column: all of the text, the same in each row */
};

static const struct column cols[] = {
	COL(struct row, option, COL_STR, COL_SHOWN, "", "name of the option"),
	COL(struct row, value, COL_STR, COL_SHOWN, "", "y, m, a number, or text in quotes"),
};

static enum status config_report(const struct snapshot *s, const struct report_opts *o,
				 struct table *t, struct diag *diag)
{
	struct kconfig c;
	struct row *rows;
	const char *text;
	enum status st = ikconfig_read(s->k, &t->mem, &text, diag);

	(void)o;
	if (st)
		return st;
	kconfig_parse(text, &t->mem, &c);
	rows = arena_array(&t->mem, struct row, c.options.n);
	for (size_t i = 0; i < c.options.n; i++)
		rows[i] = (struct row){ c.options.v[i].name, c.options.v[i].value, text };
	t->rows = rows;
	t->nrows = c.options.n;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

/* The file as it is, with what is not set. */
static void config_text(const struct snapshot *s, const struct report_opts *o,
			const struct table *t, FILE *out)
{
	(void)s;
	(void)o;
	for (const char *p = t->nrows ? ((const struct row *)table_row(t, 0))->file : ""; *p;) {
		size_t len = strcspn(p, "\n");

		put_text_len(out, p, len);
		putc('\n', out);
		p += len + (p[len] == '\n');
	}
}

const struct report report_config = {
	.name = "config",
	.about = "the kernel's configuration, if it is in the dump",
	.needs = NEED_CONFIG,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = config_report,
	.text = config_text,
	.text_refuses = OPT_SORT | OPT_TOP | OPT_WHERE,
	.help = "The options that the kernel was built with, from its image: kernels with\n"
		"CONFIG_IKCONFIG=y have them (SLES, many boards; not Debian, Ubuntu, RHEL). The text is\n"
		"the .config itself, for layout --config; csv, json and -c give one row for each option\n"
		"that is set. Types are not needed.",
};
