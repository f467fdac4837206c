/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.h - names of C++ as a programmer writes them.
 *
 * By __cxa_demangle() of the C++ library, where this machine has one: it is loaded
 * at run time and not needed.
 */
#ifndef VMCENSUS_DEMANGLE_H
#define VMCENSUS_DEMANGLE_H

#include "dumpread/base/arena.h"

struct demangler;

struct demangler *demangler_new(void);
void demangler_free(struct demangler *d);

/* NAME, or what it stands for, in MEM. */
const char *demangle(const struct demangler *d, const char *name, struct arena *mem);

#endif
