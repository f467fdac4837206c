/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kdump.h - a planned machine as a kdump-compressed file, as makedumpfile -d 31 leaves it. */
#ifndef VMCENSUS_BENCH_KDUMP_H
#define VMCENSUS_BENCH_KDUMP_H

#include "tests/bench/machine/plan.h"

/* Returns the number of pages in the file. Dies if it cannot be written. */
uint64_t kdump_write(const struct machine *m, const char *path, const char *build_id);

#endif
