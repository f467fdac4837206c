/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sql.h - the tables of a capsule that are about its other tables. */
#ifndef VMCENSUS_CAPSULE_SQL_H
#define VMCENSUS_CAPSULE_SQL_H

#include "reports/core/report.h"

/* How the SQL begins that makes the set "%s"; ")" ends it. Readers believe no other. */
#define CAPSULE_SET_SQL "CREATE TABLE \"%s\" (_id INTEGER PRIMARY KEY"

/* Makes them in an empty database. */
extern const char capsule_about_sql[];

/*
 * The same for a fleet; what takes a line of a manifest; the views for people.
 *
 * _dumps numbers the dumps. Table NAME of a report is _NAME, whose column _of is the number, and a view
 * NAME with the dump_id in its place. What all dumps of a kernel have alike (of_build) is in _NAME once, and
 * _of is a number of _parts, of which _dumps says which one a dump has; what differs, the addresses, is in _NAME_own.
 */
extern const char fleet_about_sql[], fleet_manifest_sql[], fleet_views_sql[];
/* The same views, of tables that stand before those of the file. */
extern const char fleet_temp_views_sql[];

#define FLEET_OWN "_own" /* end of the name of what is not stored once */

/* Is column C of R stored once for all dumps of a kernel? */
bool fleet_has_once(const struct report *r, const struct column *c);
/* What makes the tables and the view of R in a fleet, which is NAME there. In MEM. */
const char *fleet_table_sql(const struct report *r, const char *name, struct arena *mem);

/* How SQL declares a column. */
const char *capsule_sql_type(const struct column *c);

#endif
