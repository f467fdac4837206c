/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ledger.h - size[] of the evidence as a ledger: what one use gains another loses, so that the sum of all stays what
 * it was when the ledger was opened: RAM of the scope, where no use is unknown. An unknown use counts as 0.
 */
#ifndef VMCENSUS_VERDICT_LEDGER_H
#define VMCENSUS_VERDICT_LEDGER_H

#include "model/cause/verdict/evidence.h"

/* size[] is as counters have it: from here on only these change it. */
void ledger_open(struct oom_evidence *e);
/* At most what FROM has goes to TO, which is known then. Returns that many bytes; 0 if FROM is not known. */
uint64_t ledger_move(struct oom_evidence *e, enum use from, enum use to, uint64_t bytes);
/* BYTES, which no use had, are in TO. */
void ledger_add(struct oom_evidence *e, enum use to, uint64_t bytes);
/* Of FROM, BYTES were counted in another use as well. */
void ledger_drop(struct oom_evidence *e, enum use from, uint64_t bytes);
/* Is the sum what it should be? */
bool ledger_is_even(const struct oom_evidence *e);

#endif
