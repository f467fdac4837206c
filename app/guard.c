/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/guard.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/options.h"

static __attribute__((noreturn)) void be_worker(int (*work)(void *arg), void *arg,
						const sigset_t *before)
{
	int status;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, before, NULL);
	status = work(arg);
	fflush(NULL);
	_exit(status);
}

static __attribute__((noreturn)) void die_of(int sig, const sigset_t *before)
{
	signal(sig, SIG_DFL);
	raise(sig);
	sigprocmask(SIG_SETMASK, before, NULL);
	_exit(EXIT_NO_ANSWER);
}

/* Of a process that a signal ended it is told. */
static int status_of(int status, const char *file)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	unlink(file);
	fprintf(stderr, "vmcensus: the process that does the work was ended by signal %d\n",
		WTERMSIG(status));
	return EXIT_NO_ANSWER;
}

int guard(int (*work)(void *arg), void *arg, const char *file)
{
	sigset_t ends, before;
	int sig, status;
	pid_t pid;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGCHLD);
	signal(SIGCHLD, SIG_DFL); /* who ignores it gets none */
	fflush(NULL);
	sigprocmask(SIG_BLOCK, &ends, &before);
	pid = fork();
	if (!pid)
		be_worker(work, arg, &before);
	while (pid > 0) {
		if (sigwait(&ends, &sig) || sig == SIGCHLD) {
			if (waitpid(pid, &status, WNOHANG) != pid)
				continue;
			sigprocmask(SIG_SETMASK, &before, NULL);
			return status_of(status, file);
		}
		kill(pid, SIGKILL);
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
		unlink(file);
		die_of(sig, &before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return work(arg);
}
