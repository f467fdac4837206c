/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page tables, written by the definitions of each CPU's own headers (2.4.27, 2.6.32,
 * 3.10, 4.x, 6.1), without use of the decoders in arch/:
 *	x86	include/asm-i386/pgtable*.h, arch/x86/include/asm/pgtable*.h
 *	ppc	include/asm-ppc/pgtable.h, arch/powerpc/include/asm/pgtable-ppc32.h and
 *		pte-{40x,44x,8xx,fsl-booke,book3e,hash32}.h, nohash/32/, book3s/32/
 *	ppc64	arch/powerpc/include/asm/pgtable-ppc64*.h, pte-hash64*.h, pte-book3e.h,
 *		book3s/64/{pgtable,hash*,radix*}.h
 *	arm64	arch/arm64/include/asm/pgtable{,-hwdef,-prot}.h (6.12)
 *	riscv64	arch/riscv/include/asm/pgtable{,-64,-bits}.h (6.12)
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "tests/machine/machine.h"

enum {
	FORM_I386, FORM_PAE, FORM_X86_64,
	FORM_6XX, FORM_40X_2_4, FORM_40X, FORM_40X_6, FORM_44X, FORM_44X_6_7,
	FORM_8XX, FORM_8XX_3_10, FORM_8XX_4, FORM_8XX_5, FORM_E500, FORM_BOOK3E,
	FORM_HASH_4K, FORM_HASH_64K, FORM_HASH_4K_4_0, FORM_HASH_64K_4_0, FORM_BOOK3S,
	FORM_RADIX, FORM_BOOK3E_64_4K, FORM_BOOK3E_64_64K, FORM_BOOK3E_64_4K_4_0,
	FORM_BOOK3E_64_64K_4_0,
	FORM_44X_2_6_18, FORM_8XX_2_6_18, FORM_E500_2_6_18, FORM_HASH_64K_2_6_18,
	FORM_ARM64, FORM_ARM64_LPA2, FORM_RISCV64,
};

#define BIT(n) (UINT64_C(1) << (n))

#define BOOK3E_64 .base = 0x00d, .write = 0x030, .dirty = 0x1000, .young = 0x40000,    \
		  .exec = 0x0c0, .user = 0x00c, .table_virtual = true

