/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * planted.c - a library to preload: functions of other libraries that hostile input has taken
 * over. Each tries to leave its process, writes to descriptor $PLANTED what it got, and ends
 * the process. tests/cli/planted compiles it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
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

#include "app/sandbox/request.h"

static int out;

static void tell(const char *what, int got)
{
	dprintf(out, "%s: %s\n", what, got ? "POSSIBLE" : strerror(errno));
}

static int opens(const char *path, int flags)
{
	int fd = path ? open(path, flags, 0600) : -1;

	return fd >= 0 && !close(fd);
}

static int connects(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return fd >= 0 && (!connect(fd, (struct sockaddr *)&to, sizeof(to)) || errno == ECONNREFUSED);
}

/* In a child, if there can be one; does RUN work there? */
static int in_child(int (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(run && !run() ? errno : 0);
	if (pid < 0)
		return run && run();
	if (waitpid(pid, &status, 0) < 0)
		return 0;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	return !errno;
}

static int traced(void)
{
	return !ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int maps(int prot, size_t len)
{
	void *p = mmap(NULL, len, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p != MAP_FAILED;
}

/* By a pid, and to what it is. */
static int limits(void)
{
	struct rlimit l;

	return !prlimit(getpid(), RLIMIT_CORE, NULL, &l) && !prlimit(getpid(), RLIMIT_CORE, &l, NULL);
}

/* Whom a descriptor signals, and that it does; also with a wide number. */
static int owns(void)
{
	int fd = memfd_create("planted", 0);

	return !fcntl(fd, F_SETOWN, getpid()) || !fcntl(fd, F_SETFL, O_RDWR | O_ASYNC) ||
	       !syscall(SYS_fcntl, fd, UINT64_C(1) << 32 | F_SETOWN, getpid());
}

/* There is no such descriptor: then EBADF is the kernel's, which got the number. */
static int wide(void)
{
	return syscall(SYS_ioctl, -1, UINT64_C(1) << 32 | TIOCSTI, "") && errno != EPERM;
}

static int inherited(void)
{
	const char *fd = getenv("PLANTED_INHERITED");
	char head[4];

	/* the number may be that of a file of the program by now; what it had is a core */
	return fd && pread(atoi(fd), head, 4, 0) == 4 && !memcmp(head, "\177ELF", 4);
}

/* The process outside is asked as request.c does. Its errno; -1: it does not answer. */
static int asks(const struct request *q)
{
	static struct answer r;
	struct stat st;

	for (int fd = 3; fd < 64; fd++)
		if (!fstat(fd, &st) && S_ISSOCK(st.st_mode) &&
		    sendto(fd, q, sizeof(*q), MSG_NOSIGNAL, NULL, 0) == sizeof(*q) &&
		    recv(fd, &r, sizeof(r), 0) == sizeof(r)) {
			errno = r.err;
			return r.err;
		}
	return -1;
}

/* A core beside the dump. */
static int beside(void)
{
	static struct request q;
	const char *dump = getenv("PLANTED_DUMP"), *core = getenv("PLANTED_CORE");

	q.op = ASK_REAL_PATH;
	snprintf(q.a, sizeof(q.a), "%s", dump ? dump : "");
	asks(&q);
	q.op = ASK_OPEN;
	snprintf(q.a, sizeof(q.a), "%s", core ? core : "");
	return !asks(&q);
}

/* More than one build-id for one dump, and one that is none. */
static int asks_often(void)
{
	static struct request q = { .op = ASK_DEBUGINFO, .id_len = 32 };
	int wrong = !asks(&q), got = 1;

	q.id_len = 20;
	for (unsigned i = 0; i < 5 && got; i++) {
		q.id[0] = (uint8_t)i;
		got = !asks(&q);
	}
	return wrong || got;
}

static void attempt(const char *where)
{
	const char *fd = getenv("PLANTED"), *path = getenv("PLANTED_FILE");
	char script[64];

	if (!fd)
		_exit(77);
	out = atoi(fd);
	dprintf(out, "in %s\n", where);
	tell("read", opens("/etc/passwd", O_RDONLY));
	tell("write", opens(path, O_WRONLY | O_CREAT | O_TRUNC));
	tell("make readable", !chmod("/etc/shadow", 0640) && geteuid());
	tell("connect", connects());
	tell("fork", in_child(NULL));
	tell("ptrace", in_child(traced));
	tell("kill", !kill(getppid(), 0));
	tell("code", maps(PROT_READ | PROT_EXEC, 4096));
	tell("100 GiB", maps(PROT_READ | PROT_WRITE, (size_t)100 << 30));
	tell("limits", limits());
	tell("own", owns());
	tell("wide", wide());
	tell("inherited", inherited());
	tell("beside", beside());
	tell("ask often", asks_often());
	snprintf(script, sizeof(script), "echo execute: POSSIBLE >&%d; exit 99", out);
	execl("/bin/sh", "sh", "-c", script, (char *)NULL);
	tell("execute", 0);
	_exit(99);
}

#define TAKEN_OVER(name)     \
	int name(void);      \
	int name(void)       \
	{                    \
		attempt(#name); \
		return 0;    \
	}

TAKEN_OVER(archive_read_next_header)	/* batch: see dlsym() */
TAKEN_OVER(sqlite3_deserialize)		/* merge, and batch of its capsules */
TAKEN_OVER(dwarf_begin_elf)		/* layout --headers */
TAKEN_OVER(btf__new)			/* a dump */

/* Functions of a library that is loaded later are found by this one. */
void *dlsym(void *restrict lib, const char *restrict name)
{
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5", "GLIBC_2.0" };
	void *(*next)(void *, const char *) = NULL;

	if (!strcmp(name, "archive_read_next_header"))
		return (void *)archive_read_next_header;
	for (unsigned i = 0; !next && i < sizeof(versions) / sizeof(*versions); i++)
		next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	return next ? next(lib, name) : NULL;
}
