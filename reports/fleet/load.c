/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load.c - a fleet out of a database: of one that merge made, or of a capsule.
 *
 * The tables are the same, but for what says of which dump a row is, which a capsule has not: the column _of,
 * a number, or dump_id in fleets before schema_version 6. Tables and columns that an older file lacks are unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"
#include "model/kernel/stack/calltrace.h"
#include "model/kernel/stack/hang.h"
#include "reports/capsule/capsule.h"
#include "reports/capsule/database.h"
#include "reports/capsule/digest.h"
#include "reports/fleet/fleet.h"
#include "reports/fleet/older.h"

struct loading {
	struct fleet *f;
	sqlite3 *db;
	struct trust trust;
	const char *id; /* of a capsule; NULL: a fleet */
	bool numbered;	/* a fleet of schema_version 6: dumps have numbers in its tables */
	size_t first;	/* crashes in F that are of this file */
	VEC(int64_t) numbers; /* of each of these: its number */
	struct arena mem;
	struct arena row; /* texts of rows, until the next dump's */
};

bool fleet_is(const uint8_t *head, size_t n)
{
	return database_is(head, n, FLEET_ID);
}

/* ---- cells -------------------------------------------------------------------------------- */

static const char *get_str(struct loading *l, sqlite3_stmt *st, int at)
{
	const char *s = database_str(st, at, &l->row);

	return s && *s ? arena_strdup(l->f->mem, s) : NULL;
}

static uint64_t get_uint(sqlite3_stmt *st, int at)
{
	return sqlite3_column_type(st, at) == SQLITE_INTEGER
		       ? (uint64_t)sqlite3_column_int64(st, at)
		       : COL_UNKNOWN;
}

/* Equal names are one pointer: they are compared often. */
static const char *keep(struct fleet *f, const char *s)
{
	uint64_t key = hash_str(s);
	uint32_t i = hash_get(&f->names, key);

	if (i != HASH_NONE && !strcmp(f->kept.v[i], s))
		return f->kept.v[i];
	hash_put(&f->names, key, (uint32_t)f->kept.n);
	return *vec_push(f->mem, &f->kept) = arena_strdup(f->mem, s);
}

static uint32_t thing_of(struct fleet *f, const char *kind, const char *name)
{
	const uint64_t names[] = { (uintptr_t)kind, (uintptr_t)name };
	uint64_t key = hash_bytes(names, sizeof(names));
	uint32_t i = hash_get(&f->thing_at, key);

	if (i != HASH_NONE)
		return i;
	hash_put(&f->thing_at, key, (uint32_t)f->things.n);
	*vec_push(f->mem, &f->things) = (struct thing_name){ kind, name };
	return (uint32_t)f->things.n - 1;
}

/* ---- rows --------------------------------------------------------------------------------- */

typedef void row_fn(struct loading *l, sqlite3_stmt *st, struct crashed *c);

/* Those of a fleet were added in the order of ids, or of numbers. */
static struct crashed *crash_of(struct loading *l, const char *id)
{
	struct crashed *v = l->f->v.v + l->first;
	size_t n = l->f->v.n - l->first, at = search_first(n, i, strcmp(v[i].id, id) < 0);

	return at < n && !strcmp(v[at].id, id) ? &v[at] : NULL;
}

static struct crashed *crash_numbered(struct loading *l, int64_t number)
{
	size_t n = l->numbers.n, at = search_first(n, i, l->numbers.v[i] < number);

	return at < n && l->numbers.v[at] == number ? &l->f->v.v[l->first + at] : NULL;
}

/* The crash of ST's row, whose first cell says which; NULL: there is none. Rows of one dump follow one another:
   BEFORE is that of the row before, or NULL. */
static struct crashed *crash_in(struct loading *l, sqlite3_stmt *st, struct crashed *before)
{
	const char *id;

	if (l->numbered) {
		int64_t number = sqlite3_column_int64(st, 0);

		return before && l->numbers.v[(size_t)(before - l->f->v.v) - l->first] == number
			       ? before
			       : crash_numbered(l, number);
	}
	id = (const char *)sqlite3_column_text(st, 0);
	return !id ? NULL : before && !strcmp(before->id, id) ? before : crash_of(l, id);
}

