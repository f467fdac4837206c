/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fleets.c - reports of many crashes: from a fleet that merge made, or from capsules. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/answers/answers.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"
#include "dumpread/image/whole.h"
#include "reports/fleet/fleet.h"

static bool fleet_named(const char *path)
{
	uint8_t head[CAPSULE_HEAD];

	return fleet_is(head, file_head(path, head, sizeof(head)));
}

bool run_is_of_fleet(const struct run *run)
{
	if (run->o.report->of_fleet)
		return true;
	for (unsigned i = 0; !run->open && i < run->o.nimages; i++)
		if (fleet_named(run->o.images[i]))
			return true;
	return false;
}

/* The capsules in DIR, by name. */
static int list_dir(struct run *run, const char *dir, const char ***v, unsigned *n)
{
	struct dirent **names;
	int count = scandir(dir, &names, NULL, alphasort);

	if (count < 0) {
		fail(&run->diag, ST_IO, "%s: %s", dir, strerror(errno));
		return EXIT_NO_ANSWER;
	}
	*v = arena_grow(&run->mem, *v, *n, *n + (unsigned)count, sizeof(**v));
	for (int i = 0; i < count; i++) {
		const char *path = arena_printf(&run->mem, "%s/%s", dir, names[i]->d_name);

		if (stored_is(path))
			(*v)[(*n)++] = path;
		free(names[i]);
	}
	free(names);
	return 0;
}

/* Does the report have an answer for a fleet, and is there one? */
static int check(struct run *run)
{
	const struct report *r = run->o.report;

	if (r->of_fleet && run->open) {
		fail(&run->diag, ST_ABSENT, "report %s is of many dumps, and this is one", r->name);
		return EXIT_USAGE;
	}
	if (r->statement && run->o.nimages > 1) {
		fail(&run->diag, ST_ABSENT,
		     "%s: a statement is over one fleet; merge makes one of many",
		     run->o.images[1]);
		return EXIT_USAGE;
	}
	if (r->of_fleet || r->statement || (run->product && run->product->write_fleet))
		return 0;
	fail(&run->diag, ST_NODATA,
	     "%s is a fleet, and report %s is of one dump; fleet, clusters, regress, leaks, sql "
	     "and html are of fleets",
	     run->o.images[0], r->name);
	return EXIT_NO_ANSWER;
}

int run_find_fleet(struct run *run)
{
	const char **v = NULL;
	unsigned n = 0;
	struct stat st;
	int status = check(run);

	if (status)
		return status;
	for (unsigned i = 0; i < run->o.nimages; i++) {
		const char *name = run->o.images[i];

		if (!stat(name, &st) && S_ISDIR(st.st_mode)) {
			if (list_dir(run, name, &v, &n))
				return EXIT_NO_ANSWER;
			continue;
		}
		v = arena_grow(&run->mem, v, n, n + 1, sizeof(*v));
		v[n++] = name;
	}
	run->o.images = v;
	run->o.nimages = n;
	if (n)
		return 0;
	fail(&run->diag, ST_ABSENT, "there is no fleet and no capsule in what was named");
	return EXIT_NO_ANSWER;
}

/* A descriptor of the fleet PATH, and its size; -1 with RUN's diag. */
static int open_fleet(struct run *run, const char *path, uint64_t *size)
{
	int fd = outside_open(path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		fail(&run->diag, ST_IO, "%s: %s", path, strerror(errno));
	else if ((uint64_t)st.st_size > CAPSULE_MAX)
		fail(&run->diag, ST_LIMIT, "%s: is larger than a fleet can be", path);
	else {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A fleet is large: what is asked of it is read, and not all of it. */
static enum status read_fleet(struct run *run, struct fleet *f, const char *path)
{
	uint64_t size;
	int fd = open_fleet(run, path, &size);
	enum status ret;

	if (fd < 0)
		return ST_IO;
	ret = fleet_add_fd(f, fd, size, path, &run->diag);
	close(fd);
	return ret;
}

static enum status read_one(struct run *run, struct fleet *f, const char *path)
{
	uint8_t *bytes;
	enum status st;
	size_t size;

	if (fleet_named(path))
		return read_fleet(run, f, path);
	st = file_whole(path, CAPSULE_MAX, &run->diag, &bytes, &size);

	return st ? st : fleet_add(f, bytes, size, path, &run->diag);
}

/* One that cannot be read is told, and hides no other. */
static int read_all(struct run *run, struct fleet *f)
{
	unsigned skipped = 0;

	run->stored_issues = run->issues = arena_array(&run->mem, struct issues, 1);
	issues_init(run->stored_issues);
	for (unsigned i = 0; i < run->o.nimages; i++) {
		if (!read_one(run, f, run->o.images[i]))
			continue;
		if (run->o.nimages == 1)
			return EXIT_NO_ANSWER;
		skipped++;
		log_warn(&run->log, "%s", run->diag.text);
		issue_add(run->stored_issues, ST_CORRUPT, "capsule", 1, "%s", run->diag.text);
	}
	if (skipped && skipped == run->o.nimages) {
		fail(&run->diag, ST_CORRUPT, "none of the %u capsules can be read", skipped);
		return EXIT_NO_ANSWER;
	}
	if (f->undigested)
		log_warn(&run->log,
			 "%lu capsules are of an older vmcensus, without digests: damage of their "
			 "rows is not noticed",
			 f->undigested);
	fleet_done(f);
	return 0;
}

static struct image_facts facts_of(const struct run *run)
{
	return (struct image_facts){
		.paths = run->o.images, .npaths = run->o.nimages, .page_size = 4096, .level = -1
	};
}

static int run_statement(struct run *run)
{
	uint64_t size;
	int fd = open_fleet(run, run->o.images[0], &size);
	enum status st;

	if (fd < 0)
		return EXIT_NO_ANSWER;
	run->stored_issues = run->issues = arena_array(&run->mem, struct issues, 1);
	issues_init(run->stored_issues);
	run->image = facts_of(run);
	st = statement_run_fleet(run->statement, fd, size, run->stored_issues, &run->t, &run->diag);
	close(fd);
	if (st)
		return statement_wrong(run->statement) ? EXIT_USAGE : EXIT_NO_ANSWER;
	run_pick_rows(run);
	return 0;
}

int run_fleet(struct run *run)
{
	struct fleet *f = arena_array(&run->mem, struct fleet, 1);
	const struct report *r = run->o.report;

	if (r->statement)
		return run_statement(run);
	f->mem = &run->mem;
	f->costs = run->product || r->fleet_costs;
	run->fleet = f;
	if (read_all(run, f))
		return EXIT_NO_ANSWER;
	run->image = facts_of(run);
	if (run->product)
		return 0;
	run->t.cols = r->cols;
	run->t.ncols = r->ncols;
	if (r->of_fleet(f, &run->o.report_opts, &run->t, &run->diag))
		return EXIT_NO_ANSWER;
	run_pick_rows(run);
	return 0;
}