static const struct form {
	uint64_t base;			/* present, of the user, to be read */
	uint64_t write, read_only;	/* added if it may be written, if not */
	uint64_t clean;			/* added if it may be written, and was not */
	uint64_t small;			/* of an entry of the lowest level */
	uint64_t dirty, young, exec, no_exec;
	uint64_t user, none;		/* bits that PAGE_NONE lacks, has */
	uint8_t rpn_shift;		/* of the page number; 0: the address itself */
	bool big;			/* tables are, whatever the machine */
	bool table_virtual;		/* directories hold addresses of the identity map */
	bool table_number;		/* directories hold a page number at rpn_shift, too */
	uint64_t table;			/* bits beside the address */
	uint8_t type_shift, offset_shift;	/* of a swap entry */
	uint64_t swap;			/* its other bits */
} forms[] = {
	/* PRESENT and USER; a dirty page is accessed */
	[FORM_I386] = { .base = 0x005, .write = 0x002, .dirty = 0x040, .young = 0x020,
			.table = 0x67,
			.user = 0x005, .none = 0x100 },
	[FORM_PAE] = { .base = 0x005, .write = 0x002, .dirty = 0x040, .young = 0x020,
		       .no_exec = BIT(63), .table = 0x67,
			.user = 0x005, .none = 0x100 },
	[FORM_X86_64] = { .base = 0x005, .write = 0x002, .dirty = 0x040, .young = 0x020,
			  .no_exec = BIT(63), .table = 0x67,
			.user = 0x005, .none = 0x100 },
	/* with HASHPTE 0x002 */
	[FORM_6XX] = { .base = 0x007, .write = 0x400, .dirty = 0x080, .young = 0x100,
		       .exec = 0x200, .offset_shift = 8,
		       .user = 0x004, .type_shift = 3 },
	/* RW with HWWRITE, as pte_mkdirty() leaves it; _PMD_PRESENT 0x400 */
	[FORM_40X_2_4] = { .base = 0x012, .write = 0x040, .dirty = 0x180, .young = 0x400,
			   .exec = 0x200, .table_virtual = true, .table = 0x400,
			   .offset_shift = 8,
		       .user = 0x010, .type_shift = 2 },
	[FORM_40X] = { .base = 0x012, .write = 0x040, .dirty = 0x180, .young = 0x400,
		       .exec = 0x200, .table = 0x400, .offset_shift = 8,
		       .user = 0x010, .type_shift = 3 },
	[FORM_40X_6] = { .base = 0x012, .write = 0x100, .dirty = 0x080, .young = 0x400,
			 .exec = 0x200, .table = 0x400, .offset_shift = 8,
		       .user = 0x010, .type_shift = 3 },
	[FORM_44X] = { .base = 0x041, .write = 0x002, .dirty = 0x010, .young = 0x008,
		       .exec = 0x004, .table_virtual = true, .offset_shift = 8,
		       .user = 0x040, .type_shift = 3 },
	[FORM_44X_6_7] = { .base = 0x009, .write = 0x002, .dirty = 0x010, .young = 0x040,
			   .exec = 0x004, .table_virtual = true, .offset_shift = 8,
		       .user = 0x008, .type_shift = 3 },
	[FORM_8XX] = { .base = 0x801, .write = 0x040, .dirty = 0x020, .young = 0x080,
		       .table = 0x001, .offset_shift = 8,
		       .user = 0x800, .type_shift = 3 },
	[FORM_8XX_3_10] = { .base = 0x801, .write = 0x400, .dirty = 0x100, .young = 0x020,
			    .table = 0x001, .offset_shift = 8,
		       .user = 0x800, .type_shift = 3 },
	[FORM_8XX_4] = { .base = 0x021, .read_only = 0x600, .dirty = 0x100, .young = 0x800,
			 .exec = 0x040, .table = 0x001, .offset_shift = 8,
		       .user = 0x020, .type_shift = 3 },
	/* _PMD_USER 0x040 */
	[FORM_8XX_5] = { .base = 0x001, .read_only = 0x600, .dirty = 0x100, .young = 0x020,
			 .exec = 0x040, .table = 0x041, .offset_shift = 8,
			.none = 0x200, .type_shift = 3 },
	[FORM_E500] = { .base = 0x003, .write = 0x004, .dirty = 0x008, .young = 0x020,
			.exec = 0x010, .table_virtual = true, .offset_shift = 8,
		       .user = 0x002, .type_shift = 3 },
	/* BAP_SR, BAP_UR; BAP_SW, BAP_UW; BAP_SX, BAP_UX */
	[FORM_BOOK3E] = { .base = 0x00d, .write = 0x030, .dirty = 0x1000, .young = 0x40000,
			  .exec = 0x0c0, .rpn_shift = 24, .table_virtual = true,
			  .offset_shift = 8,
		       .user = 0x00c, .type_shift = 3 },
	/* _PAGE_EXEC 0x004 is "no execute" */
	[FORM_HASH_4K] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
			   .no_exec = 0x004, .rpn_shift = 17, .table_virtual = true,
			   .offset_shift = 25,
			.user = 0x002, .type_shift = 18 },
	[FORM_HASH_64K] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
			    .no_exec = 0x004, .rpn_shift = 30, .table_virtual = true,
			    .offset_shift = 38,
			.user = 0x002, .type_shift = 31 },
	[FORM_HASH_4K_4_0] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
			       .no_exec = 0x004, .rpn_shift = 17, .table_virtual = true,
			       .offset_shift = 17,
			.user = 0x002, .type_shift = 2 },
	[FORM_HASH_64K_4_0] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
				.no_exec = 0x004, .rpn_shift = 30, .table_virtual = true,
				.offset_shift = 30,
			.user = 0x002, .type_shift = 2 },
	/* _PAGE_PRESENT 63, _PAGE_PTE 62; READ 4, WRITE 2, EXEC 1 */
	[FORM_BOOK3S] = { .base = BIT(63) | BIT(62) | 0x4, .write = 0x2, .dirty = 0x80,
			  .young = 0x100, .exec = 0x1, .big = true, .swap = BIT(62),
			.user = 0x004, .none = 0x008 },
	/* a directory has _PAGE_PRESENT and the size of the table below */
	[FORM_RADIX] = { .base = BIT(63) | BIT(62) | 0x4, .write = 0x2, .dirty = 0x80,
			 .young = 0x100, .exec = 0x1, .big = true, .table = BIT(63),
			 .swap = BIT(62),
			.user = 0x004, .none = 0x008 },
	/* include/asm-ppc/pgtable.h and asm-powerpc/pgtable-64k.h of 2.6.18 */
	[FORM_44X_2_6_18] = { .base = 0x041, .write = 0x002, .dirty = 0x200, .young = 0x008,
			      .exec = 0x020, .table_virtual = true, .offset_shift = 8,
			      .user = 0x040, .type_shift = 3 },
	[FORM_8XX_2_6_18] = { .base = 0x801, .write = 0x040, .dirty = 0x020, .young = 0x080,
			      .exec = 0x008, .table = 0x001, .offset_shift = 8,
			      .user = 0x800, .type_shift = 3 },
	[FORM_E500_2_6_18] = { .base = 0x003, .write = 0x010, .dirty = 0x800, .young = 0x004,
			       .exec = 0x020, .table_virtual = true, .offset_shift = 8,
			       .user = 0x002, .type_shift = 3 },
	[FORM_HASH_64K_2_6_18] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
				   .no_exec = 0x004, .rpn_shift = 32, .table_virtual = true,
				   .offset_shift = 40, .user = 0x002, .type_shift = 33 },
	/* VALID, USER, SH_INNER (an address with LPA2), nG; TABLE is set at the lowest level; DBM; RDONLY; UXN */
	[FORM_ARM64] = { .base = 0xb41, .small = 0x2, .write = BIT(51), .read_only = 0x80, .clean = 0x80,
			 .dirty = BIT(55), .young = 0x400, .no_exec = BIT(54), .table = 0x3, .user = 0x41,
			 .none = BIT(54) | 0x80, .type_shift = 6, .offset_shift = 12 },
	[FORM_ARM64_LPA2] = { .base = 0x841, .small = 0x2, .write = BIT(51), .read_only = 0x80, .clean = 0x80,
			      .dirty = BIT(55), .young = 0x400, .no_exec = BIT(54), .table = 0x3, .user = 0x41,
			      .none = BIT(54) | 0x80, .type_shift = 6, .offset_shift = 12 },
	/* PRESENT, READ, USER; PROT_NONE is GLOBAL */
	[FORM_RISCV64] = { .base = 0x13, .write = 0x4, .dirty = 0x80, .young = 0x40, .exec = 0x8, .rpn_shift = 10,
			   .table_number = true, .table = 0x1, .user = 0x11, .none = 0x20, .type_shift = 7,
			   .offset_shift = 12 },
	/* before 4.0 swap entries are those of hash tables */
	[FORM_BOOK3E_64_4K] = { BOOK3E_64, .rpn_shift = 24, .type_shift = 25,
				.offset_shift = 32 },
	[FORM_BOOK3E_64_64K] = { BOOK3E_64, .rpn_shift = 28, .type_shift = 29,
				 .offset_shift = 36 },
	[FORM_BOOK3E_64_4K_4_0] = { BOOK3E_64, .rpn_shift = 24, .type_shift = 2,
				    .offset_shift = 24 },
	[FORM_BOOK3E_64_64K_4_0] = { BOOK3E_64, .rpn_shift = 28, .type_shift = 2,
				     .offset_shift = 28 },
};

