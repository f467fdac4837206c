/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zone_text.h - zoneinfo, buddyinfo and pagetypeinfo of /proc; private to reports/export. */
#ifndef VMCENSUS_ZONE_TEXT_H
#define VMCENSUS_ZONE_TEXT_H

#include <stdio.h>

#include "model/kernel/zone/zones.h"

/* Of zones_build() with all parts. What could not be read is left out. */
void write_zoneinfo(const struct snapshot *s, const struct zones *zs, FILE *out);
void write_buddyinfo(const struct zones *zs, FILE *out);
void write_pagetypeinfo(const struct zones *zs, FILE *out);

#endif
