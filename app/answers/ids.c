/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ids.c - report id: opens one image after the other, and walks none. */
#include <string.h>

#include "app/answers/answers.h"
#include "app/batch/find.h"
#include "dumpread/base/bytes.h"
#include "dumpread/image/whole.h"
#include "reports/core/list.h"
#include "reports/fleet/id.h"

void run_id_row(struct kernel_opts *ko, struct id_row *r, struct arena *mem)
{
	struct kernel *k = NULL;
	struct image *im = NULL;
	struct diag why = { "" }, none;
	struct snapshot *s;

	ko->log_only = true; /* types are not needed */
	if (!kernel_open(ko, &why, &k)) {
		s = snapshot_build(k, report_id.wants, NULL);
		id_of_snapshot(s, r, mem);
		snapshot_free(s);
		kernel_close(k);
		return;
	}
	if (!image_open(ko->images, ko->nimages, NULL, &none, &im)) {
		id_of_image(im, r, mem);
		r->why = arena_strdup(mem, why.text);
		image_close(im);
		return;
	}
	id_unknown(why.text, r, mem);
}

static bool of_capsule(struct run *run, const char *path, struct id_row *r)
{
	bool *stored = arena_array(&run->mem, bool, report_id.ncols);
	uint8_t head[CAPSULE_HEAD];
	const struct capsule_part part = { .report = &report_id };
	struct capsule_file *f = NULL;
	struct capsule_more more;
	struct diag why = { "" };
	struct table t = { 0 };
	struct issues is;

	if (!capsule_is(head, file_head(path, head, sizeof(head))))
		return false;
	issues_init(&is);
	if (stored_open(path, &why, &f) || capsule_load(f, &part, &t, stored, &is, &more, &why) ||
	    t.nrows != 1)
		id_unknown(why.text, r, &run->t.mem);
	else
		id_copy(t.rows, r, &run->t.mem);
	issues_release(&is);
	arena_release(&t.mem);
	capsule_close(f);
	return true;
}

/* EXIT_DAMAGED if a dump is not known completely, EXIT_NO_ANSWER if none is. */
static int status_of(const struct id_row *rows, size_t n)
{
	size_t known = 0, whole = 0;

	for (size_t i = 0; i < n; i++) {
		known += rows[i].format != NULL;
		whole += !rows[i].why;
	}
	return whole == n ? 0 : known ? EXIT_DAMAGED : EXIT_NO_ANSWER;
}

int run_find(struct run *run)
{
	struct found *f = arena_array(&run->mem, struct found, 1);
	VEC(const char *) files = { 0 };

	f->mem = &run->mem;
	for (unsigned i = 0; i < run->o.nimages; i++)
		if (find_dumps(f, run->o.images[i], &run->diag))
			return EXIT_NO_ANSWER;
	find_done(f);
	for (size_t i = 0; i < f->v.n; i++)
		for (unsigned j = 0; j < f->v.v[i].npaths; j++)
			*vec_push(&run->mem, &files) = f->v.v[i].paths[j];
	run->found = f;
	run->o.images = files.v;
	run->o.nimages = (unsigned)files.n;
	if (files.n)
		return 0;
	fail(&run->diag, ST_ABSENT, "there is no dump in what was named");
	return EXIT_NO_ANSWER;
}

int run_ids(struct run *run)
{
	struct found f = *run->found;
	const char **dumps;
	struct id_row *rows;

	rows = arena_array(&run->t.mem, struct id_row, f.v.n);
	dumps = arena_array(&run->t.mem, const char *, f.v.n);
	for (size_t i = 0; i < f.v.n; i++) {
		struct kernel_opts ko = run_kernel_opts(run);

		ko.images = f.v.v[i].paths;
		ko.nimages = f.v.v[i].npaths;
		ko.log = NULL;
		if (!of_capsule(run, ko.images[0], &rows[i]))
			run_id_row(&ko, &rows[i], &run->t.mem);
		if (!rows[i].dump)
			rows[i].dump = ko.images[0];
		dumps[i] = rows[i].dump;
	}
	run->t.rows = rows;
	run->t.nrows = f.v.n;
	run->t.row_size = sizeof(*rows);
	run->image = (struct image_facts){
		.paths = dumps, .npaths = (unsigned)f.v.n, .page_size = 4096, .level = -1
	};
	run->status = status_of(rows, f.v.n);
	if (run->status == EXIT_NO_ANSWER)
		fail(&run->diag, ST_NODATA, "%s", rows[0].why);
	run_pick_rows(run);
	return 0;
}
