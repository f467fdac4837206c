/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * remote.h - a file behind a network: blocks that were read are kept, and reading ahead follows
 * whoever reads on.
 *
 * Containers write page descriptors and pages in the order of frames, so walks over the page
 * array, descriptors and bitmaps each go on in the file; page tables do not. So a block whose
 * predecessor is here brings twice as many as that one did, up to 1 MiB, and any other block comes
 * alone. Thread-safe: one request at a time.
 */
#ifndef VMCENSUS_IMAGE_REMOTE_H
#define VMCENSUS_IMAGE_REMOTE_H

#include "dumpread/image/nbd.h"

#define REMOTE_BLOCK (16u << 10)	/* bytes */
#define REMOTE_AHEAD 64u		/* blocks that come at once, at most */
#define REMOTE_KEPT 4096u		/* blocks that are kept, at most: 64 MiB */

struct remote;

/* Reads N, which it owns from now on. */
struct remote *remote_new(struct nbd *n);
void remote_free(struct remote *r);
uint64_t remote_size(const struct remote *r);
/* As part_read_some(): less than LEN only at the end. */
enum status remote_read(struct remote *r, uint64_t off, void *buf, size_t len, size_t *got);
/* Bytes that the server has sent. */
uint64_t remote_bytes(const struct remote *r);

#endif
