/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * i386.h - 32-bit x86; for the files of this folder, for arch.c and for the unit
 * tests.
 *
 *     i386_pte.c     the rows: two levels, and three with PAE
 *     i386.c         struct arch
 */
#ifndef VMCENSUS_I386_H
#define VMCENSUS_I386_H

#include "arch/x86/x86_64.h"

enum { I386_PAE, I386_2LEVEL, I386_ROWS };

extern const struct paging i386_paging[I386_ROWS];

extern const struct arch arch_i386;

#endif
