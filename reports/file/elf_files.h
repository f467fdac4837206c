/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_files.h - the mapped ELF files that sections and symbols are about.
 */
#ifndef VMCENSUS_ELF_FILES_H
#define VMCENSUS_ELF_FILES_H

#include "model/memory/areas/elf_mapped.h"
#include "reports/core/report.h"

/*
 * FN for each ELF file that O asks for, in the order of the files. ST_ABSENT with DIAG if
 * --file names no ELF file, or one that was not found. t->note tells about other files
 * that were not found.
 */
enum status elf_files_each(const struct snapshot *s, const struct report_opts *o,
			   struct table *t, struct diag *diag,
			   void (*fn)(void *arg, struct elf_mapped *m), void *arg);

#endif
