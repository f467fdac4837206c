/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thrash.h - did the machine thrash: did it wait for pages that it had given up shortly before?
 *
 * One dump has counters since boot, which alone prove nothing but that nothing ever happened,
 * and averages of pressure over the last 10 to 300 s. With an earlier dump of the same boot the
 * counters become rates.
 */
#ifndef VMCENSUS_THRASH_H
#define VMCENSUS_THRASH_H

#include "model/kernel/machine/psi.h"
#include "model/model.h"

enum thrash_answer { THRASH_UNKNOWN, THRASH_NO, THRASH_YES };
/* What had to be read again. */
enum thrash_of { THRASH_OF_UNKNOWN, THRASH_OF_NONE, THRASH_OF_FILES, THRASH_OF_ANON, THRASH_OF_BOTH };
enum thrash_certainty { THRASH_WEAK, THRASH_FAIR, THRASH_STRONG };

enum thrash_unit {
	THRASH_PAGES, THRASH_COUNT, THRASH_PERCENT100, /* hundredths of a percent */
	THRASH_US
};

/* One piece of evidence. */
struct thrash_figure {
	const char *section, *name;	/* "refaults", "workingset_refault_file" */
	enum thrash_unit unit;
	uint64_t value;			/* UINT64_MAX: unknown */
	double rate;			/* per second, between the dumps or since boot; NAN: none */
};

struct thrash_proc {			/* of s->procs[i] */
	uint64_t maj_flt, min_flt;	/* between the dumps if there are two; UINT64_MAX unknown */
	uint32_t stalled;		/* threads that waited for memory at the moment (PSI) */
	uint32_t blocked;		/* threads in state D */
	uint64_t delay[4];		/* ns in delay accounting: swap-in, reclaim, thrashing,
					   block I/O; UINT64_MAX: not kept */
	bool known_stalled;
};

enum thrash_why {
	THRASH_WHY_NOT_LOOKED,
	THRASH_WHY_NOTHING,	/* no page was read again */
	THRASH_WHY_DISKS,	/* tasks waited for disks, to read again */
	THRASH_WHY_MEMORY,	/* tasks waited for memory */
	THRASH_WHY_OLD,		/* the averages of pressure are of another time */
	THRASH_WHY_NO_PRESSURE,	/* the kernel keeps none */
	THRASH_WHYS
};

/* What an answer comes from. */
struct thrash_reason {
	enum thrash_why why;
	enum thrash_of of;
	bool two;		/* between two dumps; else in the last 10 s */
	double some, full;	/* percent of the time, of what tasks waited for */
};

struct thrash {
	enum thrash_answer answer;
	enum thrash_of of;
	enum thrash_certainty certainty;
	struct thrash_reason reason;
	double seconds;			/* between the dumps; 0: one dump */
	double uptime;			/* seconds; 0 unknown */
	struct psi psi;			/* of the machine */
	double psi_age;			/* seconds since it was averaged; NAN unknown */
	double some, full;		/* percent of the time waited for memory: between the
					   dumps, else over the last 10 s; NAN unknown */
	double io_some, io_full;	/* the same for disks */
	uint64_t stalled, blocked;	/* tasks; UINT64_MAX unknown */
	VEC(struct thrash_figure) figures;
	struct thrash_proc *procs;	/* one for each of s->procs */
};

/* Of S (NEED_TASKS, NEED_MACHINE); BEFORE: an earlier dump, NULL if there is none. All in MEM. */
void thrash_read(const struct snapshot *s, const struct snapshot *before, struct arena *mem,
		 struct thrash *ret);

#endif
