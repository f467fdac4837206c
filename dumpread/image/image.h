/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * image.h - the bytes of a dump: physical pages by page frame number.
 *
 * An image is one file, or the parts of a split one. It knows its container
 * and nothing about the kernel inside. Everything in it is hostile: every offset
 * and count is checked against the file's size when it is opened or read.
 *
 * To add a container: CONTRIBUTING.md has the steps.
 *
 * Reads are thread-safe: all state that changes while reading lives in the
 * reader's own context (struct image_ctx), never in the image.
 */
#ifndef VMCENSUS_IMAGE_H
#define VMCENSUS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/causes.h"
#include "dumpread/base/diag.h"
#include "dumpread/base/issues.h"
#include "dumpread/base/log.h"
#include "dumpread/base/status.h"

#define IMAGE_LIVE "live"	/* names the running kernel; a file is ./live */
/* Is NAME that of the running kernel's memory? */
bool live_named(const char *name);
#define IMAGE_PAGE_MAX (256u << 10)	/* largest page size believed, bytes */

struct image;
struct remote;		/* remote.h */
struct flat;		/* table of a flattened file, flat.h */
struct image_ctx;	/* private to a format: decompressor, bounce buffer */

struct image_ops {
	const char *name;	/* "elf", "kdump", "libkdumpfile" ... */
	/*
	 * Recognise and open im->parts[]. ST_NOTMINE leaves the image as it
	 * was; any other failure leaves its sentence in im->diag.
	 */
	enum status (*open)(struct image *im);
	/* Is the page in the dump? Constant time. */
	bool (*present)(const struct image *im, uint64_t pfn);
	/* The first page from PFN on that may be in the dump, or any pfn after the last.
	   Pages that are zeros because the file has a hole there are skipped, whatever
	   the size of the hole. NULL: each page has to be asked for. */
	uint64_t (*next)(const struct image *im, uint64_t pfn);
	/*
	 * Put the page (1 << im->page_shift bytes) at OUT: ST_OK, ST_NODATA
	 * (excluded, or the file ends before it) or ST_CORRUPT.
	 */
	enum status (*read)(const struct image *im, struct image_ctx *ctx,
			    uint64_t pfn, uint8_t *out);
	/* One context for each reader; NULL hooks mean none is needed. */
	struct image_ctx *(*ctx_new)(const struct image *im);
	void (*ctx_free)(struct image_ctx *ctx);
	void (*close)(struct image *im);
	/* Use another page size than the container's; NULL: the container's is right. */
	void (*set_page_shift)(struct image *im, uint8_t shift);
	bool placed;	/* it has memory in a line, of which names may place pieces (FILE@ADDRESS) */
	/* Add to TO the damage that reading has met, beyond im->causes; NULL: there is none. */
	void (*causes)(const struct image *im, struct causes *to);
};

/* Raw memory in a file: LENGTH bytes at OFFSET are those from physical ADDRESS on. */
struct image_piece {
	uint64_t address, offset;
	uint64_t length;	/* UINT64_MAX: to the end of the file */
};

/* One file of the image. All access is by pread: a file may shrink under us. */
struct image_part {
	const char *path;
	bool placed;		/* raw memory: piece is what the name says */
	struct image_piece piece;
	int fd;
	uint64_t size;		/* bytes at open; of the dump inside, if flattened */
	uint64_t raw_size;	/* bytes of the file itself */
	uint64_t stored;	/* of them, those that are no hole: bounds any search and
				   allocation */
	struct remote *remote;	/* it is read from a server; NULL: by fd */
	uint64_t *read;		/* bytes that were read of the file; NULL: nobody counts */
	struct flat *flat;	/* of a makedumpfile -F file; NULL: plain */
	bool live;		/* the running kernel's /proc/kcore: changes while read */
};

/* What the container's own header says about the machine; "" or 0 if nothing. */
struct image_header {
	char release[65], version[65], machine[65], nodename[65];
	int64_t crash_time;	/* seconds since 1970, 0 unknown */
	char compression[40];	/* "zlib", "lzo" ..., "none" */
	int dump_level;		/* makedumpfile -d, -1 unknown */
	bool no_memmap;		/* makedumpfile -e: struct pages of frames that it left out are
				   left out as well */
};

