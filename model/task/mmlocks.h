/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mmlocks.h - who holds the mmap_lock of each mm, and who waits for it. */
#ifndef VMCENSUS_MMLOCKS_H
#define VMCENSUS_MMLOCKS_H

#include "model/model.h"

enum mmlock {
	MMLOCK_NONE,
	MMLOCK_WRITER,		/* holds it alone */
	MMLOCK_READER,		/* the last of those who took it for reading; maybe not any more */
	MMLOCK_WAITS_WRITE, MMLOCK_WAITS_READ,
};

/*
 * One for each of s->tasks, in MEM: a task that holds one mm's and waits for another's is a
 * waiter. NULL: this image or kernel does not show it.
 */
enum mmlock *mmlocks_read(const struct snapshot *s, struct arena *mem);

#endif
