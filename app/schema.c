/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.c - prints the tables of capsules and fleets. */
#include "app/help.h"
#include "reports/capsule/capsule.h"
#include "reports/capsule/sql.h"

static void put_cell(const char *s, FILE *out)
{
	for (; *s; s++) {
		if (*s == '|')
			putc('\\', out);
		putc(*s, out);
	}
}

static void put_table(const struct capsule_part *p, FILE *out)
{
	const struct report *r = p->report;
	char name[CAPSULE_TABLE];

	fprintf(out, "\n## %s\n\n", capsule_table(p, name));
	put_cell(r->about, out);
	fputs(".\n\n| column | type | unit | contents |\n|---|---|---|---|\n", out);
	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		fprintf(out, "| `%s` | %s | %s | ", c->name, capsule_sql_type(c), c->unit);
		put_cell(c->about, out);
		fputs(" |\n", out);
	}
}

void help_schema(FILE *out)
{
	struct capsule_part p;

	fprintf(out,
		"# Tables of capsules and fleets\n\n"
		"Written by `vmcensus --help-schema`. schema_version %d, of fleets %d.\n\n"
		"A capsule (`vmcensus capsule`, `batch`) and a fleet (`vmcensus merge`) are SQLite files.\n"
		"Each report whose rows they hold is a table. Sizes are bytes, times ns, addresses text\n"
		"(\"0x...\"); unknown is NULL. A name that is not UTF-8 is a BLOB. `row` numbers the rows\n"
		"from 1, in the order in which the report makes them. In a fleet `dump_id` stands before\n"
		"it: the identity of the crash (`vmcensus id`), and the two are the key.\n\n"
		"Tables of a fleet are views, which sqlite3, pandas and DuckDB read as they read tables. `_dumps`\n"
		"numbers the dumps (`_id`, `dump_id`); `_NAME` has the rows of NAME, and the number of the dump as\n"
		"`_of`. Rows of `layout` are those of a kernel, and stored once: `_of` is a number of `_parts` there,\n"
		"`_dumps.part` says which one a dump has, and `_layout_own` has the addresses, by dump. Fleets before\n"
		"schema_version 6 (`PRAGMA user_version`) have tables with dump_id, and are read too.\n\n"
		"Columns of a capsule that begin with _ are the table engine's. A column that was not\n"
		"computed is not in a capsule; in a fleet it is NULL.\n\n"
		"Rows of a large table of a capsule repeat. Such a table NAME is a view: cells that repeat\n"
		"together are once in a set, `_NAME_1`, `_NAME_2` ..., and `_NAME` has for each row the\n"
		"numbers of its cells there. sqlite3, pandas and DuckDB read the view as they read a table.\n"
		"Which cells make a set differs from capsule to capsule: ask the view.\n\n"
		"This program reads capsules of every schema_version up to its own. Those before 4 have no sets;\n"
		"`merge` takes both into one fleet, whose tables have none. Those before 5 have no digests, so damage\n"
		"of their rows is not noticed, which is said.\n\n"
		"A digest is the SHA-256 of a table: its SQL in sqlite_schema and a zero byte; each row in the order of\n"
		"the key, each cell as the number of its type (1 integer, 2 real, 3 text, 4 blob, 5 NULL) and its value,\n"
		"a text or blob after its length; the number of rows. Numbers have 8 bytes, the lowest first. Rows that\n"
		"do not fit it are refused. Who changes a capsule drops the table `digests` and sets schema_version to 4.\n"
		"A capsule that has other indexes, triggers, views or columns with expressions is refused as well.\n\n"
		"| table | in | contents |\n|---|---|---|\n"
		"| `capsule` | capsule | key, value: schema_version, vmcensus, id, path N, format, release ... |\n"
		"| `reports` | both | report, rows, lacks (why it has no rows), head and note (lines above and below its table); in a capsule also made (options), text (its own form), crash_time |\n"
		"| `issues` | both | report, number, kind, object, count: what could not be read or believed |\n"
		"| `written` | capsule | name, size, zlib: the data of the page that report html writes, as compressed JSON; before schema_version 5 the page, which is not used |\n"
		"| `digests` | capsule | name, sha256: of each other table |\n"
		"| `NAME_all` | capsule | rows of NAME with --all |\n"
		"| `manifest` | fleet | file, key, outcome, dump_id, bytes, why: a row for each dump |\n"
		"| `_dumps`, `_parts` | fleet | the numbers of dumps, and of what is stored once (sha256 of its rows) |\n"
		"| `crashes` | fleet | a view: a row for each crash, with its panic, OOM events, sums |\n"
		"| `outcomes` | fleet | a view: dumps and bytes by outcome |\n",
		CAPSULE_SCHEMA, FLEET_SCHEMA);
	for (unsigned i = 0; capsule_part(i, &p); i++)
		if (capsule_part_merges(&p))
			put_table(&p, out);
}
