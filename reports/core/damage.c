/* SPDX-License-Identifier: GPL-3.0-or-later */
/* damage.c - the words for each cause, in the order in which they are told. */
#include "reports/core/damage.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/source.h"
#include "model/memory/trust/found.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/report.h"

typedef const char *words_fn(const struct cause *c, struct arena *mem);

/* Of 29790 pages of which 1 is lost: 99, not 100. */
static unsigned percent_there(const struct cause *c)
{
	return c->of && c->n <= c->of ? (unsigned)((double)(c->of - c->n) * 100 / (double)c->of)
				      : 0;
}

static const char *name(const struct cause *c, struct arena *mem)
{
	return arena_strdup(mem, c->name);
}

static const char *unfinished(const struct cause *c, struct arena *mem)
{
	if (!c->n)
		return "makedumpfile could not finish it: there was no space left";
	return arena_printf(mem,
			    "makedumpfile could not finish it, there was no space left: %" PRIu64
			    " of %" PRIu64 " pages are missing",
			    c->n, c->of);
}

static const char *header(const struct cause *c, struct arena *mem)
{
	(void)c, (void)mem;
	return "the file ends in its headers: most pages are missing";
}

static const char *cut(const struct cause *c, struct arena *mem)
{
	if (!c->of)
		return "the file ends early: how much is missing is not known";
	return arena_printf(mem,
			    "the file ends after %u %%: %" PRIu64 " of %" PRIu64
			    " pages are after its end",
			    percent_there(c), c->n, c->of);
}

static const char *part(const struct cause *c, struct arena *mem)
{
	bool many = strchr(c->name, ' ');

	return arena_printf(mem,
			    "part%s %s of the split dump %s not named: %" PRIu64 " pages are in %s",
			    many ? "s" : "", c->name, many ? "were" : "was", c->n,
			    many ? "them" : "it");
}

static const char *table(const struct cause *c, struct arena *mem)
{
	if (!c->of)
		return arena_printf(mem, "damaged in the file: %s", c->name);
	return arena_printf(mem,
			    "damaged in the file: %s: %" PRIu64 " of %" PRIu64
			    " pages cannot be found",
			    c->name, c->n, c->of);
}

static const char *filter(const struct cause *c, struct arena *mem)
{
	return arena_printf(mem,
			    "filtered by a makedumpfile older than the kernel: %" PRIu64
			    " KiB of the kernel's own are left out",
			    c->n >> 10);
}

static const char *list(const struct cause *c, struct arena *mem)
{
	if (!c->n)
		return "the list of tasks is not in the dump";
	return arena_printf(mem,
			    "the list of tasks is not in the dump: the kernel counts %" PRIu64
			    " tasks",
			    c->n);
}

static const char *tasks(const struct cause *c, struct arena *mem)
{
	if (!c->of)
		return arena_printf(mem,
				    "%" PRIu64 " of an unknown number of %s were found, kernel "
				    "threads among them",
				    c->n, c->name);
	return arena_printf(mem,
			    "%" PRIu64 " of %" PRIu64 " %s were found, kernel threads among them",
			    c->n, c->of, c->name);
}

static const char *sizes(const struct cause *c, struct arena *mem)
{
	return arena_printf(
		mem,
		"the memory of %" PRIu64 " of %" PRIu64
		" processes could not all be read: their sizes, and all sums, are lower "
		"bounds",
		c->n, c->of);
}

static const char *log_lost(const struct cause *c, struct arena *mem)
{
	return arena_printf(mem, "%s: why the machine crashed is unknown", c->name);
}

static const char *log_part(const struct cause *c, struct arena *mem)
{
	(void)c, (void)mem;
	return "a part of the kernel's log could not be read";
}

static const char *erased(const struct cause *c, struct arena *mem)
{
	return arena_printf(mem,
			    "erased on purpose: %" PRIu64 " rule%s of makedumpfile --config%s%s%s",
			    c->n, c->n == 1 ? "" : "s", *c->name ? " (" : "", c->name,
			    *c->name ? ")" : "");
}

static const char *kept(const struct cause *c, struct arena *mem)
{
	return arena_printf(mem, "level %" PRIu64 ", but %s", c->n, c->name);
}

static const struct {
	const char *key, *unit;
	bool loss;
	words_fn *words;
} said[CAUSES] = {
	[CAUSE_MACHINES] = { "kernels", "", false, name },
	[CAUSE_PLACES] = { "places", "", false, name },
	[CAUSE_UNFINISHED] = { "unfinished", "pages", true, unfinished },
	[CAUSE_HEADER] = { "cut", "", true, header },
	[CAUSE_CUT] = { "cut", "pages", true, cut },
	[CAUSE_PART] = { "part", "pages", true, part },
	[CAUSE_TABLE] = { "table", "pages", true, table },
	[CAUSE_FILTER] = { "filter", "bytes", true, filter },
	[CAUSE_LIST] = { "task list", "tasks", true, list },
	[CAUSE_TASKS] = { "processes", "", true, tasks },
	[CAUSE_SIZES] = { "sizes", "processes", true, sizes },
	[CAUSE_LOG] = { "log", "", true, log_lost },
	[CAUSE_LOG_PART] = { "log part", "", true, log_part },
	[CAUSE_ERASED] = { "erased", "rules", false, erased },
	[CAUSE_KEPT] = { "kept", "", false, kept },
};

void damage_words(const struct cause *c, struct arena *mem, struct damage *ret)
{
	bool number = *said[c->id].unit || c->id == CAUSE_TASKS;

	*ret = (struct damage){
		.key = said[c->id].key,
		.n = number && (c->n || c->of) ? c->n : COL_UNKNOWN,
		.unit = said[c->id].unit,
		.loss = said[c->id].loss,
		.text = said[c->id].words(c, mem),
	};
}

/* ---- what a snapshot shows --------------------------------------------------------------------- */

static void add_processes(const struct snapshot *s, struct causes *to)
{
	uint64_t users = 0, parts = 0;
	struct found f;

	if (found_no_list(s)) {
		cause_add(to, CAUSE_LIST, s->tasks_counted, 0, NULL);
		return;
	}
	if (found_lacks(s, &f))
		cause_add(to, CAUSE_TASKS, f.n, f.of, f.what);
	if (!(s->built & NEED_USAGE))
		return;
	for (uint32_t i = 0; i < s->nprocs; i++) {
		users += s->procs[i].pid && !s->procs[i].kthread;
		parts += proc_incomplete(s, &s->procs[i]) != 0;
	}
	if (parts)
		cause_add(to, CAUSE_SIZES, parts, users, NULL);
}

static void add_log(const struct snapshot *s, struct causes *to)
{
	const struct machine *m = &s->machine;

	if (!(s->built & NEED_LOG))
		return;
	if (!m->nlog && m->log_status && m->log_status != ST_ABSENT)
		cause_add(to, CAUSE_LOG, 0, 0, machine_no_log(m));
	else if (m->log_partial)
		cause_add(to, CAUSE_LOG_PART, 0, 0, NULL);
}

void damage_causes(const struct snapshot *s, bool first, struct causes *ret)
{
	*ret = (struct causes){ .n = 0 };
	if (s->k->dump)
		dump_causes(s->k->dump, ret);
	if (!source_has(s->k, SOURCE_FRAMES) || source_has(s->k, SOURCE_CHANGES))
		return;
	if (!first)
		add_processes(s, ret);
	add_log(s, ret);
}
