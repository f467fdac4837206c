/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modtypes.c - the list btf_modules (kernel/bpf/btf.c; read in 6.1, 6.12, 7.3). The pointer in struct
 * module does not serve: it is cleared once the module is loaded (607c543f939d, v5.12), since the
 * section is given back. A distilled base is gone as well: the kernel has relocated the types to its own.
 */
#include "model/kernel/module/modtypes.h"

#include <string.h>

#include "dumpread/types/sources.h"
#include "facts/layout/module.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"

#define MODULES_MAX 16384u
#define NAME_BYTES 64		/* MODULE_NAME_LEN is 56 at most */

static bool is_wanted(const char *name)
{
	for (const char *const *m = fact_modules; *m; m++)
		if (!strcmp(*m, name))
			return true;
	return false;
}

/* Once by name: a list that names a module twice is damaged, and the second brings nothing. */
static bool is_known(const struct dump *d, const char *name)
{
	for (unsigned i = 0; i < d->types.n; i++)
		if (!strcmp(d->types.v[i].name, name))
			return true;
	return false;
}

static enum status add_one(struct kernel *k, struct reader *r, uint64_t btf)
{
	uint64_t data, size;
	char name[NAME_BYTES];
	enum status st;

	st = read_kva_str(r, btf + layout_offset(&k->layout, M_BTF_NAME), name, sizeof(name));
	if (st || !is_wanted(name) || is_known(k->dump, name))
		return st;
	st = kmember_u64(k, r, btf, M_BTF_DATA, &data);
	if (!st)
		st = kmember_u64(k, r, btf, M_BTF_SIZE, &size);
	if (!st)
		st = types_add_btf_module(k->dump, r, data, size,
					  arena_strdup(&k->dump->mem, name));
	if (st)
		log_info(k->dump->log, "no types of module %s: %s", name, status_name(st));
	return st;
}

void kernel_add_module_types(struct kernel *k, struct reader *r)
{
	struct diag before = k->dump->diag;
	struct listwalk w;

	if (!has(k, Y_BTF_MODULES) || !has(k, M_BTFMOD_LIST) || !has(k, M_BTFMOD_BTF) ||
	    !has(k, M_BTF_NAME) || !has(k, M_BTF_DATA) || !has(k, M_BTF_SIZE))
		return;
	w = listwalk_start(k, r, layout_symbol(&k->layout, Y_BTF_MODULES), MODULES_MAX);
	while (listwalk_next(&w)) {
		uint64_t module = w.node - layout_offset(&k->layout, M_BTFMOD_LIST), btf;
		enum status st = kmember_u64(k, r, module, M_BTFMOD_BTF, &btf);

		st = st ? st : add_one(k, r, btf);
		if (st)
			k->module_types = st;
	}
	if (w.st)
		k->module_types = w.st;
	k->dump->diag = before;
	layout_resolve_modules(k->dump, &k->layout);
}
