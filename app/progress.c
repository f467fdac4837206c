/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.c - the progress line, and messages that interrupt it.
 */
#include "app/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	char *head;
	unsigned lines;		/* of head on the screen */
	unsigned rows, cols;	/* of the screen */
	FILE *to;
	unsigned ticks;		/* seconds since the start */
};

static void wipe(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", p->to);
	p->shown = false;
}

/* Also what stands above the line. */
static void wipe_all(struct progress *p)
{
	wipe(p);
	if (p->lines)
		fprintf(p->to, "\r\033[%uA\033[J", p->lines);
	p->lines = 0;
}

/* As much of the head as leaves room for the line of progress. */
static void draw_head(struct progress *p)
{
	for (const char *s = p->head; s && *s;) {
		size_t len = strcspn(s, "\n");
		unsigned lines = (unsigned)(len ? (len + p->cols - 1) / p->cols : 1);

		if (p->lines + lines + 2 > p->rows)
			break;
		fprintf(p->to, "%.*s\n", (int)len, s);
		p->lines += lines;
		s += len + (s[len] == '\n');
	}
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
		fprintf(p->to, "vmcensus: %s ... %u s", p->phase, p->ticks);
		fflush(p->to);
		p->shown = true;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct progress *progress_start(bool on, unsigned rows, unsigned cols)
{
	struct progress *p = heap_array(struct progress, 1);
	pthread_condattr_t attr;

	p->phase = "starting";
	p->to = stderr;
	p->rows = rows;
	p->cols = cols;
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
	wipe_all(p);
	fputs("vmcensus: ", p->to);
	put_text(p->to, line);
	putc('\n', p->to);
	draw_head(p);
	fflush(p->to);
	pthread_mutex_unlock(&p->lock);
}

void progress_pause(struct progress *p)
{
	pthread_mutex_lock(&p->lock);
	wipe(p);
	fflush(p->to);
}

void progress_resume(struct progress *p)
{
	pthread_mutex_unlock(&p->lock);
}

void progress_head(struct progress *p, const char *text)
{
	if (!p->running)
		return;
	pthread_mutex_lock(&p->lock);
	wipe_all(p);
	free(p->head);
	p->head = strdup(text);
	draw_head(p);
	fflush(p->to);
	pthread_mutex_unlock(&p->lock);
}

static void end(struct progress *p)
{
	if (!p->running)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	p->running = false;
	wipe_all(p);
	fflush(p->to);
	free(p->head);
	p->head = NULL;
}

void progress_stop(struct progress *p, FILE *to)
{
	end(p);
	p->to = to;
}

void progress_free(struct progress *p)
{
	end(p);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
