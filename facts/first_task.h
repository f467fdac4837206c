/* SPDX-License-Identifier: GPL-3.0-or-later */
/* first_task.h - the first task of a kernel whose name for it is lost. */
#ifndef VMCENSUS_FIRST_TASK_H
#define VMCENSUS_FIRST_TASK_H

#include "facts/layout.h"

/*
 * Look for init_task by its content: near init_uts_ns, which VMCOREINFO names, it is the one task_struct that is
 * called "swapper" or "swapper/0", has pid and tgid 0, is its own parent, and whose neighbours in the list of
 * tasks point back. L has the members of task_struct. *ADDR is its kernel-virtual address. ST_ABSENT: there is
 * none, there are two, or what tells it apart is not known.
 */
enum status first_task_find(struct dump *d, const struct layout *l, uint64_t *addr);

#endif
