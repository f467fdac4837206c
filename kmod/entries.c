// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page-table entries of one process, by hand.
 *
 * No kernel from 5.10 to 7.3 exports walk_page_range() or pte_offset_map_lock() to
 * modules, so the tables are walked only with the macros of asm/pgtable.h, as
 * mm/pagewalk.c and __pte_offset_map_lock() (mm/pgtable-generic.c, 6.5) do it.
 * mmap_lock is held, which keeps free_pgtables() away. Every upper entry is read once
 * and used as it was read. Entries of the last level are read under the lock of their
 * table: their pages stay mapped and so keep their meaning. Tables of ptes may go
 * although mmap_lock is held (collapse to huge pages, 6.6; empty tables, 6.14): RCU
 * frees them, and once locked they are looked up again. Neither lock keeps tables that
 * processes share (hugetlb, huge_pmd_unshare()): for these i_mmap_rwsem is held.
 */
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/kernel-page-flags.h>
#include <linux/pagemap.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/version.h>

#include "census.h"
#include "cpu.h"

#ifdef CONFIG_HIGHPTE
#error "page tables in highmem (CONFIG_HIGHPTE) are not read by this module"
#endif

/* ---- pages --------------------------------------------------------------------- */

/* memdesc_flags_t since 6.18 */
static unsigned long page_flags_of(const struct page *page)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	return READ_ONCE(page->flags.f);
#else
	return READ_ONCE(page->flags);
#endif
}

static struct page *page_of(u64 pfn)
{
	return pfn_valid(pfn) ? pfn_to_page(pfn) : NULL;
}

unsigned long entries_page_flags(u64 pfn)
{
	struct page *page = page_of(pfn);

	return page ? page_flags_of(page) : 0;
}

/* Page flags that are bits of /proc/kpageflags too (fs/proc/page.c). */
static const struct {
	u8 kpf, pg;
} flag_map[] = {
	{ KPF_LOCKED, PG_locked }, { KPF_REFERENCED, PG_referenced },
	{ KPF_UPTODATE, PG_uptodate }, { KPF_DIRTY, PG_dirty }, { KPF_LRU, PG_lru },
	{ KPF_ACTIVE, PG_active }, { KPF_WRITEBACK, PG_writeback },
	{ KPF_RECLAIM, PG_reclaim }, { KPF_SWAPBACKED, PG_swapbacked },
	{ KPF_UNEVICTABLE, PG_unevictable },
#ifdef CONFIG_MEMORY_FAILURE
	{ KPF_HWPOISON, PG_hwpoison },
#endif
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
/* page_mapcount() went in 6.11; as folio_precise_page_mapcount(), fs/proc/internal.h */
static unsigned int mapcount_of(struct page *page)
{
	struct folio *folio = page_folio(page);
	int n;

#ifdef CONFIG_NO_PAGE_MAPCOUNT
	if (folio_test_large(folio)) {
		n = DIV_ROUND_CLOSEST(folio_mapcount(folio), folio_nr_pages(folio));
		return n ? n : folio_mapcount(folio) > 0;
	}
#endif
	n = atomic_read(&page->_mapcount) + 1;
	if (page_mapcount_is_type(n))
		n = 0;
	if (folio_test_large(folio))
		n += folio_entire_mapcount(folio);
	return max(n, 0);
}
#else
static unsigned int mapcount_of(struct page *page)
{
	return max(page_mapcount(page), 0);
}
#endif

static u64 kpf_of(struct page *page)
{
	struct page *head = compound_head(page);
	unsigned long mapping = (unsigned long)READ_ONCE(head->mapping);
	unsigned long flags = page_flags_of(head);
	u64 kpf = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flag_map); i++)
		kpf |= (u64)(flags >> flag_map[i].pg & 1) << flag_map[i].kpf;
	/* bits of page->mapping: anonymous 1, ksm 3 (PAGE_MAPPING_*, FOLIO_MAPPING_*) */
	kpf |= (u64)(mapping & 1) << KPF_ANON;
	kpf |= (u64)((mapping & 3) == 3) << KPF_KSM;
	if (flags & 1ul << PG_swapbacked && flags & 1ul << PG_swapcache)
		kpf |= 1ull << KPF_SWAPCACHE;
#if defined(CONFIG_64BIT) && (defined(CONFIG_PAGE_IDLE_FLAG) || \
			      defined(CONFIG_IDLE_PAGE_TRACKING))
	kpf |= (u64)(flags >> PG_young & 1) << VMC_KPF_YOUNG;
#endif
	if (PageCompound(page))
		kpf |= 1ull << (head == page ? KPF_COMPOUND_HEAD : KPF_COMPOUND_TAIL);
	return kpf;
}