/* Memory whose kernel address the container tells: [va, va + size) is at pa. */
struct image_mapped { uint64_t va, pa, size; };

/* The file of --index (saved.h). */
struct image_index {
	const char *path;		/* to be read; NULL or no such file: nothing is known */
	FILE *to;			/* to be written; NULL: nothing is kept */
};

struct image {
	const struct image_ops *ops;
	void *priv;			/* the format's own */
	struct image_part *parts;
	unsigned nparts;

	char format[64];		/* for people: "kdump-compressed, flattened" */
	uint16_t elf_machine;		/* EM_X86_64 ..., 0 unknown */
	uint8_t word_size;		/* 4 or 8 bytes, 0 unknown */
	bool big_endian;
	uint8_t page_shift;		/* log2 of the page size in bytes */
	uint64_t max_pfn;		/* one past the last frame it can hold */
	uint64_t pages_present;		/* pages in the file; 0 if it cannot tell */
	bool live;			/* no dump: the running kernel, changing */
	bool zeros_left_out;		/* RAM between pages of the file that it lacks is zeros */
	struct image_header header;

	char *vmcoreinfo;		/* NUL-terminated text in mem, or NULL */
	size_t vmcoreinfo_len;
	/* CPU state notes as found (ELF NT_PRSTATUS descriptors and QEMU's). */
	uint8_t *notes;			/* the raw note segment(s), or NULL */
	size_t notes_len;
	struct image_mapped *mapped;	/* in the order of the file */
	unsigned nmapped;

	struct arena mem;		/* owns all of the above */
	struct issues issues;		/* truncation, damaged tables: found by open */
	struct causes causes;		/* the same, as a whole */
	struct issues *counted;		/* where damage counts that reading meets; NULL: nowhere */
	struct diag diag;
	const struct log *log;
	const struct image_index *index;	/* while it is opened; NULL: none */
};

/*
 * Open the dump in PATHS[0..n): one file, or all parts of a split dump in any
 * order; "live" is the running kernel (live.c). On failure *ret is NULL and DIAG
 * says what is wrong and what to do.
 */
enum status image_open(const char *const *paths, unsigned n,
		       const struct log *log, struct diag *diag, struct image **ret);
/* The same, with an index that is read or written. */
enum status image_open_indexed(const char *const *paths, unsigned n,
			       const struct image_index *index, const struct log *log,
			       struct diag *diag, struct image **ret);
void image_close(struct image *im);

/*
 * FILE@ADDRESS, FILE@ADDRESS+OFFSET or FILE@ADDRESS+OFFSET:LENGTH, raw memory: true, with
 * the length of FILE; numbers are decimal, or hexadecimal after 0x. False for all other names.
 */
bool image_name_split(const char *name, size_t *len, struct image_piece *piece);

/* log2 of BYTES if that is a page size that Linux has; 0 if not. */
uint8_t page_shift_of(uint64_t bytes);

/* The kernel's page size, if the container does not say it. */
void image_set_page_shift(struct image *im, uint8_t shift);

/* Pages that the image holds (set bits of its present map). */
uint64_t image_pages_present(const struct image *im);

/* An ELF note of the image. NAME has its NUL; NAME and DESC lie in im->notes. */
struct image_note {
	const uint8_t *name, *desc;
	size_t namesz, descsz;		/* bytes */
};

/* The note at *AT (0: the first); *AT moves to the next. False: there is none, or it is cut off. */
bool image_next_note(const struct image *im, size_t *at, struct image_note *ret);

/* Bytes that were read of the image's files so far, or sent by their servers; *SIZE: all of them. */
uint64_t image_bytes_read(const struct image *im, uint64_t *size);

/* For formats: LEN bytes at OFF of part; short reads are ST_NODATA. */
enum status part_read(const struct image_part *p, uint64_t off, void *buf, size_t len);

#endif
