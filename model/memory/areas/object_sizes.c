/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * object_sizes.c - divides the sizes of vmas between objects.
 */
#include "model/memory/areas/object_sizes.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "model/memory/areas/objects.h"

struct object_sizes {
	const struct snapshot *s;
	struct reader *r;		/* NULL: the source has no memory */
	struct elf_bss_list bss;
};

struct object_sizes *object_sizes_new(const struct snapshot *s, const char *sysroot, uint32_t only,
				      struct arena *mem)
{
	struct object_sizes *o = heap_array(struct object_sizes, 1);

	o->s = s;
	if (!s->sizes)
		return o;
	o->r = kernel_reader(s->k);
	elf_bss_find(s, o->r, sysroot, only, mem, &o->bss);
	return o;
}

void object_sizes_free(struct object_sizes *o)
{
	if (o)
		reader_free(o->r);
	free(o);
}

const struct elf_bss_list *object_sizes_bss(const struct object_sizes *o)
{
	return &o->bss;
}

void object_sizes_of_bss(const struct object_sizes *o, size_t i, struct sizes *ret)
{
	const struct elf_bss *b = &o->bss.v[i];

	*ret = (struct sizes){ 0 };
	refs_sizes(o->s->refs, o->r, &o->s->vmas[b->vma], b->start, b->end, ret);
}

/* The bytes [start, end) of a vma, N times. */
static void add_range(const struct object_sizes *o, uint32_t vma, uint64_t start, uint64_t end,
		      uint32_t n, struct sizes *sum)
{
	struct sizes z = { 0 };

	if (!sum || start >= end)
		return;
	refs_sizes(o->s->refs, o->r, &o->s->vmas[vma], start, end, &z);
	sizes_add_times(sum, &z, n);
}

void object_sizes_add(const struct object_sizes *o, uint32_t vma, uint32_t n, struct sizes *own,
		      struct sizes *(*of_file)(void *arg, uint32_t file), void *arg)
{
	const struct elf_bss_list *bss = &o->bss;
	const struct vma *v = &o->s->vmas[vma];
	size_t i = elf_bss_at(bss, vma);
	uint64_t at = v->start;

	if (i == bss->n || bss->v[i].vma != vma) {
		if (own)
			sizes_add_times(own, &o->s->sizes[vma], n);
		return;
	}
	for (; i < bss->n && bss->v[i].vma == vma; i++) {
		const struct elf_bss *b = &bss->v[i];

		add_range(o, vma, at, b->start, n, own);
		add_range(o, vma, b->start, b->end, n, of_file(arg, b->file));
		at = b->end;
	}
	add_range(o, vma, at, v->end, n, own);
}

void sizes_of_mm(const struct snapshot *s, const struct mm *m, struct sizes *ret)
{
	*ret = (struct sizes){ 0 };
	for (uint32_t i = 0; i < m->nvmas && m->first_vma + i < s->nvmas; i++)
		sizes_add(ret, &s->sizes[m->first_vma + i]);
}

struct wanted {			/* objects, and their sum */
	const struct snapshot *s;
	const char *name;
	struct sizes *sum;
};

static struct sizes *sum_if_wanted(void *arg, uint32_t file)
{
	const struct wanted *w = arg;

	return object_is(w->s->files[file].path, w->name) ? w->sum : NULL;
}

void object_sizes_of_mm(const struct object_sizes *o, const struct mm *m, const char *name,
			struct sizes *ret)
{
	const struct snapshot *s = o->s;
	struct wanted w = { s, name, ret };

	*ret = (struct sizes){ 0 };
	for (uint32_t i = m->first_vma; i - m->first_vma < m->nvmas && i < s->nvmas; i++)
		object_sizes_add(o, i, 1, object_is(object_name(s, &s->vmas[i]), name) ? ret : NULL,
				 sum_if_wanted, &w);
}
