/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vma_pieces.c - cuts vmas at the borders of ELF segments.
 */
#include "model/memory/areas/vma_pieces.h"

#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/memory/areas/elfbss.h"

struct vma_pieces {
	const struct snapshot *s;
	struct reader *r;
	struct elf_heads *heads;
	struct elf_pieces segments;	/* of the current mm, by address */
	/* of the current walk */
	void (*fn)(void *arg, const struct vma *v, const struct vma_piece *p);
	void *arg;
};

struct vma_pieces *vma_pieces_new(const struct snapshot *s, const char *sysroot, struct arena *mem)
{
	struct vma_pieces *x = heap_array(struct vma_pieces, 1);

	x->s = s;
	x->r = kernel_reader(s->k);
	x->heads = elf_heads_new(s, x->r, sysroot, mem);
	return x;
}

void vma_pieces_free(struct vma_pieces *x)
{
	reader_free(x->r);
	free(x);
}

static void give_piece(const struct vma_pieces *x, const struct vma *v, uint64_t start,
		       uint64_t end, uint32_t file, uint64_t bias)
{
	struct vma_piece p = { start, end, file, bias };

	if (start < end)
		x->fn(x->arg, v, &p);
}

/* Segments are in vmas of their file, and in anonymous ones after those (.bss). */
static void cut_vma(const struct vma_pieces *x, const struct vma *v)
{
	uint64_t at = v->start;

	for (size_t i = 0; i < x->segments.n && x->segments.v[i].start < v->end; i++) {
		const struct elf_piece *p = &x->segments.v[i];
		uint64_t lo = max_u64(p->start, at), hi = min_u64(p->end, v->end);

		if (lo >= hi || (v->file != NONE && v->file != p->file))
			continue;
		give_piece(x, v, at, lo, NONE, 0);
		give_piece(x, v, lo, hi, p->file, p->bias);
		at = hi;
	}
	give_piece(x, v, at, v->end, NONE, 0);
}

void vma_pieces_each(struct vma_pieces *x, const struct mm *m,
		     void (*fn)(void *arg, const struct vma *v, const struct vma_piece *p),
		     void *arg)
{
	x->fn = fn;
	x->arg = arg;
	elf_pieces_list(x->heads, m, &x->segments);
	for (uint32_t i = m->first_vma; i - m->first_vma < m->nvmas && i < x->s->nvmas; i++)
		cut_vma(x, &x->s->vmas[i]);
}
