/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs of what processes tell each other with, beside queues.c: POSIX queues, semaphores, datagrams, watches. */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hogs.h"

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

enum { PAGE = 4096, HEAD = 48 /* struct msg_msg */, IN_QUEUE = 256, SEMS = 8184, SET = 128 * PAGE };

/* Messages that fill a page with their head. Nobody has the even queues open. */
static void take_mqueue(size_t bytes)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct mq_attr attr = { .mq_maxmsg = IN_QUEUE, .mq_msgsize = PAGE - HEAD };
	static char text[PAGE];
	size_t done = 0, queues = 0;
	char name[32];

	setrlimit(RLIMIT_MSGQUEUE, &none);
	put("/proc/sys/fs/mqueue/msg_max", "65536");
	put("/proc/sys/fs/mqueue/queues_max", "1024");
	for (; done < bytes; queues++) {
		int fd;

		snprintf(name, sizeof name, "hog-%zu", queues);
		fd = (int)syscall(SYS_mq_open, name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attr);
		must(fd >= 0, "mq_open");
		for (int i = 0; i < IN_QUEUE && done < bytes; i++, done += PAGE)
			must(!syscall(SYS_mq_timedsend, fd, text, PAGE - HEAD, i & 7, NULL), "mq_send");
		if (!(queues & 1))
			close(fd);
	}
	count("queues", queues);
	count("bytes", done);
}

/* Sets that no process holds, with their heads 128 pages each, by kmalloc() as by vmalloc(): 64 bytes a
   semaphore, at most 512 for the head. */
static void take_semaphores(size_t bytes)
{
	size_t done = 0, sets = 0;

	must(put("/proc/sys/kernel/sem", "16000 1024000000 500 32000"), "sem");
	for (; done < bytes; sets++, done += SET)
		must(semget(IPC_PRIVATE, SEMS, IPC_CREAT | 0600) >= 0, "semget");
	count("sets", sets);
	count("bytes", done);
}

static size_t charged(int fd)
{
	unsigned int info[9] = { 0 };
	socklen_t length = sizeof info;

	must(!getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &length), "SO_MEMINFO");
	return info[0] + info[2];
}

static void wide(int fd)
{
	int most = 1 << 30;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &most, sizeof most);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &most, sizeof most);
}

/* Datagrams of 3000 bytes, up to the length of a queue. */
static void take_datagrams(size_t bytes)
{
	static char text[3000];
	size_t memory = 0, pairs = 0;
	int ends[2];

	put("/proc/sys/net/unix/max_dgram_qlen", "100000");
	for (; memory < bytes; pairs++) {
		size_t sent = 0;

		must(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), "socketpair");
		wide(ends[0]);
		while (sent < 4 * MIB && send(ends[0], text, sizeof text, 0) > 0)
			sent += sizeof text;
		must(sent > 0, "send");
		memory += charged(ends[0]);
	}
	count("sockets", 2 * pairs);
	count("bytes", memory);
}

/* Messages to itself. */
static void take_netlink(size_t bytes)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	static char text[3000];
	size_t memory = 0, sockets = 0;

	for (; memory < bytes; sockets++) {
		int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, NETLINK_USERSOCK);
		socklen_t length = sizeof to;
		size_t sent = 0;

		must(fd >= 0, "socket");
		to.nl_pid = 0;
		must(!bind(fd, (struct sockaddr *)&to, sizeof to), "bind");
		must(!getsockname(fd, (struct sockaddr *)&to, &length), "getsockname");
		wide(fd);
		while (sent < 4 * MIB &&
		       sendto(fd, text, sizeof text, 0, (struct sockaddr *)&to, sizeof to) > 0)
			sent += sizeof text;
		must(sent > 0, "sendto");
		memory += charged(fd);
	}
	count("sockets", sockets);
	count("bytes", memory);
}

static unsigned long object_size(const char *cache)
{
	char line[512], name[64];
	unsigned long size = 0, n;
	FILE *f = fopen("/proc/slabinfo", "r");

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%63s %*u %*u %lu", name, &n) == 2 && !strcmp(name, cache))
			size = n;
	if (f)
		fclose(f);
	return size;
}

/* Where its cache is merged with another: until 6.7 the file system's id was in it, too. */
static unsigned long connector_size(void)
{
	unsigned long size = object_size("fsnotify_inode_mark_connector");

	size = size ? size : object_size("fsnotify_mark_connector");
	return size ? size : release() < 608 ? 32 : 24;
}

/* One eventfd, watched by many numbers. Caches with a name of their own tell the size of an object. */
static void take_epoll(size_t bytes)
{
	unsigned long item = object_size("eventpoll_epi"), wait = object_size("eventpoll_pwq");
	int epoll = epoll_create1(0), event = eventfd(0, 0);
	struct epoll_event in = { .events = EPOLLIN };
	size_t n;

	must(epoll >= 0 && event >= 0, "epoll_create1");
	item = item ? item : 128;
	wait = wait ? wait : 64;
	for (n = 0; n * (item + wait) < bytes; n++) {
		int fd = dup(event);

		must(fd >= 0 && !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &in), "epoll_ctl");
	}
	count("watches", n);
	count("bytes", n * (item + wait));
}

/* Watches of files of a tmpfs, each with a connector to its file. The files are there first: what objects come
   with them may lie in the same slabs as connectors. */
static void take_inotify(size_t bytes)
{
	unsigned long mark = object_size("inotify_inode_mark"), connector = connector_size();
	int fd = inotify_init1(0);
	char path[64];
	size_t n;

	mark = mark ? mark : 80;
	put("/proc/sys/fs/inotify/max_user_watches", "10000000");
	mkdir("/run/hog-watched", 0755);
	must(fd >= 0 && !mount("hog", "/run/hog-watched", "tmpfs", 0, NULL), "inotify_init1");
	for (n = 0; n * (mark + connector) < bytes; n++) {
		snprintf(path, sizeof path, "/run/hog-watched/%zu", n);
		close(open(path, O_CREAT | O_WRONLY, 0644));
	}
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof path, "/run/hog-watched/%zu", i);
		must(inotify_add_watch(fd, path, IN_MODIFY) >= 0, path);
	}
	count("watches", n);
	count("bytes", n * (mark + connector));
}

const struct hog ipc_hogs[] = {
	{"mqueue", "POSIX message queue", take_mqueue, NULL},
	{"semaphores", "sysv semaphores", take_semaphores, NULL},
	{"datagrams", "unix socket", take_datagrams, NULL},
	{"netlink", "netlink socket", take_netlink, NULL},
	{"epoll", "epoll", take_epoll, NULL},
	{"inotify", "inotify", take_inotify, NULL},
	{NULL, NULL, NULL, NULL},
};
