/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * digest.h - of each table of a capsule, the SHA-256 of how it is declared and of its rows.
 *
 * It shows damage, not forgery: whoever writes a capsule on purpose writes its digests too.
 */
#ifndef VMCENSUS_CAPSULE_DIGEST_H
#define VMCENSUS_CAPSULE_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include <nettle/sha2.h>
#include <sqlite3.h>

#include "dumpread/base/diag.h"

/* The table of them. */
#define DIGESTS "digests"
#define DIGESTS_SQL "CREATE TABLE " DIGESTS " (name TEXT PRIMARY KEY, sha256 BLOB) WITHOUT ROWID"

/* Of the rows that ST gives, which is prepared. SQLite's result code, SQLITE_DONE if all went well. */
int digest_of_rows(sqlite3_stmt *st, uint8_t digest[SHA256_DIGEST_SIZE]);

/* Makes the table, with a row for each other one. SQLite's result code. */
int digests_store(sqlite3 *db);

/* Has SCHEMA digests? Capsules of schema_version 4 and less have none. */
bool digests_here(sqlite3 *db, const char *schema);
/* Has each table of SCHEMA a digest, and each digest its table? ST_CORRUPT with DIAG. */
enum status digests_complete(sqlite3 *db, const char *schema, struct diag *diag);
/* Are the rows of table NAME those that were stored? ST_CORRUPT with DIAG. ST_OK without digests. */
enum status digest_check(sqlite3 *db, const char *schema, const char *name, struct diag *diag);

#endif
