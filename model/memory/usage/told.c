/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * told.c - where an entry tells what its frame is.
 *
 * Why a writable entry of a private mapping maps an anonymous page, and alone (mm/memory.c unless
 * said):
 *  - Pages of files and of the page cache are mapped without the write bit there: vm_page_prot of a
 *    private vma has none (protection_map[]), and maybe_mkwrite() is called for copies.
 *  - fork() takes the bit from both entries (copy_present_pte(), copy_present_ptes() since v6.9). A
 *    pinned page stays writable in the parent, and the child gets a copy of its own (70e806e4e645,
 *    v5.9). A CPU that stops there has counted the second mapping of one page before it took the bit:
 *    the page counts whole for the parent, whose entry is the only one.
 *  - A page that was write-protected becomes writable only where nobody else maps it: do_wp_page()
 *    asks for its count of references (09854ba94c6a, v5.9), since v5.19 for PageAnonExclusive()
 *    (6c287605fd56); before v5.18 do_swap_page() asks reuse_swap_page(). mprotect() made no entry of
 *    private memory writable until can_change_pte_writable(), which asks PageAnonExclusive()
 *    (64fe24a3e05e, v6.1).
 *  - A page of KSM and the page that becomes one are write-protected (write_protect_page() and
 *    replace_page(), mm/ksm.c). So are zero pages, which are special too.
 *  - A private mapping of DAX has copies of its own (cow_page in dax_iomap_pte_fault(), fs/dax.c), and
 *    device memory that is mapped as it is has the bit of devices, or is in a vma with VM_MIXEDMAP.
 *
 * What is not proven is read as ever: other CPUs, kernels before 5.10 (RULE_WRITABLE_ONCE) and those
 * without a bit for special entries (RULE_PTE_SPECIAL), huge entries, hugetlb, vmas of userfaultfd,
 * mappings of drivers, tmpfs and special files, averages in place of mapcounts (v6.15), and an image in
 * which children inside fork() cannot all be found (snapshot.forks_known).
 */
#include "model/memory/usage/told.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/log.h"
#include "dumpread/base/search.h"
#include "facts/layout/page.h"
#include "model/kernel/kobj.h"
#include "model/kernel/source.h"
#include "model/memory/frames/frames.h"

#define SAMPLE 32u	/* of so many chunks one is compared */

/* VM_UFFD_MISSING and VM_UFFD_WP (16ba6f811dfe, v4.3). VM_UFFD_MINOR (7677f7fd8be7, v5.13) is of shared
   memory and hugetlb alone. */
#define VMA_UFFD (UINT64_C(0x200) | 0x1000)

/* ---- where ------------------------------------------------------------------------------- */

static bool is_proven(const struct kernel *k)
{
	return k->arch && k->arch->elf_machine == EM_X86_64 && kernel_rule(k, RULE_WRITABLE_ONCE) &&
	       kernel_rule(k, RULE_PTE_SPECIAL) && has(k, M_PAGE_MAPCOUNT);
}

static bool is_wanted(const struct snapshot *s)
{
	return s->sizes_only && !s->asked && !(s->built & (NEED_FOUND | NEED_SIZES | NEED_CLASSES));
}

static bool holds(const struct snapshot *s)
{
	return is_wanted(s) && s->frames.store && s->frames.store->k && !s->k->dump->live &&
	       source_has(s->k, SOURCE_MEMORY) && !source_has(s->k, SOURCE_CHANGES) &&
	       !s->frames.average && s->forks_known && is_proven(s->k);
}

bool told_vma(const struct snapshot *s, const struct vma *v)
{
	uint64_t never = VMA_SHARED | VMA_MAYSHARE | VMA_PFNMAP | VMA_MIXEDMAP | VMA_IO |
			 VMA_HUGETLB | VMA_UFFD;

	if (v->flags & never || !(v->flags & VMA_WRITE))
		return false;
	/* without a file, operations are those of a driver or of a special mapping */
	return v->file < s->nfiles ? s->files[v->file].kind == FILE_REGULAR
				   : v->file == NONE && !v->file_addr && !v->ops;
}

/* ---- the sample ---------------------------------------------------------------------------- */

/* Have all frames of chunk C struct pages, and are none of a device or offline? */
static bool is_memory(const struct memmap *m, uint64_t c)
{
	uint64_t pfn = c << FRAME_CHUNK_SHIFT, end = pfn + FRAME_CHUNK;
	uint32_t i = search_first(m->n, mid, m->v[mid].end <= pfn), d;

	for (; i < m->n && pfn < end && m->v[i].pfn <= pfn; i++) {
		if (m->v[i].offline || m->v[i].tainted)
			return false;
		pfn = m->v[i].end;
	}
	d = search_first(m->ndevices, mid, m->devices[mid].end <= c << FRAME_CHUNK_SHIFT);
	return pfn >= end && (d == m->ndevices || m->devices[d].pfn >= end);
}

/* One of each SAMPLE chunks, and those that are not memory from end to end. */
static bool *choose(const struct snapshot *s)
{
	const struct frames *f = &s->frames;
	bool *whole = heap_array(bool, f->nchunks);

	for (uint64_t first = 0; first < f->nchunks; first += SAMPLE) {
		uint64_t n = min_u64(SAMPLE, f->nchunks - first);

		for (uint64_t i = 0; i < n; i++)
			whole[first + i] = !is_memory(&s->k->memmap, first + i);
		whole[first + frame_hash(first) % n] = true;
	}
	return whole;
}

struct told *told_new(const struct snapshot *s)
{
	struct told *t;
	bool *whole;

	if (!holds(s))
		return NULL;
	t = heap_array(struct told, 1);
	t->nchunks = s->frames.nchunks;
	t->whole = whole = choose(s);
	frames_in_parts(&s->frames, whole);
	return t;
}

void told_end(struct snapshot *s, struct told *t)
{
	uint64_t whole = 0, there = 0;

	if (!t)
		return;
	for (uint64_t c = frames_next_chunk(&s->frames, 0); c < t->nchunks;
	     c = frames_next_chunk(&s->frames, c + 1)) {
		whole += t->whole[c];
		there++;
	}
	s->told_pages = t->pages;
	log_info(s->k->dump->log,
		 "memory: %" PRIu64 " pages were told by page tables; %" PRIu64 " of %" PRIu64
		 " chunks of page frames are compared with the walk",
		 t->pages, whole, there);
	free(t);
}
