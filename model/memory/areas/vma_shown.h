/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vma_shown.h - parts of smaps and maps beyond a process's vmas: THPeligible, protection
 * keys, the [vsyscall] page (model/kernel/mm/thp.h, gate.h), stacks of processes that share an mm.
 */
#ifndef VMCENSUS_VMA_SHOWN_H
#define VMCENSUS_VMA_SHOWN_H

#include "model/model.h"

struct vma_shown;

/* Never NULL. For use by one thread; S and MEM must live as long. If the source has no memory,
   every answer is "no". */
struct vma_shown *vma_shown_new(const struct snapshot *s, struct arena *mem);
void vma_shown_free(struct vma_shown *x);

/* May V have huge pages? */
bool vma_shown_thp(struct vma_shown *x, const struct vma *v);
/* The name of V in the maps of P, which may be NULL. It is in MEM or S. */
const char *vma_shown_name(struct vma_shown *x, const struct vma *v, const struct proc *p);
/* Has smaps ProtectionKey lines? */
bool vma_shown_pkeys(const struct vma_shown *x);
/* The [vsyscall] page as a vma, if the processes of M see it; otherwise NULL. It is in MEM, as
   all of X. */
const struct vma *vma_shown_gate(const struct vma_shown *x, const struct mm *m);

#endif
