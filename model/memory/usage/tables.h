/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables.h - which tables belong to an mm.
 *
 * A walk by VMA meets a table each time an entry points to it, and a few tables that point
 * to each other describe endless work. So all tables of each mm are listed once, before. A
 * table that is in two places of an mm, or is no page table by its struct page, or exceeds
 * the mm's own count, is recorded here, and every walk skips it.
 */
#ifndef VMCENSUS_TABLES_H
#define VMCENSUS_TABLES_H

#include "model/model.h"

/* A place in the tables of an mm whose table must not be followed. */
struct bad_table {
	uint64_t va;			/* the first address that it would map */
	uint8_t level;			/* its level; TABLES_OVER: this one and all after it */
};

#define TABLES_OVER PAGING_LEVELS

/*
 * Fills mm.bad_tables, after frames if those are built. A contradiction of
 * mm.pgtables_bytes, and tables of two mms, are issues; a skipped table becomes one when a
 * walk reaches it.
 *
 * Code that walks all mms calls tables_of() for each of them just before, because the
 * tables above the lowest level are then read only once:
 *     tables_begin()          NULL: nothing to check; the other calls accept that
 *     tables_of(t, mm, r)     from any thread, any number of times
 *     tables_end(t)           after all threads
 */
struct tables;

struct tables *tables_begin(struct snapshot *s);
void tables_of(struct tables *t, uint32_t mm, struct reader *r);
void tables_end(struct tables *t);

/* The same for all mms at once. */
void tables_check(struct snapshot *s);

/* pgwalk() of [start, end) of M's tables, without its bad ones. */
bool tables_walk(const struct kernel *k, struct reader *r, const struct mm *m, uint64_t start,
		 uint64_t end, const struct pgvisit *visit, void *arg);

#endif
