/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merge.c - capsules to a fleet: one database with the rows of all dumps.
 *
 * The tables are those of the reports that this program knows (merge_rows.h). A capsule gives what
 * it has of them. Capsules are put in by their identity, so that
 * the same capsules give the same fleet, whatever machine made them in whatever order.
 *
 * SQLite reads the capsules, which may be anybody's files, in a sandbox. It opens the fleet
 * before, and keeps the rest in memory. The process outside lists names, and gives the fleet
 * its own.
 */
#include "app/merge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nettle/sha2.h>
#include <sqlite3.h>

#include "app/answers/answers.h"
#include "app/batch/rank.h"
#include "app/guard.h"
#include "app/merge_lines.h"
#include "app/merge_rows.h"
#include "app/options.h"
#include "app/sandbox/broker.h"
#include "app/tell.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/outside.h"
#include "dumpread/base/search.h"
#include "dumpread/image/whole.h"
#include "reports/capsule/capsule.h"
#include "reports/capsule/database.h"
#include "reports/capsule/sql.h"

#define SPARE		  (UINT64_C(4) << 30) /* bytes beyond three times the largest capsule */
#define SECONDS		  3600u		      /* of processor time ... */
#define SECONDS_A_CAPSULE 60u		      /* ... and for each capsule */
#define FILES		  64u
#define PAGE		  4096u		       /* of SQLite's file */
#define GROWTH		  (UINT64_C(64) << 20) /* bytes by which one capsule makes it larger ... */
#define GROWTH_A_BYTE	  64u		       /* ... and for each byte of the capsule */
#define ID_DIGITS	  ((size_t)SHA256_DIGEST_SIZE * 2)

struct capsule_at {
	const char *path;
	char id[ID_DIGITS + 1]; /* "": not known yet */
};

struct merge {
	const char *to;
	const char *tmp; /* the fleet, until it is complete */
	const char *const *dirs;
	unsigned ndirs;
	uint64_t largest; /* bytes of a capsule */
	bool add;	  /* to the fleet that TO is */
	int err;	  /* the fleet cannot be made */
	sqlite3 *db;
	VEC(struct capsule_at) v;
	VEC(const char *) manifests;
	unsigned long skipped;	  /* capsules and lines that cannot be read */
	unsigned long undigested; /* capsules of older programs */
	struct trust trust;
	struct arena mem;
	struct diag diag;
};

void merge_help(void)
{
	puts("usage: vmcensus merge DIR... [--add] -o FLEET.sqlite\n"
	     "\n"
	     "Puts the capsules in the directories (of batch) into one SQLite file: the tables that\n"
	     "--help-schema prints, with the column dump_id, and a table manifest of what became of each\n"
	     "dump. Of several capsules of one crash the one that lacks least is taken. The same\n"
	     "capsules give the same fleet. fleet, clusters, regress and leaks report on it.\n"
	     "\n"
	     "  -a, --add   add to FLEET.sqlite what it does not have; dumps that it has stay as they are");
}

static int sql_failed(struct merge *m)
{
	fail(&m->diag, ST_IO, "the fleet cannot be written: %s", sqlite3_errmsg(m->db));
	return -1;
}

static int run_sql(struct merge *m, const char *sql)
{
	return sqlite3_exec(m->db, sql, NULL, NULL, NULL) ? sql_failed(m) : 0;
}

/* ---- what there is ------------------------------------------------------------------------ */

static bool is_id(const char *name, size_t len)
{
	return len >= ID_DIGITS && strspn(name, "0123456789abcdef") == ID_DIGITS;
}