#define X86_32 "i686", 12, 0xc0000000, 0xc0000000, 0xd1000000, 0
#define X86_64 EM_X86_64, 8, false, "x86_64", 12
#define TEXT 0xffffffff80000000
#define PPC EM_PPC, 4, true, "ppc", 12, 0xc0000000, 0xc0000000, 0xd1000000, 0
#define PPC_PTE32 2, { 10, 10 }, { 4, 4 }
#define PPC_PTE64 2, { 9, 11 }, { 8, 4 }
#define P64(big, machine, shift) EM_PPC64, 8, big, machine, shift, 0xc000000000000000, \
	0xc000000000000000
#define OLD64 0xd000000000000000, 0xf000000000000000
#define NEW64 0xc008000000000000, 0xc00c000000000000
/* book3e has vmalloc below the linear map, and vmemmap after it */
#define E64 0x8000000000000000, 0x8000040000000000
#define W8 { 8, 8 }
/* PAGE_OFFSET; the image 2 GiB above MODULES_VADDR, as without KASLR; vmalloc and struct pages somewhere above */
#define ARM_END(bits) (UINT64_MAX << ((bits) < 52 ? (bits) - 1 : 47))
#define ARM64(shift, bits) EM_AARCH64, 8, false, "aarch64", shift, UINT64_MAX << (bits), \
	ARM_END(bits) + BIT(31), ARM_END(bits) + BIT(32), ARM_END(bits) + BIT(33)

/* vmalloc lies below PAGE_OFFSET, a quarter as large as the kernel's half, and VMEMMAP_SIZE below it struct pages */
#define RISCV64(bits, offset) EM_RISCV, 8, false, "riscv64", 12, offset, TEXT, (offset) - BIT((bits) - 3), \
	(offset) - BIT((bits) - 3) - BIT((bits) - 7)

