/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * permits.h - the files that a sandboxed process may be given, for it may be in the hands of
 * whoever wrote the dump:
 *
 *   named by the user           as they are
 *   debug files of kernels      ELF or System.map, in the usual places (/usr/lib/debug,
 *                               /lib/modules, /boot), beside a vmlinux that the user named
 *                               with -t, or from debuginfod
 *   below --sysroot             ELF, and etc/passwd
 *
 *   ELF is of the types REL, EXEC and DYN. A core is none of them: it is somebody's memory.
 *   in folders of layouts       BUILD-ID.layout that begins as a layout file
 *   in folders of capsules      NAME.vmc that begins as SQLite, NAME.jsonl that begins as JSON
 *
 * Never anything else, so an exploit cannot print /etc/shadow.
 */
#ifndef VMCENSUS_PERMITS_H
#define VMCENSUS_PERMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/arena.h"

struct permits {
	const char *const *files;	/* named by the user, FILE or FILE@ADDRESS */
	unsigned nfiles;
	const char *const *types;	/* those of FILES that -t named */
	unsigned ntypes;
	const char *sysroot;		/* NULL: none was named */
	const char *const *folders;	/* of capsules, named by the user */
	unsigned nfolders;
	const char *const *layouts;	/* folders of layouts by build-id */
	unsigned nlayouts;
	VEC(const char *) found;	/* files of debuginfod */
	VEC(const char *) dirs;		/* of TYPES whose real path was told */
	struct arena mem;
};

/* Descriptors for reading; -1: errno, EPERM if it is not one of those above. */
int permits_open(struct permits *p, const char *path);
int permits_open_below(struct permits *p, const char *root, const char *path);
/* As realpath(), for what permits_open() opens. */
bool permits_real_path(struct permits *p, const char *path, char *real);
/* PATH may be opened from now on. */
void permits_add(struct permits *p, const char *path);
void permits_release(struct permits *p);

#endif
