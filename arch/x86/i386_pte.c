/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * i386_pte.c - page-table entries of 32-bit x86.
 *
 * With PAE they are those of x86-64, under a root of four entries that have only P
 * (arch/x86/include/asm/pgtable-3level.h). Without PAE they have 32 bits and no NX,
 * and entries that are not present are never inverted (pgtable-2level.h, read 2.4.27
 * to 7.3):
 *     0 P   1 RW   5 A   6 D   7 PSE above   8 PROTNONE if !P   9 SPECIAL
 *     swap: type 5..1, offset from 9 on (8 before 2.6.32; 2.4: type 6..1)
 *     10 SAVED_DIRTY (6.6+)
 */
#include "arch/x86/i386.h"

#include "dumpread/base/bytes.h"

#define P 0x1u
#define RW 0x2u
#define A 0x20u
#define D 0x40u
#define PSE 0x80u
#define PROTNONE 0x100u
#define SPECIAL 0x200u
#define SAVED_DIRTY 0x400u
#define FRAME 0xfffff000u
#define FRAME_4M 0xffc00000u
/* below the frame of 4 MiB: 12 PAT_LARGE, 13 to 16 PSE-36, which Linux does not use */
#define RESERVED_4M 0x003fe000u

static uint32_t dirty_bits(const struct paging_env *env)
{
	return env->saved_dirty ? D | SAVED_DIRTY : D;
}

static void decode_page(const struct paging_env *env, uint32_t v, uint32_t frame, struct pte *out)
{
	*out = (struct pte){
		.kind = PTE_PAGE,
		.pa = v & frame,
		.flags =
			(uint16_t)(PTE_EXEC | (v & RW ? PTE_WRITE : 0) |
				   (v & dirty_bits(env) ? PTE_DIRTY : 0) | (v & A ? PTE_YOUNG : 0) |
				   (v & SPECIAL ? PTE_SPECIAL : 0) | (v & P ? 0 : PTE_PROTNONE)),
	};
}

static void decode_swap(const struct paging_env *env, uint32_t v, struct pte *out)
{
	unsigned type = env->swap_form == X86_SWAP_2_4 ? 0x3f : 0x1f;
	unsigned offset = env->swap_form == X86_SWAP_2_6 ? 9 : 8;

	*out = (struct pte){
		.kind = PTE_SWAP,
		.swap_type = (uint8_t)(v >> 1 & type),
		.swap_offset = v >> offset,
		.flags = (uint16_t)((v & dirty_bits(env) ? PTE_RAW_DIRTY : 0) |
				    (v & A ? PTE_RAW_YOUNG : 0)),
	};
}

/* _PAGE_PROTNONE: bit 7 in 2.4 to 2.6.18; the bit of _PAGE_GLOBAL in 2.6.32, where swap
   offsets moved out of its way. */
static uint32_t protnone(const struct paging_env *env)
{
	return env->swap_form == X86_SWAP_2_6 ? PROTNONE : PSE;
}

static void decode_pte(const struct paging_env *env, uint32_t v, struct pte *out)
{
	if (v & (P | protnone(env)))
		decode_page(env, v, FRAME, out);
	else if (v)
		decode_swap(env, v, out);
	else
		*out = (struct pte){ .kind = PTE_NONE };
}

static void decode_pgd(const struct paging_env *env, uint32_t v, struct pte *out)
{
	if (!v) {
		*out = (struct pte){ .kind = PTE_NONE };
	} else if (v & PSE) {
		decode_page(env, v, FRAME_4M, out);
		if (v & RESERVED_4M)
			out->kind = PTE_BAD;
	} else if (v & P) {
		*out = (struct pte){ .kind = PTE_TABLE, .pa = v & FRAME };
	} else if (v & PROTNONE) {
		*out = (struct pte){ .kind = PTE_BAD };
	} else {
		decode_swap(env, v, out); /* of hugetlb */
	}
}

static void i386_decode(const struct paging *p, const struct paging_env *env, unsigned level,
			const uint8_t *raw, unsigned n, struct pte *out)
{
	(void)p;
	for (unsigned i = 0; i < n; i++) {
		uint32_t v = load32(raw + 4 * (size_t)i, false);

		if (level)
			decode_pgd(env, v, &out[i]);
		else
			decode_pte(env, v, &out[i]);
	}
}

const struct paging i386_paging[I386_ROWS] = {
	[I386_PAE] = { "i386 PAE", 12, { 8, 8, 8 }, 3, { 9, 9, 2 }, 1 << 0 | 1 << 1,
		       x86_64_decode, { 0 } },
	[I386_2LEVEL] = { "i386 2-level", 12, { 4, 4 }, 2, { 10, 10 }, 1 << 0 | 1 << 1,
			  i386_decode, { 0 } },
};
