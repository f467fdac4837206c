/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.h - the kernel of the dump that crash has open.
 *
 * Pages come from our own reader of crash's dump file if it knows the format: it is fast,
 * and all processors can use it. Otherwise (live, split dumps, formats that only crash
 * knows) they come through crash's readmem(), in one thread. Symbols are crash's own;
 * types are those of its vmlinux.
 */
#ifndef VMCENSUS_SESSION_H
#define VMCENSUS_SESSION_H

#include "model/kernel/kernel.h"

/* For struct run: opens the kernel in the calling process, which is the child. */
enum status session_open(void *host, const struct kernel_opts *ko, struct diag *diag,
			 struct kernel **ret);
/* Name of the dump, for messages and json. */
const char *session_image(void);
/* crash's vmlinux, and its release. */
const char *session_vmlinux(const char **release);

#endif
