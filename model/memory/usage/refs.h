/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refs.h - the arithmetic of exmap: every reference to a page is counted here, and every
 * page is divided by that count.
 *
 * A reference is one page-table entry that maps a frame, or one that names a swap slot,
 * over all VMAs of all mms; a reference from an mm counts once for each process that uses
 * the mm. The kernel's mapcount is not used. The zero page, the vdso, pages of devices and
 * hugetlb are pages like any other, as in /proc/PID/pagemap; huge entries count as the
 * small pages they map. Entries of migrating, device-private and poisoned pages refer to
 * their frame and are mapped, not resident. If a page is in the swap cache and mapped by
 * one process while another still has its slot, it is two pages.
 */
#ifndef VMCENSUS_REFS_H
#define VMCENSUS_REFS_H

#include "model/model.h"

/* A sum of effective sizes, bytes << SIZES_SHIFT: in 128 bits if the compiler has such an
   integer, otherwise in 64, for at most 2^44 bytes. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 effective_t;
#define SIZES_SHIFT 32
#else
typedef uint64_t effective_t;
#define SIZES_SHIFT 20
#endif

/*
 * The cost of a range of memory. Bytes; the effective sizes << SIZES_SHIFT, cut off for
 * each page, so that sums do not depend on the order: shift once, after adding up.
 */
struct sizes {
	uint64_t vm;			/* virtual size */
	uint64_t mapped;		/* has a page, in memory or in swap */
	uint64_t sole;			/* of mapped: with only this reference */
	uint64_t resident;		/* of mapped: in memory */
	uint64_t writable;		/* of resident: by a writable entry */
	uint64_t device;		/* only of vm: mapped, its references not counted
					   (device memory beyond what REFS_DEVICE_CHUNKS hold) */
	effective_t eff_mapped, eff_resident;	/* each page divided by its references */
};

void sizes_add(struct sizes *sum, const struct sizes *z);
/* Z for each of N processes. */
void sizes_add_times(struct sizes *sum, const struct sizes *z, uint32_t n);
/* Bytes of an effective size, rounded. */
static inline uint64_t sizes_bytes(effective_t effective)
{
	return (uint64_t)((effective + (UINT32_C(1) << (SIZES_SHIFT - 1))) >> SIZES_SHIFT);
}

/*
 * Counters are 4 bytes, in chunks (refcounts.h) that exist only where something is mapped:
 * at most 4 bytes for each frame of RAM, 32 MiB for frames that are no RAM, and 4 bytes
 * for each swap slot in use.
 */
#define REFS_DEVICE_CHUNKS 256

struct refs;

/* Counts all references: one pass over all page tables, in parallel. */
struct refs *refs_count(const struct snapshot *s);
void refs_free(struct refs *f);

/*
 * Counters that the walk for usage fills, in place of refs_count(): of what frame_found() does not
 * count. A reference to a frame is found, or counted here.
 *     refs_beside_mappings(s)     before the walk
 *     refs_beside_new(f)          once a thread; free() it
 *     refs_beside_vma()           for each range; returns how many references an entry is
 *     refs_beside()               for each entry that is no mapping, or more than one reference
 *     refs_beside_done()          after frames were compared (NEED_FOUND)
 */
struct refs_walker;
struct refs *refs_beside_mappings(const struct snapshot *s);
struct refs_walker *refs_beside_new(struct refs *f);
uint32_t refs_beside_vma(struct refs_walker *w, const struct vma *v, uint64_t start, uint64_t end);
void refs_beside(struct refs_walker *w, uint64_t va, unsigned shift, const struct pte *e,
		 bool mapping);
/* From the walk: there is something that cannot be counted so. */
void refs_beside_odd(struct refs_walker *w);
/* False: something cannot be counted so; call refs_count(). *EQUAL: references to frames that are
   found are their mapcounts. */
bool refs_beside_done(struct refs *f, bool *equal);
/* False: all counters would have taken more memory than is allowed. */
bool refs_complete(const struct refs *f);

/* References to a frame; 0: none, or not counted. */
uint32_t refs_of_frame(const struct refs *f, uint64_t pfn);

/*
 * References to the object of the non-present entry E: a swap slot, or a frame for
 * migrating pages and the like. 0: E names neither (a marker), or it was not counted.
 */
uint32_t refs_of_absent(const struct refs *f, const struct pte *e, bool *slot);

/*
 * Sizes of the bytes [start, end) of VMA, which may begin and end within a page. R may be
 * NULL if no page table is read. Thread-safe with one reader per thread.
 */
void refs_sizes(struct refs *f, struct reader *r, const struct vma *v, uint64_t start,
		uint64_t end, struct sizes *ret);

/* Sizes of the VMAs of all mms whose pages are asked for into Z[nvmas]: a
   second pass. */
void refs_vma_sizes(struct refs *f, struct sizes *z);

#endif
