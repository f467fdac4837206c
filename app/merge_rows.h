/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge_rows.h - the tables of a fleet, and the rows of a capsule in them. */
#ifndef VMCENSUS_MERGE_ROWS_H
#define VMCENSUS_MERGE_ROWS_H

#include <sqlite3.h>

#include "dumpread/base/diag.h"

/* Makes the tables of an empty FLEET. SQLite's result code. */
int merge_tables(sqlite3 *fleet);
/*
 * Puts the rows of the capsule that is attached to FLEET as "c" into it, as those of dump ID, which it does
 * not have. ST_CORRUPT with DIAG, also where FLEET cannot be written (merge_failed()); what was put in is the
 * caller's to roll back.
 */
enum status merge_rows(sqlite3 *fleet, const char *id, struct diag *diag);

#endif