/* MMU_FTR_HPTE_TABLE 1, TYPE_8xx 2, 40x 4, 44x 8, FSL_E 0x10, RADIX 0x40 */
static const struct cpu cpus[] = {
	{ "ppc-40x", 2004, PPC, PPC_PTE32, FORM_40X_2_4, 0, "ppc4xx_setup_arch" },
	{ "ppc-40x", 2600, PPC, PPC_PTE32, FORM_40X, 0x4, "ppc4xx_setup_arch" },
	{ "ppc-40x", 6000, PPC, PPC_PTE32, FORM_40X_6, 0x4, NULL },
	{ "ppc-44x", 2618, PPC, PPC_PTE64, FORM_44X_2_6_18, 0, "tlb_44x_hwater" },
	{ "ppc-44x", 2626, PPC, PPC_PTE64, FORM_44X, 0x8, NULL },
	{ "ppc-44x", 6007, PPC, PPC_PTE64, FORM_44X_6_7, 0x8, NULL },
	{ "ppc-6xx", 2618, PPC, PPC_PTE32, FORM_6XX, 0, "Hash" },
	{ "ppc-6xx", 2626, PPC, PPC_PTE32, FORM_6XX, 0x1, NULL },
	{ "ppc-8xx", 2618, PPC, PPC_PTE32, FORM_8XX_2_6_18, 0, "m8xx_pic_init" },
	{ "ppc-8xx", 2626, PPC, PPC_PTE32, FORM_8XX, 0x2, NULL },
	{ "ppc-8xx", 2633, PPC, PPC_PTE32, FORM_8XX_3_10, 0x2, NULL },
	{ "ppc-8xx", 4000, PPC, PPC_PTE32, FORM_8XX_4, 0x2, NULL },
	{ "ppc-8xx", 5000, PPC, PPC_PTE32, FORM_8XX_5, 0x2, NULL },
	{ "ppc-e500", 2618, PPC, PPC_PTE32, FORM_E500_2_6_18, 0, "tlbcam_index" },
	{ "ppc-e500", 2626, PPC, PPC_PTE32, FORM_E500, 0x10, NULL },
	{ "ppc-e500-pte64", 2632, PPC, PPC_PTE64, FORM_BOOK3E, 0x10, NULL },
	{ "i386", 2004, EM_386, 4, false, X86_32, 2, { 10, 10 }, { 4, 4 }, FORM_I386, 0, NULL },
	{ "i386-pae", 2618, EM_386, 4, false, X86_32, 3, { 9, 9, 2 }, W8, FORM_PAE, 0, NULL },
	{ "x86_64", 2618, X86_64, 0xffff810000000000, TEXT, 0xffffc20000000000, 0, 4,
	  { 9, 9, 9, 9 }, W8, FORM_X86_64, 0, NULL },
	{ "x86_64", 2632, X86_64, 0xffff880000000000, TEXT, 0xffffc90000000000,
	  0xffffea0000000000, 4, { 9, 9, 9, 9 }, W8, FORM_X86_64, 0, NULL },
	{ "x86_64", 4020, X86_64, 0xffff888000000000, TEXT, 0xffffc90000000000,
	  0xffffea0000000000, 4, { 9, 9, 9, 9 }, W8, FORM_X86_64, 0, NULL },
	{ "x86_64-la57", 4020, X86_64, 0xff11000000000000, TEXT, 0xffa0000000000000,
	  0xffd4000000000000, 5, { 9, 9, 9, 9, 9 }, W8, FORM_X86_64, 0, NULL },
	{ "ppc64-hash-4k", 2618, P64(true, "ppc64", 12), OLD64, 4, { 9, 7, 7, 9 }, W8,
	  FORM_HASH_4K, 0x1, NULL },
	{ "ppc64-hash-4k", 3010, P64(true, "ppc64", 12), OLD64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_HASH_4K, 0x1, NULL },
	{ "ppc64-hash-4k", 4000, P64(true, "ppc64", 12), OLD64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_HASH_4K_4_0, 0x1, NULL },
	{ "ppc64-hash-4k", 4017, P64(true, "ppc64", 12), OLD64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_BOOK3S, 0x1, NULL },
	{ "ppc64-hash-4k", 5002, P64(true, "ppc64", 12), NEW64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_BOOK3S, 0x1, NULL },
	{ "ppc64-hash-64k", 2618, P64(true, "ppc64", 16), OLD64, 3, { 12, 12, 4 }, W8,
	  FORM_HASH_64K_2_6_18, 0x1, NULL },
	{ "ppc64-hash-64k", 2632, P64(true, "ppc64", 16), OLD64, 3, { 12, 12, 4 }, W8,
	  FORM_HASH_64K, 0x1, NULL },
	{ "ppc64-hash-64k", 3010, P64(true, "ppc64", 16), OLD64, 3, { 8, 10, 12 }, W8,
	  FORM_HASH_64K, 0x1, NULL },
	{ "ppc64-hash-64k", 4000, P64(true, "ppc64", 16), OLD64, 3, { 8, 10, 12 }, W8,
	  FORM_HASH_64K_4_0, 0x1, NULL },
	{ "ppc64-hash-64k", 4017, P64(true, "ppc64", 16), OLD64, 4, { 8, 10, 10, 8 }, W8,
	  FORM_BOOK3S, 0x1, NULL },
	{ "ppc64-hash-64k", 5002, P64(true, "ppc64", 16), NEW64, 4, { 8, 10, 10, 8 }, W8,
	  FORM_BOOK3S, 0x1, NULL },
	{ "ppc64le-hash-64k", 5002, P64(false, "ppc64le", 16), NEW64, 4, { 8, 10, 10, 8 }, W8,
	  FORM_BOOK3S, 0x1, NULL },
	{ "ppc64-radix-4k", 5002, P64(true, "ppc64", 12), NEW64, 4, { 9, 9, 9, 13 }, W8,
	  FORM_RADIX, 0x40, NULL },
	{ "ppc64le-radix-4k", 5002, P64(false, "ppc64le", 12), NEW64, 4, { 9, 9, 9, 13 }, W8,
	  FORM_RADIX, 0x40, NULL },
	{ "ppc64-radix-64k", 5002, P64(true, "ppc64", 16), NEW64, 4, { 5, 9, 9, 13 }, W8,
	  FORM_RADIX, 0x40, NULL },
	{ "ppc64le-radix-64k", 5002, P64(false, "ppc64le", 16), NEW64, 4, { 5, 9, 9, 13 }, W8,
	  FORM_RADIX, 0x40, NULL },
	{ "ppc64-book3e-4k", 2632, P64(true, "ppc64", 12), E64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_BOOK3E_64_4K, 0x10, NULL },
	{ "ppc64-book3e-4k", 4000, P64(true, "ppc64", 12), E64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_BOOK3E_64_4K_4_0, 0x10, NULL },
	{ "ppc64-book3e-64k", 2632, P64(true, "ppc64", 16), E64, 3, { 8, 10, 12 }, W8,
	  FORM_BOOK3E_64_64K, 0x10, NULL },
	{ "ppc64-book3e-64k", 4000, P64(true, "ppc64", 16), E64, 3, { 8, 10, 12 }, W8,
	  FORM_BOOK3E_64_64K_4_0, 0x10, NULL },
	{ "arm64-4k-39", 6010, ARM64(12, 39), 3, { 9, 9, 9 }, W8, FORM_ARM64, 0, NULL },
	{ "arm64-4k", 6010, ARM64(12, 48), 4, { 9, 9, 9, 9 }, W8, FORM_ARM64, 0, NULL },
	{ "arm64-4k-52", 6010, ARM64(12, 52), 5, { 9, 9, 9, 9, 4 }, W8, FORM_ARM64_LPA2, 0, NULL },
	{ "arm64-16k-36", 6010, ARM64(14, 36), 2, { 11, 11 }, W8, FORM_ARM64, 0, NULL },
	{ "arm64-16k", 6010, ARM64(14, 47), 3, { 11, 11, 11 }, W8, FORM_ARM64, 0, NULL },
	{ "arm64-16k-52", 6010, ARM64(14, 52), 4, { 11, 11, 11, 5 }, W8, FORM_ARM64_LPA2, 0, NULL },
	{ "arm64-64k-42", 6010, ARM64(16, 42), 2, { 13, 13 }, W8, FORM_ARM64, 0, NULL },
	{ "arm64-64k", 6010, ARM64(16, 48), 3, { 13, 13, 6 }, W8, FORM_ARM64, 0, NULL },
	{ "arm64-64k-52", 6010, ARM64(16, 52), 3, { 13, 13, 10 }, W8, FORM_ARM64, 0, NULL },
	{ "riscv64-sv39", 6003, RISCV64(39, 0xffffffd600000000), 3, { 9, 9, 9 }, W8, FORM_RISCV64, 0, NULL },
	{ "riscv64-sv48", 6003, RISCV64(48, 0xffffaf8000000000), 4, { 9, 9, 9, 9 }, W8, FORM_RISCV64, 0, NULL },
	{ "riscv64-sv57", 6003, RISCV64(57, 0xff60000000000000), 5, { 9, 9, 9, 9, 9 }, W8, FORM_RISCV64, 0, NULL },
};