static void describe(struct vmc_run *run, struct page *page)
{
	run->kpf = kpf_of(page);
	run->mapcount = mapcount_of(page);
	run->refcount = page_count(page);
}

/* ---- runs ---------------------------------------------------------------------- */

struct entries {
	struct vmc_run *runs;
	unsigned int n;
};

static bool goes_on(const struct vmc_run *a, const struct vmc_run *b)
{
	return a->va + ((u64)a->pages << PAGE_SHIFT) == b->va &&
	       a->where + a->pages == b->where && a->kpf == b->kpf && a->pte == b->pte &&
	       a->mapcount == b->mapcount && a->refcount == b->refcount;
}

static void add(struct entries *e, const struct vmc_run *run)
{
	if (e->n && goes_on(&e->runs[e->n - 1], run))
		e->runs[e->n - 1].pages += run->pages;
	else
		e->runs[e->n++] = *run;
}

/* PAGES pages of an entry, each with a struct page of its own. */
static void add_mapped(struct entries *e, unsigned long va, u64 pfn, unsigned int pages, u32 pte)
{
	struct vmc_run run = { .pages = 1, .pte = pte };
	unsigned int i;

	for (i = 0; i < pages; i++) {
		struct page *page = page_of(pfn + i);

		run.va = va + ((unsigned long)i << PAGE_SHIFT);
		run.where = pfn + i;
		run.kpf = 0;
		run.mapcount = 0;
		run.refcount = 0;
		run.pte = pte;
		if (page && !(pte & VMC_SPECIAL))
			describe(&run, page);
		else
			run.pte |= VMC_SPECIAL;
		add(e, &run);
	}
}

static u32 bits_if(bool write, bool dirty, bool young, bool exec)
{
	return VMC_PRESENT | (write ? VMC_WRITE : 0) | (dirty ? VMC_DIRTY : 0) |
	       (young ? VMC_YOUNG : 0) | (exec ? VMC_EXEC : 0);
}

/* ---- entries that are not present ----------------------------------------------- */

static u32 kind_of(unsigned int type)
{
	if (type < MAX_SWAPFILES)
		return VMC_SWAP;
#ifdef CONFIG_MIGRATION
	if (type >= SWP_MIGRATION_READ && type <= SWP_MIGRATION_WRITE)
		return VMC_MIGRATION;
#endif
#ifdef CONFIG_DEVICE_PRIVATE
	if (type == SWP_DEVICE_READ || type == SWP_DEVICE_WRITE)
		return VMC_DEVICE;
#endif
	return VMC_OTHER;
}

/* Migration entries keep two bits above the pfn since 6.1 (SWP_MIG_YOUNG_BIT ...). */
static u64 pfn_of_offset(u64 offset)
{
#ifdef SWP_PFN_MASK
	return offset & SWP_PFN_MASK;
#else
	return offset;
#endif
}

static void add_other(struct entries *e, unsigned long va, unsigned int type, u64 offset,
		      unsigned int pages)
{
	struct vmc_run run = {
		.va = va, .where = offset, .pages = pages,
		.pte = kind_of(type) | (type & 0xff) << VMC_SWAP_TYPE_SHIFT,
	};

	if (run.pte & (VMC_MIGRATION | VMC_DEVICE)) {
		struct page *page = page_of(pfn_of_offset(offset));

		run.where = pfn_of_offset(offset);
		if (page)
			describe(&run, page);
	}
	add(e, &run);
}

/* ---- one level after the other ------------------------------------------------- */

static void add_pte(struct entries *e, struct vm_area_struct *vma, unsigned long va, pte_t pte)
{
	if (pte_none(pte))
		return;
	if (pte_present(pte)) {
		u32 bits = bits_if(pte_write(pte), pte_dirty(pte), pte_young(pte),
				   cpu_may_exec(pte, vma));

		if (pte_special(pte))
			bits |= VMC_SPECIAL;
		add_mapped(e, va, pte_pfn(pte), 1, bits);
	} else {
		swp_entry_t raw = __pte_to_swp_entry(pte);

		add_other(e, va, __swp_type(raw), __swp_offset(raw), 1);
	}
}

/* False: the table that PMD at *AT names is gone. */
static bool add_table(struct entries *e, struct vm_area_struct *vma, pmd_t *at, pmd_t pmd,
		      unsigned long va, unsigned long end)
{
	spinlock_t *lock = cpu_table_lock(vma->vm_mm, &pmd);
	bool there;

	spin_lock(lock);
	there = pmd_same(pmd, READ_ONCE(*at));
	if (there) {
		pte_t *table = pte_offset_kernel(&pmd, va);

		for (; va < end; va += PAGE_SIZE, table++)
			add_pte(e, vma, va, ptep_get(table));
	}
	spin_unlock(lock);
	return there;
}

