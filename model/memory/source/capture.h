/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capture.h - the output of a collector on the machine, instead of its memory.
 *
 * A capture is a list of tasks, their VMAs, and the present pages of each: no kernel
 * memory, no types, no symbols. It is opened as a struct kernel whose source is
 * source_collector or source_module (model/kernel/source.h).
 *
 * To add a format: one file here with a struct capture_format, whose parse function fills
 * the lists below with capture_task(), capture_vma() and capture_page(), which check their
 * arguments; one row in formats[] (capture.c); a fuzz seed and a unit test.
 */
#ifndef VMCENSUS_CAPTURE_H
#define VMCENSUS_CAPTURE_H

#include "arch/ptebits.h"
#include "dumpread/base/hash.h"
#include "model/kernel/source.h"
#include "model/model.h"

/* One present page-table entry. */
struct capture_page {
	uint64_t va;
	uint64_t pa;			/* without the low 12 bits */
	uint64_t flags;			/* struct page.flags */
	uint32_t count;			/* as the collector gave it */
	uint16_t bits;			/* low 12 bits of the entry */
};

/* Pages of a VMA as its collector counted them. */
struct capture_counts {
	uint64_t user, exec, readonly, single, shared;
	bool given;
};

struct capture_vma {
	uint64_t start, end;		/* end exclusive */
	uint64_t rss;			/* bytes */
	uint64_t prot, flags;		/* vm_page_prot, vm_flags */
	const char *file;		/* NULL: anonymous */
	size_t first_page, npages;	/* in capture.pages */
	struct capture_counts counts;
	size_t line;			/* its line in the text, for messages */
};

struct capture_mm {
	uint64_t addr;
	uint32_t task;			/* the first that uses it, which has its VMAs */
	size_t first_vma, nvmas;
};

struct capture_task {
	char comm[16];
	int32_t pid;
	uint32_t mm;			/* in capture.mms, NONE */
	uint32_t cpu;
	int32_t tgid;			/* where grouped: its process */
	bool grouped;
	/* fault numbers and times, which no source explains: kept unchanged */
	uint64_t n[6];
};

struct module;

struct capture {
	const char *format;
	VEC(struct capture_task) tasks;
	VEC(struct capture_mm) mms;
	VEC(struct capture_vma) vmas;
	VEC(struct capture_page) pages;
	bool wide;			/* has values of more than 32 bits */
	uint64_t size;			/* bytes of the file: limits memory */
	uint8_t *data;			/* they, where parts of the capture point into them; else NULL */
	struct module *module;		/* of capture_module: its data beyond this */
	VEC(struct log_line) log;	/* of capture_log, which has nothing else */
	const char *release;		/* of its kernel; NULL: it does not tell */
	const char *version;		/* what stands behind it ("#210-Ubuntu SMP ..."), with a blank at its end */
	bool callers, by_clock;		/* lines have callers; as machine.log_by_clock */
	const struct ptebits *bits;	/* of the entries; NULL: not known */
	struct hash mm_index, pids;	/* address, pid + 1 -> index */
	struct issues issues;
	struct arena mem;
};

struct capture_format {
	const char *name;
	const struct source *source;
	/* Does a file that begins with HEAD have this format? */
	bool (*probe)(const uint8_t *head, size_t len);
	/*
	 * Fills C; damage is an issue. False: it has not this format, whatever its beginning is like.
	 * DATA has one byte behind it, and may be written.
	 */
	bool (*parse)(struct capture *c, uint8_t *data, size_t len);
	bool keeps;	/* C points into DATA afterwards */
};

extern const struct capture_format capture_tvpm, capture_log;

/*
 * Opens PATH as a capture. ST_NOTMINE, with an empty DIAG: it is none. On success *ret is
 * a kernel that kernel_close() ends.
 */
enum status capture_open(const char *path, struct diag *diag, struct kernel **ret);
/* The same for bytes in memory. */
enum status capture_of_bytes(const uint8_t *data, size_t len, struct kernel **ret);
void capture_close(struct capture *c);

/* ---- for formats ----------------------------------------------------------------- */

/*
 * Adds the next task; MM is the address of its memory map, or 0. False: refused, and
 * counted. *again: its VMAs are known from an earlier task.
 */
bool capture_task(struct capture *c, const struct capture_task *t, uint64_t mm, size_t line,
		  bool *again);
/* The last task, although *again, has another mm at an address used before. */
void capture_mm_anew(struct capture *c);
/* Adds the next VMA of the last task. False: refused, and counted. */
bool capture_vma(struct capture *c, const struct capture_vma *v);
/* Adds the next page of the last VMA; RAW is its page-table entry. */
void capture_page(struct capture *c, const struct capture_page *p, uint64_t raw, size_t line);

/* ---- the sources ----------------------------------------------------------------- */

extern const struct source source_collector, source_module, source_log;

#endif
