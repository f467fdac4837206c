/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gate.h - parts of /proc/PID/maps and smaps beyond the vmas of an mm: the gate vma
 * ([vsyscall] on some CPUs), which is in no mm, and protection keys.
 */
#ifndef VMCENSUS_GATE_H
#define VMCENSUS_GATE_H

#include "model/model.h"

struct gate {
	bool present;		/* this kernel has a gate vma and shows it */
	struct vma vma;		/* start, end, flags; other members are 0 or NONE */
	bool pkeys;		/* smaps has ProtectionKey lines */
};

void gate_read(const struct kernel *k, struct reader *r, struct gate *ret);

/* Does the process of MM see the gate vma? (get_gate_vma(): 64-bit processes do.) */
bool gate_in_mm(const struct snapshot *s, struct reader *r, const struct gate *g,
		const struct mm *mm);

#endif
