/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sandbox_test.c - attempts to leave the sandbox. Each is tried outside first: what fails
 * there as well (no ptrace in this container, say) would prove nothing, and the line says so.
 */
#include "app/sandbox/sandbox_test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

#include "app/options.h"
#include "app/sandbox/broker.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"

#define HUGE (UINT64_C(100) << 30)
#define INHERITED 50		/* a descriptor that is open when the sandbox is entered */
#define SELF "/proc/self/exe"
#define ASKS 2u			/* that it may have of debuginfod */

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

/* Asks whether the processes of this group may be signalled: one is that outside. (Inside, getppid() is refused.) */
static int try_kill(void)
{
	return kill(0, 0);
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

/* By a pid, be it our own: the filter does not know whose a pid is. Nothing is changed. */
static int try_limits(void)
{
	struct rlimit l;

	return prlimit(getpid(), RLIMIT_CORE, NULL, &l) ? -1
							: prlimit(getpid(), RLIMIT_CORE, &l, NULL);
}

/* The kernel takes the low half of the command. */
static int fcntl_wide(int cmd, long arg)
{
	int fd = memfd_create("sandbox-test", MFD_CLOEXEC), err;

	if (fd < 0)
		return -1;
	err = fcntl(fd, cmd, arg) && syscall(SYS_fcntl, fd, UINT64_C(1) << 32 | (unsigned)cmd, arg);
	close(fd);
	return err ? -1 : 0;
}

/* Whom SIGIO and SIGURG of a descriptor are sent to; it has none to send. */
static int try_owner(void)
{
	return fcntl_wide(F_SETOWN, getpid());
}

static int try_async(void)
{
	return fcntl_wide(F_SETFL, O_RDWR | O_ASYNC);
}

/* There is no such descriptor: EBADF is the kernel's, behind the filter. */
static int try_wide_ioctl(void)
{
	char c = '\n';

	return syscall(SYS_ioctl, -1, UINT64_C(1) << 32 | TIOCSTI, &c) && errno == EPERM ? -1 : 0;
}

static int try_inherited(void)
{
	char c;

	return pread(INHERITED, &c, 1, 0) == 1 ? 0 : -1;
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

/* SELF is taken for the dump: what lies beside it, an ELF file, is nobody's business. */
static int try_ask_beside(void)
{
	char real[PATH_MAX];

	return outside_real_path(SELF, real) ? close_it(outside_open(real)) : -1;
}

/* What is asked for reaches a server. */
static int try_ask_often(void)
{
	const struct outside *o = outside_now();
	uint8_t id[20] = "any 20 bytes";
	struct diag diag;
	char *path = NULL;

	errno = 0;
	for (unsigned i = 0; i <= ASKS; i++) {
		id[19] = (uint8_t)i;
		o->debuginfo(o->arg, id, sizeof(id), &path, &diag);
		free(path);
		path = NULL;
	}
	return errno == EPERM ? -1 : 0;
}

static const struct attempt {
	const char *what;
	int (*run)(void);
	bool only_inside;
	bool compiler;		/* refused to compilers as well */
} attempts[] = {
	{ "read a file", try_read, false, false },
	{ "write a file", try_write, false, false },
	{ "remove a file", try_unlink, false, false },
	{ "connect", try_connect, false, true },
	{ "fork", try_fork, false, false },
	{ "execute a program", try_exec, false, false },
	{ "ptrace", try_ptrace, false, true },
	{ "kill", try_kill, false, true },
	{ "map code", try_code, false, false },
	{ "map 100 GiB", try_huge, false, false },
	{ "type into the terminal", try_type, true, true },
	{ "type with a wide number", try_wide_ioctl, true, true },
	{ "io_uring", try_io_uring, false, true },
	{ "set limits by pid", try_limits, false, true },
	{ "own a descriptor", try_owner, false, true },
	{ "signals of a descriptor", try_async, false, true },
	{ "an inherited descriptor", try_inherited, false, true },
	{ "ask for /etc/passwd", try_ask, true, false },
	{ "ask for it as a debug file", try_ask_debug, true, false },
	{ "ask for ELF beside the dump", try_ask_beside, true, false },
	{ "ask debuginfod often", try_ask_often, true, false },
};

struct tested {
	FILE *out;
	const char *who;			/* "", or of compilers: a part of each line */
	bool compiler;
	int outside[ARRAY_LEN(attempts)];	/* errno there; 0: it worked */
};

static int test_inside(void *arg, const struct sandbox_lacks *lacks)
{
	struct tested *t = arg;
	int status = lacks->seccomp ? EXIT_NO_ANSWER : 0;
	struct diag d;

	if (!t->compiler && sandbox_says(lacks, &d))
		fprintf(t->out, "%s\n", d.text);
	for (size_t i = 0; i < ARRAY_LEN(attempts); i++) {
		const struct attempt *a = &attempts[i];
		bool got;

		if (t->compiler && !a->compiler)
			continue;
		got = !a->run();
		fprintf(t->out, "%s%-*s  %s", t->who, 34 - (int)strlen(t->who), a->what,
			got ? "POSSIBLE" : "refused: ");
		fprintf(t->out, "%s", got ? "" : strerror(errno));
		if (t->outside[i])
			fprintf(t->out, " (and outside of it: %s)", strerror(t->outside[i]));
		putc('\n', t->out);
		if (got)
			status = EXIT_NO_ANSWER;
	}
	return status;
}

/* A descriptor as one that whoever started us has left open. */
static bool inherit(void)
{
	int fd = open(SELF, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && dup2(fd, INHERITED) == INHERITED;

	if (fd >= 0)
		close(fd);
	return ok;
}

static int run_test(struct broker *b)
{
	struct diag diag;
	int status;

	if (broker_run(b, &status, &diag)) {
		fprintf(stderr, "vmcensus: %s\n", diag.text);
		return EXIT_NO_ANSWER;
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "vmcensus: the process in the sandbox was ended by signal %d\n",
		WTERMSIG(status));
	return EXIT_NO_ANSWER;
}

int sandbox_test(FILE *out)
{
	static const char *const self[] = { SELF };
	struct tested t = { .out = out, .who = "" };
	struct broker b = {
		.permits = { .files = self, .nfiles = 1 },
		.debuginfo = ASKS,
		.limits = { .memory = UINT64_C(1) << 30, .seconds = 60, .files = 64 },
		.inside = test_inside,
		.arg = &t,
	};
	int status, compiler;

	if (!inherit()) {
		fprintf(stderr, "vmcensus: " SELF ": %s\n", strerror(errno));
		return EXIT_NO_ANSWER;
	}
	unsetenv("DEBUGINFOD_URLS"); /* nobody is asked what is no build-id */
	for (size_t i = 0; i < ARRAY_LEN(attempts); i++)
		t.outside[i] = !attempts[i].only_inside && attempts[i].run() ? errno : 0;
	status = run_test(&b);
	t.who = "compiler: ";
	t.compiler = true;
	b.below = "/tmp";
	compiler = run_test(&b);
	close(INHERITED);
	return status ? status : compiler;
}
