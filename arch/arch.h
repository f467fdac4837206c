/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arch.h - CPUs and their page tables.
 *
 * A CPU family is a folder: rows of struct paging (geometry), decoders of about
 * fifteen lines, one struct arch in archs[] (arch.c). Bits that differ between CPUs
 * or releases are rows of data too, and paging_env.form says which row applies.
 * Nothing above arch/ knows a page-table bit.
 * arch/linear.h is for kernels that map memory at a known place. CONTRIBUTING.md
 * has the steps to add a CPU.
 *
 * Data flow: pgwalk() borrows one table page at a time through a reader,
 * decodes it whole with the row's decoder, and hands runs of decoded entries
 * to the visitor. It never recurses on data of the dump: depth is the
 * number of levels of the row.
 */
#ifndef VMCENSUS_ARCH_H
#define VMCENSUS_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "dumpread/dump.h"
#include "facts/layout.h"
#include "facts/release.h"

#define PAGING_LEVELS 5		/* most levels of any row */

enum pte_kind {
	PTE_NONE,		/* nothing here */
	PTE_TABLE,		/* points to a lower table at pa */
	PTE_PAGE,		/* maps memory at pa (present or PROT_NONE) */
	PTE_SWAP,		/* not present, not none: a swap or special entry */
	PTE_BAD,		/* cannot be true */
	PTE_HUGE_TABLE,		/* points to entries of the lowest level at pa, each of which
				   maps 1 << shift bytes (ppc's hugepd) */
};

enum pte_flag {			/* neutral bits, valid for PTE_PAGE unless said */
	PTE_WRITE = 1 << 0,
	PTE_DIRTY = 1 << 1,
	PTE_YOUNG = 1 << 2,
	PTE_SPECIAL = 1 << 3,	/* the kernel's pte_special(): no struct page */
	PTE_PROTNONE = 1 << 4,	/* present to Linux, not to the CPU */
	PTE_UFFD_WP = 1 << 5,	/* also PTE_SWAP */
	PTE_SOFT_DIRTY = 1 << 6,/* also PTE_SWAP */
	PTE_EXEC = 1 << 7,
	PTE_DEVMAP = 1 << 8,
	PTE_RAW_DIRTY = 1 << 9,	/* PTE_SWAP: pte_dirty() of the raw value */
	PTE_RAW_YOUNG = 1 << 10,/* PTE_SWAP: pte_young() of the raw value */
};

/* One entry, whatever the CPU. */
struct pte {
	union {
		uint64_t pa;		/* tables, PTE_PAGE: physical address */
		uint64_t swap_offset;	/* PTE_SWAP: offset of the swap entry */
	};
	uint16_t flags;		/* enum pte_flag */
	uint8_t kind;		/* enum pte_kind */
	union {
		uint8_t swap_type;	/* PTE_SWAP: raw type number */
		/* PTE_HUGE_TABLE; PTE_PAGE: not 0 if 1 << shift bytes are mapped by equal
		   neighbours. One that is decoded alone tells where these bytes begin. */
		uint8_t shift;
	};
	/* PTE_PAGE: so many entries from this one on map pages one after the other, with the same
	   flags; 0: not known, also if it is so */
	uint32_t run;
};

/* What a decoder must know about the machine; filled by arch_attach(). */
struct paging_env {
	uint64_t pa_mask;	/* physical address bits of an entry */
	uint64_t sme_mask;	/* encryption bit to clear, 0 if none */
	uint64_t max_pa;	/* highest address believed, exclusive */
	bool invert_swap;	/* x86: L1TF form of non-present entries */
	bool big_endian;	/* of the tables, not of the machine */
	bool saved_dirty;	/* x86: SAVED_DIRTY bit in use (6.6+) */
	uint8_t swap_form;	/* the family's own: layout of swap entries */
	uint8_t form;		/* the family's own: which bits mean what */
	uint64_t table_offset;	/* added to a table pointer, modulo 2^64: not 0
				   where those are kernel-virtual (ppc BOOKE) */
};

struct paging {
	const char *name;		/* "x86-64 4-level" */
	uint8_t page_shift;
	uint8_t entry_size[PAGING_LEVELS]; /* bytes, lowest level first (ppc 44x:
					   8-byte PTEs under 4-byte directories) */
	uint8_t nlevels;		/* 1..PAGING_LEVELS */
	uint8_t bits[PAGING_LEVELS];	/* index bits, lowest level first */
	uint8_t leaf_levels;		/* bit L set: level L may map memory */
	/* Decode N raw entries of LEVEL (0 = lowest) of the tables of P, this row, into OUT. */
	void (*decode)(const struct paging *p, const struct paging_env *env, unsigned level,
		       const uint8_t *raw, unsigned n, struct pte *out);
	/* log2 of the neighbours that a flag of one may belong to (arm64's contiguous
	   entries), or whose place says what they map (riscv64's NAPOT): pgwalk() has them
	   decoded together, RAW being the first; 0: each stands for itself */
	uint8_t group_bits[PAGING_LEVELS];
};

