/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - the functions that headers_layout() is made of, private to this folder.
 */
#ifndef VMCENSUS_HEADERS_TREE_H
#define VMCENSUS_HEADERS_TREE_H

#include <limits.h>
#include <stdbool.h>

#include "facts/headers/headers.h"
#include "facts/headers/kconfig.h"

/* A CPU that kernels are configured for. */
struct headers_cpu {
	const char *option, *too;	/* options that are set for it; TOO may be NULL */
	const char *dir;		/* under arch/ */
	const char *old[2];		/* folder of its asm headers in include/, before 2.6.28;
					   the first that exists */
	unsigned machine;		/* EM_* of what the compiler makes */
	const char *flags[8];		/* for the compiler; NULL ends */
	const char *cross;		/* usual name of a cross compiler */
};

struct headers {
	const struct headers_opts *o;
	struct diag *diag;
	struct arena mem;
	char own[PATH_MAX];		/* the tree that DIR names */
	char common[PATH_MAX];		/* what it shares with other configurations; or the same */
	const char *tmp;		/* temporary directory */
	const struct headers_cpu *cpu;
	struct kconfig config;
	char release[65];		/* what the tree says; "" if nothing */
	unsigned version;		/* major << 16 | minor << 8 | patch, 0: unknown */
	VEC(const char *) dirs;		/* where included files are looked for, in order */
	VEC(const char *) cc;		/* the compiler and its options, without input and output */
};

/* arena_printf() in H's memory: a path that is kept. */
#define headers_path(h, ...) arena_printf(&(h)->mem, __VA_ARGS__)

/* Fill own, common, config, cpu, version and release. */
enum status headers_find(struct headers *h);

/* Fill tmp with files that stand in for generated ones, and dirs. */
enum status headers_standins(struct headers *h);

/* The file NAME ("linux/mm.h") in dirs: its path in MEM, or NULL. */
const char *headers_lookup(struct headers *h, const char *name);

/* All of the file at PATH, with a NUL; NULL: it cannot be read, or is larger than some MiB. */
char *headers_read(struct headers *h, const char *path);

/* Fill cc. */
enum status headers_compiler(struct headers *h);

/* How much of its work the compiler does. */
enum headers_stage { STAGE_OBJECT, STAGE_ASSEMBLY };

/*
 * Compile SOURCE to OUTPUT; QUOTE: directory of #include "..."; may be NULL. On failure
 * *ERROR (if not NULL) is the compiler's first error, in MEM.
 */
enum status headers_compile(struct headers *h, enum headers_stage stage, const char *source,
			    const char *quote, const char *output, const char **error);

/* Link N objects to OUTPUT, so that its debug information has final addresses. */
enum status headers_link(struct headers *h, const char *const *objects, unsigned n,
			 const char *output);

/* A piece of a source file that defines types. */
struct headers_unit {
	const char *source;		/* in tmp */
	const char *from;		/* path in the tree, for messages */
	const char *quote;		/* its directory */
	const char *types;		/* names, separated by blanks */
};

struct headers_units {
	VEC(struct headers_unit) v;
};

/*
 * Look for the definitions of the N types NAMES in the source files of the tree, and write
 * each file, as far as the last definition, to tmp. A tree without sources gives none. The
 * units are added to *RET.
 */
void headers_private(struct headers *h, const char *const *names, unsigned n,
		     struct headers_units *ret);

#endif
