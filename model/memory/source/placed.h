/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * placed.h - a file of memory without addresses, from which the hole below 4 GiB was left out: VMware's .vmem,
 * the file of QEMU's memory backend, LiME's format raw. Read as if it began at 0 its kernel has more memory than the
 * file, or cannot be read at all. The memory map in it (dumpread/image/e820.h) says where its memory belongs, and the
 * kernel that is then read proves it.
 */
#ifndef VMCENSUS_PLACED_H
#define VMCENSUS_PLACED_H

#include "model/kernel/kernel.h"

/*
 * machines_open(), and where the hole is left out, with the file in pieces: a cause of the dump says which. If they
 * cannot be proven, they are proposed: in DIAG, or as a cause where the kernel can be read without them.
 */
enum status placed_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret);

#endif
