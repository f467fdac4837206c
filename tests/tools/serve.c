/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve - many runs of the program, or of PROGRAM, with what each cost.
 *
 *	serve [PROGRAM]
 *
 * The program itself needs no start: a process is forked for each run, and runs without the sandbox.
 * A line of standard input is OUT, ERR and the arguments, with a tab after each; the run writes its
 * standard output and error to these files. The answer is a line
 *	STATUS KIB MILLISECONDS
 * with the exit status (-N: signal N ended it), the most memory that it had, and its processor time; a
 * run has at most SECONDS of processor time and WAITS of any. A process that does this is small: a process
 * begins with the peak of the one that forked it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/run.h"

#define SECONDS 30
#define WAITS 300
#define WORDS 64

static void redirect(const char *path, int to)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		_exit(70);
	close(fd);
}

__attribute__((noreturn)) static void run_one(const char *program, int argc, char **argv)
{
	const struct rlimit time = { SECONDS, SECONDS + 5 }, core = { 0, 0 };
	struct run run = { .out = NULL };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), status;

	if (null < 0 || dup2(null, 0) < 0)
		_exit(70);
	redirect(argv[0], 1);
	redirect(argv[1], 2);
	setrlimit(RLIMIT_CPU, &time);
	alarm(WAITS);
	setrlimit(RLIMIT_CORE, &core);
	argv[1] = (char[]){ "vmcensus" };
	if (program) {
		execv(program, argv + 1);
		_exit(70);
	}
	status = options_parse(&run.o, argc - 1, argv + 1, &run.diag);
	run.o.no_sandbox = true;
	if (status)
		run_complain(&run);
	else
		status = run_report(&run);
	run_end(&run);
	fflush(stdout);
	_exit(status);
}

int main(int argn, char **args)
{
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0) {
		char *argv[WORDS + 1], *rest = line;
		int argc = 0, status;
		struct rusage used;
		pid_t pid;

		line[strcspn(line, "\n")] = 0;
		for (char *s; argc < WORDS && (s = strsep(&rest, "\t"));)
			argv[argc++] = s;
		argv[argc] = NULL;
		if (argc < 3)
			return 64;
		pid = fork();
		if (!pid)
			run_one(argn > 1 ? args[1] : NULL, argc, argv);
		if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
			return 71;
		printf("%d %ld %ld\n",
		       WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
		       used.ru_maxrss,
		       (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
			       (long)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
		fflush(stdout);
	}
	free(line);
	return 0;
}
