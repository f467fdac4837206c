/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake.h - a dump made by hand: pages, symbols and types that a test states.
 *
 * Kernel-virtual memory is one linear map at FAKE_BASE (64-bit) or
 * FAKE_BASE32: kva = base + pa. Pages exist once something was put there.
 */
#ifndef VMCENSUS_TESTS_FAKE_H
#define VMCENSUS_TESTS_FAKE_H

#include "dumpread/dump.h"
#include "model/kernel/kernel.h"

#define FAKE_BASE 0xffff888000000000ull
#define FAKE_BASE32 0xc0000000ull
#define FAKE_PAGES 4096u	/* 16 MiB of physical memory */

#define FAKE_WORDS 2048u

/* A word that fake_put_uint() wrote. */
struct fake_word {
	uint64_t pa;
	unsigned size;
};

struct fake {
	struct dump dump;
	struct kernel kernel;
	struct arch arch;
	uint8_t *page[FAKE_PAGES];	/* NULL: not in the dump */
	struct reader *r;
	struct fake_word word[FAKE_WORDS];	/* each once */
	unsigned nwords;
};

/* WORD 4 or 8 bytes. All members and types are absent until stated. */
struct fake *fake_new(unsigned word, bool big);
void fake_free(struct fake *f);

uint64_t fake_kva(const struct fake *f, uint64_t pa);
void fake_put(struct fake *f, uint64_t pa, const void *data, size_t len);
void fake_put_uint(struct fake *f, uint64_t pa, uint64_t v, unsigned size);
/* Remove the page again. */
void fake_drop(struct fake *f, uint64_t pa);

void fake_member(struct fake *f, enum layout_id id, uint32_t offset, uint32_t size);
struct fake_fact {
	enum layout_id id;
	uint32_t offset, size;
};

/* Several members: { id, offset, size }, ... */
#define fake_members(f, ...) \
	fake_members_until((f), (const struct fake_fact[]){ __VA_ARGS__, { (enum layout_id)0, 0, UINT32_MAX } })
/* Up to the one whose size is UINT32_MAX. */
void fake_members_until(struct fake *f, const struct fake_fact *facts);
void fake_array(struct fake *f, enum layout_id id, uint32_t offset, uint32_t stride,
		uint32_t count);
void fake_size(struct fake *f, enum layout_id id, uint32_t size);
void fake_symbol(struct fake *f, enum layout_id id, uint64_t addr);
void fake_enum(struct fake *f, enum layout_id id, int64_t value);

/* Issues counted so far for OBJECT, of any kind. */
uint64_t fake_issues(struct fake *f, const char *object);

#endif
