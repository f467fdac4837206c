/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library.c - dlopen() and dlsym(). */
#include "dumpread/base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *soname, const struct library_function *functions, unsigned n)
{
	void *lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	bool all = lib != NULL;

	for (unsigned i = 0; lib && i < n; i++) {
		void *f = dlsym(lib, functions[i].name);

		memcpy(functions[i].to, &f, sizeof(f));
		all &= f != NULL;
	}
	if (lib)
		dlclose(lib);
	return all;
}
