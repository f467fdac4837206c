/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tell.h - for fuzz targets: makes and prints a report, and discards its text. */
#ifndef VMCENSUS_TESTS_TELL_H
#define VMCENSUS_TESTS_TELL_H

#include "model/model.h"

/* Report NAME of S in FORMAT; aborts if there is none. */
void tell(const struct snapshot *s, const char *name, const char *format);

#endif
