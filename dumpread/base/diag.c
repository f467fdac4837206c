/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diag.c - builds the text of an error.
 */
#include "dumpread/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status fail(struct diag *g, enum status st, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(g->text, sizeof(g->text), fmt, ap);
	va_end(ap);
	return st;
}

enum status fail_in(struct diag *g, enum status st, const char *fmt, ...)
{
	char inner[sizeof(g->text)];
	va_list ap;
	size_t n;

	memcpy(inner, g->text, sizeof(inner));
	va_start(ap, fmt);
	vsnprintf(g->text, sizeof(g->text), fmt, ap);
	va_end(ap);
	n = strlen(g->text);
	snprintf(g->text + n, sizeof(g->text) - n, ": %s", inner);
	return st;
}
