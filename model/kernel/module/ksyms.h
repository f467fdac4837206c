/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ksyms.h - names of kernel addresses, those of modules too; for use by one thread. */
#ifndef VMCENSUS_KMEM_KSYMS_H
#define VMCENSUS_KMEM_KSYMS_H

#include "dumpread/base/hash.h"
#include "dumpread/symbols/symbols.h"
#include "model/model.h"

struct ksym {
	const char *name;		/* NULL: none is known */
	const char *module;		/* NULL: of the kernel itself */
	uint64_t offset, size;
};

struct ksym_module;

struct ksyms {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	VEC(struct ksym_module) modules;
	struct hash seen;		/* address -> index in found */
	VEC(struct ksym) found;
};

/* Reads the list of modules; their symbols when the first address of one is asked for. All in
   MEM; a damaged list is an issue. */
void ksyms_init(struct ksyms *ks, const struct kernel *k, struct reader *r, struct arena *mem);
/* Is it in the text of a module? */
bool ksyms_in_module(const struct ksyms *ks, uint64_t addr);
struct ksym ksyms_at(struct ksyms *ks, uint64_t addr);
/* The same; of an address without a symbol the module too, whose text or data it is in. */
struct ksym ksyms_place(struct ksyms *ks, uint64_t addr);
/* For code that asks symbols_at() itself, and got no name: an issue, if the dump should have one. */
void ksyms_tell_lost(const struct kernel *k, uint64_t addr);

/* The module whose text or data ADDR is in; NULL: of none. */
const char *ksyms_module_at(const struct ksyms *ks, uint64_t addr);

/* One piece of a module's memory: [start, end). */
struct module_part {
	const char *name;
	uint64_t start, end;
};

/* The next piece of all modules, from *MODULE and *PART, both 0 at first, on. False: that was all. */
bool ksyms_module_part(const struct ksyms *ks, uint32_t *module, uint32_t *part,
		       struct module_part *ret);

#endif
