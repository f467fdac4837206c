/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_types.h - DWARF types, rewritten to BTF one at a time.
 *
 * A type is taken with what it embeds; pointers lead nowhere (their targets are
 * types of their own), and typedefs and qualifiers on the way are looked
 * through. So a few dozen structs of a vmlinux stay a few hundred kilobytes,
 * and all later steps are the same for BTF and DWARF.
 */
#ifndef VMCENSUS_DWARF_TYPES_H
#define VMCENSUS_DWARF_TYPES_H

#include <bpf/btf.h>
#include <elfutils/libdw.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/hash.h"

struct dwarf_types {
	struct btf *btf;
	bool big;		/* byte order of the file */
	struct hash done;	/* where a DIE lies in memory -> type id */
	uint32_t pointer, index;/* ids of the one pointer and array index type */
	struct arena *mem;
};

/*
 * The BTF id of the type that DIE defines; 0 for void, functions and whatever
 * cannot be expressed. Embedded types come with it.
 */
uint32_t dwarf_type(struct dwarf_types *t, Dwarf_Die *die);

/* The same under the name of the typedef DIE; 0 if it leads to nothing. */
uint32_t dwarf_typedef(struct dwarf_types *t, Dwarf_Die *die);

/* Is DIE only declared here ("struct foo;")? */
bool dwarf_declared(Dwarf_Die *die);

#endif
