/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sandbox_test.c - attempts to leave the sandbox. Each is tried outside first: what fails
 * there as well (no ptrace in this container, say) would prove nothing, and the line says so.
 */
#include "app/sandbox/sandbox_test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/sandbox/broker.h"
#include "app/options.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"

#define HUGE (UINT64_C(100) << 30)

/* Each returns 0 if it got through, else -1 and errno. */

static int close_it(int fd)
{
	return fd < 0 ? -1 : close(fd);
}

static int try_read(void)
{
	return close_it(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static int try_write(void)
{
	return close_it(open("/tmp/vmcensus-sandbox-test",
			     O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
}

static int try_unlink(void)
{
	int none = unlink("/tmp/vmcensus-sandbox-test");

	return none && errno == ENOENT ? 0 : none;
}

/* A refusal by the other side is a success of ours. */
static int try_connect(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), err;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0)
		return -1;
	err = connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != ECONNREFUSED ? errno : 0;
	close(fd);
	errno = err;
	return err ? -1 : 0;
}

/* -1: the child could not be started, or RUN failed in it. */
static int in_child(int (*run)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(run && run() ? 1 : 0);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	errno = EPERM;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

static int try_fork(void)
{
	return in_child(NULL);
}

static int exec_true(void)
{
	return execl("/bin/true", "true", (char *)NULL);
}

/* In a child, for it would end this test; inside there can be none: what takes its place fails. */
static int try_exec(void)
{
	if (!outside_now())
		return in_child(exec_true);
	fflush(NULL);
	return execl("/bin/false", "false", (char *)NULL);
}

static int trace_me(void)
{
	return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int try_ptrace(void)
{
	return outside_now() ? trace_me() : in_child(trace_me);
}

static int try_kill(void)
{
	return kill(getppid(), 0);
}

static int try_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? -1 : munmap(p, 4096);
}

static int try_huge(void)
{
	void *p = mmap(NULL, HUGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? -1 : munmap(p, HUGE);
}

/* Outside it is not tried: it would be typed. A pipe is no terminal: EPERM is the filter's. */
static int try_type(void)
{
	char c = '\n';

	return ioctl(STDIN_FILENO, TIOCSTI, &c);
}

static int try_io_uring(void)
{
	char params[256] = { 0 };

	return close_it((int)syscall(SYS_io_uring_setup, 1, params));
}

/* The process outside is asked for a file that nobody named. */
static int try_ask(void)
{
	return close_it(outside_open("/etc/passwd"));
}

static int try_ask_debug(void)
{
	return close_it(outside_open("/usr/lib/debug/../../../etc/passwd"));
}

static const struct attempt {
	const char *what;
	int (*run)(void);
	bool only_inside;
} attempts[] = {
	{ "read a file", try_read, false },
	{ "write a file", try_write, false },
	{ "remove a file", try_unlink, false },
	{ "connect", try_connect, false },
	{ "fork", try_fork, false },
	{ "execute a program", try_exec, false },
	{ "ptrace", try_ptrace, false },
	{ "kill", try_kill, false },
	{ "map code", try_code, false },
	{ "map 100 GiB", try_huge, false },
	{ "type into the terminal", try_type, true },
	{ "io_uring", try_io_uring, false },
	{ "ask for /etc/passwd", try_ask, true },
	{ "ask for it as a debug file", try_ask_debug, true },
};

struct tested {
	FILE *out;
	int outside[ARRAY_LEN(attempts)];	/* errno there; 0: it worked */
};

static int test_inside(void *arg, const struct sandbox_lacks *lacks)
{
	struct tested *t = arg;
	int status = lacks->seccomp ? EXIT_NO_ANSWER : 0;
	struct diag d;

	if (sandbox_says(lacks, &d))
		fprintf(t->out, "%s\n", d.text);
	for (size_t i = 0; i < ARRAY_LEN(attempts); i++) {
		const struct attempt *a = &attempts[i];
		bool got = !a->run();

		fprintf(t->out, "%-28s %s", a->what, got ? "POSSIBLE" : "refused: ");
		fprintf(t->out, "%s", got ? "" : strerror(errno));
		if (t->outside[i])
			fprintf(t->out, " (and outside of it: %s)", strerror(t->outside[i]));
		putc('\n', t->out);
		if (got)
			status = EXIT_NO_ANSWER;
	}
	return status;
}

int sandbox_test(FILE *out)
{
	struct tested t = { .out = out };
	struct broker b = {
		.limits = { .memory = UINT64_C(1) << 30, .seconds = 60, .files = 64 },
		.inside = test_inside,
		.arg = &t,
	};
	struct diag diag;
	int status;

	for (size_t i = 0; i < ARRAY_LEN(attempts); i++)
		t.outside[i] = !attempts[i].only_inside && attempts[i].run() ? errno : 0;
	if (broker_run(&b, &status, &diag)) {
		fprintf(stderr, "vmcensus: %s\n", diag.text);
		return EXIT_NO_ANSWER;
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "vmcensus: the process in the sandbox was ended by signal %d\n",
		WTERMSIG(status));
	return EXIT_NO_ANSWER;
}