unsigned release_number(const char *release)
{
	char *end;
	unsigned long major = strtoul(release, &end, 10), minor = 0, patch = 0;

	if (*end == '.')
		minor = strtoul(end + 1, &end, 10);
	if (*end == '.')
		patch = strtoul(end + 1, &end, 10);
	if (major == 2 && minor == 6)
		minor = 600 + patch;
	return (unsigned)(1000 * major + minor);
}

const struct cpu *cpu_find(const char *name, const char *release)
{
	const struct cpu *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(cpus); i++)
		if (!strcmp(cpus[i].name, name) && cpus[i].since <= release_number(release))
			found = &cpus[i];
	if (!found)
		mdie("no machine %s of %s", name, release);
	return found;
}

/* ---- entries ---------------------------------------------------------------------- */

static const struct form *form_of(const struct machine *m)
{
	return &forms[m->cpu->form];
}

static uint64_t frame_bits(const struct machine *m, uint64_t pa)
{
	unsigned rpn = form_of(m)->rpn_shift;

	return rpn ? pa >> m->cpu->page_shift << rpn : pa;
}

static bool is_x86(const struct machine *m)
{
	return m->cpu->form <= FORM_X86_64;
}

/* Since the L1TF patches, entries that are not present have inverted frame numbers. */
static bool inverted(const struct machine *m)
{
	return m->number >= 4019 && (m->cpu->form == FORM_X86_64 || m->cpu->form == FORM_PAE);
}

/* PAGE_NONE in place of the user's rights; _PAGE_PROTNONE was bit 7 to 2.6.2x. */
static uint64_t no_access(const struct machine *m, uint64_t v, uint64_t pa, unsigned shift)
{
	const struct form *f = form_of(m);

	v = (v & ~(f->user | f->write | f->read_only)) | f->none;
	if (is_x86(m) && m->number < 2626)
		v ^= 0x180;
	if (inverted(m))
		v ^= pa ^ (~pa & (BIT(52) - BIT(shift)));
	return v;
}

/* An entry that maps 1 << SHIFT bytes at PA. */
static uint64_t page_entry(const struct machine *m, const struct mpage *p, uint64_t pa,
			   unsigned shift)
{
	const struct form *f = form_of(m);
	uint64_t v = frame_bits(m, pa) | f->base | (shift == m->cpu->page_shift ? f->small : 0);
	bool exec = false, write = false, none = false, dirty = false;

	if (p->raw)
		return pa | p->raw;
	for (const char *s = p->bits; *s; s++)
		switch (*s) {
		case 'w':
			v |= f->write;
			write = true;
			break;
		case 'd':
			v |= f->dirty;
			dirty = true;
			break;
		case 'y': v |= f->young; break;
		case 'x':
			v |= f->exec;
			exec = true;
			break;
		case 'n': none = true; break;
		case 'o':
		case '-': break;
		default: mdie("bits '%s'?", p->bits);
		}
	v |= (write ? dirty ? 0 : f->clean : f->read_only) | (exec ? 0 : f->no_exec);
	return none ? no_access(m, v, pa, shift) : v;
}

/* x86: moved by the error bit, PROTNONE, NUMA, an erratum and L1TF (x86_64_pte.c says
   when). */
static uint64_t x86_swap(const struct machine *m, uint64_t type, uint64_t slot)
{
	if (m->cpu->form == FORM_I386)
		return slot << (m->number < 2632 ? 8 : 9) | type << 1;
	if (inverted(m))
		return ~slot << 14 >> 5 | type << 59;
	if (m->cpu->form == FORM_PAE)
		return slot << 37 | type << 32;
	if (m->number >= 4006)
		return slot << 14 | type << 9;
	return slot << (m->number < 2632 ? 8 : 9) | type << 1;
}

