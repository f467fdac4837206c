/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpus.h - the possible CPUs of a kernel. */
#ifndef VMCENSUS_MODEL_CPUS_H
#define VMCENSUS_MODEL_CPUS_H

#include "model/kernel/kernel.h"

/*
 * Fills in ncpus, possible and percpu of K; memory is the dump's. There is at least one CPU: CPU 0
 * where the dump has no mask that can be true, which is an issue.
 */
void cpus_read(struct kernel *k, struct reader *r);

#endif
