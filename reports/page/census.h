/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census.h - the parts of report census. */
#ifndef VMCENSUS_REPORT_CENSUS_H
#define VMCENSUS_REPORT_CENSUS_H

#include "reports/core/report.h"

extern const struct report report_census_holders, report_census_unknown,
	report_census_by;

#endif
