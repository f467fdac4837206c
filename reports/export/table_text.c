/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/export/table_text.h"

#include <inttypes.h>

#include "model/kernel/machine/resources.h"
#include "reports/export/allocation_text.h"
#include "reports/export/node_text.h"
#include "reports/export/slab_text.h"
#include "reports/export/vmalloc_text.h"
#include "reports/export/zone_text.h"

#define IORES_LEVELS 5

static void put_zones(struct tree *t, const struct snapshot *s)
{
	/* read in releases from 5.10 on; before, the files have other lines */
	static const struct era read = { V(5, 10), 0 };
	struct arena mem = { 0 };
	struct zones zs;
	FILE *f;

	if (!zones_build(s, &mem, ZONES_LISTS | ZONES_BLOCKS, &zs) && in_era(s->k, read)) {
		f = tree_file(t, "zoneinfo");
		if (f)
			write_zoneinfo(s, &zs, f);
		tree_done(t, f);
		f = tree_file(t, "buddyinfo");
		if (f)
			write_buddyinfo(&zs, f);
		tree_done(t, f);
		f = tree_file(t, "pagetypeinfo");
		if (f)
			write_pagetypeinfo(&zs, f);
		tree_done(t, f);
		put_nodes(t, s, &zs);
	}
	arena_release(&mem);
}

/* Before 5.9 a control group had caches of its own, which the file adds up. */
static void put_slabs(struct tree *t, const struct snapshot *s)
{
	static const struct era read = { V(5, 9), 0 };
	struct arena mem = { 0 };
	struct slab_caches sc;
	FILE *f;

	if (!slab_caches_build(s, &mem, false, &sc) && in_era(s->k, read) && slabinfo_known(&sc)) {
		f = tree_file(t, "slabinfo");
		if (f)
			write_slabinfo(&sc, f);
		tree_done(t, f);
	}
	arena_release(&mem);
}

static void put_vmalloc(struct tree *t, const struct snapshot *s)
{
	static const struct era read = { V(5, 10), 0 };
	struct arena mem = { 0 };
	struct vmalloc_shown x;
	FILE *f;

	if (!vmalloc_shown(s, &mem, &x) && in_era(s->k, read)) {
		f = tree_file(t, "vmallocinfo");
		if (f)
			write_vmallocinfo(s, &x, f);
		tree_done(t, f);
	}
	arena_release(&mem);
}

/* r_show(), kernel/resource.c: no deeper than MAX_IORES_LEVEL */
static void put_resources(struct tree *t, const struct snapshot *s)
{
	struct arena mem = { 0 };
	struct resources rs;
	FILE *f = NULL;

	resources_shown(s, &mem, &rs);
	if (rs.lines.n)
		f = tree_file(t, "iomem");
	for (size_t i = 0; f && i < rs.lines.n; i++) {
		const struct resource_line *l = &rs.lines.v[i];

		fprintf(f, "%*s%08" PRIx64 "-%08" PRIx64 " : %s\n",
			2 * (l->depth < IORES_LEVELS ? l->depth : IORES_LEVELS), "", l->start,
			l->end, l->name ? l->name : "<BAD>");
	}
	if (rs.lines.n)
		tree_done(t, f);
	arena_release(&mem);
}

void put_table_files(struct tree *t, const struct snapshot *s)
{
	put_zones(t, s);
	put_slabs(t, s);
	put_vmalloc(t, s);
	put_resources(t, s);
	put_page_owner(t, s);
	put_allocinfo(t, s);
}
