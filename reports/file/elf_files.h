/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_files.h - the mapped ELF files that sections and symbols are about.
 */
#ifndef VMCENSUS_ELF_FILES_H
#define VMCENSUS_ELF_FILES_H

#include "model/views/elf_mapped.h"
#include "reports/core/report.h"

/*
 * FN for each ELF file that O asks for, in the order of the files. ST_ABSENT with
 * DIAG where --file names what is none, or what is not there; what else is not
 * there goes into t->note.
 */
enum status elf_files_each(const struct snapshot *s, const struct report_opts *o,
			   struct table *t, struct diag *diag,
			   void (*fn)(void *arg, struct elf_mapped *m), void *arg);

#endif
