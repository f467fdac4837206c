/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * e820.h - the memory map that firmware gave to the kernel of a PC, found in memory, and where memory
 * belongs that a file has without its holes: a hypervisor's RAM, in which what is above the hole below 4 GiB
 * follows what is below it, or the ranges of RAM one after the other (LiME's format raw).
 *
 * Firmware and kernel keep several copies of the map (boot_params.e820_table, e820_table; before 4.12 e820), as
 * entries of 20 bytes, packed, ascending (arch/x86/include/uapi/asm/setup_data.h, struct boot_e820_entry):
 *	0	address	u64
 *	8	size	u64	bytes
 *	16	type	u32	1 RAM, 2 reserved, 3 and 4 ACPI ...
 */
#ifndef VMCENSUS_IMAGE_E820_H
#define VMCENSUS_IMAGE_E820_H

#include "dumpread/image/image.h"

#define E820_ENTRIES 128u	/* E820_MAX_ENTRIES_ZEROPAGE; what a longer one has beyond is not read */

struct e820_table {
	struct e820_entry {
		uint64_t start, end;	/* end exclusive */
		uint32_t type;
	} v[E820_ENTRIES];
	unsigned n;
};

#define E820_RAM 1u

/*
 * Calls FN with each map in the first LIMIT bytes of memory of IM until it says true, which is returned. What crosses
 * pages that are not beside each other in IM is not found: other copies are.
 */
bool e820_find(const struct image *im, uint64_t limit,
	       bool (*fn)(void *arg, const struct e820_table *t), void *arg);

/*
 * The places in memory of a line of SIZE bytes that has all RAM of T: V[0..n), ascending, at most E820_ENTRIES. One
 * piece at 0 if nothing is left out. 0: T is not the map of such memory.
 */
unsigned e820_pieces(const struct e820_table *t, uint64_t size, struct image_piece *v);

#endif
