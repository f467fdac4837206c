/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source: mm/vmstat.c, read in 5.10, 6.1, 6.12, 7.2: zoneinfo_show_print(), frag_show_print(),
 * pagetypeinfo_show(). Blocks of more than one type (with page_owner=on) are not counted.
 */
#include "reports/export/zone_text.h"

#include <inttypes.h>

#define RECLAIM_RETRIES 16	/* MAX_RECLAIM_RETRIES, mm/internal.h */
#define LISTED_MAX 100000u	/* pagetypeinfo counts no further */

static const struct node *node_of(const struct zones *zs, const struct zone *z)
{
	return &zs->nodes[z->node];
}

static void put_counts(FILE *out, const char *const *name, const uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!name[i] || *name[i])
			fprintf(out, "\n      %-12s %" PRIu64, name[i] ? name[i] : "?", v[i]);
}

static void put_line(FILE *out, const char *label, uint64_t v)
{
	if (v != ZONE_UNKNOWN)
		fprintf(out, "\n        %-8s %" PRIu64, label, v);
}

/* ---- zoneinfo ---------------------------------------------------------------------------- */

static bool is_first_with_pages(const struct zones *zs, const struct zone *z)
{
	const struct node *n = node_of(zs, z);

	for (uint32_t i = 0; i < n->nzones; i++)
		if (zs->v[n->first_zone + i].present)
			return z == &zs->v[n->first_zone + i];
	return false;
}

static void put_sizes(const struct snapshot *s, const struct zones *zs, const struct zone *z,
		      FILE *out)
{
	const bool *on = s->k->rules.on;

	fprintf(out, "\n  pages free     %" PRIu64, zone_free(zs, z));
	if (on[RULE_ZONEINFO_BOOST])
		put_line(out, "boost", z->boost);
	put_line(out, "min", zone_wmark(z, WMARK_OF_MIN));
	put_line(out, "low", zone_wmark(z, WMARK_OF_LOW));
	put_line(out, "high", zone_wmark(z, WMARK_OF_HIGH));
	if (on[RULE_ZONEINFO_PROMO])
		put_line(out, "promo", zone_wmark(z, WMARK_OF_PROMO));
	put_line(out, "spanned", z->spanned);
	put_line(out, "present", z->present);
	put_line(out, "managed", z->managed);
	if (on[RULE_ZONEINFO_CMA])
		put_line(out, "cma", z->cma);
	fputs("\n        protection: (", out);
	for (unsigned i = 0; i < z->nreserve; i++)
		fprintf(out, "%s%" PRId64, i ? ", " : "", z->reserve[i]);
	fputc(')', out);
}

static void put_cpus(const struct snapshot *s, const struct zone *z, FILE *out)
{
	bool limits = kernel_rule(s->k, RULE_ZONEINFO_HIGH_MIN);
	int wide = limits ? 3 : 0;

	fputs("\n  pagesets", out);
	for (uint32_t i = 0; i < z->ncpus; i++) {
		const struct zone_cpu *c = &z->cpu[i];

		fprintf(out,
			"\n    cpu: %" PRIu32 "\n              count: %*s%" PRId64
			"\n              high:  %*s%" PRId64 "\n              batch: %*s%" PRId64,
			c->cpu, wide, "", c->count, wide, "", c->high, wide, "", c->batch);
		if (limits)
			fprintf(out,
				"\n              high_min: %" PRId64
				"\n              high_max: %" PRId64,
				c->high_min, c->high_max);
		if (c->threshold != INT64_MIN)
			fprintf(out, "\n  vm stats threshold: %" PRId64, c->threshold);
	}
}

