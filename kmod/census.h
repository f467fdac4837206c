/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One open file of /dev/vmcensus or /dev/vmcensus-text.
 *
 * Nothing is gathered beforehand: read() asks for the next piece. A piece is one
 * task, one mapping or the entries of one page table of a mapping. Between pieces
 * all locks and references are released, except one reference to the mm_struct
 * itself (mmgrab). So no process waits for a slow reader.
 */
#ifndef VMCENSUS_CENSUS_H
#define VMCENSUS_CENSUS_H

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "format.h"

#define OUT_BYTES (64u << 10)	/* more than any piece takes */
#define RUNS_MAX 512u		/* of one piece */

struct census;

/* The two forms. Each writes one piece with census_put(). */
struct census_form {
	const char *name;	/* of the device */
	bool counts;		/* vma() gets the counts of its pages */
	void (*begin)(struct census *c);
	void (*task)(struct census *c, const struct vmc_task *t);
	void (*mm)(struct census *c, const struct vmc_mm *m, const char *exe);
	void (*vma)(struct census *c, const struct vmc_vma *v, const char *name);
	void (*pages)(struct census *c, const struct vmc_run *run, unsigned int n);
	void (*end)(struct census *c);
};

extern const struct census_form census_text, census_binary;

enum stage { STAGE_BEGIN, STAGE_TASK, STAGE_MM, STAGE_VMA, STAGE_PAGES, STAGE_END, STAGE_DONE };

struct counts {
	u64 present, user, exec, readonly, single, shared;
};

struct census {
	struct mutex lock;	/* one read() at a time */
	const struct census_form *form;
	enum stage stage;
	int pid, last_pid;	/* the next task, and the highest pid in use */
	struct mm_struct *last_mm;	/* written last, mmgrab()bed; or NULL */
	struct mm_struct *mm;	/* the same while it is read, else NULL */
	unsigned long addr;	/* where the next mapping is looked for */
	unsigned long at, start, end;	/* of the mapping: next page, and its range */
	u64 pgoff, file_id;		/* of the mapping */
	struct counts counts;
	unsigned int listed;	/* pages of the mapping that were written */
	struct vmc_end sums;
	struct vmc_run *runs;	/* RUNS_MAX */
	char *path;		/* PATH_MAX */
	char *out;		/* OUT_BYTES */
	size_t len, pos;	/* bytes in OUT, and those already read */
};

/* collect.c: make the next piece. 0, or -EINTR: the reader is being killed. */
int census_step(struct census *c);
/* Release what is held between pieces: only the mm_struct. */
void census_drop(struct census *c);

/*
 * entries.c: entries of VMA from *AT on, of one table at most, in neighbouring
 * runs; *AT moves past the entries looked at. RUNS has room for RUNS_MAX runs, and
 * no more pages than that are returned. mmap_lock is held.
 */
unsigned int entries_get(struct vm_area_struct *vma, unsigned long *at, unsigned long end,
			 struct vmc_run *runs);
/* struct page.flags as they are; 0 where there is no page. */
unsigned long entries_page_flags(u64 pfn);

void census_put(struct census *c, const void *data, size_t n);
void census_printf(struct census *c, const char *fmt, ...) __printf(2, 3);

#endif
