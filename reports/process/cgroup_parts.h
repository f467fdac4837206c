/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of report cgroups. */
#ifndef VMCENSUS_REPORTS_CGROUP_PARTS_H
#define VMCENSUS_REPORTS_CGROUP_PARTS_H

#include "reports/core/report.h"

extern const struct report report_cgroups_limits, report_cgroups_events, report_cgroups_psi,
	report_cgroups_dying;

#endif
