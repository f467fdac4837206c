/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * module_snapshot.c - the data of vmcensus.ko as parts of a snapshot. Usage follows the
 * rules of smaps_account() (fs/proc/task_mmu.c), with the kernel's own map counts.
 * References to swap slots from elsewhere are not known: SwapPss divides by the entries
 * that name the slot.
 */
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/memory/frames/frames.h"
#include "model/memory/source/module.h"
#include "model/memory/usage/account.h"

/* include/uapi/linux/kernel-page-flags.h */
enum {
	KPF_REFERENCED = 2, KPF_DIRTY = 4, KPF_LRU = 5, KPF_ANON = 12, KPF_SWAPCACHE = 13,
	KPF_SWAPBACKED = 14, KPF_COMPOUND_HEAD = 15, KPF_COMPOUND_TAIL = 16, KPF_HWPOISON = 19,
	KPF_KSM = 21,
};

static bool kpf(const struct vmc_run *r, unsigned bit)
{
	return r->kpf >> bit & 1;
}

/* ---- names and owners --------------------------------------------------------------- */

void module_machine(struct kernel *k)
{
	const struct vmc_header *h = &k->capture->module->header;

	k->page_shift = h->page_shift;
	memcpy(k->release, h->release, sizeof(k->release));
	memcpy(k->uts_version, h->build, sizeof(k->uts_version));
	memcpy(k->machine, h->machine, sizeof(k->machine));
	memcpy(k->nodename, h->nodename, sizeof(k->nodename));
	release_of(k->release, k->uts_version, &k->version);
}

void module_task(const struct module *m, uint32_t task, struct task *to)
{
	const struct vmc_task *t = &m->tasks.v[task];

	to->ppid = t->ppid;
	to->flags = t->flags;
	to->state = t->state > ' ' && t->state < 127 ? (char)t->state : '?';
	to->utime = t->utime;
	to->stime = t->stime;
	to->min_flt = t->min_flt;
	to->maj_flt = t->maj_flt;
	to->start_boottime = t->start;
}

void module_proc(const struct module *m, uint32_t task, struct proc *to)
{
	const struct vmc_task *t = &m->tasks.v[task];

	to->ppid = t->ppid;
	to->kthread = t->flags & PF_KTHREAD || !t->tgid;
	to->uid = t->uid;
	to->euid = t->euid;
	to->gid = t->gid;
	to->oom_score_adj = (int16_t)t->oom_score_adj;
	to->nice = (int8_t)t->nice;
	to->start_boottime = t->start;
}

void module_mm(const struct module *m, uint32_t mm, struct mm *to)
{
	const struct vmc_mm *from = &m->mms.v[mm];

	if (!from->mm)
		return;
	to->map_count = (int64_t)from->map_count;
	to->counter[RSS_FILE] = to->counter_shown[RSS_FILE] = (int64_t)from->rss_file;
	to->counter[RSS_ANON] = to->counter_shown[RSS_ANON] = (int64_t)from->rss_anon;
	to->counter[RSS_SHMEM] = to->counter_shown[RSS_SHMEM] = (int64_t)from->rss_shmem;
	to->counter[RSS_SWAP] = to->counter_shown[RSS_SWAP] = (int64_t)from->swap;
	to->total_vm = from->total_vm;
	to->locked_vm = from->locked_vm;
	to->data_vm = from->data_vm;
	to->exec_vm = from->exec_vm;
	to->stack_vm = from->stack_vm;
	to->pgtables_bytes = from->pgtables_bytes;
	to->hiwater_rss = from->hiwater_rss;
	to->hiwater_vm = from->hiwater_vm;
	to->start_code = from->start_code;
	to->end_code = from->end_code;
	to->start_data = from->start_data;
	to->end_data = from->end_data;
	to->start_brk = from->start_brk;
	to->brk = from->brk;
	to->start_stack = from->start_stack;
	to->arg_start = from->arg_start;
	to->arg_end = from->arg_end;
	to->env_start = from->env_start;
	to->env_end = from->env_end;
}

