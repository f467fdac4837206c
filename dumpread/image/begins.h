/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * begins.h - how files begin that are dumps, or in which dumps may be packed: one list for all who look at
 * the first bytes of a file before a reader of its format does.
 */
#ifndef VMCENSUS_BEGINS_H
#define VMCENSUS_BEGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum begins {
	BEGINS_OTHER,
	/* dumps */
	BEGINS_ELF,	/* or a program, or a library */
	BEGINS_KDUMP, BEGINS_DISKDUMP, BEGINS_FLATTENED, BEGINS_MCORE, BEGINS_LIME, BEGINS_AVML, BEGINS_QEMU,
	BEGINS_LKCD, BEGINS_SADUMP,
	/* one packed stream */
	BEGINS_XZ, BEGINS_GZIP, BEGINS_ZSTD, BEGINS_BZIP2, BEGINS_LZ4,
	/* an archive of files */
	BEGINS_ZIP, BEGINS_TAR,
};

/* Bytes of a file that all of them are told by, but sadump's behind a media header. */
#define BEGINS_HEAD 262
/* sadump's are there as well. */
#define BEGINS_MEDIA 4096

/* What the N bytes HEAD of a file begin as. */
enum begins begins_as(const void *head, size_t n);

static inline bool begins_dump(enum begins b)
{
	return b >= BEGINS_ELF && b <= BEGINS_SADUMP;
}

static inline bool begins_packed(enum begins b)
{
	return b >= BEGINS_XZ && b <= BEGINS_LZ4;
}

#endif
