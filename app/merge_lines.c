/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge_lines.c - a manifest may be anybody's file: a line is one of ours, or is told. */
#include "app/merge_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/tell.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/outside.h"
#include "reports/capsule/sql.h"

#define LINE_BYTES (1u << 20)

bool merge_failed(sqlite3 *fleet)
{
	int rc = sqlite3_errcode(fleet);

	return rc == SQLITE_IOERR || rc == SQLITE_NOMEM || rc == SQLITE_CANTOPEN ||
	       (rc == SQLITE_FULL && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG));
}

/* A line, without its end; what is longer than a line can be is read, and left out. -1: there is none. */
static long next_line(FILE *in, char *buf)
{
	long n = 0;
	int c;

	while ((c = getc_unlocked(in)) != EOF && c != '\n')
		if (n++ < (long)LINE_BYTES)
			buf[n - 1] = (char)c;
	return c == EOF && !n ? -1 : n;
}

/* The last line of each dump counts. One that is broken is told, and fails no other. */
static int add_line(sqlite3 *fleet, sqlite3_stmt *st, const char *line, long n)
{
	int rc = SQLITE_DONE;

	sqlite3_reset(st);
	errno = 0;
	if (n <= (long)LINE_BYTES && !memchr(line, '\0', (size_t)n)) {
		sqlite3_bind_text(st, 1, line, (int)n, SQLITE_STATIC);
		rc = sqlite3_step(st);
		if (rc == SQLITE_DONE && sqlite3_changes(fleet) == 1)
			return 0;
	}
	return rc != SQLITE_DONE && merge_failed(fleet) ? -1 : 1;
}

static enum status unwritten(sqlite3 *fleet, struct diag *diag)
{
	return fail(diag, ST_IO, "the fleet cannot be written: %s", sqlite3_errmsg(fleet));
}

static enum status add_lines(sqlite3 *fleet, const char *path, FILE *in, unsigned long *skipped,
			     struct diag *diag)
{
	char *line = heap_bytes(LINE_BYTES);
	sqlite3_stmt *st = NULL;
	unsigned long number = 0;
	int err = sqlite3_prepare_v2(fleet, fleet_manifest_sql, -1, &st, NULL) ? -1 : 0;
	long n;

	while (err >= 0 && (n = next_line(in, line)) >= 0) {
		number++;
		err = n ? add_line(fleet, st, line, n) : 0;
		if (err > 0) {
			tellf(path, "line %lu is none of a manifest", number);
			++*skipped;
		}
	}
	sqlite3_finalize(st);
	free(line);
	return err < 0 ? unwritten(fleet, diag) : ST_OK;
}

enum status merge_lines(sqlite3 *fleet, const char *path, unsigned long *skipped, struct diag *diag)
{
	FILE *in = outside_fopen(path);
	enum status st;

	if (!in && errno == EPERM) {
		tell(path, "it is no manifest");
		++*skipped;
		return ST_OK;
	}
	if (!in)
		return fail(diag, ST_IO, "%s: %s", path, strerror(errno));
	st = add_lines(fleet, path, in, skipped, diag);
	if (!st && ferror(in))
		st = fail(diag, ST_IO, "%s: %s", path, strerror(errno));
	fclose(in);
	return st;
}
