/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thrash_text.h - what thrashing is judged by, in words. */
#ifndef VMCENSUS_THRASH_TEXT_H
#define VMCENSUS_THRASH_TEXT_H

#include "model/cause/thrash/thrash.h"

/* A sentence with the figures that decided; NULL: it was not looked at. In MEM or constant. */
const char *thrash_reason_text(const struct thrash_reason *r, struct arena *mem);
/* What the figure NAME is; NULL: there is no such figure. */
const char *thrash_about(const char *name);

#endif
