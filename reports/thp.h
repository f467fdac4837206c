/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thp.h - may a mapping hold huge pages? An estimate for the THPeligible line. */
#ifndef VMCENSUS_THP_H
#define VMCENSUS_THP_H

#include "model/gate.h"

bool thp_eligible(const struct snapshot *s, const struct gate *g, const struct vma *v);

#endif
