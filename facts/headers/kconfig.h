/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kconfig.h - the configuration of a kernel: a .config as text, and its options.
 */
#ifndef VMCENSUS_KCONFIG_H
#define VMCENSUS_KCONFIG_H

#include <stdbool.h>
#include <stdio.h>

#include "dumpread/base/arena.h"

struct kconfig_option {
	const char *name;	/* "CONFIG_SMP" */
	const char *value;	/* "y", "m", a number or a string in its quotes */
};

struct kconfig {
	VEC(struct kconfig_option) options;
};

/*
 * The options that are set in TEXT (a NUL ends it). Lines of another form are skipped:
 * the text may be from a damaged dump. All is copied to MEM.
 */
void kconfig_parse(const char *text, struct arena *mem, struct kconfig *ret);

/* Value of the option NAME, or NULL if it is not set. */
const char *kconfig_get(const struct kconfig *c, const char *name);

/*
 * The options as macros of C, as include/generated/autoconf.h has them
 * (scripts/kconfig/confdata.c). Strings come without the characters that could end them.
 */
void kconfig_macros(const struct kconfig *c, FILE *out);

#endif
