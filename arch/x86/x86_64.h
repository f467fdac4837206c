/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86_64.h - shared by the files of this folder. Outside of it only arch.c (for
 * the struct arch) and the unit tests (for the rows) include it.
 *
 *     x86_64_pte.c    rows and decoder: page-table entries (i386_pte.c uses it too)
 *     x86_64_find.c   where the kernel's page tables are
 *     x86_64.c        struct arch: attach, translation, variants of kernels
 */
#ifndef VMCENSUS_X86_64_H
#define VMCENSUS_X86_64_H

#include "arch/linear.h"

/* __START_KERNEL_map and the end of the module area
   (arch/x86/include/asm/page_64_types.h): kernel text and data are mapped in
   the first gigabyte, KASLR included (KERNEL_IMAGE_SIZE). */
#define X86_64_TEXT UINT64_C(0xffffffff80000000)
#define X86_64_TEXT_SIZE (UINT64_C(1) << 30)

enum { X86_64_4LEVEL, X86_64_5LEVEL, X86_64_ROWS };

extern const struct paging x86_64_paging[X86_64_ROWS];

/* paging_env.swap_form: where type and offset of a swap entry lie. */
enum x86_64_swap_form {
	X86_SWAP_L1TF,		/* 4.19 and backports: type on top, ~offset */
	X86_SWAP_4_6,		/* 4.6..4.18 */
	X86_SWAP_2_6,		/* 2.6.32..4.5 */
	X86_SWAP_3_15,		/* 3.15..3.19 with CONFIG_NUMA_BALANCING */
	X86_SWAP_PAE,		/* i386 with PAE up to 4.18: in the upper word */
	X86_SWAP_PAE_2_6_0,	/* the same up to 2.6.31, with another bit for PROT_NONE */
	X86_SWAP_2_6_0,		/* i386 without PAE up to 2.6.31 */
	X86_SWAP_2_4,		/* also x86-64 up to 2.6.31 (read 2.6.18 and 2.6.32) */
};

/* paging_env.form: x86-64; i386 with PAE; i386 without, which has a decoder of its own */
enum x86_form { X86_FORM_64, X86_FORM_PAE, X86_FORM_2LEVEL };

/* dump->kv_self: how this dump's kernel maps memory. */
struct x86_64 {
	struct kernel_map map;
	bool has_phys_base;
	uint64_t phys_base;		/* text: pa = va - X86_64_TEXT + phys_base */
	struct linear *linear;		/* by the image's program headers; in dump->mem */
	unsigned nlinear;
	struct linear direct;		/* the direct map; size 0: not known where it is */
	bool no_1g_pages;		/* the kernel maps none: direct_gbpages */
};

/* Decoder of both rows, and of i386 with PAE: its entries differ in a few bits. */
void x86_64_decode(const struct paging *p, const struct paging_env *env, unsigned level,
		   const uint8_t *raw, unsigned n, struct pte *out);

/* An environment as of a current kernel, with no encryption. */
void x86_64_env_init(struct paging_env *env, uint64_t max_pa);

/*
 * Find the kernel's page tables; sure places first, guesses last. ST_OK
 * if x->map.has_root, or at least x->has_phys_base or x->nlinear; else d->diag.
 */
enum status x86_64_find(struct dump *d, struct x86_64 *x);

/* What /proc has only on 64-bit kernels. */
#define X86_64_STATUS { V(6, 4), "untag_mask:\t0xffffffffffffffff\n" }
extern const struct arch_vmflag x86_64_vmflags[];

extern const struct arch arch_x86_64;

#endif
