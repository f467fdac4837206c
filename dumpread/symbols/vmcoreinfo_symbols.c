/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmcoreinfo_symbols.c - the symbols that VMCOREINFO contains.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/sources.h"

/*
 * VMCOREINFO_SYMBOL_ARRAY() prints the value of its argument. For an array
 * that is its address; for these, pointers since 83e3c48729d9 (v4.15) and
 * since 6.12, it is what the variable holds. Here a symbol is an address, so
 * they are left to kallsyms; vmcoreinfo_symbol() gives the value.
 */
static const char *const values[] = { "mem_section", "vmemmap" };

bool vmcoreinfo_is_value(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (!strcmp(name, values[i]))
			return true;
	return false;
}

static bool vmcoreinfo_find_symbol(void *self, const char *name, uint64_t *addr)
{
	return !vmcoreinfo_is_value(name) && vmcoreinfo_symbol(self, name, addr);
}

enum status symbols_add_vmcoreinfo(struct dump *d)
{
	struct symbol_source src = { .name = "vmcoreinfo",
				     .find = vmcoreinfo_find_symbol,
				     .self = d };

	if (!d->vmcoreinfo || !*d->vmcoreinfo)
		return fail(&d->diag, ST_ABSENT, "the dump has no VMCOREINFO");
	return symbols_add(&d->symbols, &src) ? ST_OK : ST_LIMIT;
}