/* What says in a table of which dump a row is, as SQL. */
static const char *key_of(const struct loading *l)
{
	return l->id ? "?1" : l->numbered ? "_of" : "dump_id";
}

/* Calls FN for each row that SQL gives, whose first cell is key_of(). */
static enum status each_row(struct loading *l, const char *sql, row_fn *fn, struct diag *diag)
{
	struct crashed *c = NULL;
	sqlite3_stmt *st = NULL;
	int rc;

	if (sqlite3_prepare_v2(l->db, sql, -1, &st, NULL))
		return database_broken(l->db, diag);
	if (l->id)
		sqlite3_bind_text(st, 1, l->id, -1, SQLITE_STATIC);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct crashed *before = c;

		c = crash_in(l, st, c);
		if (c != before)
			arena_release(&l->row);
		if (c)
			fn(l, st, c);
	}
	sqlite3_finalize(st);
	arena_release(&l->row);
	return rc == SQLITE_DONE ? ST_OK : database_broken(l->db, diag);
}

/* Calls FN for each row of TABLE with COLS (names, by commas) behind the dump's id. */
static enum status each(struct loading *l, const char *table, const char *cols, row_fn *fn,
			struct diag *diag)
{
	char *sql = arena_printf(&l->mem, "SELECT %s", key_of(l));
	struct database_rows rows;
	enum rows_found found = database_rows(l->db, "main", table, &l->mem, &rows);

	if (found != ROWS_FOUND)
		return found == ROWS_ABSENT
			       ? ST_OK
			       : fail(diag, ST_CORRUPT, "the database is damaged: table %s", table);
	while (*cols) {
		size_t n = strcspn(cols, ",");
		const char *cell = database_cell(&rows, arena_strndup(&l->mem, cols, n));

		sql = arena_printf(&l->mem, "%s, %s", sql, cell ? cell : "NULL");
		cols += n + (cols[n] == ',');
	}
	return each_row(l,
			arena_printf(&l->mem, "%s FROM %s ORDER BY %s%srow", sql, rows.from,
				     l->id ? "" : key_of(l), l->id ? "" : ", "),
			fn, diag);
}

/* The words of a cause may have changed since its row was made. */
static struct told get_cause(struct loading *l, sqlite3_stmt *st)
{
	const char *words = database_str(st, 2, &l->row), *id = database_str(st, 5, &l->row);
	struct told t = { .id = VC_NONE };

	if (!words || !*words)
		return t;
	t.id = cause_of_id(id ? id : older_id(words, &l->row));
	t.words = t.id == VERDICT_CAUSES ? keep(l->f, words) : cause_facts[t.id].words;
	return t;
}

static void take_holder(struct loading *l, sqlite3_stmt *st, struct crashed *c)
{
	c->cause = get_cause(l, st);
	c->owner = get_str(l, st, 3);
	c->held = get_uint(st, 4);
	c->subject = get_str(l, st, 6);
	c->path = get_str(l, st, 7);
	if (c->owner && !database_str(st, 5, &l->row))
		c->subject = older_subject(c->owner, l->f->mem);
}

static void take_verdict(struct loading *l, sqlite3_stmt *st, struct crashed *c)
{
	const char *kind = database_str(st, 1, &l->row);

	if (!kind)
		return;
	if (!strcmp(kind, "event") && c->event.id == VC_NONE)
		c->event = get_cause(l, st);
	if (!strcmp(kind, "limit") && c->limit.id == VC_NONE)
		c->limit = get_cause(l, st);
	if (!strcmp(kind, "holder") && c->cause.id == VC_NONE)
		take_holder(l, st, c);
}

/* Is that the stack of what interrupts a task, as printk calls it? A double fault ("#DF") is the task's own. */
static bool is_interrupt(const char *stack)
{
	return stack && (!strcmp(stack, "IRQ") || !strcmp(stack, "SOFTIRQ") ||
			 !strcmp(stack, "NMI") || !strcmp(stack, "#MC"));
}

/* A jump to what is no code: of the innermost calls, before the first that it is sure of, the kernel prints
   what lies on the stack. */
static bool is_jump(const struct crashed *c)
{
	return c->panic && (strstr(c->panic, "unable to handle page fault") ||
			    strstr(c->panic, "unable to handle kernel"));
}

