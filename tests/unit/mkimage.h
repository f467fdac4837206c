/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkimage.h - small dumps in every container, written by the tests themselves.
 *
 * The contents of a page follow from its frame number, so that a test knows what
 * any page of any image should hold:
 *	pfn % 4 == 3	not in the dump
 *	pfn % 8 == 0	zeros
 *	pfn % 8 == 1	bytes that do not compress
 *	otherwise	bytes that compress
 * unless there is a source of other pages (struct mkimage, has and get).
 */
#ifndef VMCENSUS_TESTS_MKIMAGE_H
#define VMCENSUS_TESTS_MKIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mkimage {
	bool big;
	unsigned word;			/* 4 or 8 */
	unsigned page_shift;
	uint64_t max_pfn;
	const char *vmcoreinfo;		/* NULL: none */
	/* Other pages than those of the rule above; both or none. */
	bool (*has)(void *arg, uint64_t pfn);
	void (*get)(void *arg, uint64_t pfn, uint8_t *out);
	void *arg;

	/* kdump-compressed */
	const char *machine;		/* utsname.machine */
	const char *release;		/* NULL: "6.1.0-test" */
	unsigned version;		/* of the header, 1..6 */
	unsigned tail;			/* place of `status`: 412, 420, 424 */
	bool padded;			/* 32-bit sub-header with 8-aligned offsets */
	uint32_t compress;		/* PAGE_ZLIB ..., 0: as they are */
	bool vmcoreinfo_in_notes;
	bool one_bitmap;		/* DISKDUMP without the second bitmap */
	bool split;
	uint64_t split_start, split_end;

	/* mcore */
	uint64_t identity;		/* kernel address of physical 0 */

	/* ELF */
	uint16_t elf_machine;
	bool sections_first;		/* QEMU's order, with e_ehsize 8 */
	bool xnum;			/* program header count in section 0 */
};

/* A growing file in memory. */
struct bytes {
	uint8_t *v;
	size_t n, cap;
};

bool mk_present(uint64_t pfn);
bool mk_has(const struct mkimage *m, uint64_t pfn);
/* Content of the page, whether in the dump or not. */
void mk_page(const struct mkimage *m, uint64_t pfn, uint8_t *out);

struct bytes mk_kdump(const struct mkimage *m);
/* One PT_LOAD for each run of present pages, in reverse order. */
struct bytes mk_elf(const struct mkimage *m);
/* One range for each run. */
struct bytes mk_lime(const struct mkimage *m);
struct bytes mk_avml(const struct mkimage *m);
/* Versions 1 and 2. Version 1 has one page per unit. */
struct bytes mk_mcore1(const struct mkimage *m);
struct bytes mk_mcore2(const struct mkimage *m);
/* A migration stream; page_shift is at least 12. */
struct bytes mk_qemu(const struct mkimage *m);

/* One line per container that has only memory, in one file. Tools that write dumps write
   all of these. */
struct mk_container {
	const char *name;
	struct bytes (*make)(const struct mkimage *m);
	bool little;			/* only for little-endian machines */
};

#define MK_CONTAINERS 5u
extern const struct mk_container mk_containers[MK_CONTAINERS];

/* Only the N pages from FIRST on; absent pages are zeros. */
struct bytes mk_raw(const struct mkimage *m, uint64_t first, uint64_t n);
/* The first run of present pages at *FIRST or after it: its length, 0 at the end. */
uint64_t mk_run(const struct mkimage *m, uint64_t *first);
/* Flatten B as makedumpfile -F does, in records of CHUNK bytes; the first 64
   bytes are written wrong and then again, as headers are. */
struct bytes mk_flat(const struct bytes *b, size_t chunk);
void mk_free(struct bytes *b);

void put_at(struct bytes *b, uint64_t off, const void *p, size_t n);
void put_uint(struct bytes *b, uint64_t off, uint64_t v, unsigned size, bool big);

/* Write B's first N bytes into a new temporary file; path in BUF. */
const char *mk_file(const struct bytes *b, size_t n, char buf[64]);

#endif
