/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source: print_slabinfo_header(), cache_show() of mm/slab_common.c, read in 5.10, 6.1, 7.2. */
#include "reports/export/slab_text.h"

#include <inttypes.h>

static bool cache_known(const struct slab_cache *c)
{
	return c->size != SLAB_UNKNOWN && c->per_slab != SLAB_UNKNOWN && c->slabs != SLAB_UNKNOWN &&
	       c->objects != SLAB_UNKNOWN && c->shown_free != SLAB_UNKNOWN;
}

bool slabinfo_known(const struct slab_caches *sc)
{
	for (uint32_t i = 0; sc->slub && i < sc->n; i++)
		if (cache_known(&sc->v[i]))
			return true;
	return false;
}

void write_slabinfo(const struct slab_caches *sc, FILE *out)
{
	fputs("slabinfo - version: 2.1\n"
	      "# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>"
	      " : tunables <limit> <batchcount> <sharedfactor>"
	      " : slabdata <active_slabs> <num_slabs> <sharedavail>\n",
	      out);
	for (uint32_t i = 0; i < sc->n; i++) {
		const struct slab_cache *c = &sc->v[i];

		if (!cache_known(c))
			continue;
		fprintf(out,
			"%-17s %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %4" PRIu64
			" %4u : tunables %4u %4u %4u : slabdata %6" PRIu64 " %6" PRIu64 " %6u\n",
			c->name, c->objects - c->shown_free, c->objects, c->size, c->per_slab,
			1u << c->order, 0u, 0u, 0u, c->slabs, c->slabs, 0u);
	}
}