static uint64_t swap_entry(const struct machine *m, uint64_t type, uint64_t slot)
{
	const struct form *f = form_of(m);

	if (is_x86(m))
		return x86_swap(m, type, slot);
	return f->swap | slot << (f->offset_shift ? f->offset_shift : m->cpu->page_shift) |
	       type << f->type_shift;
}

/*
 * SWP_MIGRATION_READ and _WRITE in a kernel with CONFIG_MIGRATION and without device
 * memory, include/linux/swap.h: the last two types; three since 5.19, below the type for
 * failed swap-ins and, after 6.2, below that for markers.
 */
static uint64_t migration_entry(const struct machine *m, const struct mpage *p, uint64_t pa)
{
	bool write = strchr(p->bits, 'w'), three = m->number >= 5019;

	if (m->number < 2616)
		mdie("%s has no migration entries", m->release);
	return swap_entry(m, three ? write ? 30 : 28 : write ? 31 : 30, pa >> m->cpu->page_shift);
}

/* ---- tables ------------------------------------------------------------------------- */

static unsigned entry_bytes(const struct machine *m, unsigned level)
{
	return m->cpu->entry[level != 0];
}

static uint64_t slot_of(const struct machine *m, uint64_t table, unsigned level, uint64_t va)
{
	unsigned shift = m->cpu->page_shift;
	uint64_t i;

	for (unsigned l = 0; l < level; l++)
		shift += m->cpu->bits[l];
	i = va >> shift & ((UINT64_C(1) << m->cpu->bits[level]) - 1);
	return table + i * entry_bytes(m, level);
}

static bool big_tables(const struct machine *m)
{
	return m->cpu->big || form_of(m)->big;
}

static uint64_t get(const struct machine *m, uint64_t kva, unsigned level)
{
	return load_uint(mbytes(m, kva, entry_bytes(m, level)), entry_bytes(m, level),
			 big_tables(m));
}

static void put(struct machine *m, uint64_t kva, unsigned level, uint64_t v)
{
	uint8_t raw[8];

	store_uint(raw, v, entry_bytes(m, level), big_tables(m));
	memcpy(mbytes(m, kva, entry_bytes(m, level)), raw, entry_bytes(m, level));
}

/* The bits of an entry of LEVEL besides the address of the table below it. */
static uint64_t table_bits(const struct machine *m, unsigned level)
{
	if (m->cpu->form == FORM_PAE && level == 2)
		return 0x1; /* only PRESENT */
	if (m->cpu->form == FORM_RADIX)
		return form_of(m)->table | m->cpu->bits[level - 1];
	return form_of(m)->table;
}

/* The table at KVA, as an entry of LEVEL above it. */
static uint64_t table_entry(const struct machine *m, unsigned level, uint64_t kva)
{
	const struct form *f = form_of(m);
	uint64_t v = f->table_virtual ? kva : f->table_number ? frame_bits(m, mpa(m, kva)) : mpa(m, kva);

	return v | table_bits(m, level);
}

/* The table that V, an entry of LEVEL, points to. */
static uint64_t table_kva(const struct machine *m, unsigned level, uint64_t v)
{
	const struct form *f = form_of(m);

	v &= ~table_bits(m, level);
	if (f->table_virtual)
		return v;
	return m->cpu->page_offset + (f->table_number ? v >> f->rpn_shift << m->cpu->page_shift : v);
}

/* The table below ENTRY, which is of LEVEL; made if there is none. */
static uint64_t below(struct machine *m, uint64_t entry, unsigned level, const char *name)
{
	uint64_t v = get(m, entry, level), bytes;

	if (v)
		return table_kva(m, level, v);
	bytes = (uint64_t)entry_bytes(m, level - 1) << m->cpu->bits[level - 1];
	v = mobject(m, "table", name, bytes);
	/* mm_inc_nr_{ptes,pmds,puds}() */
	m->table_bytes += level <= 3 ? bytes : 0;
	put(m, entry, level, table_entry(m, level, v));
	return v;
}

uint64_t paging_root_bytes(const struct machine *m)
{
	unsigned top = m->cpu->levels - 1u;

	return (uint64_t)entry_bytes(m, top) << m->cpu->bits[top];
}

static uint64_t entry_of(const struct machine *m, const struct mpage *p, unsigned shift)
{
	uint64_t pa;

	if (p->frame < 0)
		return swap_entry(m, 0, p->slot);
	pa = (m->frames.v[p->frame].pfn + p->part) << m->cpu->page_shift;
	if (strchr(p->bits, 'o'))
		pa += m->nframes << m->cpu->page_shift << 2;
	return strchr(p->bits, 'm') ? migration_entry(m, p, pa) : page_entry(m, p, pa, shift);
}

/* ---- huge pages ----------------------------------------------------------------------- */

enum huge_form {
	BY_LEAF,		/* an entry of the directory maps them */
	BY_TOP_BIT,		/* hugepd: the table's address without its top bit, and the size */
	BY_PSIZE,		/* hugepd: the size as an index */
	BY_8M,			/* hugepd of the 8xx */
	BY_CELLS,		/* as many entries as pages, marked */
};

/*
 * Sizes by CPU and release, from arch/x86/include/asm/pgtable.h and, for powerpc,
 * include/asm/{hugetlb,page,mmu,mmu-hash64}.h, nohash/{hugetlb-e500,32/hugetlb-8xx}.h,
 * book3s/64/{hugetlb,hash-4k,hash-64k,radix}.h, mm/hugetlbpage.c (__hugepte_alloc(),
 * huge_pte_alloc()) of 3.10, 4.4, 6.1, 6.11.
 */