/* log2 of the bytes that one entry of LEVEL maps. */
unsigned paging_shift(const struct paging *p, unsigned level);

/* Memory that the kernel maps linearly by entries of one size. */
struct direct_size {
	const char *name;		/* "2M", of the line DirectMap2M in meminfo */
	uint8_t index;			/* in the kernel's direct_pages_count[] */
	uint8_t shift;			/* log2 of the size */
};

/* SECTION_SIZE_BITS and MAX_PHYSMEM_BITS (arch/<cpu>/include/asm/sparsemem.h). */
struct arch_sections { uint8_t section_bits, physmem_bits; };

/* A VM_* bit that only this CPU's kernels have; TEXT is its name in the VmFlags line of smaps, "" if
   it is not shown. */
struct arch_vmflag { uint8_t bit; struct era era; const char *text; };

/* A vma that processes have and no mm holds: get_gate_vma(). */
struct arch_gate {
	const char *name;		/* "[vsyscall]" */
	enum layout_id vma;		/* variable: its vm_area_struct */
	enum layout_id mode;		/* variable, 4 bytes; MODE_NONE: there is no such vma */
	uint64_t mode_none;
	/* members of mm_struct: the process sees the vma if FLAG is set in FLAGS; without
	   that member, if COMPAT is 0 */
	enum layout_id flags, compat;
	uint64_t flag;
	uint32_t thread;		/* without both: if this flag of thread_info is not set */
};

/* A line of /proc/PID/status that only this CPU's kernels have, since mainline SINCE, a V(). */
struct arch_line { int since; const char *text; };

/* struct elf_prstatus of the CPU, in notes of the image: its bytes, and where its registers lie in it. */
struct arch_prstatus { uint16_t bytes, frame, ip, sp; };

struct ptebits;			/* arch/ptebits.h */

struct arch {
	const char *name;		/* "x86_64" */
	uint16_t elf_machine;		/* EM_* */
	uint8_t word_size;
	size_t state_size;		/* of the arch's own state, d->kv_self, which
					   begins with a struct kernel_map */
	/*
	 * Fill the zeroed state from VMCOREINFO and the image. Called
	 * before symbols and types are known; refined by attach_late. Where d->kv
	 * is set, a host translates kernel addresses.
	 */
	enum status (*attach)(struct dump *d);
	/* After symbols and types: variables such as sme_me_mask. May be NULL. */
	enum status (*attach_late)(struct dump *d);
	/*
	 * Translates kernel addresses that need no page table, as kv_ops.kvtop does;
	 * ST_NODATA if KVA is another address. Asked before the kernel's tables if
	 * those need not hold such addresses, else if they are not in the dump.
	 */
	enum status (*by_rule)(const struct dump *d, uint64_t kva, uint64_t *pa,
			       uint64_t *run);
	bool rule_first;
	/* Exclusive end of user addresses, for bounds of walks and vmas. */
	uint64_t (*user_end)(const struct dump *d);
	/* May ADDR be a kernel pointer on this machine? */
	bool (*is_kernel_addr)(const struct dump *d, uint64_t addr);
	/* No code, and no variable of the image or a module, lies below it; 0: not known. */
	uint64_t static_start;
	/* VMALLOC_TOTAL of this kernel, bytes; false: not known. May be NULL. After
	   attach_late. */
	bool (*vmalloc_total)(struct dump *d, uint64_t *ret);
	/* The sizes that this kernel shows, NULL after the last. May be NULL or
	   return NULL: none. After attach_late. */
	const struct direct_size *(*direct_sizes)(const struct dump *d);
	/* Section bits if VMCOREINFO does not give them (before 5.14). NULL: the usual
	   ones, arch_sections(). */
	struct arch_sections (*sections)(const struct paging *user);
	/* Where the virtual memory map begins if that is a constant: one or two places, by the
	   release or the MMU; 0: none. */
	uint64_t vmemmap[2];
	/* Tables that every mm has, for kernel addresses or unused, and that
	   pgtables_bytes counts. NULL: none. */
	unsigned (*kernel_tables)(const struct paging *user);

	/* A symbol of kernels that give each mm two roots, in two pages of which mm->pgd is the
	   first; 0: there are none. Only where the struct pages of roots show no type. */
	enum layout_id two_roots;

