/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.h - the kernel of the dump that crash has open.
 *
 * Pages come from our own reader of crash's dump file where it knows the
 * format, which is fast and lets all processors work; else (live, split dumps,
 * formats that crash alone knows) through its readmem(), by one thread. Symbols
 * are crash's own, types those of the vmlinux that it has.
 */
#ifndef VMCENSUS_SESSION_H
#define VMCENSUS_SESSION_H

#include "model/kernel.h"

/* For struct run: opens the kernel in the process that calls, which is the child. */
enum status session_open(void *host, const struct kernel_opts *ko, struct diag *diag,
			 struct kernel **ret);
/* Name of the dump, for messages and json. */
const char *session_image(void);
/* The vmlinux that crash has, and of which release. */
const char *session_vmlinux(const char **release);

#endif
