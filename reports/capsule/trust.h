/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trust.h - what is believed of a database that anybody may have written.
 *
 * SQLite computes for who reads: generated columns, views, triggers, indexes on expressions and
 * virtual tables are programs. So only tables are read that are declared as ours are, and what
 * is asked ends after as many steps as the size of the file allows.
 */
#ifndef VMCENSUS_CAPSULE_TRUST_H
#define VMCENSUS_CAPSULE_TRUST_H

#include <stdint.h>

#include <sqlite3.h>

#include "dumpread/base/diag.h"

/* Steps of SQLite's machine that are left. */
struct trust {
	uint64_t left;
};

/* From now on T, which must live as long as DB, limits what DB does: by the SIZE bytes of a file
   that it reads. */
void trust_limit(struct trust *t, sqlite3 *db, uint64_t size);
/* Has SCHEMA only tables, and views that nobody reads, as this program makes them? ST_CORRUPT with DIAG. */
enum status trust_schema(sqlite3 *db, const char *schema, struct diag *diag);

#endif
