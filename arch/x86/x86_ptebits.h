/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86_ptebits.h - entries of x86 as collectors print them.
 */
#ifndef VMCENSUS_X86_PTEBITS_H
#define VMCENSUS_X86_PTEBITS_H

#include "arch/ptebits.h"

extern const struct ptebits ptebits_x86;

#endif
