/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mempolicy.h - memory policies of VMAs, as the second field of /proc/PID/numa_maps.
 */
#ifndef VMCENSUS_MEMPOLICY_H
#define VMCENSUS_MEMPOLICY_H

#include "model/model.h"

#define MEMPOLICY_TEXT 64	/* show_numa_map() has room for so much */

/* Has this kernel policies, and are their types known? */
bool mempolicy_known(const struct kernel *k);

/*
 * Into TEXT the policy by which pages of V are allocated when the task at address TASK touches
 * them. False: it cannot be read.
 */
bool mempolicy_text(const struct snapshot *s, struct reader *r, const struct vma *v, uint64_t task,
		    char text[MEMPOLICY_TEXT]);

#endif
