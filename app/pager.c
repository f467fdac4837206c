/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pager.c - a process that waits for the answer and becomes the pager.
 */
#include "app/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL "command -v less > /dev/null && exec less; exec cat"

static const char *command(void)
{
	const char *named = getenv("VMCENSUS_PAGER");

	if (!named)
		named = getenv("PAGER");
	if (!named)
		return USUAL;
	return *named && strcmp(named, "cat") != 0 ? named : NULL;
}

/* Until the first byte this process can be ended like the program itself. */
static __attribute__((noreturn)) void become(const char *what, int from)
{
	struct pollfd wait = { .fd = from, .events = POLLIN };

	while (poll(&wait, 1, -1) < 0 && errno == EINTR)
		;
	if (!(wait.revents & POLLIN))
		_exit(0);
	if (dup2(from, STDIN_FILENO) >= 0) {
		setenv("LESS", "FRSX", 0);
		if (getenv("SUDO_UID"))
			setenv("LESSSECURE", "1", 1);
		execl("/bin/sh", "sh", "-c", what, (char *)NULL);
	}
	_exit(127);
}

static volatile sig_atomic_t shown_by, written_to = -1;
static const int ends[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

static void end_after(int sig)
{
	close(written_to);
	while (waitpid(shown_by, NULL, 0) < 0 && errno == EINTR)
		;
	signal(sig, SIG_DFL);
	raise(sig);
}

static void outlive(pid_t pid, int fd)
{
	struct sigaction after = { .sa_handler = end_after };

	shown_by = pid;
	written_to = fd;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaction(ends[i], &after, NULL);
}

FILE *pager_open(struct pager *p)
{
	const char *what = command();
	int pair[2];

	if (!what || pipe2(pair, O_CLOEXEC))
		return NULL;
	p->pid = fork();
	if (!p->pid) {
		close(pair[1]);
		become(what, pair[0]);
	}
	close(pair[0]);
	if (p->pid > 0) {
		outlive(p->pid, pair[1]);
		return fdopen(pair[1], "w");
	}
	p->pid = 0;
	close(pair[1]);
	return NULL;
}

bool pager_wait(struct pager *p)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	int status = 0;

	if (!p->pid)
		return true;
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaction(ends[i], &usual, NULL);
	return !WIFEXITED(status) || (WEXITSTATUS(status) != 126 && WEXITSTATUS(status) != 127);
}
