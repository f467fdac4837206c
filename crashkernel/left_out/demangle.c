/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.c - stands in for model/memory/elf/demangle.c: names of C++ stay as they are.
 */
#include "model/memory/elf/demangle.h"

void demangle_prepare(void)
{
}

struct demangler *demangler_new(void)
{
	return NULL;
}

void demangler_free(struct demangler *d)
{
	(void)d;
}

const char *demangle(const struct demangler *d, const char *name, struct arena *mem)
{
	(void)d, (void)mem;
	return name;
}
