/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symlist.h - names and addresses read from a file: System.map, an ELF symbol
 * table, a layout file. Add all, close with symlist_finish(), then ask.
 */
#ifndef VMCENSUS_SYMLIST_H
#define VMCENSUS_SYMLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/arena.h"
#include "dumpread/dump.h"

#define SYMLIST_MAX (4u << 20)		/* symbols */

struct symlist_sym {
	uint64_t addr;
	uint32_t name;			/* offset in names */
	bool global;
};

struct symlist {
	struct symlist_sym *v;		/* ascending by address when finished */
	uint32_t n, cap;
	char *names;
	size_t names_len, names_cap;
	uint32_t *slots;		/* hash of names -> index + 1 */
	uint32_t mask;
	struct arena mem;
};

struct symlist *symlist_new(void);
void symlist_free(struct symlist *l);

/* False: too many. An empty name is ignored. */
bool symlist_add(struct symlist *l, const char *name, size_t len, uint64_t addr, bool global);
void symlist_finish(struct symlist *l);

/* If several have the name: the first global one, else the first, by address. */
bool symlist_find(const struct symlist *l, const char *name, uint64_t *addr);

/*
 * Turn link addresses into those of the running kernel (KASLR): the shift is the
 * difference to VMCOREINFO's symbols, else its KERNELOFFSET. Call it after
 * symlist_finish(). ST_CORRUPT, with d->diag: a list of another kernel.
 */
enum status symlist_relocate(struct symlist *l, struct dump *d);

/*
 * The link address of run-time ADDR of D's kernel, without KASLR. Small values
 * are absolute (per-CPU symbols, to 6.14) and never move.
 */
uint64_t kaslr_link_address(const struct dump *d, uint64_t addr);

/* Put L in the chain of D under NAME; L then belongs to it. */
enum status symlist_attach(struct symlist *l, struct dump *d, const char *name);

#endif
