/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * escape.h - names as in the text of maps and smaps.
 *
 * seq_path(m, path, "\n") (fs/seq_file.c) writes a newline in a path as \012, and every
 * other byte, the backslash too, as it is. The other names (vdso, anon:...) cannot contain
 * a newline, so that one rule is enough for the whole column.
 */
#ifndef VMCENSUS_FILES_ESCAPE_H
#define VMCENSUS_FILES_ESCAPE_H

#include <stdio.h>

static inline void maps_escape(FILE *out, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n')
			fputs("\\012", out);
		else
			putc(*name, out);
	}
}

#endif