static const struct huge {
	uint8_t form, shift, page_shift;
	uint16_t since, before;
	uint8_t how;
	uint64_t bits, thp;		/* of a leaf, of a THP leaf; an index of sizes */
} huges[] = {
	{ FORM_I386, 22, 12, 2600, 0, BY_LEAF, 0x80, 0 },
	{ FORM_PAE, 21, 12, 2600, 0, BY_LEAF, 0x80, 0 },
	{ FORM_X86_64, 21, 12, 2600, 0, BY_LEAF, 0x80, 0 },
	{ FORM_E500, 22, 12, 3002, 6011, BY_TOP_BIT, 0, 0 },
	{ FORM_BOOK3E, 22, 12, 3002, 6011, BY_TOP_BIT, 0, 0 },
	{ FORM_BOOK3E_64_4K, 22, 12, 3002, 0, BY_TOP_BIT, 0, 0 },
	{ FORM_BOOK3E_64_4K_4_0, 22, 12, 4000, 6011, BY_TOP_BIT, 0, 0 },
	{ FORM_BOOK3E_64_64K, 24, 16, 3002, 0, BY_TOP_BIT, 0, 0 },
	{ FORM_BOOK3E_64_64K_4_0, 24, 16, 4000, 6011, BY_TOP_BIT, 0, 0 },
	/* _PAGE_HUGE 0x800, _PAGE_SPS 0x008 */
	{ FORM_8XX_5, 19, 12, 5009, 0, BY_CELLS, 0x808, 0 },
	{ FORM_8XX_5, 23, 12, 5009, 6011, BY_8M, 0x808, 0 },
	/* MMU_PAGE_16M: 8, since 4.10 10; 2.6.33 to 3.9 had the form of e500 */
	{ FORM_HASH_4K, 24, 12, 3010, 0, BY_PSIZE, 8, 0 },
	{ FORM_HASH_4K_4_0, 24, 12, 3010, 4005, BY_PSIZE, 8, 0 },
	{ FORM_BOOK3S, 24, 12, 4010, 6011, BY_PSIZE, 10, 0 },
	/* _PAGE_THP_HUGE is _PAGE_4K_PFN; H_PAGE_THP_HUGE is _RPAGE_RPN1 */
	{ FORM_HASH_64K, 24, 16, 3010, 0, BY_LEAF, 0, 0x20000000 },
	{ FORM_HASH_64K_4_0, 24, 16, 3010, 4005, BY_LEAF, 0, 0x20000000 },
	{ FORM_BOOK3S, 24, 16, 4007, 0, BY_LEAF, 0, 0x2000 },
	{ FORM_RADIX, 21, 12, 4007, 0, BY_LEAF, 0, 0 },
	{ FORM_RADIX, 21, 16, 4007, 0, BY_LEAF, 0, 0 },
	{ FORM_ARM64, 21, 12, 6010, 0, BY_LEAF, 0, 0 },
	{ FORM_ARM64, 25, 14, 6010, 0, BY_LEAF, 0, 0 },
	{ FORM_ARM64, 29, 16, 6010, 0, BY_LEAF, 0, 0 },
	{ FORM_ARM64_LPA2, 21, 12, 6010, 0, BY_LEAF, 0, 0 },
	{ FORM_ARM64_LPA2, 25, 14, 6010, 0, BY_LEAF, 0, 0 },
	{ FORM_RISCV64, 21, 12, 6003, 0, BY_LEAF, 0, 0 },
};

static const struct huge *huge_of(const struct machine *m)
{
	for (size_t i = 0; i < ARRAY_LEN(huges); i++) {
		const struct huge *h = &huges[i];

		if (h->form == m->cpu->form && h->page_shift == m->cpu->page_shift &&
		    h->shift == m->huge && m->number >= h->since &&
		    (!h->before || m->number < h->before))
			return h;
	}
	mdie("%s of %s has no huge pages of 1 << %u bytes", m->cpu->name, m->release, m->huge);
}

static unsigned level_shift(const struct machine *m, unsigned level)
{
	unsigned shift = m->cpu->page_shift;

	while (level--)
		shift += m->cpu->bits[level];
	return shift;
}

/* The place of VA in the table of LEVEL. */
static uint64_t slot_at(struct machine *m, uint64_t root, unsigned level, uint64_t va,
			const char *name)
{
	for (unsigned l = m->cpu->levels - 1u; l > level; l--)
		root = below(m, slot_of(m, root, l, va), l, name);
	return slot_of(m, root, level, va);
}

/* The level whose directory has huge pages of this form. */
static unsigned directory_of(const struct machine *m, const struct huge *h)
{
	unsigned level = 1;

	/* up to the level whose entries map more than such a page */
	while (h->how == BY_PSIZE && level_shift(m, level) <= h->shift)
		level++;
	return level;
}

