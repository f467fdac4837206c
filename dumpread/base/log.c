/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log.c - messages of -v.
 */
#include "dumpread/base/log.h"

#include <stdarg.h>
#include <stdio.h>

static void to_stderr(void *arg, enum log_level level, const char *line)
{
	(void)arg;
	(void)level;
	fprintf(stderr, "vmcensus: %s\n", line);
}

void log_init(struct log *l)
{
	*l = (struct log){ .level = LOG_WARN, .write = to_stderr };
}

void log_at(const struct log *l, enum log_level level, const char *fmt, ...)
{
	char line[1200];
	va_list ap;

	if (!l || level > l->level)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	l->write(l->arg, level, line);
}
