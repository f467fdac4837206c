/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reader.h - one thread's view of a dump's memory.
 *
 * A reader keeps a small set of decompressed pages and lends them out: a page
 * table or 64 page structs are decoded where they lie. Borrowed pages stay
 * until released; no more than READER_PINS may be out at once. A reader
 * belongs to one thread; make one for each worker.
 */
#ifndef VMCENSUS_READER_H
#define VMCENSUS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/status.h"

struct dump;
struct reader;

#define READER_PINS 32		/* pages one reader may have borrowed at once */

/* A borrowed page. data is NULL when nothing is borrowed. */
struct page_ref {
	const uint8_t *data;	/* a whole page */
	uint32_t slot;		/* private */
};

/* Never NULL (memory exhaustion ends in arena_die). Free before the dump. */
struct reader *reader_new(struct dump *d);
/* The same, for one that comes to all tasks, mms or vmas more than once: on a large machine it has
   more pages, up to 32 MiB of them. */
struct reader *reader_new_wide(struct dump *d);
/* The same, for one that goes forward and seldom back: its few pages stay in the processor's
   cache. */
struct reader *reader_new_forward(struct dump *d);
void reader_free(struct reader *r);
struct dump *reader_dump(const struct reader *r);

/* Borrow the page with frame number PFN. On failure ret->data is NULL. */
enum status reader_page(struct reader *r, uint64_t pfn, struct page_ref *ret);
/* Give it back; harmless when nothing is borrowed. */
void reader_release(struct reader *r, struct page_ref *p);

/*
 * For a live dump: forget the pages that were read, so that they are read as they are
 * now. Borrowed pages stay as they are. For other dumps nothing happens.
 */
void reader_renew(struct reader *r);

/* Is the page in the dump? No page is read. */
bool reader_present(const struct reader *r, uint64_t pfn);

/* For a search: the first page from PFN on that is in the dump, below END; END if none is.
   Pages that are zeros because the file has a hole there are passed over. */
uint64_t reader_next(const struct reader *r, uint64_t pfn, uint64_t end);
/* Move *PA in steps of STEP bytes to the first such page; false if there is none. */
bool reader_step(const struct reader *r, uint64_t *pa, uint64_t step);

/* Copy LEN bytes at physical address PA (any alignment, may cross pages). */
enum status read_pa(struct reader *r, uint64_t pa, void *buf, size_t len);

/*
 * Copy LEN bytes at kernel-virtual address KVA. ST_FAULT: not mapped by the
 * kernel's page tables. ST_NODATA: mapped, not in the dump. On failure BUF is
 * undefined.
 */
enum status read_kva(struct reader *r, uint64_t kva, void *buf, size_t len);

/*
 * Physical address of KVA; *run (if not NULL) is the number of bytes from
 * there on that are mapped in one piece (at least 1).
 */
enum status reader_kvtop(struct reader *r, uint64_t kva, uint64_t *pa, uint64_t *run);

/* The table that the last walk of page tables ended in, for the next address: filled by kv_ops.kvtop. */
struct reader_path {
	const void *of;		/* the kind of page tables; NULL: there was no walk */
	uint64_t root, range;	/* the table translates the addresses of this range */
	uint64_t table;		/* physical address */
	/* Every page of [same, same_end) is mapped to the page at same_pa. */
	uint64_t same, same_end, same_pa;
};
struct reader_path *reader_path(struct reader *r);

/* A pointer- or integer-sized word of the dumped machine at KVA. */
enum status read_kva_word(struct reader *r, uint64_t kva, uint64_t *ret);
enum status read_kva_uint(struct reader *r, uint64_t kva, unsigned size, uint64_t *ret);

/*
 * A string at KVA of at most SIZE-1 bytes into BUF, always terminated.
 * Stops at NUL or where memory ends; ST_OK if at least one byte was readable.
 */
enum status read_kva_str(struct reader *r, uint64_t kva, char *buf, size_t size);

#endif