/* show_map_vma() (fs/proc/task_mmu.c): heap before stack, both without a file. */
static const char *range_name(const struct kernel *k, const struct vma *v, const struct mm *mm)
{
	bool touches = v->start <= mm->brk && v->end >= mm->start_brk;
	bool overlaps = v->start < mm->brk && v->end > mm->start_brk;

	if (kernel_rule(k, RULE_HEAP_STRICT) ? overlaps : touches)
		return "[heap]";
	if (v->start <= mm->start_stack && v->end >= mm->start_stack && mm->start_stack)
		return "[stack]";
	return "";
}

void module_vma(const struct module *m, size_t at, const struct kernel *k, struct vma *v,
		const struct mm *mm)
{
	const struct module_vma *from = &m->vmas.v[at];

	v->pgoff = from->pgoff;
	v->file_addr = from->inode;
	v->name = *from->name || from->inode ? from->name : range_name(k, v, mm);
}

void module_file(const struct module *m, size_t at, struct file *f)
{
	static const enum file_kind kinds[] = {
		[VMC_ANON_VMA] = FILE_OTHER, [VMC_FILE_VMA] = FILE_REGULAR,
		[VMC_SHMEM_VMA] = FILE_SHMEM, [VMC_HUGETLB_VMA] = FILE_HUGETLB,
	};
	const struct module_vma *from = &m->vmas.v[at];

	f->inode = from->inode;
	f->kind = kinds[from->kind];
	f->dev_major = from->major;
	f->dev_minor = from->minor;
	f->ino = from->ino;
	f->size = from->size;
	f->huge_page_size = from->huge_bytes;
	f->status_known = true;
}

/* ---- pages ----------------------------------------------------------------------------- */

static bool referenced(const struct vmc_run *r)
{
	return kpf(r, KPF_REFERENCED) || kpf(r, VMC_KPF_YOUNG);
}

static uint32_t flag_if(const struct vmc_run *r, unsigned bit, enum frame_flag flag)
{
	return kpf(r, bit) ? flag : 0;
}

void module_frame(const struct vmc_run *r, bool hugetlb, struct frame_given *f)
{
	f->flags = FR_EXISTS | flag_if(r, KPF_ANON, FR_ANON) | flag_if(r, KPF_KSM, FR_KSM) |
		   flag_if(r, KPF_SWAPBACKED, FR_SWAPBACKED) | flag_if(r, KPF_DIRTY, FR_DIRTY) |
		   (referenced(r) ? FR_REFERENCED : 0) | flag_if(r, KPF_LRU, FR_LRU) |
		   flag_if(r, KPF_SWAPCACHE, FR_SWAPCACHE) |
		   flag_if(r, KPF_COMPOUND_HEAD, FR_HEAD) | flag_if(r, KPF_COMPOUND_TAIL, FR_TAIL) |
		   flag_if(r, KPF_HWPOISON, FR_HWPOISON) | (kpf(r, KPF_ANON) ? 0 : FR_CACHE) |
		   (r->refcount == 1 ? FR_SINGLE : 0) | (hugetlb ? FR_HUGETLB : 0);
	f->mapcount = r->mapcount;
}

/* ---- usage ------------------------------------------------------------------------------ */

static void add_swap(const struct snapshot *s, const struct vmc_run *r, struct usage *u)
{
	const struct module *m = s->k->capture->module;
	uint64_t page = UINT64_C(1) << s->k->page_shift;

	u->swap += r->pages * page;
	u->swap_ptes += r->pages * page;
	for (uint32_t i = 0; i < r->pages; i++)
		u->swap_pss += (page << PSS_SHIFT) / hash_get(&m->slots, module_slot(r, i));
}

static void add_by_class(const struct vmc_run *r, uint64_t bytes, uint64_t pss, bool dirty,
			 struct usage *u)
{
	bool huge = r->pte & VMC_HUGE;

	if (kpf(r, KPF_ANON)) {
		u->rss_anon += bytes;
		u->pss_anon += pss;
		u->anonymous += bytes;
		u->lazyfree += !kpf(r, KPF_SWAPBACKED) && !dirty ? bytes : 0;
		u->anon_huge += huge ? bytes : 0;
	} else if (kpf(r, KPF_SWAPBACKED)) {
		u->rss_shmem += bytes;
		u->pss_shmem += pss;
		u->shmem_huge += huge ? bytes : 0;
	} else {
		u->rss_file += bytes;
		u->pss_file += pss;
		u->file_huge += huge ? bytes : 0;
	}
}

