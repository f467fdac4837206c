/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fleet - dumps by release and cause, and what they cost. The rows add up. */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "reports/core/common.h"
#include "reports/fleet/fleet.h"

#define S COL_SHOWN

struct row {
	const char *release, *kind, *cause, *first, *last;
	uint64_t dumps, incomplete, ram, used, held;
	int64_t from, to;
};

static const struct column cols[] = {
	COL(struct row, release, COL_STR, S, "", "kernel"),
	COL(struct row, kind, COL_STR, S, "",
	    "panic, hang, memory, asked for (by sysrq, NMI), unknown: the log could not be read; or "
	    "failed: no capsule"),
	COL(struct row, dumps, COL_UINT, S | COL_TOTAL, "", "dumps"),
	COL(struct row, incomplete, COL_UINT, S | COL_TOTAL, "",
	    "of them, those of which a part is missing: what they show is a lower bound"),
	COL(struct row, ram, COL_BYTES, S | COL_TOTAL, "bytes", "of their machines"),
	COL(struct row, used, COL_BYTES, S | COL_TOTAL, "bytes", "of it in use"),
	COL(struct row, held, COL_BYTES, S | COL_TOTAL, "bytes",
	    "of memory: what the first cause of the verdict is about"),
	COL(struct row, first, COL_STR, S, "", "the first crash, UTC"),
	COL(struct row, last, COL_STR, S, "", "the last one"),
	COL(struct row, cause, COL_STR, S | COL_WIDE, "",
	    "message of the panic without numbers, cause of the verdict, or outcome"),
};

struct sums {
	struct hash at;
	struct row *rows;
	size_t n;
};

static struct row *row_of(struct sums *s, const char *release, const char *kind, const char *cause)
{
	const uint64_t names[] = { hash_str(release ? release : ""), hash_str(kind),
				   hash_str(cause ? cause : "") };
	uint64_t key = hash_bytes(names, sizeof(names));
	uint32_t i = hash_get(&s->at, key);

	if (i != HASH_NONE)
		return &s->rows[i];
	hash_put(&s->at, key, (uint32_t)s->n);
	s->rows[s->n] = (struct row){
		.release = release, .kind = kind, .cause = cause, .from = INT64_MAX, .to = INT64_MIN
	};
	return &s->rows[s->n++];
}

/* A sum of which a part is not known is of what is known. */
static void add(uint64_t *sum, uint64_t v)
{
	if (v != COL_UNKNOWN)
		*sum += v;
}

static void add_crash(struct sums *s, const struct crashed *c)
{
	enum crash_kind k = crash_kind_of(c);
	struct row *r = row_of(s, c->release, crash_kind_text(k),
			       k == CRASH_MEMORY ? c->cause.words : c->reason);

	r->dumps++;
	r->incomplete += c->damage != NULL;
	add(&r->ram, c->ram);
	if (c->ram != COL_UNKNOWN && c->unused != COL_UNKNOWN && c->unused <= c->ram)
		r->used += c->ram - c->unused;
	if (k == CRASH_MEMORY)
		add(&r->held, c->held);
	if (c->crash_time == COL_UNKNOWN_INT)
		return;
	r->from = c->crash_time < r->from ? c->crash_time : r->from;
	r->to = c->crash_time > r->to ? c->crash_time : r->to;
}

static enum status fleet_report(const struct fleet *f, const struct report_opts *o, struct table *t,
				struct diag *diag)
{
	struct sums s = { .at.mem = &t->mem };

	(void)o, (void)diag;
	s.rows = arena_array(&t->mem, struct row, f->v.n + f->failed.n);
	for (size_t i = 0; i < f->v.n; i++)
		add_crash(&s, &f->v.v[i]);
	for (size_t i = 0; i < f->failed.n; i++)
		row_of(&s, NULL, "failed", f->failed.v[i].outcome)->dumps++;
	for (size_t i = 0; i < s.n; i++) {
		if (s.rows[i].from > s.rows[i].to)
			continue;
		s.rows[i].first = date_text(s.rows[i].from, &t->mem);
		s.rows[i].last = date_text(s.rows[i].to, &t->mem);
	}
	t->rows = s.rows;
	t->nrows = s.n;
	t->row_size = sizeof(struct row);
	return ST_OK;
}

const struct report report_fleet = {
	.name = "fleet",
	.about = "of a fleet: dumps by release and cause, and what they cost",
	.of_fleet = fleet_report,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-dumps,release",
	.help = "Takes what merge made, or capsules and directories of them (those have no dumps that\n"
		"failed). Each dump is in one row. clusters tells causes of one kind apart.",
};
