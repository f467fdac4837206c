/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gate.h - what /proc/PID/maps and smaps show beyond a process's VMAs: the
 * [vsyscall] page of x86-64, which stands in no mm, and protection keys.
 */
#ifndef VMCENSUS_GATE_H
#define VMCENSUS_GATE_H

#include "model/model.h"

struct gate {
	bool present;		/* this kernel has the page and shows it */
	struct vma vma;		/* start, end, flags; all else 0 or NONE */
	bool pkeys;		/* smaps has ProtectionKey lines */
};

void gate_read(const struct kernel *k, struct reader *r, struct gate *ret);

/* Does the process of MM see the page? (get_gate_vma(): 64-bit ones do.) */
bool gate_in_mm(const struct kernel *k, struct reader *r, const struct gate *g,
		const struct mm *mm);

#endif
