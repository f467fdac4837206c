/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statement.h - one SELECT over the tables of reports.
 *
 * The database is empty and in memory. Each table that a capsule can have (capsule_part), and each report whose
 * rows are too many for one, is a virtual table: its rows are made when the statement first reads them. So the
 * statement sees rows and nothing else: no file, no schema that somebody else wrote. It can only read, and ends
 * after as many steps and bytes as its limits say.
 */
#ifndef VMCENSUS_STATEMENT_H
#define VMCENSUS_STATEMENT_H

#include "reports/capsule/capsule.h"

struct statement;

struct statement_limits {
	uint64_t steps;		/* of SQLite's machine */
	uint64_t bytes;		/* of the result, and of SQLite while it makes it */
};

/* Who has the rows. */
struct statement_source {
	/*
	 * Fills T with the rows of P, as made: neither sorted nor cut. *STORED[i], which are true, for each column:
	 * false if it is not known in any row. On failure DIAG has a sentence.
	 */
	enum status (*rows)(void *arg, const struct capsule_part *p, struct table *t, bool *stored,
			    struct diag *diag);
	void *arg;
};

/* Parses SQL. OF_FLEET: over the tables of a fleet. ST_ABSENT with DIAG: it is none, or does something else than to read. */
enum status statement_new(const char *sql, bool of_fleet, const struct statement_limits *l,
			  struct diag *diag, struct statement **ret);
void statement_free(struct statement *st);

/* Columns of its result. Their types are known only when it was run; until then they are those of a text. */
struct column *statement_cols(struct statement *st, unsigned *n);
/* enum need: what the model must have for the tables and columns that it names. */
unsigned statement_needs(const struct statement *st);
/*
 * Fills T with its result. ST_ABSENT: SQLite refuses, which only the values show; ST_LIMIT; or what
 * SRC returned. DIAG has a sentence.
 */
enum status statement_run(struct statement *st, const struct statement_source *src, struct table *t,
			  struct diag *diag);
/*
 * The same of a statement that is of a fleet, over the fleet that the SIZE bytes of descriptor FD are. Each table has
 * dump_id as its first column. IS gets the issues of the tables that the statement names, of all dumps.
 */
enum status statement_run_fleet(struct statement *st, int fd, uint64_t size, struct issues *is,
				struct table *t, struct diag *diag);
/* Did SQLite refuse it? Of NULL: no. */
bool statement_wrong(const struct statement *st);

/* The Ith table that a statement can name, and its name in NAME (CAPSULE_TABLE bytes). False: no more. */
bool statement_table(unsigned i, struct capsule_part *ret, char *name);
/* Prints all of them, with their columns. */
void statement_list(FILE *out);

#endif
