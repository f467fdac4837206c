/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.c - the progress line, and messages that interrupt it.
 */
#include "app/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "dumpread/base/heap.h"
#include "reports/render/render.h"

struct progress {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	const char *phase;
	bool running, stop, shown;
	unsigned ticks;		/* seconds since the start */
};

static void wipe(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

static void *tick(void *arg)
{
	struct progress *p = arg;
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		at.tv_sec++;
		while (!p->stop && !pthread_cond_timedwait(&p->wake, &p->lock, &at))
			;
		if (p->stop)
			break;
		p->ticks++;
		wipe(p);
		fprintf(stderr, "vmcensus: %s ... %u s", p->phase, p->ticks);
		fflush(stderr);
		p->shown = true;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct progress *progress_start(bool on)
{
	struct progress *p = heap_array(struct progress, 1);
	pthread_condattr_t attr;

	p->phase = "starting";
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (on && isatty(STDERR_FILENO))
		p->running = !pthread_create(&p->thread, NULL, tick, p);
	return p;
}

void progress_phase(struct progress *p, const char *phase)
{
	pthread_mutex_lock(&p->lock);
	p->phase = phase;
	pthread_mutex_unlock(&p->lock);
}

void progress_say(struct progress *p, const char *line)
{
	pthread_mutex_lock(&p->lock);
	wipe(p);
	fputs("vmcensus: ", stderr);
	put_text(stderr, line);
	putc('\n', stderr);
	pthread_mutex_unlock(&p->lock);
}

void progress_pause(struct progress *p)
{
	pthread_mutex_lock(&p->lock);
	wipe(p);
	fflush(stderr);
}

void progress_resume(struct progress *p)
{
	pthread_mutex_unlock(&p->lock);
}

void progress_stop(struct progress *p)
{
	if (!p->running)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	p->running = false;
	wipe(p);
}

void progress_free(struct progress *p)
{
	progress_stop(p);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
