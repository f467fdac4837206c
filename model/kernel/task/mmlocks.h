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

/* Do the locks of K show writers? Since 5.3 the count does, since 3.16 the owner, where it is kept. */
bool mmlock_writers_known(const struct kernel *k);
/* Does a writer hold the lock of the mm at MM, or can it not be read? Needs mmlock_writers_known(). */
bool mmlock_may_be_written(const struct kernel *k, struct reader *r, uint64_t mm);

#endif
