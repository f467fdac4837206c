/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sources.h - the symbol sources, one add function for each.
 *
 *     vmcoreinfo   the few addresses in the VMCOREINFO text
 *     kallsyms     the kernel's own table, found by VMCOREINFO or by signature
 *     System.map   text: System.map, nm, /proc/kallsyms
 *     vmlinux      the ELF symbol table
 *     ksymtab      what the kernel exports to modules, where nothing else has its variables
 *
 * A source that was added belongs to the chain and is closed with it. On
 * failure nothing was added and d->diag holds the reason.
 */
#ifndef VMCENSUS_SYMBOL_SOURCES_H
#define VMCENSUS_SYMBOL_SOURCES_H

#include <libelf.h>

#include "dumpread/dump.h"

struct symlist;

enum status symbols_add_vmcoreinfo(struct dump *d);
enum status symbols_add_kallsyms(struct dump *d);
enum status symbols_add_systemmap(struct dump *d, const char *path);
enum status symbols_add_ksymtab(struct dump *d);
enum status symbols_add_elf(struct dump *d, Elf *elf, const char *path);

/* The exported symbols of D's kernel, by address; NULL: they were not found. Free with symlist_free(). */
struct symlist *ksymtab_read(struct dump *d);

/* Is what VMCOREINFO calls SYMBOL(NAME) the value of that variable? */
bool vmcoreinfo_is_value(const char *name);

/* Do the first lines of TEXT look like "ADDRESS LETTER NAME"? */
bool systemmap_sniff(const char *text, size_t len);

#endif