/*
 * Watchdogs run in interrupts, and print what they interrupted: that is what hangs. Their own frames are on STACK
 * if they print where they are; a trace that begins with the registers is of what hangs, and may be of an interrupt.
 */
static bool is_watchdog(const struct crashed *c, const char *stack)
{
	if (!c->hang || str_begins(c->reason, "hung_task"))
		return false;
	return !strcmp(stack, "NMI") || (!c->registers && !strstr(c->reason, "LOCKUP"));
}

/* REASON: as the log tells it; NULL: nothing is known of it. */
static void set_reason(struct crashed *c, const char *reason)
{
	const char *hang = reason ? hang_reason(reason) : NULL;

	c->hang |= hang != NULL;
	c->reason = hang ? hang : c->reason;
}

/* Frames of the log name a panic; the stack's are there for people. What a panic in an interrupt
   interrupted is not of its cause. */
static void take_frame(struct loading *l, sqlite3_stmt *st, struct crashed *c)
{
	const char *from = database_str(st, 1, &l->row), *stack = database_str(st, 5, &l->row);
	bool interrupt = is_interrupt(stack);
	const char *name;

	if (!from || strcmp(from, "log"))
		return;
	if (!c->begun)
		set_reason(c, database_str(st, 8, &l->row));
	if (!c->hash)
		c->hash = get_str(l, st, 4);
	c->registers |= !c->begun && sqlite3_column_int64(st, 7) == 1;
	c->begun = true;
	/* by what is known of names today, not when the capsule was made */
	name = get_str(l, st, 6);
	name = name ? call_plain(name, l->f->mem) : get_str(l, st, 3);
	c->sure |= sqlite3_column_int64(st, 2) == 1;
	if ((sqlite3_column_int64(st, 2) != 1 && (c->sure || !is_jump(c))) ||
	    c->nframes == FRAMES_KEPT)
		return;
	if (interrupt && is_watchdog(c, stack))
		return;
	c->left |= c->interrupt && !interrupt && c->nframes;
	c->interrupt |= interrupt;
	if (!name || c->left)
		return;
	if (!c->function)
		c->function = name;
	/* the two functions of a system call have one name */
	if (c->nframes && !strcmp(c->frame[c->nframes - 1], name))
		return;
	c->frame[c->nframes++] = name;
}

/* Of the summary: what is wrong with the dump, and whether its log tells why it was made. */
static void take_summary(struct loading *l, sqlite3_stmt *st, struct crashed *c)
{
	const char *section = database_str(st, 1, &l->row), *key = database_str(st, 2, &l->row);
	const char *text = database_str(st, 3, &l->row);

	if (!section || !key || !text)
		return;
	if (!strcmp(section, "damage") && !c->damage)
		c->damage = arena_strdup(l->f->mem, text);
	c->unread |= !strcmp(section, "machine") && !strcmp(key, "reason") &&
		     str_begins(text, "unknown: ");
}

static struct cost *add_cost(struct loading *l, struct crashed *c, const char *kind,
			     const char *name, uint64_t bytes)
{
	struct cost *to;

	if (!name || !*name || bytes == COL_UNKNOWN)
		return NULL;
	to = vec_push(l->f->mem, &c->costs);
	*to = (struct cost){ thing_of(l->f, keep(l->f, kind), keep(l->f, name)), PAGE_CLASSES,
			     bytes };
	return to;
}

/* The words of a class may have changed since its row was made. */
static void take_class(struct loading *l, sqlite3_stmt *st, struct crashed *c)
{
	const char *name = database_str(st, 1, &l->row), *id = database_str(st, 3, &l->row);
	enum page_class class = page_class_of_id(id ? id : older_id(name ? name : "", &l->row));
	struct cost *to;

	to = add_cost(l, c, "class", class == PAGE_CLASSES ? name : page_class_name(class),
		      get_uint(st, 2));
	if (to)
		to->class = class;
	c->nclasses = c->costs.n;
	if (class == CLASS_FREE)
		c->unused = get_uint(st, 2);
}

static void take_cache(struct loading *l, sqlite3_stmt *st, struct crashed *c)
{
	add_cost(l, c, "cache", database_str(st, 1, &l->row), get_uint(st, 2));
}

