/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary_bare.c - the summary of a dump whose types are not known: what its headers, VMCOREINFO and the kernel's
 * log say.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "model/kernel/source.h"
#include "reports/core/common.h"
#include "reports/core/damage.h"
#include "reports/machine/noted.h"
#include "reports/machine/summary.h"
#include "reports/oom/verdict_text.h"

struct bare {
	const struct snapshot *s;
	struct arena *mem;
	VEC(struct summary_row) rows;
};

static void say(struct bare *b, const char *section, const char *key, const char *text)
{
	if (text && *text)
		*vec_push(b->mem, &b->rows) = (struct summary_row){ .section = section,
								    .key = key,
								    .value = COL_UNKNOWN,
								    .unit = "",
								    .text = text,
								    .pid = COL_UNKNOWN_INT };
}

static void add_causes(struct bare *b)
{
	struct causes all;

	damage_causes(b->s, true, &all);
	for (unsigned id = 0; id < CAUSES; id++) {
		const struct cause *c = cause_find(&all, (enum cause_id)id);
		struct damage d;

		if (!c)
			continue;
		damage_words(c, b->mem, &d);
		say(b, d.loss ? SECTION_DAMAGE : SECTION_NOTE, d.key, d.text);
		if (d.n != COL_UNKNOWN) {
			b->rows.v[b->rows.n - 1].value = d.n;
			b->rows.v[b->rows.n - 1].unit = d.unit;
		}
	}
	if (b->s->k->dump)
		say(b, SECTION_DAMAGE, "types",
		    "the types of the kernel are not known: only what headers and the log say is shown");
}

static const char *time_text(struct bare *b, int64_t when)
{
	time_t at = (time_t)when;
	struct tm tm;
	char buf[64];

	if (!when || !gmtime_r(&at, &tm) ||
	    !strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return NULL;
	return arena_strdup(b->mem, buf);
}

/* Without memory it is judged by the log; a dump whose types are not known may hold more. */
static void add_verdict(struct bare *b)
{
	const struct verdict *v = verdict_of(b->s);

	for (unsigned i = 0; i < v->n; i++)
		say(b, SECTION_VERDICT, cause_facts[v->v[i].cause].words,
		    verdict_sentence(v, &v->v[i], b->mem));
}

/* Of a text of the log. */
static void add_log(struct bare *b)
{
	const struct machine *mc = &b->s->machine;

	say(b, SECTION_MACHINE, "kernel", b->s->k->release);
	say(b, SECTION_MACHINE, "log",
	    arena_printf(b->mem, "%" PRIu32 " lines of the kernel", mc->nlog));
	say(b, SECTION_MACHINE, "reason", mc->panic);
}

static void add_machine(struct bare *b)
{
	const struct kernel *k = b->s->k;
	const struct machine *mc = &b->s->machine;
	const struct image_header *h = k->dump->image ? &k->dump->image->header : NULL;
	const char *reason = mc->panic;
	struct source_about a;

	source_about(k, &a);
	say(b, SECTION_MACHINE, "kernel",
	    arena_printf(b->mem, "%s%s%s", k->dump->release, h && *h->version ? " " : "",
			 h ? h->version : ""));
	say(b, SECTION_MACHINE, "host", h ? h->nodename : NULL);
	say(b, SECTION_MACHINE, "cpu", k->arch ? k->arch->name : NULL);
	say(b, SECTION_MACHINE, "dump",
	    arena_printf(b->mem, "%s, %" PRIu64 " MiB of pages", a.format ? a.format : "?",
			 a.bytes >> 20));
	say(b, SECTION_MACHINE, mc->panic ? "crashed" : "dumped", time_text(b, a.when));
	if (!mc->nlog)
		reason = arena_printf(b->mem, "unknown: %s", machine_no_log(mc));
	else if (!reason)
		reason = mc->log_partial
				 ? "unknown: a part of the kernel's log could not be read"
				 : "no panic in the log: dumped from outside, or while it ran";
	say(b, SECTION_MACHINE, "reason", reason);
}

void summary_bare(const struct snapshot *s, struct table *t)
{
	struct bare b = { .s = s, .mem = &t->mem };
	struct noted v;

	add_causes(&b);
	if (s->k->dump) {
		add_machine(&b);
	} else {
		add_verdict(&b);
		add_log(&b);
	}
	for (size_t at = 0; noted_next(&s->machine, &at, &v);) {
		say(&b, SECTION_LOG, v.key, noted_text(&s->machine, v.last, b.mem));
		b.rows.v[b.rows.n - 1].value = v.n;
	}
	t->rows = b.rows.v;
	t->nrows = b.rows.n;
	t->row_size = sizeof(struct summary_row);
}
