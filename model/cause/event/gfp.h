/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gfp.h - the names of the flags of an allocation. The kernel prints them itself since 4.6
 * (edf14cdbf9a0); before, the log has only the number, whose bits moved between releases.
 */
#ifndef VMCENSUS_OOM_GFP_H
#define VMCENSUS_OOM_GFP_H

#include <stdint.h>

#include "dumpread/base/arena.h"
#include "facts/release.h"

/*
 * "GFP_HIGHUSER_MOVABLE|__GFP_ZERO" in MEM, as 4.6 began to write it. Bits whose meaning in
 * release V is not known follow as a number. NULL: V has no table.
 */
const char *gfp_text(uint64_t gfp, const struct release *v, struct arena *mem);

#endif
