/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict_text.h - rows of a verdict as sentences, for the reports that begin with it. */
#ifndef VMCENSUS_VERDICT_TEXT_H
#define VMCENSUS_VERDICT_TEXT_H

#include "model/cause/verdict/verdict.h"

/* The sentence of a row, with its report, and its certainty if that is not CERTAIN. */
const char *verdict_sentence(const struct verdict_row *r, struct arena *mem);

/* TEXT in lines of a page's width, each indented; ends with a newline. */
const char *verdict_wrap(const char *text, struct arena *mem);

#endif
