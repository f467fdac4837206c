/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sql.h - the tables of a capsule that are about its other tables. */
#ifndef VMCENSUS_CAPSULE_SQL_H
#define VMCENSUS_CAPSULE_SQL_H

#include "reports/core/report.h"

/* How the SQL begins that makes the set "%s"; ")" ends it. Readers believe no other. */
#define CAPSULE_SET_SQL "CREATE TABLE \"%s\" (_id INTEGER PRIMARY KEY"

/* Makes them in an empty database. */
extern const char capsule_about_sql[];

/* The same for a fleet; what takes a line of a manifest; the views. */
extern const char fleet_about_sql[], fleet_manifest_sql[], fleet_views_sql[];

/* How SQL declares a column. */
const char *capsule_sql_type(const struct column *c);

#endif
