/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * label.h - strings of a hostile dump, made valid for a drawing library and XML.
 */
#ifndef VMCENSUS_CHART_LABEL_H
#define VMCENSUS_CHART_LABEL_H

#include "dumpread/base/arena.h"

/*
 * S in MEM. Bytes of characters that utf8_shown() (render.h) refuses become \xHH. Only the
 * first MAX bytes of S are used.
 */
const char *label_text(struct arena *mem, const char *s, size_t max);

#endif