/*
 * An entry of SIZE bytes, mapped at VA & -SIZE with PFN: its part in [va, end).
 * Not all CPUs have huge pages.
 */
static unsigned long __maybe_unused add_leaf(struct entries *e, unsigned long va,
					     unsigned long end, unsigned long size, u64 pfn,
					     u32 bits)
{
	unsigned long base = va & -size, stop = min(end, base + size);
	u64 first = pfn + ((va - base) >> PAGE_SHIFT);
	unsigned int pages = min_t(unsigned long, (stop - va) >> PAGE_SHIFT, RUNS_MAX);
	struct page *page = page_of(first);

	/* the huge zero page: of no file, and not anonymous */
	if (page && PageCompound(page) && !READ_ONCE(compound_head(page)->mapping))
		bits |= VMC_SPECIAL;
	/* smaps_pmd_entry() counts no huge pages of devices as such */
	add_mapped(e, va, first, pages, bits | (page && is_zone_device_page(page) ? 0 : VMC_HUGE));
	return va + ((unsigned long)pages << PAGE_SHIFT);
}

#ifdef CONFIG_ARCH_ENABLE_THP_MIGRATION
static void add_other_pmd(struct entries *e, unsigned long va, unsigned long end, pmd_t pmd)
{
	swp_entry_t raw = __pmd_to_swp_entry(pmd);
	unsigned long stop = min(end, (va & PMD_MASK) + PMD_SIZE);
	u64 offset = __swp_offset(raw) + ((va & ~PMD_MASK) >> PAGE_SHIFT);

	add_other(e, va, __swp_type(raw), offset, (stop - va) >> PAGE_SHIFT);
}
#else
static void add_other_pmd(struct entries *e, unsigned long va, unsigned long end, pmd_t pmd)
{
}
#endif

/*
 * Entries of upper tables that map memory.  A CPU without huge pages there has no
 * macros for their bits.
 */
#ifdef CONFIG_HAVE_ARCH_TRANSPARENT_HUGEPAGE
/* Under PROT_NONE, 6.1 to 6.4: smaps counts no page then (follow_trans_huge_pmd()). */
static u32 passed_over(const struct vm_area_struct *vma, pmd_t pmd)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	return pmd_protnone(pmd) && !(vma->vm_flags & VM_HUGETLB) ? VMC_SPECIAL : 0;
#else
	return 0;
#endif
}

/* Is this an entry that vm_normal_page_pmd() gives no page for? */
static bool of_devices(pmd_t pmd)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return pmd_special(pmd);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return pmd_devmap(pmd) || pmd_special(pmd);
#else
	return pmd_devmap(pmd);
#endif
}

/* Up to 6.2 smaps takes the first page of such an entry for all of it (follow_trans_huge_pmd()). */
static unsigned long first_page(unsigned long va, pmd_t pmd)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	return of_devices(pmd) && !(va & ~PMD_MASK) ? PAGE_SIZE : 0;
#else
	return 0;
#endif
}

static unsigned long add_pmd_leaf(struct entries *e, struct vm_area_struct *vma,
				  unsigned long va, unsigned long end, pmd_t pmd)
{
	u32 bits = bits_if(pmd_write(pmd), pmd_dirty(pmd), pmd_young(pmd),
			   vma->vm_flags & VM_EXEC) | passed_over(vma, pmd);
	unsigned long first = first_page(va, pmd);

	if (first)
		va = add_leaf(e, va, va + first, PMD_SIZE, pmd_pfn(pmd), bits);
	if (va == end)
		return va;
	return add_leaf(e, va, end, PMD_SIZE, pmd_pfn(pmd),
			bits | (of_devices(pmd) ? VMC_SPECIAL : 0));
}

static unsigned long add_pud_leaf(struct entries *e, struct vm_area_struct *vma,
				  unsigned long va, unsigned long end, pud_t pud)
{
	return add_leaf(e, va, end, PUD_SIZE, cpu_pfn_of_pud(pud),
			bits_if(vma->vm_flags & VM_WRITE, true, true,
				vma->vm_flags & VM_EXEC));
}
#elif defined(CPU_PTE_OF_PMD)
static unsigned long add_pmd_leaf(struct entries *e, struct vm_area_struct *vma,
				  unsigned long va, unsigned long end, pmd_t pmd)
{
	pte_t pte = CPU_PTE_OF_PMD(pmd);

	return add_leaf(e, va, end, PMD_SIZE, pte_pfn(pte),
			bits_if(pte_write(pte), pte_dirty(pte), pte_young(pte),
				cpu_may_exec(pte, vma)));
}
#define add_pud_leaf(e, vma, va, end, pud) min(end, (va & PUD_MASK) + PUD_SIZE)
#else
#define add_pmd_leaf(e, vma, va, end, pmd) min(end, (va & PMD_MASK) + PMD_SIZE)
#define add_pud_leaf(e, vma, va, end, pud) min(end, (va & PUD_MASK) + PUD_SIZE)
#endif