static void take_thing(struct loading *l, sqlite3_stmt *st, struct crashed *c)
{
	const char *group = database_str(st, 1, &l->row), *name = database_str(st, 2, &l->row);
	const char *kind = !group			 ? NULL
			   : !strcmp(group, "programs")	 ? "program"
			   : strcmp(group, "objects")	 ? NULL
			   : name && strstr(name, ".so") ? "library"
							 : "object";

	if (kind)
		add_cost(l, c, kind, name, get_uint(st, 3));
}

/* ---- the crashes ---------------------------------------------------------------------------- */

static void add_crash(struct loading *l, const char *id, sqlite3_stmt *st)
{
	struct crashed *c = vec_push(l->f->mem, &l->f->v);

	memset(c, 0, sizeof(*c));
	c->id = arena_strdup(l->f->mem, id);
	c->release = get_str(l, st, 1);
	c->version = get_str(l, st, 2);
	c->arch = get_str(l, st, 3);
	c->nodename = get_str(l, st, 4);
	c->crash_time = sqlite3_column_type(st, 5) == SQLITE_INTEGER ? sqlite3_column_int64(st, 5)
								     : COL_UNKNOWN_INT;
	c->uptime = get_uint(st, 6);
	c->ram = get_uint(st, 7);
	c->panic = get_str(l, st, 8);
	c->dump = get_str(l, st, 9);
	c->unused = c->held = COL_UNKNOWN;
	if (c->panic) {
		c->reason = panic_plain(c->panic, l->f->mem);
		set_reason(c, c->panic);
	}
}

#define DUMP_CELLS "release, version, arch, nodename, crash_time, uptime, ram, panic, dump"

static enum status add_crashes(struct loading *l, struct diag *diag)
{
	const char *sql = l->id		? "SELECT ?1, " DUMP_CELLS " FROM dump LIMIT 1"
			  : l->numbered ? "SELECT d.dump_id, " DUMP_CELLS
					  ", m._of FROM _dump AS m CROSS JOIN _dumps AS d ON "
					  "d._id = m._of ORDER BY m._of"
					: "SELECT dump_id, " DUMP_CELLS
					  " FROM dump ORDER BY dump_id";
	sqlite3_stmt *st = NULL;
	int rc;

	if (!database_has(l->db, l->numbered ? "_dump" : "dump"))
		return fail(diag, ST_CORRUPT, "it has no table of dumps");
	if (sqlite3_prepare_v2(l->db, sql, -1, &st, NULL))
		return database_broken(l->db, diag);
	if (l->id)
		sqlite3_bind_text(st, 1, l->id, -1, SQLITE_STATIC);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *id = database_str(st, 0, &l->row);

		if (!id)
			continue;
		add_crash(l, id, st);
		if (l->numbered)
			*vec_push(&l->mem, &l->numbers) = sqlite3_column_int64(st, 10);
		arena_release(&l->row);
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? ST_OK : database_broken(l->db, diag);
}

static enum status add_failed(struct loading *l, struct diag *diag)
{
	sqlite3_stmt *st = NULL;
	int rc;

	if (l->id || !database_has(l->db, "manifest"))
		return ST_OK;
	if (sqlite3_prepare_v2(l->db,
			       "SELECT file, outcome, why FROM manifest WHERE outcome NOT IN "
			       "('done', 'incomplete', 'unpacked') ORDER BY file",
			       -1, &st, NULL))
		return database_broken(l->db, diag);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		*vec_push(l->f->mem, &l->f->failed) =
			(struct failed){ get_str(l, st, 0), get_str(l, st, 1), get_str(l, st, 2) };
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? ST_OK : database_broken(l->db, diag);
}

static void take_lack(struct loading *l, sqlite3_stmt *st, struct crashed *c)
{
	c->unread = true;
	c->damage = get_str(l, st, 1);
}

/* Dumps without a summary: the kernel's types were not found, so nothing was read but its log. */
static enum status add_untyped(struct loading *l, struct diag *diag)
{
	const char *table = l->numbered ? "_reports" : "reports";

