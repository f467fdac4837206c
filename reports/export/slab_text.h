/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slab_text.h - /proc/slabinfo; private to reports/export. */
#ifndef VMCENSUS_SLAB_TEXT_H
#define VMCENSUS_SLAB_TEXT_H

#include <stdio.h>

#include "model/kernel/slab/slab.h"

/* Are all numbers known that it prints? Else there is no such file. */
bool slabinfo_known(const struct slab_caches *sc);
void write_slabinfo(const struct slab_caches *sc, FILE *out);

#endif
