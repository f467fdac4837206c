/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vmalloc_text.h - /proc/vmallocinfo; private to reports/export. */
#ifndef VMCENSUS_VMALLOC_TEXT_H
#define VMCENSUS_VMALLOC_TEXT_H

#include <stdio.h>

#include "model/memory/areas/vmalloc_shown.h"

void write_vmallocinfo(const struct snapshot *s, const struct vmalloc_shown *x, FILE *out);

#endif
