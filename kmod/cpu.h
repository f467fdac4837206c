/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that this module does differently from CPU to CPU; no other file names a CPU.
 * A module cannot link the program's arch/. It uses the kernel's own macros, for the
 * one CPU that it is built for.
 */
#ifndef VMCENSUS_CPU_H
#define VMCENSUS_CPU_H

#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/version.h>

#include "format.h"

/* Not all CPUs have pte_exec(): without it the mapping decides. */
#ifdef CONFIG_X86
#define cpu_may_exec(pte, vma) pte_exec(pte)
#else
#define cpu_may_exec(pte, vma) (!!((vma)->vm_flags & VM_EXEC))
#endif

/* pte_lockptr(), which asks pmd_page(): PowerPC exports none to modules. */
static inline spinlock_t *cpu_table_lock(struct mm_struct *mm, pmd_t *pmd)
{
#if defined(CONFIG_PPC64) && \
	(defined(CONFIG_SPLIT_PTE_PTLOCKS) || \
	 (LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0) && USE_SPLIT_PTE_PTLOCKS))
	struct page *page = virt_to_page((void *)pmd_page_vaddr(*pmd));

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return ptlock_ptr(page_ptdesc(page));
#else
	return ptlock_ptr(page);
#endif
#else
	return pte_lockptr(mm, pmd);
#endif
}

/* PowerPC's own pud_pfn() of 6.1 is BUILD_BUG(): no caller may compile. */
#ifdef CONFIG_PPC_BOOK3S_64
#define cpu_pfn_of_pud(pud) pte_pfn(pud_pte(pud))
#else
#define cpu_pfn_of_pud(pud) pud_pfn(pud)
#endif

/* e500 without transparent huge pages: a huge entry in a pmd is a pte (6.11) for its own
   part of the page. */
#if !defined(CONFIG_HAVE_ARCH_TRANSPARENT_HUGEPAGE) && defined(CONFIG_PPC_E500)
#define CPU_PTE_OF_PMD(pmd) __pte(pmd_val(pmd))
#endif

/*
 * 32-bit Book E up to 6.10 keeps each huge page in a table of its own: hugepd, which
 * mm/pagewalk.c handles.
 */
#if defined(CONFIG_PPC_E500) && defined(CONFIG_ARCH_HAS_HUGEPD)
static inline bool cpu_is_hugepd(pmd_t pmd)
{
	return is_hugepd(__hugepd(pmd_val(pmd)));
}

/* Under page_table_lock: the entry at VA, and the bytes that it maps. */
static inline pte_t cpu_hugepd_pte(pmd_t pmd, unsigned long va, unsigned long *size)
{
	hugepd_t dir = __hugepd(pmd_val(pmd));

	*size = 1ul << hugepd_shift(dir);
	return READ_ONCE(*hugepte_offset(dir, va, PMD_SHIFT));
}
#else
static inline bool cpu_is_hugepd(pmd_t pmd)
{
	return false;
}

static inline pte_t cpu_hugepd_pte(pmd_t pmd, unsigned long va, unsigned long *size)
{
	*size = PMD_SIZE;
	return __pte(0);
}
#endif

/* Low bits of the entry of RUN, as arch/ptebits.h describes them. */
static inline unsigned long cpu_raw_bits(const struct vmc_run *run)
{
#ifdef CONFIG_X86
	return _PAGE_PRESENT | _PAGE_USER | (run->pte & VMC_WRITE ? _PAGE_RW : 0) |
	       (run->pte & VMC_YOUNG ? _PAGE_ACCESSED : 0) |
	       (run->pte & VMC_DIRTY ? _PAGE_DIRTY : 0);
#else
	/* PowerPC 40x, the machine of the paper: readers of its files know these */
	return 0x012 | (run->pte & VMC_WRITE ? 0x040 : 0) | (run->pte & VMC_YOUNG ? 0x400 : 0) |
	       (run->pte & VMC_DIRTY ? 0x080 : 0);
#endif
}

#endif
