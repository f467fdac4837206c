/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sizes_cols.c - fills the columns of exmap's sizes.
 */
#include "reports/file/sizes_cols.h"

#include "dumpread/base/bytes.h"

void sizes_cells_set(struct sizes_cells *c, const struct sizes *z)
{
	c->vm = z->vm;
	c->mapped = z->mapped;
	c->eff_mapped = sizes_bytes(z->eff_mapped);
	c->sole = z->sole;
	c->resident = z->resident;
	c->eff_resident = sizes_bytes(z->eff_resident);
	c->writable = z->writable;
}

void sizes_cells_unknown(struct sizes_cells *c)
{
	c->vm = c->mapped = c->eff_mapped = c->sole = COL_UNKNOWN;
	c->resident = c->eff_resident = c->writable = COL_UNKNOWN;
}

/* The order of Exmap.cpp, which says that it is by usefulness. Doubles are printed as by cout. */
const char sizes_names_like_exmap[] =
	"Effective Resident (K)\tEffective Mapped (K)\tWritable (K)\tVM (K)\t"
	"Sole Mapped (K)\tMapped (K)\tResident (K)";

void sizes_like_exmap(const struct sizes_cells *c, FILE *out)
{
	const uint64_t v[] = { c->eff_resident, c->eff_mapped, c->writable, c->vm,
			       c->sole,		c->mapped,     c->resident };

	for (unsigned i = 0; i < ARRAY_LEN(v); i++)
		fprintf(out, "%g\t", v[i] == COL_UNKNOWN ? 0 : (double)v[i] / 1024);
}
