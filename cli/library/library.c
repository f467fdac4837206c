/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program as a child: its words, its output, its last sentence. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/library/table.h"

#define FAILED 1
#define DAMAGED 2
#define TICK 100 /* ms */
#define MOST ((uint64_t)1 << 30)

extern char **environ;

struct vmcensus {
	struct vmcensus_options o;
	char *program;
	char **images;
	size_t nimages;
	atomic_bool cancelled;
};

/* A child, and what came of it. */
struct child {
	struct vmcensus *v;
	pid_t pid;
	int out, err;		/* -1: closed */
	char *text;		/* of stdout */
	size_t len, room;
	char line[VMCENSUS_ERROR_SIZE];	/* of stderr, not yet whole */
	size_t nline;
	char *error;		/* the last line that was */
	uint64_t asked;		/* ms: when it was last asked whether the call is interrupted */
};

static int give_up(char *error, const char *why)
{
	snprintf(error, VMCENSUS_ERROR_SIZE, "%s", why);
	return FAILED;
}

static size_t count(const char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	return n;
}

int vmcensus_open(const char *const *images, const struct vmcensus_options *options,
		  struct vmcensus **ret, char error[VMCENSUS_ERROR_SIZE])
{
	struct vmcensus *v = calloc(1, sizeof(*v));
	size_t n = count(images);

	*ret = NULL;
	if (v && options)
		v->o = *options;
	if (v && (!v->o.max_output || v->o.max_output > MOST))
		v->o.max_output = MOST;
	if (!v || !(v->images = calloc(n + 1, sizeof(*v->images))) ||
	    !(v->program = strdup(v->o.program ? v->o.program : "vmcensus"))) {
		vmcensus_close(v);
		return give_up(error, "out of memory");
	}
	for (; v->nimages < n; v->nimages++)
		if (!(v->images[v->nimages] = strdup(images[v->nimages]))) {
			vmcensus_close(v);
			return give_up(error, "out of memory");
		}
	*ret = v;
	return 0;
}

void vmcensus_close(struct vmcensus *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->nimages; i++)
		free(v->images[i]);
	free(v->images);
	free(v->program);
	free(v);
}

void vmcensus_cancel(struct vmcensus *v)
{
	atomic_store(&v->cancelled, true);
}

/* ---- what comes from the child ---------------------------------------------------- */

static void end_line(struct child *c)
{
	static const char name[] = "vmcensus: ";
	const char *line = c->line;

	c->line[c->nline] = '\0';
	c->nline = 0;
	if (!strncmp(line, name, sizeof(name) - 1))
		line += sizeof(name) - 1;
	if (!*line)
		return;
	give_up(c->error, line);
	if (c->v->o.log)
		c->v->o.log(c->v->o.arg, line);
}

static void take_err(struct child *c, const char *buf, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (buf[i] == '\n')
			end_line(c);
		else if (c->nline + 1 < sizeof(c->line))
			c->line[c->nline++] = buf[i];
}

static bool take_out(struct child *c, const char *buf, size_t n)
{
	if (c->len + n > c->v->o.max_output)
		return false;
	if (c->len + n + 1 > c->room) {
		size_t room = (c->len + n + 1) * 2;
		char *text = realloc(c->text, room);

		if (!text)
			return false;
		c->text = text;
		c->room = room;
	}
	memcpy(c->text + c->len, buf, n);
	c->len += n;
	c->text[c->len] = '\0';
	return true;
}

/* What FD has; at its end it is closed. False: the output is too long. */
static bool take(struct child *c, int *fd)
{
	char buf[65536];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0) {
		close(*fd);
		*fd = -1;
		return true;
	}
	if (fd == &c->out)
		return take_out(c, buf, (size_t)n);
	take_err(c, buf, (size_t)n);
	return true;
}

static bool is_interrupted(struct child *c)
{
	const struct vmcensus_options *o = &c->v->o;
	struct timespec t;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	if (!o->interrupted || now - c->asked < TICK)
		return false;
	c->asked = now;
	return o->interrupted(o->arg);
}

