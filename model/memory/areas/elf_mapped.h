/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_mapped.h - mapped ELF files, one after another: headers, symbols, sizes.
 */
#ifndef VMCENSUS_ELF_MAPPED_H
#define VMCENSUS_ELF_MAPPED_H

#include "model/memory/elf/elffind.h"
#include "model/memory/elf/elfloads.h"
#include "model/memory/elf/elfsymbols.h"

struct elf_readers;		/* one for each thread */

/* One file, while it is open. */
struct elf_mapped {
	const struct snapshot *s;
	uint32_t file;			/* index in files */
	struct elf_found found;
	const struct elf_head *head;
	struct elf_loads loads;		/* in the processes asked for */
	bool one;			/* one mm was asked for; it counts as one process */
	uint64_t procs;			/* that map it */
	int64_t credit;			/* private */
	struct elf_readers *readers;	/* private */
};

/* Selects files. */
struct elf_select {
	uint32_t mm;			/* mapped there; NONE: anywhere */
	const char *object;		/* of this name (object_is()); NULL: all */
	const char *sysroot;		/* the files are below this path; NULL: in the dump */
};

/* The results. Strings live in MEM of elf_mapped_each(), or belong to the snapshot. */
struct elf_tally {
	const char *object;		/* the last object selected; NULL: none is mapped */
	unsigned found;
	unsigned foreign;		/* no ELF files */
	unsigned missing;		/* not there */
	unsigned others;		/* another file is there than the mapped one */
	const char *why;		/* reason for the last one that was not found, a
					   sentence; or NULL */
	const char *note;		/* doubt about the last one that was found; or NULL */
};

/*
 * FN for each file that is selected, found and mapped, in the order of the files. Headers
 * are freed after FN returns; data in MEM stays.
 */
void elf_mapped_each(const struct snapshot *s, const struct elf_select *which, struct arena *mem,
		     struct elf_tally *ret, void (*fn)(void *arg, struct elf_mapped *m),
		     void *arg);

/*
 * The symbols of M, in MEM, and where they were read (*from; NULL: there are none): the
 * file's own .symtab before a debug file's, and that before .dynsym.
 */
void elf_mapped_symbols(struct elf_mapped *m, const char *sysroot, struct arena *mem,
			struct elf_symbols *ret, const char **from);

struct elf_range { uint64_t start, end; };	/* addresses in the file, end exclusive */

/* Sizes of each of the N ranges into RET[N], over all these processes; in parallel. */
void elf_mapped_sizes(struct elf_mapped *m, const struct elf_range *v, size_t n,
		      struct sizes *ret);

#endif
