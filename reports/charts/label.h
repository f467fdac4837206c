/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * label.h - strings of a hostile dump, as a drawing library and XML take them.
 */
#ifndef VMCENSUS_CHART_LABEL_H
#define VMCENSUS_CHART_LABEL_H

#include "dumpread/base/arena.h"

/*
 * S in MEM, where bytes of what utf8_shown() (render.h) refuses are \xHH. At most MAX
 * bytes of S are looked at.
 */
const char *label_text(struct arena *mem, const char *s, size_t max);

#endif
