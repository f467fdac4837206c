/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ikconfig.h - the kernel's configuration, where it is in the kernel image (CONFIG_IKCONFIG=y).
 */
#ifndef VMCENSUS_IKCONFIG_H
#define VMCENSUS_IKCONFIG_H

#include "model/kernel/kernel.h"

/*
 * The .config that K was built with: what /proc/config.gz holds. *TEXT is in MEM, a NUL ends
 * it. ST_NODATA with DIAG if the kernel image in the dump has none; =m: it is in a module,
 * which is not looked for.
 */
enum status ikconfig_read(const struct kernel *k, struct arena *mem, const char **text,
			  struct diag *diag);

#endif
