/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * like.h - reports in the layout of older tools: one file per tool, and a table of them
 * for each report (tables.c). The files share sums.c and shares.c.
 */
#ifndef VMCENSUS_LIKE_H
#define VMCENSUS_LIKE_H

#include "reports/core/common.h"
#include "reports/process/vma_rows.h"

extern const struct like procs_likes[], users_likes[], programs_likes[], vmas_likes[],
	summary_likes[];

#define LIKE_TEXT(name) \
	void name(const struct snapshot *s, const struct report_opts *o, const struct table *t, \
		  FILE *out)

LIKE_TEXT(smem_procs_text);
LIKE_TEXT(smem_users_text);
LIKE_TEXT(smem_maps_text);
LIKE_TEXT(smem_system_text);
LIKE_TEXT(smem_pl_text);
LIKE_TEXT(ps_mem_text);
LIKE_TEXT(procrank_text);
LIKE_TEXT(librank_text);
LIKE_TEXT(showmap_text);
LIKE_TEXT(pmap_text);
LIKE_TEXT(exmap_procs_text);
LIKE_TEXT(paper_procs_csv);
extern const struct chart paper_procs_chart;

/* ---- sums.c ------------------------------------------------------------------- */

struct sums {
	uint64_t size, rss, pss, uss, swap, swap_pss, swap_ptes, swap_uss;
	uint64_t shared_clean, shared_dirty, private_clean, private_dirty;
};	/* COL_UNKNOWN: nothing of it is known */

/* V, or "-" if it is not known; KIB of bytes. For fprintf(), in the same call. */
struct number { char text[24]; };
struct number number_of(uint64_t v);
struct number kib_number(uint64_t bytes);
/* A line of meminfo; 0 if this kernel has no such line, COL_UNKNOWN if it is not readable. */
uint64_t meminfo_bytes(const struct snapshot *s, const char *line);
/* A + B; of the one that is known if the other is not. */
uint64_t sum_known(uint64_t a, uint64_t b);

/*
 * Adds U in units of 1 << SHIFT bytes, cut off. With SUMS_KIB as a tool that adds up lines
 * of smaps, whose Pss lost its fraction in each vma. What is unknown in U adds nothing; a sum
 * that is nothing else is unknown.
 */
enum { SUMS_BYTES = 0, SUMS_KIB = 10 };

void sums_add(struct sums *sum, const struct usage_cells *u, unsigned shift);
/* Adds all vmas of MM. */
void sums_add_mm(struct sums *sum, const struct snapshot *s, const struct mm *mm, unsigned shift);
/* Over all VMAs of MM. */
struct sums sums_of_mm(const struct snapshot *s, const struct mm *mm, unsigned shift);

/* The process of row I: its column pid says which. NULL: none, or a thread's row. */
const struct proc *row_proc(const struct snapshot *s, const struct table *t, size_t i);
/* Its arguments, or [comm] where the dump does not hold them; in MEM. */
const char *proc_command(const struct snapshot *s, const struct proc *p, struct arena *mem);

/* S made safe, cut to MAX columns and filled up to WIDTH; MAX 0: not cut. */
void put_field(FILE *out, const char *s, size_t width, size_t max);

/* Rows of vmas by process: the rows from I up to the next process. */
size_t process_end(const struct table *t, size_t i);
/* PRINT the rows of each process, under a heading if several may be shown. */
void each_process(const struct report_opts *o, const struct table *t,
		  void (*print)(const struct vma_row *r, size_t n, FILE *out), FILE *out);

/* ---- shares.c: mapped objects by name, and the processes that map them -------- */

struct share {			/* one process's part in one name */
	uint32_t name;		/* index in shares.names */
	const struct proc *proc;
	bool counted;		/* the first process of its mm: sums include it */
	struct sums kib, bytes;
};

struct mapped_name {
	const char *name;	/* as maps has it; ANON if it has none */
	uint32_t nvmas, nprocs;
	struct sums kib, bytes;	/* each mm once */
};

struct shares {
	VEC(struct mapped_name) names;
	VEC(struct share) v;
};

/* Over rows of vmas; ANON: the name for vmas without one. */
void shares_build(const struct table *t, const char *anon, struct arena *mem,
		  struct shares *ret);

#endif
