/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sizes_cols.c - fills the columns of exmap's sizes.
 */
#include "reports/file/sizes_cols.h"

#include "dumpread/base/bytes.h"
#include "model/views/objects.h"
#include "reports/core/common.h"

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

void sizes_of_mm(const struct snapshot *s, const struct mm *m, struct sizes *ret)
{
	*ret = (struct sizes){ 0 };
	for (uint32_t i = 0; i < m->nvmas && m->first_vma + i < s->nvmas; i++)
		sizes_add(ret, &s->sizes[m->first_vma + i]);
}

/* The bytes [start, end) of a VMA, N times. */
static void add_range(const struct snapshot *s, struct reader *r, uint32_t vma, uint64_t start,
		      uint64_t end, uint32_t n, struct sizes *sum)
{
	struct sizes z = { 0 };

	if (!sum || start >= end)
		return;
	refs_sizes(s->refs, r, &s->vmas[vma], start, end, &z);
	sizes_add_times(sum, &z, n);
}

void sizes_add_parts(const struct snapshot *s, struct reader *r, const struct elf_bss_list *bss,
		     uint32_t vma, uint32_t n, struct sizes *own,
		     struct sizes *(*of_file)(void *arg, uint32_t file), void *arg)
{
	const struct vma *v = &s->vmas[vma];
	size_t i = elf_bss_at(bss, vma);
	uint64_t at = v->start;

	if (i == bss->n || bss->v[i].vma != vma) {
		if (own)
			sizes_add_times(own, &s->sizes[vma], n);
		return;
	}
	for (; i < bss->n && bss->v[i].vma == vma; i++) {
		const struct elf_bss *b = &bss->v[i];

		add_range(s, r, vma, at, b->start, n, own);
		add_range(s, r, vma, b->start, b->end, n, of_file(arg, b->file));
		at = b->end;
	}
	add_range(s, r, vma, at, v->end, n, own);
}

struct wanted {			/* an object, and its sum */
	const struct snapshot *s;
	const char *object;
	struct sizes *sum;
};

static struct sizes *sum_if_wanted(void *arg, uint32_t file)
{
	const struct wanted *w = arg;

	return object_is(w->s->files[file].path, w->object) ? w->sum : NULL;
}

void sizes_of_object(const struct snapshot *s, struct reader *r, const struct mm *m,
		     const char *object, const struct elf_bss_list *bss, struct sizes *ret)
{
	struct wanted w = { s, object, ret };

	*ret = (struct sizes){ 0 };
	for (uint32_t i = m->first_vma; i - m->first_vma < m->nvmas && i < s->nvmas; i++)
		sizes_add_parts(s, r, bss, i, 1,
				object_is(object_name(s, &s->vmas[i]), object) ? ret : NULL,
				sum_if_wanted, &w);
}

/* Exmap.cpp's order, which it calls that of usefulness; doubles as cout prints them. */
const char sizes_names_like_exmap[] =
	"Effective Resident (K)\tEffective Mapped (K)\tWritable (K)\tVM (K)\t"
	"Sole Mapped (K)\tMapped (K)\tResident (K)";

void sizes_like_exmap(const struct sizes_cells *c, FILE *out)
{
	const uint64_t v[] = { c->eff_resident, c->eff_mapped, c->writable, c->vm, c->sole,
			       c->mapped, c->resident };

	for (unsigned i = 0; i < ARRAY_LEN(v); i++)
		fprintf(out, "%g\t", v[i] == COL_UNKNOWN ? 0 : (double)v[i] / 1024);
}
