/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sql.c - the tables of a capsule that are about its other tables. */
#include "reports/capsule/sql.h"

const char capsule_about_sql[] =
	"PRAGMA application_id = 1447904069;" /* CAPSULE_ID */
	"PRAGMA user_version = 1;"	      /* CAPSULE_SCHEMA */
	"CREATE TABLE capsule (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE reports (report TEXT PRIMARY KEY, rows INTEGER, lacks TEXT, made TEXT,"
	" head TEXT, note TEXT, text TEXT, crash_time INTEGER) WITHOUT ROWID;"
	"CREATE TABLE issues (report TEXT, number INTEGER, kind TEXT, object TEXT, count INTEGER,"
	" texts TEXT, PRIMARY KEY (report, number)) WITHOUT ROWID;";
