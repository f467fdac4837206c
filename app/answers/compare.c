/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.c - report diff where one of the two images is a capsule, or both are. */
#include <string.h>

#include "app/answers/answers.h"
#include "reports/core/list.h"
#include "reports/fleet/id.h"
#include "reports/machine/diff.h"

/* One of the two, and what holds it. */
struct side {
	struct diff_side diff;
	struct table costs, id;
	struct capsule_file **file;
	struct issues **issues;
	struct snapshot **s;
	struct kernel **k;
};

static bool load(struct run *run, struct side *x, const struct report *r, struct table *t)
{
	bool *stored = arena_array(&run->mem, bool, r->ncols);
	const struct capsule_part part = { .report = r };
	struct capsule_more more;

	return !capsule_load(*x->file, &part, t, stored, *x->issues, &more, &run->diag);
}

static bool from_capsule(struct run *run, struct side *x, const char *path)
{
	const struct id_row *id;

	*x->issues = arena_array(&run->mem, struct issues, 1);
	issues_init(*x->issues);
	if (stored_open(path, &run->diag, x->file) || !load(run, x, &report_id, &x->id))
		return false;
	issues_init(*x->issues); /* of the costs alone */
	if (!load(run, x, &report_costs, &x->costs))
		return false;
	id = x->id.nrows ? x->id.rows : NULL;
	x->diff = (struct diff_side){
		.costs = &x->costs,
		.crash_time = id && id->crash_time != COL_UNKNOWN_INT ? id->crash_time : 0,
		.uptime = id && id->uptime != COL_UNKNOWN ? id->uptime : 0,
		.nodename = id && id->nodename ? id->nodename : "",
		.release = id && id->release ? id->release : "",
	};
	return true;
}

static bool from_dump(struct run *run, struct side *x, const char *const *paths, unsigned n)
{
	const struct report *r = run->o.report;
	struct kernel_opts ko = run_kernel_opts(run);

	ko.images = paths;
	ko.nimages = n;
	if (kernel_open(&ko, &run->diag, x->k) ||
	    !run_offers(*x->k, r, r->needs, paths[0], &run->diag))
		return false;
	*x->s = snapshot_build(*x->k, r->needs, NULL);
	if ((*x->s)->refused) {
		fail(&run->diag, ST_LIMIT, "%s", (*x->s)->refused);
		return false;
	}
	diff_side_of(*x->s, &x->diff, &x->costs, &run->mem);
	return true;
}

static bool take(struct run *run, struct side *x, const char *const *paths, unsigned n)
{
	return n == 1 && stored_is(paths[0]) ? from_capsule(run, x, paths[0])
					     : from_dump(run, x, paths, n);
}

/* As json has them: the files of both. */
static void set_image(struct run *run, struct side *after)
{
	unsigned n = run->o.nimages;
	const char **paths = arena_array(&run->mem, const char *, n);

	for (unsigned i = 0; i < n; i++)
		paths[i] = run->o.images[i];
	run->image = *after->file ? *capsule_image(*after->file)
				  : image_facts_of(*after->s, NULL, 0);
	if (*after->file)
		run->image.crash_time = after->diff.crash_time;
	if (*after->file && n == 2)
		paths[1] = run->image.npaths ? run->image.paths[0] : paths[1];
	if (run->stored_before && n == 2 && capsule_image(run->stored_before)->npaths)
		paths[0] = capsule_image(run->stored_before)->paths[0];
	run->image.paths = paths;
	run->image.npaths = n;
	run->issues = *after->file ? *after->issues : (*after->k)->issues;
}

int run_compared(struct run *run)
{
	struct side before = { .file = &run->stored_before,
			       .issues = &run->stored_issues_before,
			       .s = &run->before,
			       .k = &run->before_k };
	struct side after = {
		.file = &run->stored, .issues = &run->stored_issues, .s = &run->s, .k = &run->k
	};
	unsigned n = run->o.nearlier;
	bool ok = take(run, &before, run->o.images, n) &&
		  take(run, &after, run->o.images + n, run->o.nimages - n);

	if (ok) {
		diff_compare(&before.diff, &after.diff, &run->o.report_opts, &run->t);
		set_image(run, &after);
		run_pick_rows(run);
	}
	/* rows have the names of the sides */
	run->sides[0] = before.costs.mem;
	run->sides[1] = after.costs.mem;
	arena_release(&before.id.mem);
	arena_release(&after.id.mem);
	return ok ? 0 : EXIT_NO_ANSWER;
}
