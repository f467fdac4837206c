/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oom.h - the report oom and its parts: tasks, zones, control groups of the events. */
#ifndef VMCENSUS_REPORTS_OOM_H
#define VMCENSUS_REPORTS_OOM_H

#include "model/cause/event/oomlog.h"
#include "reports/core/report.h"

extern const struct report report_oom_tasks, report_oom_zones, report_oom_cgroups, report_oom_verdict,
	report_oom_kills;

/* Cells of the log's numbers. A negative number is none that the kernel prints. */
static inline uint64_t oom_cell(int64_t v)
{
	return v < 0 ? COL_UNKNOWN : (uint64_t)v;
}

static inline int64_t oom_cell_int(int64_t v)
{
	return v == OOM_UNKNOWN ? COL_UNKNOWN_INT : v;
}

/* V units of 1 << SHIFT bytes. */
static inline uint64_t oom_cell_bytes(int64_t v, unsigned shift)
{
	return v < 0 || v >> (63 - shift) ? COL_UNKNOWN : (uint64_t)v << shift;
}

/* The events of the log, in T's memory. ST_NODATA with DIAG: there is no log. */
enum status oom_events(const struct snapshot *s, struct oom_log *log, struct diag *diag);

/* What stands below a table without rows, and where the kernel counts other kills than the log. */
const char *oom_note(const struct snapshot *s, const struct oom_log *log, struct arena *mem);

#endif
