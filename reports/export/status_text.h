/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status_text.h - /proc/PID/status; private to reports/export. */
#ifndef VMCENSUS_STATUS_TEXT_H
#define VMCENSUS_STATUS_TEXT_H

#include "reports/export/task_text.h"

void write_status(const struct task_text *x, FILE *out);

#endif
