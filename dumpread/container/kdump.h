/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdump.h - the headers of one kdump-compressed file, whatever version, word
 * size, alignment and byte order wrote them.
 */
#ifndef VMCENSUS_IMAGE_KDUMP_H
#define VMCENSUS_IMAGE_KDUMP_H

#include "dumpread/image/format.h"

#define KDUMP_DESC 24		/* bytes of a page descriptor */

struct kdump_header {
	bool big_endian;
	uint8_t word_size;	/* of the machine: 4 or 8 */
	uint16_t elf_machine;
	uint8_t page_shift;
	uint32_t version;
	uint32_t status;	/* compressors, KDUMP_INCOMPLETE */
	struct image_header about;

	uint64_t max_mapnr;	/* frames that the bitmaps describe */
	uint64_t bitmap_off;	/* of the bitmap of pages in the dump */
	uint64_t bitmap_len;	/* bytes of it */
	uint64_t first_bitmap_off;	/* of that of all memory, which is as long; 0: there is none */
	uint64_t desc_off;	/* of the first page descriptor */

	bool no_sub;		/* the sub-header is damaged: what it says is not known */
	bool split;
	uint64_t start_pfn, end_pfn;	/* what this part holds, if split */
	uint64_t vmcoreinfo_off, vmcoreinfo_len;
	uint64_t notes_off, notes_len;
	uint64_t erase_off, erase_len;	/* what makedumpfile --config erased */
};

#define KDUMP_INCOMPLETE 0x08	/* the writer ran out of space */
#define KDUMP_NO_MEMMAP 0x10	/* DUMP_DH_EXCLUDED_VMEMMAP: makedumpfile -e (46176a9, 1.6.0) */

/* ST_NOTMINE if P is none; other failures leave their sentence in im->diag. */
enum status kdump_read_header(struct image *im, const struct image_part *p,
			      struct kdump_header *h);

#endif
