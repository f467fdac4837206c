/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * path.h - the path language of types.h: the one place that speaks it.
 *
 * path_step() takes a path apart, for any source; path_member() answers one
 * over BTF. Arrays of arrays are one array of the product of their counts, as
 * pahole writes them into the kernel's BTF.
 */
#ifndef VMCENSUS_PATH_H
#define VMCENSUS_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "dumpread/types/types.h"

struct btf_index;

struct path_step {
	const char *name;	/* len bytes, not terminated */
	size_t len;
	bool array;		/* "[]" follows */
	bool last;
};

/*
 * The component at *p, which moves past it. False at the end, and at text that is no
 * component (then **p is not NUL).
 */
bool path_step(const char **p, struct path_step *ret);

/* Length of the type's name that PATH starts with. */
size_t path_type_len(const char *path);

enum status path_member(const struct btf_index *x, const char *path, struct member *ret);
enum status path_type_size(const struct btf_index *x, const char *type, uint32_t *bytes);

#endif
