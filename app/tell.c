/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/tell.h"

#include <stdarg.h>
#include <stdio.h>

#include "reports/render/render.h"

void tell(const char *path, const char *text)
{
	fputs("vmcensus: ", stderr);
	if (path) {
		put_text(stderr, path);
		fputs(": ", stderr);
	}
	put_text(stderr, text);
	putc('\n', stderr);
}

void tellf(const char *path, const char *form, ...)
{
	char text[1024];
	va_list v;

	va_start(v, form);
	vsnprintf(text, sizeof(text), form, v);
	va_end(v);
	tell(path, text);
}
