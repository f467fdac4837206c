/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables.h - which tables of an mm are its own.
 *
 * A walk by VMA meets a table as often as something points to it, and a few tables that
 * point to each other describe work without end. So all tables of each mm are listed
 * once, before: one that stands in two places of an mm, or is no page table by its struct
 * page, or is more than the mm can have by its own count, is told here and then passed
 * over by every walk.
 */
#ifndef VMCENSUS_TABLES_H
#define VMCENSUS_TABLES_H

#include "model/model.h"

/* A place in the tables of an mm whose table is not to be followed. */
struct bad_table {
	uint64_t va;			/* the first address that it would map */
	uint8_t level;			/* its level; TABLES_OVER: this one and all behind it */
};

#define TABLES_OVER PAGING_LEVELS

/*
 * Fill mm.bad_tables, after frames where those are built. What contradicts
 * mm.pgtables_bytes, and tables of two mms, are issues; what is passed over becomes one
 * when a walk comes there.
 *
 * Who walks all mms asks for each of them just before, for the tables above the lowest
 * are then read once:
 *     tables_begin()		NULL: nothing is to be checked, all else takes that too
 *     tables_of(t, mm, r)	any thread, as often as it likes
 *     tables_end(t)		after all threads
 */
struct tables;

struct tables *tables_begin(struct snapshot *s);
void tables_of(struct tables *t, uint32_t mm, struct reader *r);
void tables_end(struct tables *t);

/* The same for all mms at once. */
void tables_check(struct snapshot *s);

/* pgwalk() of [start, end) of M's tables, but for its bad ones. */
bool tables_walk(const struct kernel *k, struct reader *r, const struct mm *m, uint64_t start,
		 uint64_t end, const struct pgvisit *visit, void *arg);

#endif
