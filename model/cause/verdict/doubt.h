/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doubt.h - what a verdict is worth if the dump is not whole; private to model/cause/verdict/. */
#ifndef VMCENSUS_VERDICT_DOUBT_H
#define VMCENSUS_VERDICT_DOUBT_H

#include "model/cause/verdict/verdict.h"

/* Marks the rows of V that are made from data of which a part is missing, and lowers their certainty. */
void verdict_doubt(struct verdict *v);

#endif
