/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of processes: threads, shared address spaces, namespaces, control groups, owners, names. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "zoo.h"

static void *thread(void *memory)
{
	dirty(memory, 64, 1);
	for (;;)
		pause();
	return NULL;
}

static void start_threads(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, thread, anon(64)))
			lacking("threads");
	}
	usleep(100000);
}

static void threads(void)
{
	start_threads(40);
}

static void *late_rest(void *unused)
{
	(void)unused;
	usleep(200000);		/* after the leader is gone */
	rest();
}

static void no_leader(void)
{
	pthread_t t;

	start_threads(3);
	if (pthread_create(&t, NULL, late_rest, NULL))
		lacking("threads");
	pthread_exit(NULL);
}

static int same_mm(void *memory)
{
	prctl(PR_SET_NAME, "zoo-mm-sharer");
	dirty(memory, 20, 1);
	rest();
}

static void shared_mm(void)
{
	char *stack = anon(16), *p = anon(40);

	dirty(p + 20 * PAGE, 20, 1);
	if (clone(same_mm, stack + 16 * PAGE, CLONE_VM | SIGCHLD, p) < 0)
		lacking("clone(CLONE_VM)");
	usleep(100000);
}

/*
 * The parent waits in vfork until the child execs, which it never does; with one
 * table of files for both, the child says for both that they are ready.
 */
static void vforked(void)
{
	if (kid("zoo-vfork-pa")) {
		static char stack[PAGE_MOST] __attribute__((aligned(16)));

		dirty(anon(10), 10, 1);
		clone(same_mm, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD,
		      anon(30));
		rest();
	}
}

static void pid_namespace(void)
{
	if (unshare(CLONE_NEWPID)) {
		lacking("pid namespace");
		return;
	}
	if (kid("zoo-pidns-1")) {
		dirty(anon(10), 10, 1);
		if (kid("zoo-pidns-2"))
			dirty(anon(5), 5, 1);
		rest();
	}
}

/* Numbers in more than two namespaces. */
static void nested_namespaces(void)
{
	if (unshare(CLONE_NEWPID)) {
		lacking("pid namespace");
		return;
	}
	if (kid("zoo-nested-1")) {
		if (unshare(CLONE_NEWPID))
			lacking("pid namespace in a pid namespace");
		if (kid("zoo-nested-2"))
			dirty(anon(5), 5, 1);
		rest();
	}
}

static void user_namespace(void)
{
	if (unshare(CLONE_NEWUSER))
		lacking("user namespace");
	dirty(anon(10), 10, 1);
}

static void cgroups(void)
{
	static const char *const groups[] = { "zoo", "zoo/a", "zoo/a/deep er", "zoo/b" };
	char path[256], number[32];

	put("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		snprintf(path, sizeof path, "/sys/fs/cgroup/%s", groups[i]);
		if (mkdir(path, 0755) && errno != EEXIST)
			lacking("cgroup v2");
		if (i < 2) {		/* only inner groups hand the controller on */
			strcat(path, "/cgroup.subtree_control");
			if (!put(path, "+memory"))
				lacking("memory controller");
		}
	}
	put("/sys/fs/cgroup/zoo/b/memory.max", "50000000");
	for (size_t i = 2; i < sizeof groups / sizeof *groups; i++)
		if (kid("zoo-cg-kid")) {
			snprintf(path, sizeof path, "/sys/fs/cgroup/%s/cgroup.procs", groups[i]);
			snprintf(number, sizeof number, "%d", getpid());
			if (!put(path, number))
				lacking("entering a cgroup");
			dirty(anon(100 * i), 100 * i, 1);
			rest();
		}
}

static void owners(void)
{
	static const struct { uid_t real, effective; const char *adj; } who[] = {
		{ 1000, 1000, "0" }, { 1001, 0, "300" }, { 33, 33, "1000" }, { 0, 0, "-1000" },
		{ 4000000000u, 4000000000u, "-500" },
	};

	for (size_t i = 0; i < sizeof who / sizeof *who; i++)
		if (kid("zoo-owner-kid")) {
			if (!put("/proc/self/oom_score_adj", who[i].adj))
				lacking("oom_score_adj");
			if (setresgid(who[i].real, who[i].effective, 0) ||
			    setresuid(who[i].real, who[i].effective, 0))
				lacking("setresuid");
			rest();
		}
}

static void odd_comm(void)
{
	static const char *const names[] = {
		") R 1 (", "new\nline", "back\\slash", "\xc3\xa9\xff \t", ""
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (kid(names[i]))
			rest();
}

/* Copies the running program to PATH. */
static bool copy_self(const char *path)
{
	char block[65536];
	ssize_t n;
	int in = open("/proc/self/exe", O_RDONLY), out = open(path, O_WRONLY | O_CREAT, 0755);

	while (in >= 0 && out >= 0 && (n = read(in, block, sizeof block)) > 0)
		if (write(out, block, (size_t)n) != n)
			break;
	close(in);
	return out >= 0 && close(out) == 0;
}

static void deleted_exe(void)
{
	if (!copy_self(at("self"))) {
		lacking("a copy of itself");
		return;
	}
	if (kid("zoo-exec"))
		rest_as(at("self"));
	usleep(300000);			/* or it would be gone before it could start */
	unlink(at("self"));
}

/* A program of 32 bits stands beside this one, where the host could build it. */
static void compat(void)
{
	char path[256];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 4);

	if (n < 0)
		return;
	strcpy(path + n, "32");
	if (kid("zoo-i386"))
		rest_as(path);
}

const struct kind process_kinds[] = {
	{ "threads", threads },
	{ "noleader", no_leader },
	{ "sharedmm", shared_mm },
	{ "vfork", vforked },
	{ "pidns", pid_namespace },
	{ "nested", nested_namespaces },
	{ "userns", user_namespace },
	{ "cgroups", cgroups },
	{ "owners", owners },
	{ "comm", odd_comm },
	{ "deadexe", deleted_exe },
	{ "compat", compat },
	{ NULL, NULL },
};