static void put_zone(const struct snapshot *s, const struct zones *zs, const struct zone *z,
		     FILE *out)
{
	const struct node *n = node_of(zs, z);

	fprintf(out, "Node %" PRId32 ", zone %8s", n->id, z->name);
	if (is_first_with_pages(zs, z)) {
		fputs("\n  per-node stats", out);
		put_counts(out, zs->node_stat_name, n->stat, zs->nnode_stat);
	}
	put_sizes(s, zs, z, out);
	if (z->present) {
		put_counts(out, zs->stat_name, z->stat, zs->nstat);
		put_counts(out, zs->numa_name, z->numa, zs->nnuma);
		put_cpus(s, z, out);
		fprintf(out, "\n  node_unreclaimable:  %u\n  start_pfn:           %" PRIu64,
			n->failures != ZONE_UNKNOWN && n->failures >= RECLAIM_RETRIES,
			z->start_pfn);
		if (kernel_rule(s->k, RULE_ZONEINFO_HIGHATOMIC))
			fprintf(out,
				"\n  reserved_highatomic: %" PRIu64
				"\n  free_highatomic:     %" PRIu64,
				z->highatomic, z->free_highatomic);
	}
	fputc('\n', out);
}

void write_zoneinfo(const struct snapshot *s, const struct zones *zs, FILE *out)
{
	for (uint32_t i = 0; i < zs->n; i++)
		put_zone(s, zs, &zs->v[i], out);
}

/* ---- buddyinfo, pagetypeinfo ----------------------------------------------------------- */

static void put_free(FILE *out, uint64_t n)
{
	if (n == ZONE_UNKNOWN)
		fprintf(out, "%6s ", "-");
	else
		fprintf(out, "%6" PRIu64 " ", n);
}

void write_buddyinfo(const struct zones *zs, FILE *out)
{
	for (uint32_t i = 0; i < zs->n; i++) {
		const struct zone *z = &zs->v[i];

		if (!z->present)
			continue;
		fprintf(out, "Node %" PRId32 ", zone %8s ", node_of(zs, z)->id, z->name);
		for (unsigned o = 0; o < zs->norders; o++)
			put_free(out, z->nr_free[o]);
		fputc('\n', out);
	}
}

static void put_types(const struct zones *zs, const struct zone *z, FILE *out)
{
	for (unsigned t = 0; t < zs->ntypes; t++) {
		fprintf(out, "Node %4" PRId32 ", zone %8s, type %12s ", node_of(zs, z)->id, z->name,
			zs->type_name[t] ? zs->type_name[t] : "?");
		for (unsigned o = 0; o < zs->norders; o++) {
			uint64_t n = z->listed[t * zs->norders + o];

			if (n != ZONE_UNKNOWN && n >= LISTED_MAX)
				fprintf(out, ">%6u ", LISTED_MAX);
			else
				put_free(out, n);
		}
		fputc('\n', out);
	}
}

static void put_blocks(const struct zones *zs, const struct zone *z, FILE *out)
{
	fprintf(out, "Node %" PRId32 ", zone %8s ", node_of(zs, z)->id, z->name);
	for (unsigned t = 0; t < zs->ntypes; t++)
		fprintf(out, "%12" PRIu64 " ", z->blocks[t]);
	fputc('\n', out);
}

static void put_node(const struct zones *zs, const struct node *n, FILE *out)
{
	const struct zone *z = zs->v + n->first_zone;

	fprintf(out, "Page block order: %u\nPages per block:  %u\n\n", zs->block_order,
		1u << zs->block_order);
	fprintf(out, "%-43s ", "Free pages count per migrate type at order");
	for (unsigned o = 0; o < zs->norders; o++)
		fprintf(out, "%6u ", o);
	fputc('\n', out);
	for (uint32_t i = 0; i < n->nzones; i++)
		if (z[i].listed)
			put_types(zs, &z[i], out);
	fprintf(out, "\n%-23s", "Number of blocks type ");
	for (unsigned t = 0; t < zs->ntypes; t++)
		fprintf(out, "%12s ", zs->type_name[t] ? zs->type_name[t] : "?");
	fputc('\n', out);
	for (uint32_t i = 0; i < n->nzones; i++)
		if (z[i].blocks)
			put_blocks(zs, &z[i], out);
}

static bool has_pages(const struct zones *zs, const struct node *n)
{
	for (uint32_t i = 0; i < n->nzones; i++)
		if (zs->v[n->first_zone + i].present)
			return true;
	return false;
}

void write_pagetypeinfo(const struct zones *zs, FILE *out)
{
	for (uint32_t i = 0; i < zs->nnodes; i++)
		if (has_pages(zs, &zs->nodes[i]))
			put_node(zs, &zs->nodes[i], out);
}
