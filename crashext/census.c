/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * census.c - runs one census command in a child process.
 */
#include "crashext/census.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/run.h"
#include "crashext/host.h"
#include "crashext/session.h"
#include "crashext/usage.h"

struct call {
	int argc;
	char **argv;
	struct run run;
	int status;
};

static volatile sig_atomic_t interrupted, child;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
	if (child > 0)
		kill(child, SIGKILL);
}

/* ---- in the child ------------------------------------------------------------------ */

static __attribute__((noreturn)) void end_child(size_t bytes)
{
	fprintf(stderr, "vmcensus: out of memory (%zu bytes wanted)\n", bytes);
	_exit(EXIT_NO_ANSWER);
}

static void answer(void *arg)
{
	struct call *c = arg;
	struct run *run = &c->run;

	c->status = options_parse_hosted(&run->o, c->argc, c->argv, session_image(), &run->diag);
	if (c->status)
		run_complain(run);
	else if (run->o.action == DO_REPORT)
		c->status = run_report(run);
	else
		usage_print(&run->o, run->out);
}

static void be_child(struct call *c, const sigset_t *mask)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGSEGV, SIG_DFL); /* crash's handler would go on as a second crash */
	signal(SIGPIPE, SIG_IGN); /* "| head": the write fails, and nothing else happens */
	sigprocmask(SIG_SETMASK, mask, NULL);
	arena_die = end_child;
	c->run.open = session_open;
	c->run.near_vmlinux = session_vmlinux(&c->run.near_release);
	if (!host_guard(answer, c))
		c->status = EXIT_NO_ANSWER;
	fflush(c->run.out);
	fflush(stderr);
	_exit(c->status);
}

/* ---- in crash ------------------------------------------------------------------------- */

static void await(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	if (WIFSIGNALED(status) && !interrupted)
		fprintf(stderr, "vmcensus: the report was ended by signal %d (%s)\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
}

static void run_child(struct call *c)
{
	sigset_t sigint, mask;
	pid_t pid;

	/* otherwise the present contents of a buffer would be written twice */
	fflush(c->run.out);
	fflush(stdout);
	sigemptyset(&sigint);
	sigaddset(&sigint, SIGINT);
	sigprocmask(SIG_BLOCK, &sigint, &mask);
	pid = fork();
	if (!pid)
		be_child(c, &mask);
	child = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (pid < 0)
		fprintf(stderr, "vmcensus: cannot start the report: %s\n", strerror(errno));
	else
		await(pid);
}

void census_command(int argc, char **argv, FILE *out)
{
	struct call c = { .argc = argc, .argv = argv, .run = { .out = out } };
	struct sigaction ours = { .sa_handler = on_interrupt }, crashs;

	interrupted = child = 0;
	sigaction(SIGINT, &ours, &crashs);
	run_child(&c);
	sigaction(SIGINT, &crashs, NULL);
	if (!interrupted)
		return;
	fputs("vmcensus: interrupted\n", stderr);
	/* crash's own handling: back to its prompt, out of its loops and input files */
	if (crashs.sa_handler != SIG_DFL && crashs.sa_handler != SIG_IGN)
		raise(SIGINT);
}