static int find_dir(struct merge *m, const char *dir)
{
	struct dirent **v;
	struct stat st;
	int n = scandir(dir, &v, NULL, alphasort);

	if (n < 0) {
		fail(&m->diag, ST_IO, "%s: %s", dir, strerror(errno));
		return -1;
	}
	for (int i = 0; i < n; i++) {
		const char *path = arena_printf(&m->mem, "%s/%s", dir, v[i]->d_name);
		size_t len = strlen(v[i]->d_name);

		if (stored_is(path)) {
			struct capsule_at *c = vec_push(&m->mem, &m->v);

			c->path = path;
			if (!stat(path, &st) && st.st_size > 0)
				m->largest = max_u64(m->largest, (uint64_t)st.st_size);
			/* as batch names it; of other names the capsule itself is asked */
			if (len == ID_DIGITS + 4 && str_ends(path, ".vmc") &&
			    is_id(v[i]->d_name, len))
				memcpy(c->id, v[i]->d_name, ID_DIGITS);
		} else if (str_ends(path, ".jsonl") && !strncmp(v[i]->d_name, "manifest", 8)) {
			*vec_push(&m->mem, &m->manifests) = path;
		}
		free(v[i]);
	}
	free(v);
	return 0;
}

/* That of the file, for a dump that has no identity: wherever it lies, it is the same. */
static void id_of_bytes(struct capsule_at *c)
{
	uint8_t *bytes, digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx hash;
	struct diag none;
	size_t size;

	if (file_whole(c->path, CAPSULE_MAX, &none, &bytes, &size))
		return;
	sha256_init(&hash);
	sha256_update(&hash, size, bytes);
	sha256_digest(&hash, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		sprintf(c->id + 2 * i, "%02x", digest[i]);
	free(bytes);
}

/* Of capsules that do not have it as their name. */
static void find_ids(struct merge *m)
{
	for (size_t i = 0; i < m->v.n; i++) {
		struct capsule_at *c = &m->v.v[i];
		struct rank r;

		if (*c->id)
			continue;
		rank_of(c->path, &r);
		if (r.known && is_id(r.id, strlen(r.id)))
			memcpy(c->id, r.id, sizeof(c->id));
		else
			id_of_bytes(c);
	}
}

static int id_order(const void *a, const void *b)
{
	const struct capsule_at *x = a, *y = b;
	int d = strcmp(x->id, y->id);

	return d ? d : strcmp(x->path, y->path);
}

/* One capsule for each crash. */
static void choose(struct merge *m)
{
	size_t kept = 0;

	if (m->v.n)
		sort_array(m->v.v, m->v.n, sizeof(*m->v.v), id_order);
	for (size_t i = 0; i < m->v.n; i++) {
		struct rank new, old;

		if (!kept || strcmp(m->v.v[kept - 1].id, m->v.v[i].id)) {
			m->v.v[kept++] = m->v.v[i];
			continue;
		}
		rank_of(m->v.v[kept - 1].path, &old);
		rank_of(m->v.v[i].path, &new);
		if (new.known && (!old.known || rank_is_better(&new, &old)))
			m->v.v[kept - 1] = m->v.v[i];
	}
	m->v.n = kept;
}

/* ---- capsules ------------------------------------------------------------------------------- */

/* C cannot be put into the fleet. */
static void skip(struct merge *m, const struct capsule_at *c, const char *why)
{
	tell(c->path, why);
	m->skipped++;
}

/* Its bytes, if all of its tables are as they were stored. */
static bool read_capsule(struct merge *m, const struct capsule_at *c, uint8_t **bytes, size_t *size)
{
	struct capsule_file *f = NULL;
	struct diag why;
	uint8_t *copy;
	bool whole;

	if (file_whole(c->path, CAPSULE_MAX, &why, bytes, size)) {
		skip(m, c, why.text);
		return false;
	}
	copy = heap_bytes(*size);
	memcpy(copy, *bytes, *size);
	whole = !capsule_open(copy, *size, &why, &f);
	if (whole && capsule_undigested(f))
		m->undigested++;
	capsule_close(f);
	if (whole)
		return true;
	skip(m, c, why.text);
	free(*bytes);
	return false;
}

/* What a capsule makes larger: the rows of its sets are repeated. */
static int limit_growth(struct merge *m, size_t size)
{
	sqlite3_stmt *st = NULL;
	uint64_t pages;

	if (sqlite3_prepare_v2(m->db, "PRAGMA main.page_count", -1, &st, NULL) ||
	    sqlite3_step(st) != SQLITE_ROW) {
		sqlite3_finalize(st);
		return sql_failed(m);
	}
	pages = (uint64_t)sqlite3_column_int64(st, 0) + (GROWTH + GROWTH_A_BYTE * size) / PAGE;
	sqlite3_finalize(st);
	return run_sql(m, arena_printf(&m->mem, "PRAGMA main.max_page_count = %llu",
				       (unsigned long long)min_u64(pages, INT32_MAX)));
}

static int copy_capsule(struct merge *m, const struct capsule_at *c, size_t size)
{
	struct diag why;

	trust_limit(&m->trust, m->db, size);
	if (limit_growth(m, size) || run_sql(m, "BEGIN"))
		return -1;
	errno = 0;
	if (!merge_rows(m->db, c->id, &why))
		return run_sql(m, "COMMIT");
	if (merge_failed(m->db))
		return sql_failed(m);
	skip(m, c, why.text);
	/* SQLite has done it itself after some errors */
	return sqlite3_get_autocommit(m->db) ? 0 : run_sql(m, "ROLLBACK");
}

/* All of a capsule, or nothing of it. */
static int add_capsule(struct merge *m, const struct capsule_at *c)
{
	uint8_t *bytes;
	size_t size;
	int err;

	if (!read_capsule(m, c, &bytes, &size))
		return 0;
	if (run_sql(m, "ATTACH ':memory:' AS c") ||
	    sqlite3_deserialize(m->db, "c", bytes, (sqlite3_int64)size, (sqlite3_int64)size,
				SQLITE_DESERIALIZE_READONLY)) {
		free(bytes);
		return sql_failed(m);
	}
	err = copy_capsule(m, c, size);
	trust_limit(&m->trust, m->db, UINT32_MAX);
	if (run_sql(m, "DETACH c"))
		err = -1;
	free(bytes);
	return err;
}

static int fill(struct merge *m)
{
	int err = 0;

	find_ids(m);
	choose(m);
	for (size_t i = 0; !err && i < m->v.n; i++)
		if (!m->add || !merge_has(m->db, m->v.v[i].id))
			err = add_capsule(m, &m->v.v[i]);
	if (m->undigested)
		tellf(NULL,
		      "%lu capsules are of an older vmcensus, without digests: damage of their "
		      "rows is not noticed",
		      m->undigested);
	if (!err)
		err = run_sql(m, "PRAGMA main.max_page_count = 4294967294");
	if (!err)
		err = run_sql(m, "BEGIN");
	for (size_t i = 0; !err && i < m->manifests.n; i++)
		err = merge_lines(m->db, m->manifests.v[i], &m->skipped, &m->diag);
	if (!err)
		err = run_sql(m, "COMMIT");
	return err;
}

/* ---- the sandbox ------------------------------------------------------------------------------ */

static const char how_written[] = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; "
				  "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY";

/* The fleet that is added to may be anybody's file. */
static int check_fleet(struct merge *m)
{
	trust_limit(&m->trust, m->db, UINT32_MAX);
	if (trust_schema(m->db, "main", &m->diag) || merge_fits(m->db, &m->diag))
		return -1;
	return run_sql(m, how_written);
}

/* Opens the fleet; nobody sees it before it is complete. After this SQLite opens no file. */
static void begin(void *arg)
{
	struct merge *m = arg;
	int on;

	if (!m->add)
		unlink(m->tmp);
	/* of one that is there nothing is read before the sandbox; nobody else has it, so it needs no lock */
	if (sqlite3_open_v2(m->tmp, &m->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    m->add ? "unix-none" : NULL)) {
		m->err = sql_failed(m);
		return;
	}
	sqlite3_db_config(m->db, SQLITE_DBCONFIG_DEFENSIVE, 1, &on);
	sqlite3_db_config(m->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &on);
	if (m->add)
		return;
	m->err = run_sql(m, how_written);
	if (!m->err)
		m->err = merge_tables(m->db) ? sql_failed(m) : 0;
}

static int inside(void *arg, const struct sandbox_lacks *lacks)
{
	struct merge *m = arg;

	sandbox_warn(lacks);
	if (!m->err && m->add)
		m->err = check_fleet(m);
	if (!m->err)
		m->err = fill(m);
	sqlite3_close(m->db);
	if (m->err)
		tell(NULL, m->diag.text);
	return m->err ? EXIT_NO_ANSWER : m->skipped ? EXIT_DAMAGED : 0;
}

/* The exit status; it is told why. */
static int fill_confined(struct merge *m)
{
	struct broker b = {
		.permits = { .folders = m->dirs, .nfolders = m->ndirs },
		.limits = { .memory = 3 * min_u64(m->largest, CAPSULE_MAX) + SPARE,
			    .seconds = SECONDS + m->v.n * SECONDS_A_CAPSULE,
			    .files = FILES },
		.prepare = begin,
		.inside = inside,
		.arg = m,
	};
	int status;

	if (broker_run(&b, &status, &m->diag))
		tell(NULL, m->diag.text);
	else if (!WIFSIGNALED(status))
		return WEXITSTATUS(status) && WEXITSTATUS(status) != EXIT_DAMAGED
			       ? EXIT_NO_ANSWER
			       : WEXITSTATUS(status);
	else
		tellf(NULL, "the process that reads the capsules was ended by signal %d (%s)",
		      WTERMSIG(status), strsignal(WTERMSIG(status)));
	return EXIT_NO_ANSWER;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int sync_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 || fsync(fd);

	if (fd >= 0)
		close(fd);
	return err;
}

/* The fleet that is added to, as the one that takes its place: whoever reads it meanwhile reads the one before. */
static int copy_fleet(struct merge *m)
{
	int from = open(m->to, O_RDONLY | O_CLOEXEC), to = -1;
	ssize_t n = -1;

	if (from >= 0)
		to = open(m->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (to >= 0)
		while ((n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0)
			;
	if (n)
		fail(&m->diag, ST_IO, "%s: %s", to < 0 && from >= 0 ? m->tmp : m->to,
		     strerror(errno));
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return n ? -1 : 0;
}

static int write_fleet(void *arg)
{
	struct merge *m = arg;
	int status;

	if (m->add && copy_fleet(m)) {
		tell(NULL, m->diag.text);
		unlink(m->tmp);
		return EXIT_NO_ANSWER;
	}
	status = fill_confined(m);

	if (status != EXIT_NO_ANSWER && (sync_file(m->tmp) || rename(m->tmp, m->to))) {
		tell(m->to, strerror(errno));
		status = EXIT_NO_ANSWER;
	}
	if (status == EXIT_NO_ANSWER)
		unlink(m->tmp);
	return status;
}

const struct option merge_options[] = { { "output", 1, NULL, 'o' },
				       { "add", 0, NULL, 'a' },
				       { 0 } };

int merge_main(int argc, char **argv)
{
	struct merge m = { .db = NULL };
	const char *to = NULL;
	int c, status = 0;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, "o:a", merge_options, NULL)) != -1)
		if (c == 'o')
			to = optarg;
		else if (c == 'a')
			m.add = true;
		else
			status = EXIT_USAGE;
	if (status || !to || optind == argc) {
		fputs("vmcensus: usage: vmcensus merge DIR... [--add] -o FLEET.sqlite\n", stderr);
		return EXIT_USAGE;
	}
	m.dirs = (const char *const *)argv + optind;
	m.ndirs = (unsigned)(argc - optind);
	for (unsigned i = 0; !status && i < m.ndirs; i++)
		status = find_dir(&m, m.dirs[i]) ? EXIT_NO_ANSWER : 0;
	m.to = to;
	m.tmp = arena_printf(&m.mem, "%s.tmp-%ld", to, (long)getpid());
	if (!status && !m.v.n && !m.manifests.n) {
		fail(&m.diag, ST_ABSENT, "there is no capsule and no manifest in what was named");
		status = EXIT_NO_ANSWER;
	}
	if (status)
		tell(NULL, m.diag.text);
	else
		status = guard(write_fleet, &m, m.tmp);
	arena_release(&m.mem);
	return status;
}
