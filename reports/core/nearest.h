/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nearest.h - the name that somebody meant who mistyped another.
 */
#ifndef VMCENSUS_NEAREST_H
#define VMCENSUS_NEAREST_H

#include <stddef.h>

/* WORD, its length, and of the names that were tried the nearest so far: {word, len}. */
struct nearest {
	const char *word;
	size_t len;
	const char *name;	/* NULL: none is near */
	unsigned steps;		/* from WORD to it: letters put in, left out, changed or swapped with the next */
};

/* NAME stays the caller's. A name is near with one step for each three letters of WORD, or one. */
void nearest_try(struct nearest *n, const char *name);
/* " (did you mean PREFIX NAME?)" into BUF of SIZE bytes, or "". Returns BUF. */
const char *nearest_words(const struct nearest *n, const char *prefix, char *buf, size_t size);

#endif
