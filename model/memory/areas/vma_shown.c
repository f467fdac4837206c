/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vma_shown.c - one reader for the parts of smaps and maps that vmas lack.
 */
#include "model/memory/areas/vma_shown.h"

#include "model/kernel/file/files.h"
#include "model/kernel/mm/gate.h"
#include "model/kernel/mm/thp.h"

struct vma_shown {
	const struct snapshot *s;
	struct reader *r;		/* NULL: the source has no memory */
	struct arena *mem;
	struct gate gate;
	struct thp thp;
};

struct vma_shown *vma_shown_new(const struct snapshot *s, struct arena *mem)
{
	struct vma_shown *x = arena_array(mem, struct vma_shown, 1);

	x->s = s;
	x->mem = mem;
	x->r = kernel_reader(s->k);
	if (x->r)
		gate_read(s->k, x->r, &x->gate);
	thp_init(&x->thp, s, x->r, mem);
	return x;
}

void vma_shown_free(struct vma_shown *x)
{
	reader_free(x->r);
	x->r = NULL;
}

bool vma_shown_thp(struct vma_shown *x, const struct vma *v)
{
	return thp_eligible(&x->thp, v);
}

const char *vma_shown_name(struct vma_shown *x, const struct vma *v, const struct proc *p)
{
	return p && v >= x->s->vmas && v < x->s->vmas + x->s->nvmas
		       ? vma_name_in(x->s, x->r, v, p, x->mem)
		       : v->name;
}

bool vma_shown_pkeys(const struct vma_shown *x)
{
	return x->gate.pkeys;
}

const struct vma *vma_shown_gate(const struct vma_shown *x, const struct mm *m)
{
	return x->r && gate_in_mm(x->s, x->r, &x->gate, m) ? &x->gate.vma : NULL;
}
