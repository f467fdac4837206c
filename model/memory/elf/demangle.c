/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.c - demangles C++ names with libstdc++, if this machine has it.
 */
#include "model/memory/elf/demangle.h"

#include <string.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/library.h"

#define MANGLED_MAX 2048	/* bytes of a name: its work grows faster than its length */

struct demangler {
	char *(*fn)(const char *name, char *buf, size_t *len, int *status);	/* NULL: there is none */
};

static void load(struct demangler *d)
{
	const struct library_function function = { "__cxa_demangle", &d->fn };

	library_load("libstdc++.so.6", &function, 1);
}

void demangle_prepare(void)
{
	struct demangler d;

	load(&d);
}

struct demangler *demangler_new(void)
{
	struct demangler *d = heap_array(struct demangler, 1);

	load(d);
	return d;
}

void demangler_free(struct demangler *d)
{
	free(d);
}

const char *demangle(const struct demangler *d, const char *name, struct arena *mem)
{
	char *plain = NULL;
	int status = 0;

	if (d->fn && !strncmp(name, "_Z", 2) && strnlen(name, MANGLED_MAX) < MANGLED_MAX)
		plain = d->fn(name, NULL, NULL, &status);
	if (plain) {
		name = arena_strdup(mem, plain);
		free(plain);
	}
	return name;
}
