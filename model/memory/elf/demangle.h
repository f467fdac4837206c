/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.h - names of C++ as a programmer writes them.
 *
 * Uses __cxa_demangle() of the C++ library, which is loaded at run time if this machine
 * has it.
 */
#ifndef VMCENSUS_DEMANGLE_H
#define VMCENSUS_DEMANGLE_H

#include "dumpread/base/arena.h"

struct demangler;

/* Loads the C++ library, so that demangler_new() opens no file. */
void demangle_prepare(void);

struct demangler *demangler_new(void);
void demangler_free(struct demangler *d);

/* NAME, or its demangled form, in MEM. */
const char *demangle(const struct demangler *d, const char *name, struct arena *mem);

#endif
