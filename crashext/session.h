/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.h - the kernel of the dump that crash has open, kept between commands.
 *
 * Pages come from our own reader of crash's dump file where it knows the
 * format, which is fast and lets all processors work; else (live, split dumps,
 * formats that crash alone knows) through its readmem(), by one thread. Symbols
 * are crash's own, types those of the vmlinux that it has.
 */
#ifndef VMCENSUS_SESSION_H
#define VMCENSUS_SESSION_H

#include <signal.h>

#include "model/kernel.h"

/* *CUT becomes non-zero: the user wants no more of it. */
enum status session_open(const volatile sig_atomic_t *cut, struct diag *diag);
/* The kernel that is open, or NULL. It stays the session's. */
struct kernel *session_kernel(void);
/* Name of the dump, for messages and json. */
const char *session_image(void);
/* The vmlinux that crash has, and of which release. */
const char *session_vmlinux(const char **release);

void session_close(void);
/* A live machine changes: what was learnt of it is not kept. */
void session_forget_live(void);
/* After an opening that was left in the middle: what has handles of its own.
   The memory is given back by taken_release(). */
void session_abandon(void);

#endif
