/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jobs.h - the one way in which work is run in parallel.
 *
 * jobs_run() calls FN(ctx, worker, item) for every item in [0, n), on up to
 * NTHREADS threads, items handed out in order. Results must not depend on
 * which worker took an item: workers only add to their own sums or to atomic
 * counters. With one thread, or one item, it runs in the caller.
 */
#ifndef VMCENSUS_JOBS_H
#define VMCENSUS_JOBS_H

#include <stddef.h>
#include <stdint.h>

#define JOBS_MAX 256		/* threads; larger requests are clamped */

void jobs_run(unsigned nthreads, size_t n,
	      void (*fn)(void *ctx, unsigned worker, size_t item), void *ctx);

/*
 * Where this thread is in the work: a number that grows as it would with one thread, over items and runs, whichever
 * threads do them. Of two things that different threads met, the one with the smaller number comes first. Runs
 * inside an item are at the place of the item.
 */
uint64_t jobs_place(void);

/* Processors this process may run on (1 or more). */
unsigned jobs_default(void);

#endif
