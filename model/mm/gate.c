/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: arch/x86/entry/vsyscall/vsyscall_64.c (get_gate_vma, map_vsyscall),
 * arch/x86/include/asm/{pkeys,mmu,cpufeatures}.h, read in 5.10 ... 7.3.
 */
#include "model/mm/gate.h"


#include "model/kobj.h"

#define VSYSCALL_NONE 2			/* enum { EMULATE, XONLY, NONE } vsyscall_mode */
#define MM_CONTEXT_HAS_VSYSCALL 0x2	/* bit 1 of mm->context.flags */

static void read_vma(const struct kernel *k, struct reader *r, struct gate *g)
{
	struct kobj o;
	uint64_t mode;

	if (!has(k, Y_GATE_VMA))
		return;
	if (has(k, Y_VSYSCALL_MODE) &&
	    (kvar_u64(k, r, Y_VSYSCALL_MODE, 4, &mode) || mode == VSYSCALL_NONE))
		return;
	kobj_init(&o, k, S_VMA);
	if (!kobj_read(&o, r, layout_symbol(&k->layout, Y_GATE_VMA))) {
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
	*ret = (struct gate){ .vma = { .mm = NONE, .file = NONE, .name = "[vsyscall]" } };
	if (!k->arch || !k->arch->gate)
		return;
	read_vma(k, r, ret);
	ret->pkeys = cpu_has(k, r, k->arch->pkey_feature);
}

bool gate_in_mm(const struct kernel *k, struct reader *r, const struct gate *g,
		const struct mm *mm)
{
	uint64_t v;

	if (!g->present)
		return false;
	if (has(k, M_MM_CONTEXT_FLAGS))
		return !kmember_u64(k, r, mm->addr, M_MM_CONTEXT_FLAGS, &v) &&
		       v & MM_CONTEXT_HAS_VSYSCALL;
	if (has(k, M_MM_CONTEXT_IA32))
		return !kmember_u64(k, r, mm->addr, M_MM_CONTEXT_IA32, &v) && !v;
	return true;
}
