/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * decompress.h - the compressors of kdump-compressed pages.
 */
#ifndef VMCENSUS_IMAGE_DECOMPRESS_H
#define VMCENSUS_IMAGE_DECOMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/status.h"

/* A page's flags in its descriptor (makedumpfile diskdump_mod.h). */
#define PAGE_ZLIB 0x01
#define PAGE_LZO 0x02
#define PAGE_SNAPPY 0x04
#define PAGE_ZSTD 0x20
#define PAGE_COMPRESSED (PAGE_ZLIB | PAGE_LZO | PAGE_SNAPPY | PAGE_ZSTD)

/* State of the compressors, reused from page to page: one for each reader. */
struct decompressor;

struct decompressor *decompressor_new(void);
void decompressor_free(struct decompressor *d);

/*
 * Expand LEN bytes at IN to exactly SIZE bytes at OUT. FLAGS is the page's;
 * none of PAGE_COMPRESSED set means stored as it is. ST_OK or ST_CORRUPT.
 */
enum status decompress(struct decompressor *d, uint32_t flags, const uint8_t *in,
		       size_t len, uint8_t *out, size_t size);

/* "zlib" ... of the first compressor in FLAGS, or "none". */
const char *compression_name(uint32_t flags);

#endif
