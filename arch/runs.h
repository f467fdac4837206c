/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runs.h - entries of eight bytes, little endian, that mostly differ from their neighbours in
 * the frame alone. For decoders; all functions are inline, and PAGE is a constant where a
 * family has one size.
 */
#ifndef VMCENSUS_RUNS_H
#define VMCENSUS_RUNS_H

#include <stddef.h>
#include <string.h>

#include "arch/arch.h"
#include "dumpread/base/bytes.h"

#define RUN_GROUP 8u	/* entries that are compared at once */

/* The last page that was decoded. */
struct last_page {
	uint64_t v;	/* 0: none yet */
	uint64_t rest;	/* what follows the address in its struct pte, copied as one word */
};

#define RUN_REST offsetof(struct pte, flags)

_Static_assert(sizeof(struct pte) - RUN_REST == sizeof(uint64_t), "an entry is two words");

static inline uint64_t raw_entry(const uint8_t *raw, unsigned i)
{
	return load64(raw + (size_t)i * 8, false);
}

/* OUT is the page V, for the entries after it. */
static inline void last_page_keep(struct last_page *last, uint64_t v, const struct pte *out)
{
	last->v = v;
	memcpy(&last->rest, (const uint8_t *)out + RUN_REST, sizeof(last->rest));
}

static inline void decode_like(const struct last_page *last, uint64_t pa, struct pte *out)
{
	out->pa = pa;
	memcpy((uint8_t *)out + RUN_REST, &last->rest, sizeof(last->rest));
}

/* Do entries I and I + 1 at RAW map the pages I and I + 1 pages after that of V? 0: they do. */
static inline uint64_t run_strays(const uint8_t *raw, uint64_t v, unsigned i, uint64_t page)
{
	return (raw_entry(raw, i) ^ (v + i * page)) | (raw_entry(raw, i + 1) ^ (v + (i + 1) * page));
}

/*
 * Do the RUN_GROUP entries at RAW, of which V is the first, map pages one after the other? The
 * last shows whether an address ran over into the bits above FRAME. Not asked: is V present.
 */
static inline bool is_run(const uint8_t *raw, uint64_t v, uint64_t frame, uint64_t page)
{
	return !run_strays(raw, v, 0, page) &&
	       !(run_strays(raw, v, 2, page) | run_strays(raw, v, 4, page) |
		 run_strays(raw, v, 6, page)) &&
	       !((v ^ (v + (RUN_GROUP - 1) * page)) & ~frame);
}

/* The run whose first entry is OUT[0]. Written out: compilers leave a loop of seven. */
static inline void decode_run(const struct last_page *last, uint64_t page, struct pte *out)
{
	uint64_t pa = out->pa;

	decode_like(last, pa + 1 * page, &out[1]);
	decode_like(last, pa + 2 * page, &out[2]);
	decode_like(last, pa + 3 * page, &out[3]);
	decode_like(last, pa + 4 * page, &out[4]);
	decode_like(last, pa + 5 * page, &out[5]);
	decode_like(last, pa + 6 * page, &out[6]);
	decode_like(last, pa + 7 * page, &out[7]);
	out->run = RUN_GROUP;
}

/* Young and dirty of one of the N pages at RAW, decoded to OUT, belong to all of them whose entries have all of MEMBER. */
static inline void gather_flags(const uint8_t *raw, unsigned n, uint64_t member, struct pte *out)
{
	unsigned both = 0, flags = 0;

	for (unsigned i = 0; i < n; i++) {
		both |= out[i].kind == PTE_PAGE ? out[i].flags : 0u;
		flags |= out[i].flags ^ out[0].flags;
	}
	both &= PTE_DIRTY | PTE_YOUNG;
	if (!(flags & (PTE_DIRTY | PTE_YOUNG)))
		return;
	for (unsigned i = 0; i < n; i++)
		if (out[i].kind == PTE_PAGE && (raw_entry(raw, i) & member) == member) {
			out[i].flags |= (uint16_t)both;
			out[i].run = 0;
		}
}

#endif
