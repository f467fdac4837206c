/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc_ptebits.h - entries of PowerPC 40x as collectors print them.
 */
#ifndef VMCENSUS_PPC_PTEBITS_H
#define VMCENSUS_PPC_PTEBITS_H

#include "arch/ptebits.h"

extern const struct ptebits ptebits_ppc;

#endif
