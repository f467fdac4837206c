/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elffind.h - the ELF file of a vma, and its debug file.
 */
#ifndef VMCENSUS_ELFFIND_H
#define VMCENSUS_ELFFIND_H

#include "model/memory/elf/elfimage.h"

struct elf_found {
	struct elf_image *e;	/* elf_close() it */
	const char *from;	/* path, or "page cache" */
	const char *note;	/* why it may be another one, or NULL */
};

/*
 * The file of F: below SYSROOT, at the path of F, with symbolic links followed inside
 * SYSROOT; without SYSROOT, in the page cache. A file below SYSROOT must have the build-id
 * that the dump shows, or if the dump lacks it, the length that the kernel knew. Otherwise
 * a sentence in *WHY: ST_ABSENT if it is no ELF file, ST_NODATA if it is not there,
 * ST_NOTMINE if it is another file. Strings in MEM.
 */
enum status elf_find(const struct snapshot *s, struct reader *r, const struct file *f,
		     const char *sysroot, struct arena *mem, struct elf_found *ret,
		     const char **why);

/*
 * The file with E's debug symbols: in usr/lib/debug by build-id, or by .gnu_debuglink
 * beside PATH or in usr/lib/debug, below SYSROOT; by build-id also on this machine. NULL:
 * none.
 */
struct elf_image *elf_find_debug(struct elf_image *e, const char *path, const char *sysroot,
				 struct arena *mem, const char **from);

/* Sets file.build_id of all files whose first pages are in the page cache of the dump. */
void elf_build_ids(struct snapshot *s, struct reader *r);

#endif
