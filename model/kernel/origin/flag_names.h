/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flag_names.h - words as the kernel's printf has them for %pGg and %pGp; for use by one thread. */
#ifndef VMCENSUS_KMEM_FLAG_NAMES_H
#define VMCENSUS_KMEM_FLAG_NAMES_H

#include "model/kernel/kobj.h"

#define FLAG_NAMES 96u
#define FLAG_FIELDS 8u
#define FLAG_TEXT 1024

struct flag_names {
	struct flag_name {
		uint64_t mask;
		const char *name;
	} v[FLAG_NAMES];
	unsigned n;
	/* numbers that page.flags has besides */
	struct flag_field {
		unsigned shift;
		uint64_t mask;
		const char *name;
	} field[FLAG_FIELDS];
	unsigned nfields;
	bool fields;			/* this kernel prints them, and the flags before them */
};

/* The table in the variable SYMBOL (Y_GFP_NAMES, Y_PAGEFLAG_NAMES); names in MEM. False: not known. */
bool flag_names_read(struct flag_names *f, const struct kernel *k, struct reader *r,
		     struct arena *mem, enum layout_id symbol);
/* %pGg: "GFP_KERNEL|__GFP_ZERO". */
void flag_names_gfp(const struct flag_names *f, uint64_t flags, char buf[FLAG_TEXT]);
/* %pGp: "0x17ffffc0000040(workingset|node=0|zone=2)"; "%#lx(%pGp)" before the kernel printed fields. */
void flag_names_page(const struct flag_names *f, uint64_t flags, char buf[FLAG_TEXT]);

#endif