/* A table of huge entries, and the entries that point to it. */
static void put_huge_table(struct machine *m, const struct mmm *mm, const struct mpage *p,
			   const struct huge *h, uint64_t entry)
{
	unsigned level = directory_of(m, h), shift = level_shift(m, level), size;
	uint64_t top = m->cpu->word == 8 ? BIT(63) : BIT(31), at, v;
	uint64_t slot = slot_at(m, mm->pgd, level, p->va, mm->name);
	char name[48];

	size = entry_bytes(m, 0);
	v = get(m, slot, level);
	if (v && h->how == BY_PSIZE) {
		at = (v & ~(BIT(63) | 0x3f)) | m->cpu->page_offset;
	} else {
		snprintf(name, sizeof(name), "%s:%#llx", mm->name, (unsigned long long)p->va);
		at = mobject(m, "table", name,
			     (uint64_t)size << (shift > h->shift ? shift - h->shift : 0));
		switch (h->how) {
		case BY_TOP_BIT: v = (at & ~top) | h->shift; break;
		case BY_8M: v = mpa(m, at) | 0x40 | 0x1 | 0xc; break;
		default:
			v = (m->cpu->form == FORM_BOOK3S ? mpa(m, at) | BIT(63) : at) |
			    h->bits << 2;
		}
		/* each entry of the directory that it covers */
		for (uint64_t i = 0; i < (h->shift > shift ? UINT64_C(1) << (h->shift - shift) : 1);
		     i++)
			put(m, slot + i * entry_bytes(m, level), level, v);
	}
	if (shift > h->shift)
		at += (p->va >> h->shift & ((UINT64_C(1) << (shift - h->shift)) - 1)) * size;
	put(m, at, 0, entry);
}

static void put_huge(struct machine *m, const struct mmm *mm, const struct mpage *p)
{
	const struct huge *h = huge_of(m);
	const struct mframe *f = &m->frames.v[p->frame];
	bool migrates = strchr(p->bits, 'm');
	uint64_t v = entry_of(m, p, h->shift), bits = f->hugetlb ? 0 : h->thp;

	if (!f->hugetlb && (h->how != BY_LEAF || (m->cpu->elf_machine == EM_PPC64 && !h->thp &&
						  m->cpu->form != FORM_RADIX)))
		mdie("%s of %s has no THP", m->cpu->name, m->release);
	if (h->how != BY_PSIZE)
		bits |= h->bits;
	if (!migrates)
		v |= bits;
	switch (h->how) {
	case BY_LEAF: put(m, slot_at(m, mm->pgd, 1, p->va, mm->name), 1, v); break;
	case BY_CELLS:
		for (uint64_t i = 0; i < UINT64_C(1) << f->order; i++) {
			uint64_t off = i << m->cpu->page_shift;

			put(m, slot_at(m, mm->pgd, 0, p->va + off, mm->name), 0,
			    migrates ? v : v + off);
		}
		break;
	default: put_huge_table(m, mm, p, h, v);
	}
}

void paging_user(struct machine *m, struct mmm *mm)
{
	for (size_t i = 0; i < mm->pages.n; i++) {
		const struct mpage *p = &mm->pages.v[i];
		char name[48];

		if (p->whole) {
			put_huge(m, mm, p);
			continue;
		}
		snprintf(name, sizeof(name), "%s:%#llx", mm->name,
			 (unsigned long long)(p->va & ~UINT64_C(0x1fffff)));
		put(m, slot_at(m, mm->pgd, 0, p->va, name), 0, entry_of(m, p, m->cpu->page_shift));
	}
}

void paging_twin(struct machine *m, const struct mmm *mm, uint64_t va, const struct mmm *of,
		 uint64_t of_va)
{
	put(m, slot_at(m, mm->pgd, 1, va, mm->name), 1,
	    get(m, slot_at(m, of->pgd, 1, of_va, of->name), 1));
}

void paging_loop(struct machine *m, const struct mmm *mm, uint64_t va)
{
	uint64_t slot = slot_at(m, mm->pgd, 1, va, mm->name);
	uint64_t table = slot & ~(((uint64_t)entry_bytes(m, 1) << m->cpu->bits[1]) - 1);

	put(m, slot, 1, table_entry(m, 1, table));
}

/* Map [va, va + size) to PA on. */
static void map_kernel(struct machine *m, uint64_t root, uint64_t va, uint64_t pa, uint64_t size)
{
	const struct form *f = form_of(m);
	uint64_t bits = f->base | f->small | f->write | f->dirty | f->young;

	for (uint64_t at = 0; at < size; at += mpage_size(m))
		put(m, slot_at(m, root, 0, va + at, "kernel"), 0, frame_bits(m, pa + at) | bits);
}

/*
 * x86, arm64 and riscv64 have all of the kernel in their tables. PowerPC maps memory with BATs, pinned TLB
 * entries or the hash table, so the tables have only vmalloc and, except with a hash
 * MMU (vmemmap_list), struct pages.
 */
void paging_kernel(struct machine *m, uint64_t root)
{
	uint64_t size = m->nframes << m->cpu->page_shift;
	bool listed = m->cpu->features == 0x1 && m->cpu->word == 8;

	if (is_x86(m) || m->cpu->elf_machine == EM_AARCH64 || m->cpu->elf_machine == EM_RISCV)
		map_kernel(m, root, m->cpu->page_offset, 0, size);
	if (m->cpu->image_offset != m->cpu->page_offset)
		map_kernel(m, root, m->cpu->image_offset, 0, size);
	for (size_t i = 0; i < m->mapped.n; i++)
		if (!listed || m->mapped.v[i].kva < m->cpu->vmemmap)
			map_kernel(m, root, m->mapped.v[i].kva, m->mapped.v[i].pa,
				   m->mapped.v[i].size);
}
