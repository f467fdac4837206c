/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clusters - crashes of one cause: how many, since when, on which kernels. */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/fleet/fleet.h"

#define S	    COL_SHOWN
#define ID_SHOWN    12 /* digits of an identity, in a list */
#define MEMBERS_MAX 4096u

struct row {
	const char *kind, *cause, *owner, *limit, *function, *hash, *first, *last, *releases,
		*exemplar, *dump, *damage, *members;
	uint64_t dumps, incomplete, machines, held;
	double spread;
};

#define STR(name, fl, about)  COL(struct row, name, COL_STR, fl, "", about)
#define UINT(name, fl, about) COL(struct row, name, COL_UINT, fl, "", about)

static const struct column cols[] = {
	UINT(dumps, S | COL_TOTAL, "crashes in the cluster"),
	UINT(incomplete, S | COL_TOTAL,
	     "of them, those of which a part is missing: their cause is made from what is there"),
	UINT(machines, S, "machines (by name) that they were on"),
	STR(kind, S, "panic, hang, memory, asked for: a dump that somebody wanted, or unknown: its log could "
	    "not be read"),
	STR(first, S, "the first crash, UTC"),
	STR(last, S, "the last one"),
	STR(releases, S, "kernels, the oldest first"),
	STR(cause, S | COL_WIDE, "message of the panic, or cause of the verdict, without numbers"),
	STR(owner, S, "of memory: the program, cache or file that had most"),
	STR(limit, 0, "of memory: what could not be exceeded"),
	COL(struct row, held, COL_BYTES, 0, "bytes", "of the exemplar: what the cause is about"),
	STR(function, S, "of a panic or hang: where it happened"),
	STR(hash, 0, "of a panic: ABRT's hash of the exemplar"),
	COL(struct row, spread, COL_RATIO, 0, "", "largest distance from the exemplar, 0 to 1"),
	STR(exemplar, S, "identity of a typical one, the latest"),
	STR(dump, 0, "its file"),
	STR(damage, 0, "what is wrong with it"),
	STR(members, 0, "identities of all, 12 digits of each"),
};

static const char *short_id(const char *id, struct arena *mem)
{
	return arena_strndup(mem, id, strnlen(id, ID_SHOWN));
}

static const char *list_members(const struct fleet *f, const struct cluster *c, struct arena *mem)
{
	char *text = arena_alloc(mem, (size_t)min_u64(c->n, MEMBERS_MAX) * (ID_SHOWN + 1) + 1);
	char *to = text;

	for (uint32_t i = 0; i < c->n && i < MEMBERS_MAX; i++) {
		const char *id = f->v.v[c->member[i]].id;
		size_t n = strnlen(id, ID_SHOWN);

		if (i)
			*to++ = ' ';
		memcpy(to, id, n);
		to += n;
	}
	*to = '\0';
	return text;
}

#define NAMES_MAX 256u /* machines, releases: of more, the first ones */

static uint32_t machines(const struct fleet *f, const struct cluster *c)
{
	const char *v[NAMES_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const char *name = f->v.v[c->member[i]].nodename;
		uint32_t j = 0;

		while (name && j < n && strcmp(v[j], name))
			j++;
		if (name && j == n && n < NAMES_MAX)
			v[n++] = name;
	}
	return n;
}

static uint32_t incomplete(const struct fleet *f, const struct cluster *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		n += f->v.v[c->member[i]].damage != NULL;
	return n;
}

static const char *list_releases(const struct fleet *f, const struct cluster *c, struct arena *mem)
{
	char *text = arena_strdup(mem, "");
	const char *v[NAMES_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		n = release_insert(v, n, NAMES_MAX, f->v.v[c->member[i]].release);
	for (uint32_t i = 0; i < n; i++)
		text = arena_printf(mem, "%s%s%s", text, i ? " " : "", v[i]);
	return text;
}

static void set_row(const struct fleet *f, const struct cluster *c, struct row *r,
		    struct arena *mem)
{
	const struct crashed *x = &f->v.v[c->exemplar];

	*r = (struct row){
		.kind = crash_kind_text(c->kind),
		.dumps = c->n,
		.incomplete = incomplete(f, c),
		.held = c->kind == CRASH_MEMORY ? x->held : COL_UNKNOWN,
		.cause = c->kind == CRASH_MEMORY ? x->cause.words : x->reason,
		.owner = c->kind == CRASH_MEMORY ? x->owner : NULL,
		.limit = c->kind == CRASH_MEMORY ? x->limit.words : NULL,
		.function = crash_has_calls(c->kind) ? x->function : NULL,
		.hash = crash_has_calls(c->kind) ? x->hash : NULL,
		.spread = c->spread,
		.exemplar = short_id(x->id, mem),
		.dump = x->dump,
		.damage = x->damage,
		.members = list_members(f, c, mem),
		.machines = machines(f, c),
		.releases = list_releases(f, c, mem),
		.first = date_text(f->v.v[c->member[0]].crash_time, mem),
		.last = date_text(f->v.v[c->member[c->n - 1]].crash_time, mem),
	};
	if (!r->cause && crash_has_calls(c->kind))
		r->cause = x->panic;
}

static enum status clusters_report(const struct fleet *f, const struct report_opts *o,
				   struct table *t, struct diag *diag)
{
	struct cluster *v;
	struct row *rows;

	(void)o, (void)diag;
	t->nrows = clusters_of(f, &t->mem, &v);
	t->rows = rows = arena_array(&t->mem, struct row, t->nrows);
	t->row_size = sizeof(*rows);
	for (size_t i = 0; i < t->nrows; i++)
		set_row(f, &v[i], &rows[i], &t->mem);
	return ST_OK;
}

const struct report report_clusters = {
	.name = "clusters",
	.about = "of a fleet: crashes of one cause",
	.of_fleet = clusters_report,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.help = "Takes what merge made, or capsules and directories of them. Panics and hangs are of one\n"
		"cluster if message, function and the innermost frames agree, without offsets, numbers and what\n"
		"compilers add to names; dumps of memory, if the verdict has the same constraint, cause\n"
		"and owner, and the census is alike. A panic of the OOM killer is of memory. A dump that\n"
		"somebody asked for is of a hang if the log reports one. hash is that of ABRT and FAF.",
};
