/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * module.h - data of vmcensus.ko beyond that of a text collector: runs of entries with the
 * facts of their pages, swapped pages, owners.
 */
#ifndef VMCENSUS_MODULE_H
#define VMCENSUS_MODULE_H

#include "kmod/format.h"
#include "model/memory/source/capture.h"

struct frame_given;		/* model/memory/frames/frames.h */

/* For one VMA, in addition to its struct capture_vma. */
struct module_vma {
	uint64_t pgoff, ino, size, swapped, inode, huge_bytes;
	uint32_t major, minor, kind;
	const char *name;		/* as maps prints it; never NULL */
	size_t first_run, nruns;
};

/* Indices are those of the lists of struct capture; all in this machine's order. */
struct module {
	struct vmc_header header;
	VEC(struct vmc_task) tasks;
	VEC(struct vmc_mm) mms;		/* .mm 0: none was given */
	VEC(const char *) exes;		/* of them, NULL: unknown */
	VEC(struct module_vma) vmas;
	VEC(struct vmc_run) runs;
	uint64_t pages_left;		/* that runs may still have: limits the work */
	struct hash slots;		/* swap slot -> entries that name it */
	struct arena *mem;
};

extern const struct capture_format capture_module;

/* Does a run have frames? Otherwise WHERE is an offset in a swap area, or unused. */
static inline bool module_is_page(const struct vmc_run *r)
{
	return r->pte & (VMC_PRESENT | VMC_MIGRATION | VMC_DEVICE) && !(r->pte & VMC_SPECIAL);
}

/* The slot of page I of a run of swapped ones, as a key. */
static inline uint64_t module_slot(const struct vmc_run *r, uint32_t i)
{
	/* never 0; no area has more than 2^55 pages */
	return (uint64_t)(r->pte >> VMC_SWAP_TYPE_SHIFT) << 56 | UINT64_C(1) << 55 |
	       ((r->where + i) & ((UINT64_C(1) << 55) - 1));
}

/* For capture/snapshot.c. */
void module_machine(struct kernel *k);
/* TASK is the number of a task of the capture. */
void module_task(const struct module *m, uint32_t task, struct task *to);
void module_proc(const struct module *m, uint32_t task, struct proc *to);
void module_mm(const struct module *m, uint32_t mm, struct mm *to);
/* Names and files, which are in MEM. */
void module_vma(const struct module *m, size_t at, const struct kernel *k, struct vma *v,
		const struct mm *mm);
void module_file(const struct module *m, size_t at, struct file *f);
/* Fills F with the facts of R about its pages. */
void module_frame(const struct vmc_run *r, bool hugetlb, struct frame_given *f);
void module_usage(const struct snapshot *s, size_t at);
void module_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
		 bool (*fn)(void *arg, const struct vma_page *p), void *arg);

#endif
