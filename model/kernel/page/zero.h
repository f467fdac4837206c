/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zero.h - pages of zeros that all processes share. */
#ifndef VMCENSUS_ZERO_H
#define VMCENSUS_ZERO_H

#include "model/model.h"

/* Frames of the shared zero page and huge zero page, which belong to nobody; UINT64_MAX: this
   kernel has none. */
void zero_frames(const struct kernel *k, struct reader *r, uint64_t *zero, uint64_t *huge);

#endif
