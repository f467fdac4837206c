/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine.h - a described machine: written as text, laid out in memory for a CPU and
 * a kernel layout, saved in any container.
 *
 * The text has one statement per line; '#' to the line's end is a remark; numbers are
 * decimal or begin with 0x. Addresses of processes are for pages of 4 KiB: with 64 KiB
 * they, and so all sizes, are 16 times as large.
 *	release R			uts release; decides the rules of the model
 *	frames N			of memory, of 4 KiB
 *	hole START END			physical memory that is not there
 *	log WORDS...			a line of the kernel log
 *	memory total=N free=N cache=N	counters of pages; not the sums of the text's frames
 *	file NAME PATH INO [tmpfs|hugetlbfs]	a file, its directories, one mount, device 31:1
 *	base ADDRESS			of the kernel in memory; 4 MiB unless said
 *	frame NAME FILE INDEX [refs=N] [count=N] [dirty] [flags=F] [at=ADDRESS]
 *			a page of FILE's cache; FILE "-" and INDEX 0: anonymous. refs:
 *			references beyond cache and mappings; count: all of them. flags:
 *			page flags by their numbers in 2.4, in place of the usual ones. at:
 *			its physical address
 *	huge SHIFT			huge pages of this text have 1 << SHIFT bytes; in
 *			any address, ADDRESS+Nh is N of them after ADDRESS
 *	compound NAME FILE INDEX [hugetlb] [refs=N] [count=N] [dirty]	a huge page, INDEX in
 *			huge pages; its K-th part is NAME+K. Its contents are not in the dump
 *	mm NAME				the statements after it are for this mm:
 *	brk START END | stack ADDRESS
 *	area START END FLAGS [FILE PGOFF]
 *	page VA FRAME BITS		BITS: any of w d y x, or "-"; "=N" are the entry's
 *			own low bits. A frame that was not named before is anonymous.
 *			n: PROT_NONE; m: not mapped, a migration entry in its place
 *	pages VA N FRAME BITS		N neighbours, frames FRAME.0, FRAME.1 ...; of a huge page
 *			from FRAME+K on
 *	entry VA NAME BITS		all of a huge page, by one entry or in the form that
 *			hugetlb has for that size on this CPU
 *	swap VA SLOT
 *	task PID TGID COMM MM|- STATE PPID	STATE as ps has it
 *	faults PID MIN MAJ | times PID USER SYSTEM	times in jiffies
 * Damage, where MEMBER is an id of facts/layout/:
 *	lose KIND NAME			the page that holds it is not in the dump
 *	poke KIND NAME MEMBER VALUE	a number; "unmapped": an address of vmalloc without memory
 *	point KIND NAME MEMBER KIND NAME MEMBER|N	to that member of another object, or N
 *			bytes after it: a list that loops, a tree that is none
 *	alone KIND NAME MEMBER		a list with nothing in it
 *	unlink KIND NAME MEMBER		its neighbours in the list point to each other
 *	loop MM VA			the table above the lowest points to itself
 *	twin MM VA MM2 VA2		the lowest table for VA is that for VA2 in MM2
 *	vmcoreinfo LINE			replaces the line with the same key
 * KIND NAME: "task PID", "mm NAME", "pgd NAME", "vma MM:START", "table MM:VA",
 * "file NAME", "dentry NAME", "inode NAME", "frame NAME", "page NAME" (its struct),
 * "memmap N" (struct pages from the N-th on), "maple MM" (its root).
 * A page whose BITS have o lies beyond memory.
 *
 * Structures are placed by the offsets of the layout; of the program only the names of
 * facts are used.
 */
#ifndef VMCENSUS_TESTS_MACHINE_H
#define VMCENSUS_TESTS_MACHINE_H

#include <stdio.h>

#include "facts/layout.h"
#include "tests/unit/mkimage.h"

struct machine;

#define MACHINE_LEVELS 5

/* A CPU and the page tables of its kernels: one row per kind of machine and era. */
struct cpu {
	const char *name;
	uint16_t since;			/* release: 2004 is 2.4, 2632 2.6.32, 3010 3.10 */
	uint16_t elf_machine;
	uint8_t word;
	bool big;
	const char *uname;
	uint8_t page_shift;
	uint64_t page_offset;		/* of the identity map */
	uint64_t image_offset;		/* symbol addresses less physical addresses */
	uint64_t vmalloc;
	uint64_t vmemmap;		/* 0: struct pages lie in the identity map */
	uint8_t levels;
	uint8_t bits[MACHINE_LEVELS];	/* index bits, lowest level first */
	uint8_t entry[2];		/* bytes: of a PTE, of entries above */
	uint8_t form;			/* paging.c */
	uint32_t features;		/* cpu_spec.mmu_features, powerpc */
	const char *mark;		/* a symbol that only this family has, or NULL */
};
/* The row of that CPU for a kernel of RELEASE. */
const struct cpu *cpu_find(const char *name, const char *release);
/* "2.6.32-5" as 2632, "3.10" as 3010 */
unsigned release_number(const char *release);

struct mframe {
	char name[48];
	int file;			/* index, -1 anonymous */
	uint64_t index, pfn;
	uint32_t refs, count, mapped;
	uint64_t flags;
	bool own_flags, dirty;
	/* of a huge page */
	uint8_t order;			/* log2 of its pages; 0: a page */
	bool hugetlb;
	uint32_t entire, *parts;	/* mappings of all of it, of each page */
	int mm;				/* last mm that mapped it, after the first ... */
	uint32_t mms;			/* ... and the number of mms that did */
};

