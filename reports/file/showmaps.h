/* SPDX-License-Identifier: GPL-3.0-or-later */
/* showmaps.h - "exmtool showmaps": which addresses of which file lie where. */
#ifndef VMCENSUS_SHOWMAPS_H
#define VMCENSUS_SHOWMAPS_H

#include "reports/core/report.h"

/* For like.text of maps. Files are found as in sections. */
void showmaps_text(const struct snapshot *s, const struct report_opts *o,
		   const struct table *t, FILE *out);

#endif
