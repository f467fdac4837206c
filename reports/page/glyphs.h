/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * glyphs.h - a map of pages, one character each, as the USENIX 2005 paper drew it:
 * lines of 64 in brackets; '.' not resident, '1' to '9' a count, '#' ten or more.
 */
#ifndef VMCENSUS_GLYPHS_H
#define VMCENSUS_GLYPHS_H

#include <stdio.h>

#include "model/memory/usage/residency.h"

/* The first N pages of MAP. Many empty lines in a row become one line that gives their number. */
void glyphs_print(const struct residency *map, uint64_t n, FILE *out);

#endif
