/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * qemu.h - private to the container of QEMU's migration stream: what qemu_stream.c finds for qemu.c.
 */
#ifndef VMCENSUS_IMAGE_QEMU_H
#define VMCENSUS_IMAGE_QEMU_H

#include "dumpread/image/format.h"

#define QEMU_PAGE 4096u		/* TARGET_PAGE_SIZE of all machines that Linux is run on */
#define QEMU_NAME 256u		/* bytes of a name, with NUL */
#define QEMU_BLOCKS 256u	/* believed */

/* What a page of a block is: an offset in the file, or one of these. */
#define QEMU_ABSENT UINT64_C(0)
#define QEMU_FILL (UINT64_C(1) << 63)	/* | byte: it is filled with that */

struct qemu_block {
	char name[QEMU_NAME];
	uint64_t pages;		/* by the list of blocks */
	uint64_t first;		/* of its pages in qemu_stream.where; UINT64_MAX: it is no RAM of the machine */
};

struct qemu_stream {
	char machine[QEMU_NAME];	/* "pc-q35-7.2"; "" unknown */
	struct qemu_block *blocks;
	unsigned nblocks;
	uint64_t *where;	/* of each page of RAM, in the order of the machine */
	uint64_t pages;
	bool ended;		/* the section of RAM is there to its end */
};

/*
 * The stream that begins at byte AT of the first file of IM. ST_NOTMINE: none does; other failures have their
 * sentence. A stream that is cut off, or damaged after its list of blocks, is read as far as it goes, with an issue.
 */
enum status qemu_stream_read(struct image *im, uint64_t at, struct qemu_stream *s);
void qemu_stream_free(struct qemu_stream *s);

#endif
