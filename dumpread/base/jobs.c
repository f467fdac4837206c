/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jobs.c - runs work items in threads.
 */
#define _GNU_SOURCE
#include "dumpread/base/jobs.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct run {
	atomic_size_t next;
	size_t n;
	void (*fn)(void *ctx, unsigned worker, size_t item);
	void *ctx;
	uint64_t place;		/* of its first item; of all, if NESTED */
	bool nested;		/* in an item of another run */
};

static atomic_uint_least32_t stretches;	/* runs, and what lies between them */
static _Thread_local uint64_t place;
static _Thread_local bool in_run;

struct worker {
	struct run *run;
	unsigned id;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	size_t i;

	in_run = true;
	while ((i = atomic_fetch_add(&w->run->next, 1)) < w->run->n) {
		place = w->run->place + (w->run->nested ? 0 : i);
		w->run->fn(w->run->ctx, w->id, i);
	}
	return NULL;
}

static uint64_t next_stretch(void)
{
	return (uint64_t)(atomic_fetch_add(&stretches, 1) + 1) << 32;
}

uint64_t jobs_place(void)
{
	return place;
}

void jobs_run(unsigned nthreads, size_t n, void (*fn)(void *ctx, unsigned worker, size_t item),
	      void *ctx)
{
	const bool nested = in_run;
	const uint64_t outer = place;
	struct run run = { .n = n,
			   .fn = fn,
			   .ctx = ctx,
			   .nested = nested,
			   .place = nested ? outer : next_stretch() };
	struct worker w[JOBS_MAX];
	unsigned started = 1;

	if (nthreads > JOBS_MAX)
		nthreads = JOBS_MAX;
	if (nthreads > n)
		nthreads = (unsigned)n;
	w[0] = (struct worker){ .run = &run };
	/* without this thread the others do more */
	for (; started < nthreads; started++) {
		w[started] = (struct worker){ .run = &run, .id = started };
		if (pthread_create(&w[started].thread, NULL, work, &w[started]))
			break;
	}
	work(&w[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(w[i].thread, NULL);
	in_run = nested;
	place = nested ? outer : next_stretch();
}

unsigned jobs_default(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > JOBS_MAX ? JOBS_MAX : (unsigned)n;
}
