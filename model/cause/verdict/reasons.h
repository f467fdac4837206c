/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reasons.h - why a row of a verdict is as certain as it is. */
#ifndef VMCENSUS_VERDICT_REASONS_H
#define VMCENSUS_VERDICT_REASONS_H

enum verdict_reason {
#define WHY(reason) WHY_##reason,
#include "model/cause/verdict/reasons.def"
#undef WHY
	VERDICT_REASONS
};

#endif
