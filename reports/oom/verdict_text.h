/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict_text.h - rows of a verdict as sentences, for the reports that begin with it. */
#ifndef VMCENSUS_VERDICT_TEXT_H
#define VMCENSUS_VERDICT_TEXT_H

#include "model/cause/verdict/verdict.h"

/* The sentence of row R of V; its reason; who or what has the memory, NULL if not one. In MEM or constant. */
const char *verdict_text(const struct verdict *v, const struct verdict_row *r, struct arena *mem);
const char *verdict_why(const struct verdict *v, const struct verdict_row *r, struct arena *mem);
const char *verdict_owner(const struct verdict *v, const struct verdict_row *r, struct arena *mem);
/* An owner by its name: "a file of tmpfs /x". */
const char *owner_text(const struct ev_owner *o, struct arena *mem);

const char *certainty_text(enum certainty c);

/* The sentence with its report, and its certainty if that is not CERTAIN. In MEM. */
const char *verdict_sentence(const struct verdict *v, const struct verdict_row *r, struct arena *mem);

/* TEXT in lines of at most SCREEN columns, or of a page's width (0), each indented; ends with a newline. */
const char *verdict_wrap(const char *text, unsigned screen, struct arena *mem);

#endif
