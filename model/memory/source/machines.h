/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machines.h - more than one kernel in an image: which one is asked for?
 *
 * Memory that was taken while a crash kernel ran has that and the one that crashed. After kexec, or a
 * reset that left memory as it was, the kernel before is still there, in parts. A guest's is inside
 * its host's. Each wrote its VMCOREINFO into memory.
 *
 * A dump whose note has CRASHTIME is not searched: it is of a kernel that crashed, and that note is its own.
 */
#ifndef VMCENSUS_MACHINES_H
#define VMCENSUS_MACHINES_H

#include "model/kernel/kernel.h"

/* kernel_open() of a dump: the kernel that crashed, else the one that ran last; or o->machine. */
enum status machines_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret);

/*
 * Does memory say another release than VMCOREINFO, where that says that the release is? Also true if nothing is
 * mapped there, or it cannot be read and the kernel's page tables are not where VMCOREINFO says. After arch_attach().
 */
bool machine_contradicts(struct dump *d);

#endif