enum mfs { MFS_DISK, MFS_TMPFS, MFS_HUGETLBFS, MFS_COUNT };

struct mfile {
	char name[24], path[128];
	enum mfs fs;
	uint64_t ino, file, dentry, inode;
};

struct marea {
	uint64_t start, end, flags, pgoff, addr;
	int file;
};

struct mpage {
	uint64_t va, slot, raw;
	int frame;			/* index; -1: a swap entry */
	uint32_t part;			/* of a huge page */
	bool whole;			/* all of it */
	char bits[12];
};

struct mmm {
	char name[24];
	uint64_t addr, pgd, brk0, brk1, stack;
	uint32_t users, rss, swapped, anon, shmem;
	VEC(struct marea) areas;
	VEC(struct mpage) pages;
};

struct mtask {
	int pid, tgid, ppid, mm;
	char comm[16], state;
	uint64_t addr, min, maj, user, system;
};

struct damage {
	enum { LOSE, POKE, POINT, LOOP, TWIN, ALONE, UNLINK } how;
	char kind[12], name[48], member[40];
	char to_kind[12], to_name[48], to_member[40];	/* POINT */
	bool unmapped;
	uint64_t value;			/* POKE; LOOP, TWIN: address; POINT: bytes, no member */
	uint64_t to_value;		/* TWIN: address */
};

struct object {
	char kind[12], name[48];
	uint64_t kva, size;
};

/* Physical addresses without memory. */
struct hole {
	uint64_t start, end;
};

/* Pages that have an address outside of the identity map. */
struct mapped {
	uint64_t kva, pa, size;
};

struct machine {
	char release[64];
	uint64_t nframes, base;
	uint8_t huge;			/* log2 of the bytes of huge pages, 0: no such word */
	VEC(char) log;
	uint64_t total, free, cache;	/* pages, by the kernel's counters */
	VEC(struct mfile) files;
	VEC(struct mframe) frames;
	VEC(struct mmm) mms;
	VEC(struct mtask) tasks;
	VEC(struct damage) damage;
	VEC(const char *) lines;	/* of VMCOREINFO */
	VEC(struct object) objects;
	VEC(struct mapped) mapped;
	VEC(struct hole) holes;
	struct arena arena;

	const char *cpu_name;
	const struct cpu *cpu;
	unsigned number;		/* of the release */
	struct dump dump;		/* the layout and symbols, as a dump has them */
	struct layout layout;
	uint8_t *mem;
	bool *lost;			/* frames that are not in the dump */
	uint64_t next;			/* physical address of the next page given out */
	uint64_t next_vmalloc;
	const char *vmcoreinfo;		/* or NULL */
	bool sparse;			/* SPARSEMEM_VMEMMAP; else one mem_map */
	uint64_t npages;		/* struct pages */
	uint64_t table_bytes;		/* of all tables so far, without the roots */
	uint64_t mem_map, root_dentry, mount, super[MFS_COUNT];
};

void mdie(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* text.c */
void machine_read(struct machine *m, FILE *in);
/* lay.c: everything in memory. MAP: where its System.map goes; TYPES: the layout file. */
void machine_lay(struct machine *m, const char *map, const char *types);
uint64_t mpage_struct(const struct machine *m, uint64_t pfn);
/* Bit of a page flag; OLD: of 2.4. 0 if this kernel has none. */
uint64_t mpage_flag(const struct machine *m, enum layout_id id, uint64_t old);
uint64_t msymbol(const struct machine *m, const char *name);
/* compound.c: the struct pages of a huge page, whose head has FLAGS and MAPPING. */
void compound_lay(struct machine *m, const struct mframe *f, uint64_t flags, uint64_t mapping);
/* paging.c */
void paging_kernel(struct machine *m, uint64_t root);
void paging_user(struct machine *m, struct mmm *mm);
uint64_t paging_root_bytes(const struct machine *m);
void paging_loop(struct machine *m, const struct mmm *mm, uint64_t va);
void paging_twin(struct machine *m, const struct mmm *mm, uint64_t va, const struct mmm *of,
		 uint64_t of_va);

/* Memory, by kernel-virtual address: in the identity map, the kernel's image, vmalloc. */
uint64_t mpages(struct machine *m, uint64_t bytes);
/* The same pages at KVA; 0: the next address of vmalloc. */
uint64_t mpages_at(struct machine *m, uint64_t kva, uint64_t bytes);
void mset(struct machine *m, uint64_t kva, uint64_t v, unsigned size);
uint64_t mpa(const struct machine *m, uint64_t kva);
/* N bytes of memory; they must be there. */
uint8_t *mbytes(const struct machine *m, uint64_t kva, uint64_t n);
static inline uint64_t mpage_size(const struct machine *m)
{
	return UINT64_C(1) << m->cpu->page_shift;
}
/* A new object of type S (or BYTES), on a page of its own. */
uint64_t mobject(struct machine *m, const char *kind, const char *name, uint64_t bytes);
struct object *mfind(struct machine *m, const char *kind, const char *name);
/* The member M_... of the object at KVA; nothing where this kernel has none. */
void mput(struct machine *m, uint64_t kva, enum layout_id id, uint64_t v);

#endif
