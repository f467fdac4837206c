/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The struct of each report, by name (reports.def). */
#ifndef VMCENSUS_REPORT_LIST_H
#define VMCENSUS_REPORT_LIST_H

#include "reports/core/report.h"

#define R(name, room) extern const struct report report_##name;
#include "reports/core/reports.def"
#undef R

#endif
