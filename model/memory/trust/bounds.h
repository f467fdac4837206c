/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bounds.h - a sum never exceeds the whole that it is part of.
 *
 * Parts of memory must fit into it, whatever the dump says. If they do not, a count of the
 * kernel is wrong, and that is an issue. Exceptions:
 *   - less than a page: each division by a map count cuts off its rest, never adds;
 *   - pages in migration, and pages that a collector counted without listing them,
 *     count whole in each process (usage.whole): they are added to the whole;
 *   - if the kernel keeps averages of large folios (frames.average), an average is
 *     rounded to the nearest number, at least 1: their pss is up to 3/2 of them, and
 *     uss, which depends on the folio's flag, may exceed pss;
 *   - 32-bit kernels whose Pss overflows on huge pages (no RULE_PSS_WIDE): uss may
 *     exceed pss;
 *   - a live machine changes while it is read: nothing is checked.
 * Zero pages and device memory without struct pages are in no pss. Device memory with
 * struct pages is among the frames.
 */
#ifndef VMCENSUS_BOUNDS_H
#define VMCENSUS_BOUNDS_H

#include "model/model.h"

/* SUM bytes of WHAT ("pss of all processes") are part of WHOLE bytes of OF. */
void bound_check(struct issues *is, const char *what, uint64_t sum, const char *of,
		 uint64_t whole);

/* All sums of a snapshot with NEED_USAGE, and the machine as far as it is known. */
void bounds_check(const struct snapshot *s);

#endif
