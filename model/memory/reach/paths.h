/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paths.h - by which way objects are reached: the shortest from a variable, in groups. A path has a slab cache, a class
 * of pages or vmalloc once: a list of a million objects of one cache is one step.
 */
#ifndef VMCENSUS_PATHS_H
#define VMCENSUS_PATHS_H

#include "model/memory/reach/reach.h"

#define PATHS_MAX  (1u << 18)
#define PATH_STEPS 32u

struct reach_path {
	uint32_t up;	  /* index of the path before the last step; UINT32_MAX: this is a root */
	uint32_t depth;	  /* steps */
	const char *step; /* cache, class, "vmalloc"; of a root: variable, "stacks", ... */
	uint64_t objects, bytes; /* at its end; bytes: with metadata */
	uint64_t example;	 /* kernel address; 0: none */
};

struct reach_paths {
	struct reach_path *v; /* the first is the root "others", of all that there were too many paths or steps for */
	uint32_t n;
	uint64_t bytes; /* of all */
};

/* In MEM, at most MOST paths, from 1 on; what is left out is an issue. Beside X it takes 4 bytes and a bit for each node. Uses one thread, so that the answer is always the same;
   the marks of X that say what unreached nodes point to are lost. */
void paths_build(struct reach *x, uint32_t most, struct arena *mem, struct reach_paths *ret);

#endif
