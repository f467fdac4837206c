/* SPDX-License-Identifier: GPL-3.0-or-later */
/* accounts.h - names of users, from the machine's own etc/passwd (--sysroot DIR). */
#ifndef VMCENSUS_ACCOUNTS_H
#define VMCENSUS_ACCOUNTS_H

#include "dumpread/base/hash.h"

struct accounts {
	struct hash by_uid;	/* uid + 1 -> index in names */
	VEC(const char *) names;
};

/* SYSROOT NULL, or a file that cannot be read: no names. In MEM. */
void accounts_read(struct accounts *a, const char *sysroot, struct arena *mem);

/* The name, or the number as text, in MEM. */
const char *accounts_name(const struct accounts *a, uint32_t uid, struct arena *mem);

#endif
