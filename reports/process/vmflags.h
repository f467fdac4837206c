/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmflags.h - VM_* bits as the VmFlags line of smaps spells them.
 */
#ifndef VMCENSUS_VMFLAGS_H
#define VMCENSUS_VMFLAGS_H

#include "model/kernel/kernel.h"

#define VMFLAGS_TEXT (64 * 3 + 1)

/*
 * The mnemonics of the bits in FLAGS, in the order of their bits, each followed
 * by a blank, as this kernel prints them; "??" for a bit that it does not know.
 */
size_t vmflags_text(const struct kernel *k, uint64_t flags, char *buf);

/* Protection key of a vma: bits from 32 on, as many as its CPU has. */
unsigned vmflags_pkey(const struct kernel *k, uint64_t flags);

#endif
