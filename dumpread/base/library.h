/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * library.h - libraries that most runs do not need: loaded when they are, never linked.
 *
 * What such a library brings (X11, XML, TLS) then costs no start of the program, and is not in
 * the process that reads a hostile dump.
 */
#ifndef VMCENSUS_LIBRARY_H
#define VMCENSUS_LIBRARY_H

#include <stdbool.h>

struct library_function {
	const char *name;
	void *to;	/* the pointer to a function that is set */
};

/*
 * Loads the library SONAME, and sets each of N FUNCTIONS. False: there is no such library, or it
 * lacks one of them. It stays loaded: in a sandbox, where no file can be opened, it is found by
 * its name if it was loaded before. Each call sets the same.
 */
bool library_load(const char *soname, const struct library_function *functions, unsigned n);

#endif
