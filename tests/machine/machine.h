/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine.h - a machine that never was: described in text, laid out in memory for a
 * CPU and a kernel layout, written in any container.
 *
 * The text, a statement a line, '#' to the line's end is a remark; numbers are decimal
 * or begin with 0x:
 *	release R			uts release; decides the rules of the model
 *	frames N			of memory
 *	log WORDS...			a line of the kernel log
 *	file NAME PATH INO		a file, its directories, one mount, device 31:1
 *	base ADDRESS			of the kernel in memory; 4 MiB unless said
 *	frame NAME FILE INDEX [refs=N] [count=N] [flags=F] [at=ADDRESS]
 *			a page of FILE's cache; FILE "-" and INDEX 0: anonymous. refs:
 *			references beyond cache and mappings; count: all of them. flags:
 *			page flags by their numbers in 2.4, in place of the usual. at: its
 *			physical address
 *	mm NAME				what follows is of this address space:
 *	brk START END | stack ADDRESS
 *	area START END FLAGS [FILE PGOFF]
 *	page VA FRAME BITS		BITS: any of w d y x, or "-"; "=N" are the entry's
 *			own low bits. A frame that was not named before is anonymous
 *	pages VA N FRAME BITS		N neighbours, frames FRAME.0, FRAME.1 ...
 *	swap VA SLOT
 *	task PID TGID COMM MM|- STATE PPID	STATE as ps has it
 *	faults PID MIN MAJ | times PID USER SYSTEM	times in jiffies
 *	lose KIND NAME			the page that holds it is not in the dump
 *	poke KIND NAME MEMBER VALUE	damage; MEMBER is an id of model/layout/
 * KIND NAME: "task PID", "mm NAME", "pgd NAME", "vma MM:START", "table MM:VA",
 * "file NAME", "dentry NAME", "inode NAME", "frame NAME", "page NAME" (its struct).
 *
 * Structures are placed by the offsets of the layout; nothing of the model is used
 * but the names of its facts.
 */
#ifndef VMCENSUS_TESTS_MACHINE_H
#define VMCENSUS_TESTS_MACHINE_H

#include <stdio.h>

#include "model/layout.h"
#include "tests/unit/mkimage.h"

struct machine;

/* A CPU and the page tables of its kernels: one row a kind of machine. */
struct cpu {
	const char *name;
	uint16_t elf_machine;
	uint8_t word;
	bool big;
	const char *uname;
	uint64_t page_offset;		/* of the identity map */
	uint64_t image_offset;		/* what symbols are above physical addresses */
	uint8_t levels, bits, entry;	/* of tables: each level alike */
	uint8_t form;			/* paging.c */
	const char *mark;		/* a symbol that only this family has, or NULL */
};
const struct cpu *cpu_find(const char *name);

struct mframe {
	char name[48];
	int file;			/* index, -1 anonymous */
	uint64_t index, pfn;
	uint32_t refs, count, mapped;
	uint64_t flags;
	bool own_flags;
};

struct mfile {
	char name[24], path[128];
	uint64_t ino, file, dentry, inode;
};

struct marea {
	uint64_t start, end, flags, pgoff, addr;
	int file;
};

struct mpage {
	uint64_t va, slot, raw;
	int frame;			/* index; -1: a swap entry */
	char bits[12];
};

struct mmm {
	char name[24];
	uint64_t addr, pgd, brk0, brk1, stack;
	uint32_t users, rss, swapped, anon;
	VEC(struct marea) areas;
	VEC(struct mpage) pages;
};

struct mtask {
	int pid, tgid, ppid, mm;
	char comm[16], state;
	uint64_t addr, min, maj, user, system;
};

struct damage {
	bool lose;
	char kind[12], name[48], member[40];
	uint64_t value;
};

struct object {
	char kind[12], name[48];
	uint64_t kva, size;
};

struct machine {
	char release[64];
	uint64_t nframes, base;
	VEC(char) log;
	VEC(struct mfile) files;
	VEC(struct mframe) frames;
	VEC(struct mmm) mms;
	VEC(struct mtask) tasks;
	VEC(struct damage) damage;
	VEC(struct object) objects;
	struct arena arena;

	const struct cpu *cpu;
	struct dump dump;		/* the layout and the symbols as a dump has them */
	struct layout layout;
	uint8_t *mem;
	bool *lost;			/* frames that are not in the dump */
	uint64_t next;			/* physical address of the next page given out */
	uint64_t mem_map, root_dentry, mount, super;
};

void mdie(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* text.c */
void machine_read(struct machine *m, FILE *in);
/* lay.c: everything in memory. MAP: where its System.map goes; TYPES: the layout file. */
void machine_lay(struct machine *m, const char *map, const char *types);
/* paging.c */
void paging_kernel(struct machine *m, uint64_t root);
void paging_user(struct machine *m, struct mmm *mm);

/* Memory, by kernel-virtual address: of the identity map, or of the kernel's image. */
uint64_t mpages(struct machine *m, uint64_t bytes);
void mset(struct machine *m, uint64_t kva, uint64_t v, unsigned size);
static inline uint64_t mpa(const struct machine *m, uint64_t kva)
{
	return kva - (kva >= m->cpu->image_offset ? m->cpu->image_offset : m->cpu->page_offset);
}
/* A new object of type S (or BYTES), on a page of its own. */
uint64_t mobject(struct machine *m, const char *kind, const char *name, uint64_t bytes);
struct object *mfind(struct machine *m, const char *kind, const char *name);
/* The member M_... of the object at KVA; nothing where this kernel has none. */
void mput(struct machine *m, uint64_t kva, enum layout_id id, uint64_t v);

#endif