	/* ---- what /proc has only on this CPU ---- */
	uint8_t pkey_bits;		/* of a protection key, from bit 32 of vm_flags on; 0: none */
	uint16_t pkey_feature;		/* of boot_cpu_data.x86_capability: keys are in use */
	struct arch_prstatus prstatus;	/* bytes 0: none is read */
	uint8_t frame_below;		/* bytes from a frame's record up to where the frame
					   pointer points */
	/* The address that a saved return address stands for; NULL: it is that itself. */
	uint64_t (*code_addr)(const struct dump *d, uint64_t addr);
	const struct arch_gate *gate;	/* NULL: processes have none */
	const struct arch_vmflag *vmflags;	/* text NULL after the last; NULL: none */
	bool timebase;			/* utime and stime counted the timebase while others
					   counted ticks (until 4.11) */
	struct arch_line status;	/* text NULL: none */
	const struct ptebits *ptebits;	/* how a collector prints entries; NULL: as on ppc */
};

/* The section bits of A, or those of most CPUs with that word size. A may be NULL. */
struct arch_sections arch_sections(const struct arch *a, const struct paging *user);

/* The arch of the dump, attached; ST_UNSUPPORTED with d->diag otherwise. */
enum status arch_attach(struct dump *d, const struct arch **ret);
enum status arch_attach_late(struct dump *d, const struct arch *a);

/* The row and environment of user page tables, after arch_attach_late(). */
void arch_user_paging(const struct dump *d, const struct paging **p, struct paging_env *env);

/* The kernel's own tables: row, environment, root (physical), and the first address that they
   map. False: not known, or a host translates. */
bool arch_kernel_paging(const struct dump *d, const struct paging **p, struct paging_env *env,
			uint64_t *root, uint64_t *start);

/* Hooks for the entries of a walk. They may be NULL. Return false to stop the walk. */
struct pgvisit {
	/*
	 * N decoded neighbours from VA on, of one level (SHIFT = log2 bytes of
	 * each). At the lowest level they are PTE_NONE, PTE_PAGE, PTE_SWAP or
	 * PTE_BAD, mixed; at higher levels only PTE_PAGE, PTE_SWAP and PTE_BAD
	 * come here, one call for each run of neighbours.
	 * VA is the first entry's own base: when the asked range begins or ends
	 * inside an entry, that entry is handed over whole, so VA may lie below
	 * START and the last entry may reach beyond END. Entries that a
	 * PTE_HUGE_TABLE points to come here as entries of a higher level with a
	 * SHIFT of their own, once, however many directory entries point to them.
	 */
	bool (*entries)(void *arg, uint64_t va, unsigned shift,
			const struct pte *pte, unsigned n);
	/* [va, end) has no table: an empty entry of the level with SHIFT, above
	   the lowest. Clipped to the range asked for, one call per entry (as the
	   kernel's walk_page_range() calls pte_hole). */
	bool (*hole)(void *arg, uint64_t va, uint64_t end, unsigned shift);
	/* The table for [va, end), clipped, could not be read. ST_NODATA: not in
	   the dump; ST_CORRUPT: it points outside memory or back to itself;
	   ST_LIMIT: more tables than the machine can hold, the walk ends. */
	bool (*lost)(void *arg, uint64_t va, uint64_t end, enum status st);
	/* A table is entered: its physical address and its level. Not called for
	   tables that a PTE_HUGE_TABLE points to. */
	bool (*table)(void *arg, uint64_t pa, unsigned level);
	/* Called before a table is entered; VA is the first address that it maps.
	   Other than ST_OK: the table is not read, and lost() gets that status. */
	enum status (*enter)(void *arg, uint64_t pa, unsigned level, uint64_t va);
};

/*
 * Walk [start, end) of the tables with root at physical address ROOT. Depth is
 * bounded by the geometry, the number of tables by the size of the memory. A
 * table may be less than a page (i386 PAE's root: 32 bytes) or more (ppc).
 * The range is clipped to the half of the address space that START lies in.
 * Returns false if a hook stopped it.
 */
bool pgwalk(struct reader *r, const struct paging *p, const struct paging_env *env,
	    uint64_t root, uint64_t start, uint64_t end,
	    const struct pgvisit *visit, void *arg);

/*
 * Translate one address. *run (may be NULL) is the number of bytes from there
 * on that are mapped in one piece: at least to the end of that entry, and two
 * megabytes where the same table page shows them. ST_FAULT if VA is not mapped;
 * ST_NODATA or ST_CORRUPT as above.
 */
enum status pgtrans(struct reader *r, const struct paging *p,
		    const struct paging_env *env, uint64_t root, uint64_t va,
		    uint64_t *pa, uint64_t *run);

#endif