/* An entry that is no table, read again under its lock. False: it changed. */
static bool add_pmd(struct entries *e, struct vm_area_struct *vma, pmd_t *at, pmd_t pmd,
		    unsigned long va, unsigned long *end)
{
	spinlock_t *lock = pmd_lock(vma->vm_mm, at);
	bool there = pmd_same(pmd, READ_ONCE(*at));

	if (there && pmd_present(pmd))
		*end = add_pmd_leaf(e, vma, va, *end, pmd);
	else if (there)
		add_other_pmd(e, va, *end, pmd);
	spin_unlock(lock);
	return there;
}

/* A huge page in a table of its own. As in mm/pagewalk.c, one entry speaks for the whole page. */
static bool add_hugepd(struct entries *e, struct vm_area_struct *vma, pmd_t pmd,
		       unsigned long va, unsigned long end, unsigned long *next)
{
	unsigned long size;
	pte_t pte;

	if (!cpu_is_hugepd(pmd))
		return false;
	spin_lock(&vma->vm_mm->page_table_lock);
	pte = cpu_hugepd_pte(pmd, va, &size);
	if (pte_present(pte))
		*next = add_leaf(e, va, end, size, pte_pfn(pte),
				 bits_if(pte_write(pte), pte_dirty(pte), pte_young(pte),
					 cpu_may_exec(pte, vma)));
	spin_unlock(&vma->vm_mm->page_table_lock);
	return true;
}

/* These return where to go on. */
static unsigned long at_pmd(struct entries *e, struct vm_area_struct *vma, pmd_t *at,
			    unsigned long va, unsigned long end)
{
	unsigned long next;
	bool done;

	do {
		pmd_t pmd = READ_ONCE(*at);

		next = min(end, (va & PMD_MASK) + PMD_SIZE);
		if (pmd_none(pmd) || add_hugepd(e, vma, pmd, va, end, &next))
			break;
		if (!pmd_present(pmd) || pmd_leaf(pmd)) {
			done = add_pmd(e, vma, at, pmd, va, &next);
			continue;
		}
		if (pmd_bad(pmd))
			break;
		next = min(next, va + ((unsigned long)RUNS_MAX << PAGE_SHIFT));
		done = add_table(e, vma, at, pmd, va, next);
	} while (!done);
	return next;
}

static unsigned long at_pud(struct entries *e, struct vm_area_struct *vma, pud_t *at,
			    unsigned long va, unsigned long end)
{
	unsigned long next = min(end, (va & PUD_MASK) + PUD_SIZE);
	struct mm_struct *mm = vma->vm_mm;
	pud_t pud = READ_ONCE(*at);

	if (pud_none(pud) || !pud_present(pud))
		return next;
	if (pud_leaf(pud)) {
		spin_lock(&mm->page_table_lock);
		pud = READ_ONCE(*at);
		if (pud_present(pud) && pud_leaf(pud))
			next = add_pud_leaf(e, vma, va, end, pud);
		spin_unlock(&mm->page_table_lock);
		return next;
	}
	if (pud_bad(pud))
		return next;
	return at_pmd(e, vma, pmd_offset(&pud, va), va, end);
}

/* The entries of the lowest table, or the huge entry, that covers VA. */
static unsigned long at_address(struct entries *e, struct vm_area_struct *vma, unsigned long va,
				unsigned long end)
{
	pgd_t *pgd = pgd_offset(vma->vm_mm, va);
	p4d_t *p4d;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return min(end, (va & PGDIR_MASK) + PGDIR_SIZE);
	p4d = p4d_offset(pgd, va);
	if (p4d_none(*p4d) || p4d_bad(*p4d))
		return min(end, (va & P4D_MASK) + P4D_SIZE);
	return at_pud(e, vma, pud_offset(p4d, va), va, end);
}

unsigned int entries_get(struct vm_area_struct *vma, unsigned long *at, unsigned long end,
			 struct vmc_run *runs)
{
	struct entries e = { .runs = runs };
	struct address_space *shared =
		is_vm_hugetlb_page(vma) ? vma->vm_file->f_mapping : NULL;

	if (shared)
		i_mmap_lock_read(shared);
	while (!e.n && *at < end) {
		unsigned long next;

		rcu_read_lock();
		next = at_address(&e, vma, *at, end);
		rcu_read_unlock();
		*at = next > *at ? next : end;	/* the last region wraps around */
		cond_resched();
	}
	if (shared)
		i_mmap_unlock_read(shared);
	return e.n;
}
