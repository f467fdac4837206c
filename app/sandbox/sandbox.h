/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sandbox.h - a process that can compute, read and write the descriptors that it has, and
 * nothing else: no file, process or connection can be opened, and no program started.
 *
 * Layers, each of which is used as far as the kernel has it: the seccomp filter (an allow-list
 * of system calls), Landlock without a single rule, no privileges (another user if started as
 * root, no capabilities, no_new_privs), limits of address space, processor time, descriptors
 * and core files.
 */
#ifndef VMCENSUS_SANDBOX_H
#define VMCENSUS_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "dumpread/base/diag.h"

struct sandbox_limits {
	uint64_t memory;	/* bytes that may be mapped beyond those mapped now */
	uint64_t seconds;	/* of processor time */
	unsigned files;		/* descriptors */
};

/* What this kernel, or the container around us, did not give. */
struct sandbox_lacks {
	bool seccomp;		/* there is no sandbox worth the name */
	bool landlock;
	bool other_user;	/* we were root, and still are */
	int error;		/* errno of seccomp */
};

/*
 * Closes what whoever started the program left open, but descriptors 0, 1 and 2: a sandbox
 * keeps what is open. Called before libraries that may open files of their own.
 */
void sandbox_close_inherited(void);

/*
 * Confines this process, which must have one thread; it cannot be undone. Processes that it
 * was given a descriptor of live on outside.
 */
struct sandbox_lacks sandbox_enter(const struct sandbox_limits *l);

/*
 * Confines this process, and the programs that it starts, so far as a compiler can be: it may
 * read and start what is there, and write files below DIR and nowhere else. It has no
 * connection, no TCP, and traces and signals nobody. Without Landlock it can write anywhere:
 * lacks.landlock.
 */
struct sandbox_lacks sandbox_enter_below(const char *dir, const struct sandbox_limits *l);

/* The sentence about LACKS in DIAG; false: nothing is missing. */
bool sandbox_says(const struct sandbox_lacks *lacks, struct diag *diag);
/* Prints that sentence to stderr if there is no sandbox at all. */
void sandbox_warn(const struct sandbox_lacks *lacks);

#endif
