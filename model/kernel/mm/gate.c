/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gate.c - the gate vma and protection keys. struct arch_gate of the CPU names the
 * variables that hold them.
 */
#include "model/kernel/mm/gate.h"

#include "facts/layout/census.h"
#include "facts/layout/cpu.h"
#include "facts/layout/gate.h"
#include "facts/layout/mm.h"
#include "model/kernel/kobj.h"

static void read_gate_vma(const struct kernel *k, struct reader *r, const struct arch_gate *a,
			  struct gate *g)
{
	struct kobj o;
	uint64_t mode;

	if (!has(k, a->vma))
		return;
	if (has(k, a->mode) && (kvar_u64(k, r, a->mode, 4, &mode) || mode == a->mode_none))
		return;
	kobj_init(&o, k, S_VMA);
	if (!kobj_read(&o, r, layout_symbol(&k->layout, a->vma))) {
		g->vma.addr = o.addr;
		g->vma.start = kobj_u64(&o, M_VMA_START);
		g->vma.end = kobj_u64(&o, M_VMA_END);
		g->vma.flags = kobj_u64(&o, M_VMA_FLAGS);
		g->vma.usage.size = g->vma.end - g->vma.start;
		g->present = g->vma.end > g->vma.start;
	}
	kobj_release(&o);
}

static bool cpu_has(const struct kernel *k, struct reader *r, unsigned feature)
{
	const struct member *m = &k->layout.v[M_CPU_CAPABILITY].m;
	uint64_t word, addr = layout_symbol(&k->layout, Y_BOOT_CPU_DATA);

	if (!has(k, Y_BOOT_CPU_DATA) || !has(k, M_CPU_CAPABILITY) || feature / 32 >= m->count)
		return false;
	addr += m->offset + feature / 32 * 4;
	return !read_kva_uint(r, addr, 4, &word) && word >> feature % 32 & 1;
}

void gate_read(const struct kernel *k, struct reader *r, struct gate *ret)
{
	const struct arch_gate *a = k->arch ? k->arch->gate : NULL;

	*ret = (struct gate){ .vma = { .mm = NONE, .file = NONE, .name = a ? a->name : NULL } };
	if (a)
		read_gate_vma(k, r, a, ret);
	if (k->arch && k->arch->pkey_feature)
		ret->pkeys = cpu_has(k, r, k->arch->pkey_feature);
}

/* The flags of the thread_info of MM's process; 0: not known. */
static uint64_t thread_flags(const struct snapshot *s, struct reader *r, const struct mm *mm)
{
	const struct task *t = mm->owner < s->nprocs ? proc_leader(s, &s->procs[mm->owner]) : NULL;
	uint64_t info, back, flags;

	if (!t || !has(s->k, M_THREAD_INFO_FLAGS) || !has(s->k, M_THREAD_INFO_TASK))
		return 0;
	if (kmember_u64(s->k, r, t->addr, M_TASK_STACK, &info) ||
	    kmember_u64(s->k, r, info, M_THREAD_INFO_TASK, &back) || back != t->addr ||
	    kmember_u64(s->k, r, info, M_THREAD_INFO_FLAGS, &flags))
		return 0;
	return flags;
}

bool gate_in_mm(const struct snapshot *s, struct reader *r, const struct gate *g,
		const struct mm *mm)
{
	const struct kernel *k = s->k;
	const struct arch_gate *a = k->arch ? k->arch->gate : NULL;
	uint64_t v;

	if (!g->present || !a)
		return false;
	if (has(k, a->flags))
		return !kmember_u64(k, r, mm->addr, a->flags, &v) && v & a->flag;
	if (has(k, a->compat))
		return !kmember_u64(k, r, mm->addr, a->compat, &v) && !v;
	return !(thread_flags(s, r, mm) & a->thread);
}
