/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modtypes.h - types of modules: their BTF, of which the kernel keeps a list. */
#ifndef VMCENSUS_MODTYPES_H
#define VMCENSUS_MODTYPES_H

#include "model/kernel/kernel.h"

/*
 * Adds the types of the modules of fact_modules[] that are loaded, and resolves the facts about
 * them. What cannot be read is no issue of every report: k->module_types keeps the reason.
 */
void kernel_add_module_types(struct kernel *k, struct reader *r);

#endif