	if (!database_has(l->db, table))
		return ST_OK;
	return each_row(l,
			arena_printf(&l->mem,
				     "SELECT %s, lacks FROM %s WHERE report = 'summary' AND "
				     "lacks IS NOT NULL",
				     key_of(l), table),
			take_lack, diag);
}

static enum status add_all(struct loading *l, struct diag *diag)
{
	static const struct {
		const char *table, *cols;
		row_fn *fn;
		bool costs;
	} parts[] = {
		{ "summary", "section,key,text", take_summary, false },
		{ "oom_verdict", "kind,cause,owner,figure,cause_id,subject,subject_path",
		  take_verdict, false },
		{ "panic", "from,reliable,name,hash,stack,function,at,reason", take_frame, false },
		{ "census", "class,size,class_id", take_class, false },
		{ "slab", "cache,memory", take_cache, true },
		{ "costs", "group,name,pss", take_thing, true },
	};
	enum status st = add_crashes(l, diag);

	for (size_t i = 0; !st && i < ARRAY_LEN(parts); i++)
		if (!parts[i].costs || l->f->costs)
			st = each(l, parts[i].table, parts[i].cols, parts[i].fn, diag);
	if (!st)
		st = add_untyped(l, diag);
	return st ? st : add_failed(l, diag);
}

/* The identity that a capsule has; without one its name has to do. */
static const char *capsule_name(struct loading *l, const char *path)
{
	const char *slash = strrchr(path, '/'), *id = NULL;
	sqlite3_stmt *st = NULL;

	if (database_has(l->db, "capsule") &&
	    !sqlite3_prepare_v2(l->db, "SELECT value FROM capsule WHERE key = 'id'", -1, &st,
				NULL) &&
	    sqlite3_step(st) == SQLITE_ROW)
		id = database_str(st, 0, &l->mem);
	sqlite3_finalize(st);
	return id && *id ? id : slash ? slash + 1 : path;
}

/* Of the tables that are read without their rows being looked for; there are digests of the others. */
static enum status check_capsule(struct loading *l, struct diag *diag)
{
	static const char *const about[] = { "capsule", "dump" };
	enum status st = ST_OK;

	if (!digests_here(l->db, "main"))
		l->f->undigested++;
	else
		st = digests_complete(l->db, "main", diag);
	for (size_t i = 0; !st && i < ARRAY_LEN(about); i++)
		st = digest_check(l->db, "main", about[i], diag);
	return st;
}

/* All that L's open database has, or nothing of it. Closes it. */
static enum status add_database(struct loading *l, enum status st, const char *path,
				struct diag *diag)
{
	size_t failed = l->f->failed.n;

	if (!st)
		st = add_all(l, diag);
	if (st) {
		l->f->v.n = l->first;
		l->f->failed.n = failed;
	}
	sqlite3_close(l->db);
	arena_release(&l->mem);
	arena_release(&l->row);
	return st ? fail_in(diag, st, "%s", path) : ST_OK;
}

static void begin(struct fleet *f)
{
	f->names.mem = f->thing_at.mem = f->mem;
}

enum status fleet_add(struct fleet *f, uint8_t *bytes, size_t size, const char *path,
		      struct diag *diag)
{
	struct loading l = { .f = f, .first = f->v.n };
	bool many = fleet_is(bytes, size);
	enum status st;

	begin(f);
	if (!many && !capsule_is(bytes, size)) {
		free(bytes);
		return fail(diag, ST_UNSUPPORTED, "%s: is neither a fleet nor a capsule", path);
	}
	st = database_open(bytes, size, &l.trust, diag, &l.db);
	if (!st)
		st = many ? database_numbered(l.db, &l.numbered, diag) : check_capsule(&l, diag);
	if (!st && !many)
		l.id = capsule_name(&l, path);
	st = add_database(&l, st, path, diag);
	free(bytes);
	return st;
}

enum status fleet_add_fd(struct fleet *f, int fd, uint64_t size, const char *path,
			 struct diag *diag)
{
	struct loading l = { .f = f, .first = f->v.n };
	enum status st;

	begin(f);
	st = database_open_fd(fd, size, &l.trust, diag, &l.db);
	if (!st)
		st = database_numbered(l.db, &l.numbered, diag);
	return add_database(&l, st, path, diag);
}
