/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge_rows.h - the tables of a fleet, and the rows of a capsule in them. */
#ifndef VMCENSUS_MERGE_ROWS_H
#define VMCENSUS_MERGE_ROWS_H

#include <stdbool.h>

#include <sqlite3.h>

#include "dumpread/base/diag.h"

/* Makes the tables of an empty FLEET. SQLite's result code. */
int merge_tables(sqlite3 *fleet);
/* Has FLEET the tables that merge_tables() makes, and no others? ST_UNSUPPORTED with DIAG. */
enum status merge_fits(sqlite3 *fleet, struct diag *diag);
/* Has it dump ID? */
bool merge_has(sqlite3 *fleet, const char *id);
/*
 * Puts the rows of the capsule that is attached to FLEET as "c" into it, as those of dump ID, which it does
 * not have. ST_CORRUPT with DIAG, also where FLEET cannot be written (merge_failed()); what was put in is the
 * caller's to roll back.
 */
enum status merge_rows(sqlite3 *fleet, const char *id, struct diag *diag);

#endif
