/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allocation_text.h - /sys/kernel/debug/page_owner and /proc/allocinfo; private to reports/export. */
#ifndef VMCENSUS_EXPORT_ALLOCATION_TEXT_H
#define VMCENSUS_EXPORT_ALLOCATION_TEXT_H

#include "model/kernel/origin/allocations.h"
#include "reports/export/tree.h"

/* Each only where the kernel keeps what it shows. */
void put_page_owner(struct tree *t, const struct snapshot *s);
void put_allocinfo(struct tree *t, const struct snapshot *s);

#endif
