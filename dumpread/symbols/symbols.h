/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols.h - kernel symbols by name, from a chain of sources.
 *
 * Addresses are run-time kernel-virtual addresses: KASLR is already applied.
 * Sources are asked in the order in which they were added; the first that
 * knows a name answers. A source has one file in this folder and one add function.
 */
#ifndef VMCENSUS_SYMBOLS_H
#define VMCENSUS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/status.h"

#define SYMBOL_NAME_MAX 512	/* KSYM_NAME_LEN */

struct symbol_place {
	char name[SYMBOL_NAME_MAX];	/* of several at one address the first */
	uint64_t offset, size;		/* of the address in it; bytes to the next symbol */
};

struct symbol_source {
	const char *name;	/* "vmcoreinfo", "kallsyms", "System.map" ... */
	bool (*find)(void *self, const char *name, uint64_t *addr);
	void (*close)(void *self);
	void *self;
	/* The symbol that ADDR is in; NULL hook or false: cannot tell. */
	bool (*at)(void *self, uint64_t addr, struct symbol_place *ret);
};

struct symbols {
	struct symbol_source v[8];
	unsigned n;
};

/* The chain owns src->self. False: it is full, and src was closed. */
bool symbols_add(struct symbols *s, const struct symbol_source *src);
void symbols_close(struct symbols *s);

/* *from (if not NULL) is the name of the source that answered. */
bool symbols_find(const struct symbols *s, const char *name, uint64_t *addr,
		  const char **from);
bool symbols_at(const struct symbols *s, uint64_t addr, struct symbol_place *ret);

#endif