static void add_present(const struct snapshot *s, const struct vmc_run *r, bool locked,
			struct usage *u)
{
	uint64_t page = UINT64_C(1) << s->k->page_shift, bytes = r->pages * page;
	bool private = r->mapcount < 2 || r->refcount == 1;
	uint64_t pss = r->pages * ((page << PSS_SHIFT) / (private ? 1 : r->mapcount));
	bool dirty = r->pte & VMC_DIRTY || kpf(r, KPF_DIRTY);

	u->rss += bytes;
	u->pss += pss;
	add_by_class(r, bytes, pss, dirty, u);
	u->pss_dirty += dirty ? pss : 0;
	u->pss_locked += locked ? pss : 0;
	u->referenced += r->pte & VMC_YOUNG || referenced(r) ? bytes : 0;
	u->ksm += kpf(r, KPF_KSM) ? bytes : 0;
	if (private)
		*(dirty ? &u->private_dirty : &u->private_clean) += bytes;
	else
		*(dirty ? &u->shared_dirty : &u->shared_clean) += bytes;
}

void module_usage(const struct snapshot *s, size_t at)
{
	const struct module *m = s->k->capture->module;
	const struct module_vma *mv = &m->vmas.v[at];
	struct vma *v = &s->vmas[at];
	struct usage *u = &v->usage;

	u->swap += mv->swapped << s->k->page_shift;
	for (size_t i = mv->first_run; i < mv->first_run + mv->nruns; i++) {
		const struct vmc_run *r = &m->runs.v[i];
		uint64_t bytes = (uint64_t)r->pages << s->k->page_shift;

		if (r->pte & VMC_SWAP)
			add_swap(s, r, u);
		else if (!module_is_page(r))
			u->special += r->pte & VMC_PRESENT ? bytes : 0;
		else if (mv->kind == VMC_HUGETLB_VMA)
			*(r->mapcount < 2 ? &u->private_hugetlb : &u->shared_hugetlb) += bytes;
		else
			add_present(s, r, v->flags & VMA_LOCKED, u);
	}
}

/* ---- one VMA again ------------------------------------------------------------------------- */

static uint16_t pte_flags(const struct vmc_run *r)
{
	return (uint16_t)((r->pte & VMC_WRITE ? PTE_WRITE : 0) |
			  (r->pte & VMC_DIRTY ? PTE_DIRTY : 0) |
			  (r->pte & VMC_YOUNG ? PTE_YOUNG : 0) |
			  (r->pte & VMC_SPECIAL ? PTE_SPECIAL : 0) |
			  (r->pte & VMC_EXEC ? PTE_EXEC : 0));
}

static bool walk_page(const struct snapshot *s, const struct vmc_run *r, uint32_t i,
		      bool (*fn)(void *arg, const struct vma_page *p), void *arg)
{
	unsigned shift = s->k->page_shift;
	uint64_t va = r->va + ((uint64_t)i << shift), where = r->where + i;
	struct capture_page written = {
		.va = va,
		.flags = r->kpf,
		.count = r->refcount,
		.bits = ptebits_encode(s->k->capture->bits, pte_flags(r)),
	};
	struct vma_page p = {
		.va = va,
		.shift = shift,
		.pte = { .swap_offset = where,
			 .kind = PTE_SWAP,
			 .flags = pte_flags(r),
			 .swap_type = (uint8_t)(r->pte >> VMC_SWAP_TYPE_SHIFT) },
		.captured = &written,
	};

	if (r->pte & VMC_PRESENT) {
		p.pfn = where;
		p.pte.pa = written.pa = where << shift;
		p.pte.kind = PTE_PAGE;
		if (module_is_page(r))
			p.frame = frame_at(&s->frames, where);
	}
	if (p.frame && !(p.frame->flags & FR_EXISTS))
		p.frame = NULL;
	return fn(arg, &p);
}

void module_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
		 bool (*fn)(void *arg, const struct vma_page *p), void *arg)
{
	const struct module *m = s->k->capture->module;
	const struct module_vma *mv = &m->vmas.v[v - s->vmas];

	(void)r;
	for (size_t i = mv->first_run; i < mv->first_run + mv->nruns; i++)
		for (uint32_t j = 0; j < m->runs.v[i].pages; j++)
			if (!walk_page(s, &m->runs.v[i], j, fn, arg))
				return;
}
