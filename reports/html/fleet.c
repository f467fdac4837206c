/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fleet.c - the page of a fleet, in one file: its dumps, clusters and trends.
 *
 * The build puts fleet.html, page.css and the scripts into the program (embed.sh). The rows are
 * those of the reports.
 */
#include "reports/fleet/fleet.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "reports/core/list.h"
#include "reports/core/pick.h"
#include "reports/html/data.h"
#include "reports/html/emit.h"
#include "reports/html/fleet_parts.h"

#define COSTS_SHOWN 24u		/* of each dump */
#define REGRESS_MAX 3000u	/* rows: those that changed most */

struct row {
	const char *id, *crashed, *kind, *cause, *owner, *nodename, *release, *function, *hash,
		*panic, *event, *limit, *dump, *frames;
	uint64_t cluster, held, ram;
};

#define STR(name, about) COL(struct row, name, COL_STR, 0, "", about)

static const struct column cols[] = {
	STR(id, "identity of the crash"),
	STR(crashed, "time of the crash, UTC"),
	STR(kind, "panic, memory, or asked for"),
	STR(cause, "message of the panic, or cause of the verdict"),
	STR(owner, "who had most of the memory"),
	STR(nodename, "machine"),
	STR(release, "kernel"),
	STR(function, "where it panicked"),
	STR(hash, "ABRT's hash of the panic"),
	STR(panic, "message of the panic"),
	STR(event, "what happened"),
	STR(limit, "what could not be exceeded"),
	STR(dump, "its file"),
	STR(frames, "calls, innermost first"),
	COL(struct row, cluster, COL_UINT, 0, "", "number of its cluster, from 1: the largest"),
	COL(struct row, held, COL_BYTES, 0, "bytes", "what the cause is about"),
	COL(struct row, ram, COL_BYTES, 0, "bytes", "of the machine"),
};

static const char *frames_of(const struct crashed *c, struct arena *mem)
{
	char *text = arena_strdup(mem, "");

	for (unsigned i = 0; i < c->nframes; i++)
		text = arena_printf(mem, "%s%s%s", text, i ? " " : "", c->frame[i]);
	return text;
}

static void set_row(const struct crashed *c, struct row *r, struct arena *mem)
{
	enum crash_kind k = crash_kind_of(c);

	*r = (struct row){
		.id = c->id,
		.crashed = date_text(c->crash_time, mem),
		.kind = crash_kind_text(k),
		.cause = k == CRASH_MEMORY ? c->cause.words : c->reason,
		.owner = k == CRASH_MEMORY ? c->owner : NULL,
		.nodename = c->nodename,
		.release = c->release,
		.function = crash_has_calls(k) ? c->function : NULL,
		.hash = crash_has_calls(k) ? c->hash : NULL,
		.panic = c->panic,
		.event = c->event.words,
		.limit = k == CRASH_MEMORY ? c->limit.words : NULL,
		.dump = c->dump,
		.frames = frames_of(c, mem),
		.held = k == CRASH_MEMORY ? c->held : COL_UNKNOWN,
		.ram = c->ram,
	};
}

static void put_dumps(struct emit *e, const struct fleet *f, struct table *t)
{
	struct row *rows = arena_array(&t->mem, struct row, f->v.n);
	struct cluster *v;
	size_t n = clusters_of(f, &t->mem, &v);

	for (size_t i = 0; i < f->v.n; i++)
		set_row(&f->v.v[i], &rows[i], &t->mem);
	for (size_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < v[i].n; j++)
			rows[v[i].member[j]].cluster = i + 1;
	*t = (struct table){ .cols = cols,
			     .ncols = ARRAY_LEN(cols),
			     .rows = rows,
			     .row_size = sizeof(*rows),
			     .nrows = f->v.n,
			     .mem = t->mem };
	emit_table(e, t, NULL);
}

static void put_report(struct emit *e, const struct fleet *f, const struct report *r,
		       struct table *t, size_t max)
{
	static const struct report_opts none;
	struct sort order = { .n = 0 };
	struct diag diag;

	t->cols = r->cols;
	t->ncols = r->ncols;
	r->of_fleet(f, &none, t, &diag);
	if (r->sort && !sort_parse(r->sort, r->cols, r->ncols, &diag, &order))
		table_sort(t, &order, 0);
	if (max && t->nrows > max)
		t->nrows = max;
	fprintf(e->out, ",\n\"%s\": ", r->name);
	emit_table(e, t, NULL);
}

static int largest_first(const void *pa, const void *pb)
{
	const struct cost *a = pa, *b = pb;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->thing > b->thing) - (a->thing < b->thing);
}

/* [kind, name, bytes] of the largest of each dump. */
static void put_costs(struct emit *e, const struct fleet *f)
{
	struct arena scratch = { 0 };

	fputs("\"costs\": [", e->out);
	for (size_t i = 0; i < f->v.n; i++) {
		size_t n = f->v.v[i].costs.n;
		struct cost *v = arena_array(&scratch, struct cost, n);

		if (n)
			memcpy(v, f->v.v[i].costs.v, n * sizeof(*v));
		if (n)
			sort_array(v, n, sizeof(*v), largest_first);
		emit_comma(e, i);
		putc('[', e->out);
		for (size_t j = 0; j < n && j < COSTS_SHOWN; j++) {
			emit_comma(e, j);
			putc('[', e->out);
			emit_str(e, f->things.v[v[j].thing].kind);
			putc(',', e->out);
			emit_str(e, f->things.v[v[j].thing].name);
			putc(',', e->out);
			emit_uint(e, v[j].bytes);
			putc(']', e->out);
		}
		putc(']', e->out);
		arena_release(&scratch);
	}
	fputs("],\n", e->out);
}

void html_fleet(const struct fleet *f, FILE *out)
{
	struct table t[4] = { { .nrows = 0 } };
	struct emit e;

	fwrite(fleet_part_0, 1, sizeof(fleet_part_0), out);
	fwrite(fleet_part_1, 1, sizeof(fleet_part_1), out);
	emit_init(&e, out);
	fprintf(out, "{\"failed\": %zu, \"tables\": {\n\"dumps\": ", f->failed.n);
	put_dumps(&e, f, &t[0]);
	put_report(&e, f, &report_clusters, &t[1], 0);
	put_report(&e, f, &report_regress, &t[2], REGRESS_MAX);
	put_report(&e, f, &report_leaks, &t[3], REGRESS_MAX);
	fputs("\n},\n", out);
	put_costs(&e, f);
	emit_strings(&e);
	fputs("}\n", out);
	fwrite(fleet_part_2, 1, sizeof(fleet_part_2), out);
	emit_release(&e);
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		arena_release(&t[i].mem);
}
