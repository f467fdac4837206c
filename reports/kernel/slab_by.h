/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of report slab that --by shows. */
#ifndef VMCENSUS_REPORTS_SLAB_BY_H
#define VMCENSUS_REPORTS_SLAB_BY_H

#include "reports/core/report.h"

extern const struct report report_slab_by;

#endif
