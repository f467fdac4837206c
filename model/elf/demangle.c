/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.c - demangles C++ names with libstdc++, if this machine has it.
 */
#include "model/elf/demangle.h"

#include <dlfcn.h>
#include <string.h>

#include "dumpread/base/heap.h"

#define MANGLED_MAX 2048	/* bytes of a name: its work grows faster than its length */

struct demangler {
	void *lib;
	char *(*fn)(const char *name, char *buf, size_t *len, int *status);
};

#define LIBRARY "libstdc++.so.6"

void demangle_prepare(void)
{
	void *lib = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

	if (lib)
		dlclose(lib);
}

struct demangler *demangler_new(void)
{
	struct demangler *d = heap_array(struct demangler, 1);

	d->lib = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	if (d->lib)
		*(void **)&d->fn = dlsym(d->lib, "__cxa_demangle");
	return d;
}

void demangler_free(struct demangler *d)
{
	if (d->lib)
		dlclose(d->lib);
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
