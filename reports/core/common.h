/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * common.h - access to a snapshot that several reports share.
 */
#ifndef VMCENSUS_REPORTS_COMMON_H
#define VMCENSUS_REPORTS_COMMON_H

#include "reports/core/report.h"

static inline uint32_t page_size(const struct snapshot *s)
{
	return UINT32_C(1) << s->k->page_shift;
}

/* V, or 0 where it is unknown: for formats that have no word for that. */
static inline uint64_t known_or_0(uint64_t v)
{
	return v == UINT64_MAX ? 0 : v;
}

/*
 * The processes that O asks for: [*first, *end) of s->procs. ST_ABSENT with
 * DIAG when --pid names none.
 */
enum status procs_range(const struct snapshot *s, const struct report_opts *o,
			struct diag *diag, uint32_t *first, uint32_t *end);

/* PAGES of the kernel, in bytes; a negative number (a counter in flight) counts as 0. */
uint64_t pages_bytes(const struct snapshot *s, int64_t pages);

/* Is the layout of the older tool NAME asked for? */
bool like_is(const struct report_opts *o, const char *name);

#endif
