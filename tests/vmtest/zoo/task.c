/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of tasks by what happens to them: traced, dead, amid execve, of a personality. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "zoo.h"

static void zombies(void)
{
	static const int how[] = { 0, 3, 255, -SIGKILL, -SIGTERM, -SIGUSR1 };

	for (size_t i = 0; i < sizeof how / sizeof *how; i++)
		if (kid("zoo-dead")) {
			if (how[i] < 0)
				kill(getpid(), -how[i]);
			_exit(how[i]);
		}
	usleep(100000);
}

/* ---- traced ---- */

static pid_t tracee(bool asks)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_NAME, "zoo-tracee");
	dirty(anon(10), 10, 1);
	if (asks) {
		ready();
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			lacking("PTRACE_TRACEME");
		raise(SIGUSR1);		/* stops before the signal is delivered */
	}
	rest();
}

static void *traced_thread(void *tid)
{
	*(volatile pid_t *)tid = gettid();
	for (;;)
		pause();
	return NULL;
}

/* The second thread alone is traced: its leader is not. */
static void trace_a_thread(void)
{
	volatile pid_t *tid = (void *)map(1, RW, SHANON, -1, 0);
	pthread_t t;

	if (!tid)
		return;
	if (kid("zoo-half-traced")) {
		if (pthread_create(&t, NULL, traced_thread, (void *)tid))
			lacking("threads");
		rest();
	}
	usleep(200000);
	if (!*tid || ptrace(PTRACE_ATTACH, *tid, 0, 0) || waitpid(*tid, NULL, __WALL) < 0)
		lacking("PTRACE_ATTACH to a thread");
}

static void traced(void)
{
	pid_t pid = tracee(true);

	if (waitpid(pid, NULL, WUNTRACED) < 0)
		lacking("a traced child");
	pid = tracee(false);
	usleep(200000);			/* or it would be stopped before it is ready */
	if (ptrace(PTRACE_ATTACH, pid, 0, 0) || waitpid(pid, NULL, WUNTRACED) < 0)
		lacking("PTRACE_ATTACH");
	pid = tracee(false);
	usleep(200000);
	if (ptrace(PTRACE_SEIZE, pid, 0, 0))	/* runs on */
		lacking("PTRACE_SEIZE");
	trace_a_thread();
}

/* ---- execve ---- */

/*
 * The program's first bytes are read with all arguments copied, and the new mm not yet
 * in place.  Reading waits for the leave of one who never gives it.
 */
/*
 * Before eea9673250db (v5.7) execve() holds cred_guard_mutex from the start, and who reads
 * /proc/PID/io waits for it.
 */
static bool proc_waits_for_execve(void)
{
	struct utsname u;
	int major = 0, minor = 0;

	return uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2 || major < 5 ||
	       (major == 5 && minor < 7);
}

static void in_execve(void)
{
	enum { STRINGS = 7, LONG = 100000 };
	static char *arguments[STRINGS + 1];
	char *program, *text;
	int fd, leave;

	program = strdup(at("never read"));
	fd = file(program, 2);
	fchmod(fd, 0755);
	close(fd);
	if (proc_waits_for_execve()) {
		lacking("/proc during execve");
		return;
	}
	leave = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY);
	if (leave < 0 || fanotify_mark(leave, FAN_MARK_ADD, FAN_ACCESS_PERM, AT_FDCWD, program)) {
		lacking("fanotify that may refuse");
		return;
	}
	text = anon(LONG / PAGE + 1);
	memset(text, 'x', LONG);
	for (int i = 0; i < STRINGS; i++)
		arguments[i] = text;
	if (kid("zoo-in-execve")) {
		close(leave);
		ready();
		execv(program, arguments);
		lacking("an execve that waits");
		rest();
	}
	usleep(300000);
}

/* ---- personality ---- */

static void page_zero(void)
{
	if (personality(MMAP_PAGE_ZERO) < 0)
		lacking("personality");
	rest_as("/proc/self/exe");
}

const struct kind task_kinds[] = {
	{ "zombie", zombies },
	{ "traced", traced },
	{ "execve", in_execve },
	{ "pagezero", page_zero },
	{ NULL, NULL },
};
