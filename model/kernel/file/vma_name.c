/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last column of maps, in the order of show_map_vma() (fs/proc/task_mmu.c;
 * get_vma_name() since v6.5): file, vm_ops->name, arch_vma_name, [heap],
 * [stack], name given by prctl(PR_SET_VMA).
 */
#include <inttypes.h>
#include <string.h>

#include "facts/layout/file.h"
#include "facts/layout/mm.h"
#include "model/kernel/file/files.h"
#include "model/kernel/kobj.h"

#define ANON_NAME_MAX 80	/* ANON_VMA_NAME_MAX_LEN, with its NUL */
#define VM_PFNMAP 0x400
#define VM_IO 0x4000
#define VDSO_MAX 0x20000	/* bytes of the largest vdso */
#define SPECIAL_NAME_MAX 64	/* "[vvar_vclock]" is the longest of v3.16 .. v7.3 */

struct namer {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;		/* of the name */
	const struct vma *v;
	const struct proc *p;		/* whose file is read; NULL: unknown */
};

static void damaged(const struct namer *n, enum status st)
{
	issue_add(n->k->issues, st, "vma name", 1, "of the vma at %#" PRIx64, n->v->addr);
}

static bool ptr_ok(const struct namer *n, uint64_t addr)
{
	return kernel_ptr_ok(n->k, addr, n->k->dump->word_size);
}

/* A string of the kernel at KVA, or NULL. */
static const char *read_name(const struct namer *n, uint64_t kva, const char *prefix, size_t max)
{
	char buf[ANON_NAME_MAX];
	enum status st = ST_CORRUPT;

	if (kernel_ptr_ok(n->k, kva, 1))
		st = read_kva_str(n->r, kva, buf, max < sizeof(buf) ? max : sizeof(buf));
	if (st) {
		damaged(n, st);
		return NULL;
	}
	return arena_printf(n->mem, "%s%s%s", prefix, buf, *prefix ? "]" : "");
}

/*
 * The name that user space gave, with PREFIX before and "]" after it. Before v6.2 it is in
 * a union with `shared`, which vmas of files use.
 */
static const char *user_name(const struct namer *n, const char *prefix)
{
	const struct layout *l = &n->k->layout;
	uint64_t p;
	enum status st;

	if (!layout_has(l, M_VMA_ANON_NAME) || !layout_has(l, M_ANON_NAME_TEXT))
		return NULL;
	if (n->v->file != NONE &&
	    layout_offset(l, M_VMA_ANON_NAME) == layout_offset(l, M_VMA_SHARED))
		return NULL;
	st = kmember_u64(n->k, n->r, n->v->addr, M_VMA_ANON_NAME, &p);
	if (st)
		damaged(n, st);
	if (st || !p)
		return NULL;
	return read_name(n, p + layout_offset(l, M_ANON_NAME_TEXT), prefix, ANON_NAME_MAX);
}

/* One hook of vm_ops; 0 if there is none. */
static uint64_t hook(const struct namer *n, enum layout_id member)
{
	uint64_t fn = 0;
	enum status st = ST_CORRUPT;

	if (!n->v->ops || !has(n->k, member))
		return 0;
	if (ptr_ok(n, n->v->ops))
		st = kmember_u64(n->k, n->r, n->v->ops, member, &fn);
	if (st)
		damaged(n, st);
	return fn;
}

/*
 * NAME of a special mapping is a constant in brackets; that of the vdso is where the mm says it
 * is, or behind it if the vma was split.
 */
static const char *check_special(const struct namer *n, const char *name)
{
	uint64_t vdso = 0;
	bool ok = name && *name == '[' && name[strlen(name) - 1] == ']';

	if (ok && has(n->k, M_MM_VDSO) &&
	    !kmember_u64(n->k, n->r, n->s->mms[n->v->mm].addr, M_MM_VDSO, &vdso) && vdso)
		ok = strcmp(name, "[vdso]") ? n->v->start != vdso : n->v->start - vdso < VDSO_MAX;
	if (!ok)
		damaged(n, ST_CORRUPT);
	return name;
}

/*
 * Where the vdso is that does not name itself (before v3.16 or v5.11, depending on the CPU): its
 * operations are those of special mappings, without a name. False: V is none of its parts.
 */
static bool nameless_vdso(const struct namer *n, uint64_t *vdso)
{
	uint64_t fault;

	if (!has(n->k, M_MM_VDSO) || !has(n->k, Y_SPECIAL_MAPPING_FAULT))
		return false;
	fault = hook(n, M_VMOPS_FAULT);
	return fault && fault == layout_symbol(&n->k->layout, Y_SPECIAL_MAPPING_FAULT) &&
	       !kmember_u64(n->k, n->r, n->s->mms[n->v->mm].addr, M_MM_VDSO, vdso) && *vdso &&
	       n->v->start - *vdso < VDSO_MAX;
}

/*
 * vm_ops->name: v3.16 .. v7.3 have only special_mapping_name(), except for the gate VMA,
 * which belongs to no process.
 */