/* Until both are closed. NULL, or why the child was not heard to its end. */
static const char *listen_to(struct child *c)
{
	while (c->out >= 0 || c->err >= 0) {
		struct pollfd fds[] = { { c->out, POLLIN, 0 }, { c->err, POLLIN, 0 } };

		if (atomic_load(&c->v->cancelled))
			return "cancelled";
		if (is_interrupted(c))
			return "interrupted";
		if (poll(fds, 2, TICK) <= 0)
			continue;
		if (fds[1].revents)
			take(c, &c->err);
		if (fds[0].revents && !take(c, &c->out))
			return "the output is longer than max_output, or than memory";
	}
	if (c->nline)
		end_line(c);
	return NULL;
}

/* ---- the child --------------------------------------------------------------------- */

static int spawn(struct child *c, char **argv, int out, int err)
{
	posix_spawn_file_actions_t acts;
	posix_spawnattr_t attr;
	int e;

	posix_spawn_file_actions_init(&acts);
	posix_spawnattr_init(&attr);
	/* a group of its own: cancelling ends all of it */
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	posix_spawn_file_actions_addopen(&acts, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&acts, out, 1);
	posix_spawn_file_actions_adddup2(&acts, err, 2);
	e = posix_spawnp(&c->pid, argv[0], &acts, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&acts);
	posix_spawnattr_destroy(&attr);
	return e;
}

static int start(struct child *c, char **argv)
{
	int out[2], err[2], e;

	if (pipe2(out, O_CLOEXEC))
		return errno;
	if (pipe2(err, O_CLOEXEC)) {
		e = errno;
		close(out[0]);
		close(out[1]);
		return e;
	}
	e = spawn(c, argv, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	c->out = out[0];
	c->err = err[0];
	return e;
}

static void hang_up(struct child *c)
{
	if (c->out >= 0)
		close(c->out);
	if (c->err >= 0)
		close(c->err);
}

static int end(struct child *c, const char *why)
{
	int status;

	hang_up(c);
	if (why)
		kill(-c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return give_up(c->error,
				       "the program's exit status is lost: SIGCHLD is ignored");
	if (why)
		return give_up(c->error, why);
	if (!WIFEXITED(status))
		return give_up(c->error, "the program was killed");
	return WEXITSTATUS(status);
}

static int run(struct vmcensus *v, char **argv, char **text, size_t *len, char *error)
{
	struct child c = { .v = v, .out = -1, .err = -1, .error = error };
	int e = take_out(&c, "", 0) ? start(&c, argv) : ENOMEM, status;

	*error = '\0';
	if (e) {
		hang_up(&c);
		free(c.text);
		snprintf(error, VMCENSUS_ERROR_SIZE, "%s: %s", v->program, strerror(e));
		return FAILED;
	}
	status = end(&c, listen_to(&c));
	if (status && status != DAMAGED) {
		free(c.text);
		return status;
	}
	*text = c.text;
	*len = c.len;
	return status;
}

int vmcensus_text(struct vmcensus *v, const char *report, const char *format,
		  const char *const *options, char **text, size_t *len,
		  char error[VMCENSUS_ERROR_SIZE])
{
	size_t n = 0, nopts = count(options);
	char **argv = calloc(nopts + v->nimages + 7, sizeof(*argv));
	int status;

	*text = NULL;
	*len = 0;
	if (!argv)
		return give_up(error, "out of memory");
	argv[n++] = v->program;
	argv[n++] = (char *)report;
	argv[n++] = (char *)"--library=" VMCENSUS_VERSION;
	for (size_t i = 0; i < nopts; i++)
		argv[n++] = (char *)options[i];
	argv[n++] = (char *)"-f";
	argv[n++] = (char *)format;
	argv[n++] = (char *)"--";
	for (size_t i = 0; i < v->nimages; i++)
		argv[n++] = v->images[i];
	status = run(v, argv, text, len, error);
	free(argv);
	return status;
}

int vmcensus_table(struct vmcensus *v, const char *report, const char *const *options,
		   struct vmcensus_table **ret, char error[VMCENSUS_ERROR_SIZE])
{
	char *text;
	size_t len;
	int status = vmcensus_text(v, report, "cells", options, &text, &len, error);

	*ret = NULL;
	if (status && status != DAMAGED)
		return status;
	*ret = table_parse(text, len);
	return *ret ? status : give_up(error, "the output is no table, or memory is short");
}
