/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reach_words.h - words that the reports on pointers share; private to reports/kernel. */
#ifndef VMCENSUS_REACH_WORDS_H
#define VMCENSUS_REACH_WORDS_H

#include "model/memory/reach/reach.h"

/* Why the answer is refused or doubted, without a period; REACH_SOUND: "". */
const char *reach_doubt_words(enum reach_doubt why);

/* Makes what is doubted of X an issue of S. */
void reach_tell(const struct snapshot *s, const struct reach *x);

#endif