static const char *special_name(const struct namer *n)
{
	uint64_t fn = hook(n, M_VMOPS_NAME), known, vdso, p = 0;
	enum status st = ST_CORRUPT;

	if (!fn && nameless_vdso(n, &vdso))
		return vdso == n->v->start ? "[vdso]" : NULL; /* arch_vma_name() */
	/* other operations without a name are those of files; PFNs without either, of nobody */
	if (!fn && has(n->k, M_VMOPS_NAME) && (n->v->ops || n->v->flags & (VM_PFNMAP | VM_IO)))
		damaged(n, ST_CORRUPT);
	if (!fn)
		return NULL;
	known = layout_symbol(&n->k->layout, Y_SPECIAL_MAPPING_NAME);
	if (known && fn != known) {
		damaged(n, ST_UNSUPPORTED);
		return NULL;
	}
	if (ptr_ok(n, n->v->private_data))
		st = kmember_u64(n->k, n->r, n->v->private_data, M_SPECIAL_NAME, &p);
	if (st) {
		damaged(n, st);
		return NULL;
	}
	return check_special(n, p ? read_name(n, p, "", SPECIAL_NAME_MAX) : NULL);
}

bool vma_is_heap(const struct snapshot *s, const struct vma *v)
{
	const struct mm *m = &s->mms[v->mm];

	if (!kernel_rule(s->k, RULE_HEAP_PART))
		return v->start <= m->start_brk && v->end >= m->brk;
	if (kernel_rule(s->k, RULE_HEAP_STRICT))
		return v->start < m->brk && v->end > m->start_brk;
	return v->start <= m->brk && v->end >= m->start_brk;
}

static bool holds(const struct vma *v, uint64_t sp)
{
	return v->start <= sp && v->end >= sp;
}

bool vma_is_stack(const struct snapshot *s, const struct vma *v)
{
	return holds(v, s->mms[v->mm].start_stack);
}

/* KSTK_ESP(): the thread's stack pointer when it entered the kernel. */
static uint64_t user_sp(const struct namer *n, const struct task *t)
{
	const struct kernel *k = n->k;
	bool compat = n->s->mms[n->v->mm].start_stack >> 32 == 0;
	uint64_t sp = 0, regs;

	if (has(k, M_THREAD_USERSP) && !compat) {
		kmember_u64(k, n->r, t->addr, M_THREAD_USERSP, &sp);
	} else if (has(k, M_THREAD_SP0) && has(k, M_REGS_SP)) {
		if (!kmember_u64(k, n->r, t->addr, M_THREAD_SP0, &regs))
			kmember_u64(k, n->r, regs - layout_size(&k->layout, S_PT_REGS), M_REGS_SP,
				    &sp);
	} else if (has(k, M_THREAD_REGS) && has(k, M_REGS_GPR)) {
		const struct member *gpr = &k->layout.v[M_REGS_GPR].m;

		if (!kmember_u64(k, n->r, t->addr, M_THREAD_REGS, &regs) && regs)
			read_kva_word(n->r, regs + gpr->offset + gpr->stride, &sp);
	}
	return sp;
}

/* Can user_sp() work for this kernel? */
static bool knows_sp(const struct kernel *k)
{
	return has(k, M_THREAD_USERSP) || (has(k, M_THREAD_SP0) && has(k, M_REGS_SP)) ||
	       (has(k, M_THREAD_REGS) && has(k, M_REGS_GPR));
}

/* vm_is_stack(), mm/util.c of v3.4 .. v4.4: the threads of the process that is asked, its
   leader first. */
static const char *thread_stack(const struct namer *n)
{
	for (uint32_t i = 0; n->p && i < n->p->ntasks; i++) {
		const struct task *t = &n->s->tasks[n->p->first_task + i];

		if (!holds(n->v, user_sp(n, t)))
			continue;
		return vma_is_stack(n->s, n->v) ? "[stack]"
						: arena_printf(n->mem, "[stack:%d]", t->pid);
	}
	return NULL;
}

static const char *stack_name(const struct namer *n)
{
	if (kernel_rule(n->k, RULE_STACK_TID) && knows_sp(n->k))
		return thread_stack(n);
	return vma_is_stack(n->s, n->v) ? "[stack]" : NULL;
}

static const char *name_of(const struct namer *n)
{
	const char *name;

	if (n->v->file != NONE) {
		name = user_name(n, "[anon_shmem:");
		return name ? name : n->s->files[n->v->file].path;
	}
	name = special_name(n);
	if (name)
		return name;
	if (vma_is_heap(n->s, n->v))
		return "[heap]";
	name = stack_name(n);
	if (!name)
		name = user_name(n, "[anon:");
	return name ? name : "";
}

void vma_name(struct snapshot *s, struct reader *r, struct vma *v)
{
	uint32_t owner = s->mms[v->mm].owner;
	struct namer n = { .s = s,
			   .k = s->k,
			   .r = r,
			   .mem = &s->mem,
			   .v = v,
			   .p = owner == NONE ? NULL : &s->procs[owner] };

	v->name = name_of(&n);
}

const char *vma_name_in(const struct snapshot *s, struct reader *r, const struct vma *v,
			const struct proc *p, struct arena *mem)
{
	struct namer n = { .s = s, .k = s->k, .r = r, .mem = mem, .v = v, .p = p };

	if (!r || v->file != NONE || !kernel_rule(s->k, RULE_STACK_TID) ||
	    s->mms[v->mm].owner == (uint32_t)(p - s->procs) ||
	    (*v->name && strncmp(v->name, "[stack", 6) != 0))
		return v->name;
	return name_of(&n);
}
