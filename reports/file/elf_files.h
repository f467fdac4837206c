/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_files.h - the mapped ELF files that sections and symbols are about.
 */
#ifndef VMCENSUS_ELF_FILES_H
#define VMCENSUS_ELF_FILES_H

#include "model/elf/elffind.h"
#include "model/elf/elfloads.h"
#include "model/elf/elfsymbols.h"
#include "reports/core/report.h"

/* One of them, while it is open. */
struct elf_mapped {
	const struct snapshot *s;
	struct reader *r;
	uint32_t file;			/* index in files */
	struct elf_found found;
	const struct elf_head *head;
	struct elf_loads loads;		/* in the processes asked for */
	bool one;			/* one process was asked for */
	uint64_t procs;			/* that map it */
	int64_t credit;			/* ELF_CREDIT at first */
};

/*
 * FN for each ELF file that O asks for, in the order of the files. ST_ABSENT with
 * DIAG where --file names what is none, or what is not there; what else is not
 * there goes into t->note.
 */
enum status elf_files_each(const struct snapshot *s, const struct report_opts *o,
			   struct table *t, struct diag *diag,
			   void (*fn)(void *arg, struct elf_mapped *m), void *arg);

/*
 * The symbols of M, in MEM, and where they were read (*from; NULL: there are none): the
 * file's own .symtab before a debug file's, and that before .dynsym.
 */
void elf_mapped_symbols(struct elf_mapped *m, const char *sysroot, struct arena *mem,
			struct elf_symbols *ret, const char **from);

/* Sizes of the file's addresses [start, end), over all those processes. R as in m. */
void elf_mapped_sizes(struct elf_mapped *m, struct reader *r, uint64_t start,
		      uint64_t end, struct sizes *ret);

#endif
