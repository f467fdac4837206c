/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * id - which crash a dump shows, and how much of the machine's memory it has.
 *
 * It reads headers, symbols and counters, and walks nothing. A dump whose kernel cannot be read
 * has what its file says.
 */
#include "reports/fleet/id.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/source.h"
#include "model/memory/identity.h"

static const struct column cols[] = {
	COL(struct id_row, id, COL_STR, COL_SHOWN, "",
	    "identity of the crash: the same for each copy of its dump"),
	COL(struct id_row, release, COL_STR, COL_SHOWN, "", "release of the kernel"),
	COL(struct id_row, version, COL_STR, 0, "", "its version: number and time of the build"),
	COL(struct id_row, build_id, COL_STR, 0, "", "its build-id"),
	COL(struct id_row, arch, COL_STR, COL_SHOWN, "", "CPU"),
	COL(struct id_row, nodename, COL_STR, 0, "", "name of the machine"),
	COL(struct id_row, cpus, COL_UINT, 0, "", "CPUs online"),
	COL(struct id_row, crashed, COL_STR, COL_SHOWN, "", "time of the crash, UTC"),
	COL(struct id_row, crash_time, COL_INT, 0, "s", "the same, in seconds since 1970"),
	COL(struct id_row, uptime, COL_NSEC, 0, "ns", "time since boot"),
	COL(struct id_row, panic, COL_STR, 0, "", "message of the panic"),
	COL(struct id_row, format, COL_STR, COL_SHOWN, "", "container of the dump"),
	COL(struct id_row, compression, COL_STR, 0, "", "compression of its pages"),
	COL(struct id_row, level, COL_INT, COL_SHOWN, "", "what makedumpfile left out (-d)"),
	COL(struct id_row, held, COL_BYTES, COL_SHOWN, "bytes", "memory that the dump holds"),
	COL(struct id_row, ram, COL_BYTES, COL_SHOWN, "bytes", "memory of the machine"),
	COL(struct id_row, coverage, COL_RATIO, 0, "%", "held, in percent of ram"),
	COL(struct id_row, dump, COL_STR, COL_SHOWN, "", "its file, or the first of them"),
	COL(struct id_row, why, COL_STR, COL_SHOWN, "", "why there is no more"),
};

static const char *known(const char *s, struct arena *mem)
{
	return s && *s ? arena_strdup(mem, s) : NULL;
}

static const char *time_text(int64_t when, struct arena *mem)
{
	char buf[40];
	struct tm tm;
	time_t t = (time_t)when;

	if (!when || !gmtime_r(&t, &tm) || !strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S", &tm))
		return NULL;
	return arena_strdup(mem, buf);
}

static void set_crashed(struct id_row *r, int64_t when, struct arena *mem)
{
	r->crash_time = when ? when : COL_UNKNOWN_INT;
	r->crashed = time_text(when, mem);
}

/* All unknown. */
static void set_none(struct id_row *r)
{
	memset(r, 0, sizeof(*r));
	r->cpus = r->uptime = r->held = r->ram = COL_UNKNOWN;
	r->crash_time = r->level = COL_UNKNOWN_INT;
	r->coverage = NAN;
}

void id_of_image(const struct image *im, struct id_row *r, struct arena *mem)
{
	const struct image_header *h = &im->header;

	set_none(r);
	r->release = known(h->release, mem);
	r->version = known(h->version, mem);
	r->arch = known(h->machine, mem);
	r->nodename = known(h->nodename, mem);
	r->format = known(im->format, mem);
	r->compression = known(h->compression, mem);
	r->level = h->dump_level < 0 ? COL_UNKNOWN_INT : h->dump_level;
	r->held = image_pages_present(im) << im->page_shift;
	set_crashed(r, h->crash_time, mem);
}

void id_unknown(const char *why, struct id_row *r, struct arena *mem)
{
	set_none(r);
	r->why = arena_strdup(mem, why);
}

void id_copy(const struct id_row *from, struct id_row *to, struct arena *mem)
{
	*to = *from;
	for (unsigned i = 0; i < ARRAY_LEN(cols); i++) {
		const char **s = (const char **)((char *)to + cols[i].offset);

		if (cols[i].type == COL_STR && *s)
			*s = arena_strdup(mem, *s);
	}
}

static void set_machine(struct id_row *r, const struct snapshot *s, struct arena *mem)
{
	const struct machine *m = &s->machine;

	if (!(s->built & NEED_MACHINE))
		return;
	r->cpus = m->cpus_online ? m->cpus_online : COL_UNKNOWN;
	r->uptime = m->uptime ? m->uptime : COL_UNKNOWN;
	r->panic = known(m->panic, mem);
	if (m->present)
		r->ram = m->present << s->k->page_shift;
	if (m->present && r->held != COL_UNKNOWN)
		r->coverage = 100.0 * (double)r->held / (double)r->ram;
}

void id_of_snapshot(const struct snapshot *s, struct id_row *r, struct arena *mem)
{
	const struct kernel *k = s->k;
	struct image_facts f = image_facts_of(s, NULL, 0);
	char text[IDENTITY_TEXT];
	struct source_about a;

	set_none(r);
	source_about(k, &a);
	if (identity_of(k, text))
		r->id = arena_strdup(mem, text);
	identity_build_id(k, text);
	r->build_id = known(text, mem);
	r->release = known(f.release, mem);
	r->version = known(f.version, mem);
	r->arch = known(f.arch, mem);
	r->nodename = known(f.nodename, mem);
	r->format = known(f.format, mem);
	r->compression = known(f.compression, mem);
	r->level = f.level < 0 ? COL_UNKNOWN_INT : f.level;
	r->held = a.bytes == UINT64_MAX ? COL_UNKNOWN : a.bytes;
	set_crashed(r, f.crash_time, mem);
	set_machine(r, s, mem);
}

static enum status id_report(const struct snapshot *s, const struct report_opts *o, struct table *t,
			     struct diag *diag)
{
	struct id_row *r = arena_array(&t->mem, struct id_row, 1);

	(void)o;
	(void)diag;
	id_of_snapshot(s, r, &t->mem);
	t->rows = r;
	t->nrows = 1;
	t->row_size = sizeof(*r);
	return ST_OK;
}

const struct report report_id = {
	.name = "id",
	.about = "which crash each dump shows: release, time, level, identity",
	.wants = NEED_MACHINE | NEED_LOG,
	.many = true,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = id_report,
	.table = "dump",
	.help = "One row for each dump that is named; parts of a split dump are one. It takes the time\n"
		"that opening takes. id is the same for all files that show one crash: recompressed,\n"
		"filtered (makedumpfile -d 31), converted to another container. It is a SHA-256 over\n"
		"the banner, the names and the clocks of the kernel. If the types of the kernel are not\n"
		"found, a row has what the file itself says, and why.",
};
