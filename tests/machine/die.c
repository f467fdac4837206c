/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In a file of its own, so that the linker can put another in its place (made.c). */
#include <stdarg.h>
#include <stdlib.h>

#include "tests/machine/machine.h"

void mdie(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("mkdump: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}
