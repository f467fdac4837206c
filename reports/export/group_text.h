/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group_text.h - pressure/ and the files of control groups; private to reports/export. */
#ifndef VMCENSUS_GROUP_TEXT_H
#define VMCENSUS_GROUP_TEXT_H

#include "model/model.h"
#include "reports/export/tree.h"

/*
 * pressure/{cpu,io,memory,irq}, and cgroup/PATH/{memory.max,memory.events,memory.pressure ...} of
 * all groups that are not removed. Groups whose path cannot be a directory's, or is that of
 * another group, are left out and counted as an issue.
 */
void put_group_files(struct tree *t, const struct snapshot *s);

#endif
