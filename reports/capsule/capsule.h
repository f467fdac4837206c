/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capsule.h - rows of reports as a database, which is an image of its dump.
 *
 * A capsule is one SQLite file with a table for each report that it holds, and tables about
 * these: --help-schema prints them. Cells are stored as the table engine has them (integers in bytes and
 * ns, unknown is NULL), in the order in which the report made its rows. So filter, order and
 * renderers give from a capsule what they give from the dump.
 *
 * A database is made and read in memory: the files are the caller's, which may not be allowed
 * to open any (a sandbox), and nothing is left beside them.
 */
#ifndef VMCENSUS_CAPSULE_H
#define VMCENSUS_CAPSULE_H

#include "reports/render/render.h"

#define CAPSULE_SCHEMA 5		/* schema_version: raised when tables change; older ones are read */
#define FLEET_SCHEMA 6			/* the same of fleets: user_version of the file */
#define FLEET_ID 0x564d464cu		/* application_id of a merge of capsules: "VMFL" */
#define CAPSULE_ID 0x564d4345u		/* application_id of the file: "VMCE" */

/* Does this program write and read capsules? One without SQLite does not. */
extern const bool capsule_here;

/* What a capsule holds of one report: the rows that it has with OPTS, of which one at most is
   given: all, or by. */
struct capsule_part {
	const struct report *report;
	struct report_opts opts;
};

/* A number for each of them: [0, n). False: no more. First all that have a table in fleets. */
bool capsule_part(unsigned i, struct capsule_part *ret);
/* Has a fleet this table too? */
bool capsule_part_merges(const struct capsule_part *p);

#define CAPSULE_TABLE 64	/* bytes of a table's name */
/* The name of its table: that of the report, of its part, and of the option ("census_by_zone",
   "slab_all"). Returns BUF, which has CAPSULE_TABLE bytes. */
const char *capsule_table(const struct capsule_part *p, char *buf);

/* ---- writing ------------------------------------------------------------------- */

struct capsule;

/* Rows of one report. */
struct capsule_rows {
	struct capsule_part part;
	const struct column *const *cols;	/* those to store */
	unsigned ncols;
	const struct table *t;			/* as made: neither sorted nor cut */
	const char *made;			/* as of struct render */
	int64_t crash_time;			/* what its json says; 0: not known */
	const struct issues *issues;		/* NULL: none */
};

/* An empty one. Does not return if memory is exhausted. */
struct capsule *capsule_new(const struct image_facts *f);
void capsule_add(struct capsule *c, const struct capsule_rows *rows);
/* The report's own TEXT, beside rows that were added. */
void capsule_text(struct capsule *c, const struct capsule_part *p, const char *text);
/* The data of product NAME, from which a page is made: TEXT of SIZE bytes, with the issues of its snapshot. */
void capsule_page(struct capsule *c, const char *name, const char *text, size_t size,
		  const struct issues *is);
/* A fact about the dump beside those of struct image_facts. */
void capsule_fact(struct capsule *c, const char *key, const char *text);
/* P could not be made, and WHY. */
void capsule_lacks(struct capsule *c, const struct capsule_part *p, const char *why);
/* Writes the file to OUT and frees C. */
void capsule_write(struct capsule *c, FILE *out);
/* Frees C, which may be NULL. */
void capsule_drop(struct capsule *c);

/* ---- reading ------------------------------------------------------------------- */

struct capsule_file;

/* Do the N bytes at the beginning of a file say that it is a capsule? */
#define CAPSULE_HEAD 100
#define CAPSULE_MAX (UINT64_C(16) << 30)	/* bytes of a capsule or fleet; larger files are not believed */
bool capsule_is(const uint8_t *head, size_t n);

/* Opens the capsule in BYTES (SIZE of them, from malloc(); it owns them). ST_CORRUPT or
   ST_UNSUPPORTED with DIAG, *ret NULL. */
enum status capsule_open(uint8_t *bytes, size_t size, struct diag *diag, struct capsule_file **ret);
void capsule_close(struct capsule_file *f);
/* What it says of its image. Strings live as long as F. */
const struct image_facts *capsule_image(const struct capsule_file *f);

/* A fact that was stored with capsule_fact(), NULL if there is none. Lives as long as F. */
const char *capsule_text_fact(struct capsule_file *f, const char *key);
/* Does any of its reports have issues, or is one not there because types are missing? */
bool capsule_is_damaged(struct capsule_file *f);

/* Has it no digests of its tables, as those of older programs? Then damage of them is not noticed. */
bool capsule_undigested(const struct capsule_file *f);

/* What was stored beside the rows. Strings live as long as the table. */
struct capsule_more {
	const char *made, *text;		/* NULL: none */
	int64_t crash_time;
};

/*
 * Fills T, whose columns are those of P's report, with P's rows; those of columns that were not stored
 * are unknown, and *STORED[i] (ncols of them) is false. IS gets the issues. ST_NODATA with DIAG:
 * the capsule does not have it. ST_CORRUPT with DIAG.
 */
enum status capsule_load(struct capsule_file *f, const struct capsule_part *p, struct table *t,
			 bool *stored, struct issues *is, struct capsule_more *more,
			 struct diag *diag);

/* Has it the data of page NAME (capsule_page), and are they what they should be: without the
   character "<"? Then IS gets the issues of the page. ST_NODATA or ST_CORRUPT with DIAG. */
enum status capsule_page_check(struct capsule_file *f, const char *name, struct issues *is,
				struct diag *diag);
/* Writes the data to OUT. ST_CORRUPT with DIAG. */
enum status capsule_page_write(struct capsule_file *f, const char *name, FILE *out,
			       struct diag *diag);

#endif
