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

FILE *pager_open(struct pager *p)
{
	const char *what = command();
	int ends[2];

	if (!what || pipe2(ends, O_CLOEXEC))
		return NULL;
	p->pid = fork();
	if (!p->pid) {
		close(ends[1]);
		become(what, ends[0]);
	}
	close(ends[0]);
	if (p->pid > 0)
		return fdopen(ends[1], "w");
	p->pid = 0;
	close(ends[1]);
	return NULL;
}

/* An interrupt is the pager's: it goes to the foreground, which has both. */
void pager_wait(struct pager *p)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was[2];

	if (!p->pid)
		return;
	sigaction(SIGINT, &ignore, &was[0]);
	sigaction(SIGQUIT, &ignore, &was[1]);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &was[0], NULL);
	sigaction(SIGQUIT, &was[1], NULL);
	p->pid = 0;
}
