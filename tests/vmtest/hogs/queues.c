/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs that hold queues of data: pipes, sockets, message queues. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hogs.h"

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

enum { PIPE_BYTES = 1 << 20, PAGE = 4096 };

/* One write of a page fills one page of the pipe. */
static size_t fill_pipe(int fd, size_t bytes)
{
	static char page[PAGE];
	size_t done = 0;

	memset(page, 'p', sizeof page);
	while (done < bytes && write(fd, page, PAGE) == PAGE)
		done += PAGE;
	return done;
}

/* Full pipes, both ends in this process. */
static void take_pipes(size_t bytes)
{
	size_t done = 0, pipes = 0;
	int ends[2];

	for (; done < bytes; pipes++) {
		size_t got;

		must(!pipe2(ends, O_NONBLOCK), "pipe");
		must(fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) == PIPE_BYTES, "F_SETPIPE_SZ");
		got = fill_pipe(ends[1], bytes - done < PIPE_BYTES ? bytes - done : PIPE_BYTES);
		must(got > 0, "write");
		done += got;
	}
	count("pipes", pipes);
	count("bytes", done);
	count("pages", done / PAGE);
}

static void wide(int fd)
{
	int most = 1 << 30;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &most, sizeof most);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &most, sizeof most);
}

/* What the kernel has charged to the socket: received, and sent but not yet taken. */
static size_t charged(int fd)
{
	unsigned int info[9] = { 0 };
	socklen_t length = sizeof info;

	must(!getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &length), "SO_MEMINFO");
	return info[0] + info[2]; /* SK_MEMINFO_RMEM_ALLOC, SK_MEMINFO_WMEM_ALLOC */
}

/* Pairs of stream sockets; 8 MiB wait in each. */
static void take_unix(size_t bytes)
{
	size_t done = 0, memory = 0, pairs = 0;
	int ends[2];

	for (; done < bytes; pairs++) {
		size_t got;

		must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), "socketpair");
		wide(ends[0]);
		wide(ends[1]);
		got = fill(ends[0], bytes - done < 8 * MIB ? bytes - done : 8 * MIB);
		must(got > 0, "write");
		done += got;
		memory += charged(ends[0]);
	}
	count("sockets", 2 * pairs);
	count("bytes", done);
	count("truesize", memory);
}

/* Connections to itself over the loopback device; nobody reads. */
static void take_tcp(size_t bytes)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t length = sizeof address;
	size_t done = 0, memory = 0, pairs = 0;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	put("/proc/sys/net/ipv4/tcp_mem", "1000000 1000000 1000000");
	wide(listener);
	must(!bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
	must(!listen(listener, 100), "listen");
	getsockname(listener, (struct sockaddr *)&address, &length);
	for (; done < bytes; pairs++) {
		int from = socket(AF_INET, SOCK_STREAM, 0), to;
		size_t got;

		wide(from);
		must(!connect(from, (struct sockaddr *)&address, sizeof address), "connect");
		to = accept(listener, NULL, NULL);
		must(to >= 0, "accept");
		fcntl(from, F_SETFL, O_NONBLOCK);
		got = fill(from, bytes - done < 8 * MIB ? bytes - done : 8 * MIB);
		must(got > 0, "write");
		done += got;
		usleep(100000);
		memory += charged(from) + charged(to);
	}
	count("sockets", 2 * pairs + 1);
	count("bytes", done);
	count("truesize", memory);
}

/* Datagrams that wait in their receiver. */
static void take_udp(size_t bytes)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t length = sizeof address;
	int to = socket(AF_INET, SOCK_DGRAM, 0), from = socket(AF_INET, SOCK_DGRAM, 0);
	static char datagram[8192];
	size_t done = 0;

	put("/proc/sys/net/ipv4/udp_mem", "1000000 1000000 1000000");
	wide(to);
	wide(from);
	must(!bind(to, (struct sockaddr *)&address, sizeof address), "bind");
	getsockname(to, (struct sockaddr *)&address, &length);
	must(!connect(from, (struct sockaddr *)&address, sizeof address), "connect");
	while (done < bytes && write(from, datagram, sizeof datagram) > 0)
		done += sizeof datagram;
	count("sockets", 2);
	count("bytes", done);
	count("truesize", charged(to));
}

/* A receive ring of packets, mapped. */
static void take_packet(size_t bytes)
{
	struct tpacket_req3 ring = { .tp_block_size = 64 * KIB,
				     .tp_frame_size = 2048,
				     .tp_retire_blk_tov = 60000 };
	int version = TPACKET_V3, fd = socket(AF_PACKET, SOCK_RAW, 0);

	must(fd >= 0, "AF_PACKET");
	ring.tp_block_nr = (unsigned int)(bytes / ring.tp_block_size);
	ring.tp_frame_nr = ring.tp_block_nr * (ring.tp_block_size / ring.tp_frame_size);
	must(!setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version), "TPACKET_V3");
	must(!setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring), "PACKET_RX_RING");
	bytes = (size_t)ring.tp_block_nr * ring.tp_block_size;
	must(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED, "mmap");
	count("blocks", ring.tp_block_nr);
	count("bytes", bytes);
	count("pages", bytes / PAGE);
}

/* System V messages of two pages each: what fits beside the two headers (48 and 8 bytes). */
static void take_messages(size_t bytes)
{
	static struct {
		long type;
		char text[2 * PAGE - 56];
	} message = { .type = 1 };
	size_t done = 0;
	unsigned long queues = 0, messages = 0;

	put("/proc/sys/kernel/msgmnb", "8388608");
	while (done < bytes) {
		int queue = msgget(0x484f4700 + (int)queues++, IPC_CREAT | 0600);

		must(queue >= 0, "msgget");
		while (done < bytes && !msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT)) {
			done += 2 * PAGE;
			messages++;
		}
		must(done >= bytes || errno == EAGAIN, "msgsnd");
	}
	count("queues", queues);
	count("messages", messages);
	count("payload", messages * sizeof message.text);
	count("bytes", done);
	count("pages", done / PAGE);
}

/* Full pipes whose ends no process has open: they wait in a queue of a socket. */
static void take_inflight(size_t bytes)
{
	size_t done = 0, pipes = 0;
	int pair[2], ends[2];

	must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), "socketpair");
	wide(pair[0]);
	for (; done < bytes; pipes++) {
		union {
			struct cmsghdr head;
			char space[CMSG_SPACE(sizeof ends)];
		} control = { { .cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS,
				.cmsg_len = CMSG_LEN(sizeof ends) } };
		struct iovec one = { "x", 1 };
		struct msghdr message = { .msg_iov = &one,
					  .msg_iovlen = 1,
					  .msg_control = &control,
					  .msg_controllen = sizeof control };

		must(!pipe2(ends, O_NONBLOCK), "pipe");
		fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
		done += fill_pipe(ends[1], PIPE_BYTES);
		memcpy(CMSG_DATA(&control.head), ends, sizeof ends);
		put("/proc/sys/net/unix/max_dgram_qlen", "100000");
		must(sendmsg(pair[0], &message, MSG_DONTWAIT) == 1, "sendmsg");
		close(ends[0]);
		close(ends[1]);
	}
	count("pipes", pipes);
	count("bytes", done);
	count("pages", done / PAGE);
}

/* Sockets without data: each is objects of the kernel of some 2400 bytes. */
static void take_idle(size_t bytes)
{
	size_t n = bytes / 2400;

	put("/proc/sys/fs/file-max", "10000000");	/* sockets of unix are limited by it */
	for (size_t i = 0; i < n; i++)
		must(socket(AF_UNIX, SOCK_STREAM, 0) >= 0, "socket");
	count("sockets", n);
	count("bytes", n * 2400);
}

const struct hog queue_hogs[] = {
	{"idle", "unix socket without data", take_idle, NULL},
	{"pipes", "pipe", take_pipes, NULL},
	{"unix", "unix socket", take_unix, NULL},
	{"tcp", "tcp socket", take_tcp, NULL},
	{"udp", "udp socket", take_udp, NULL},
	{"packet", "packet ring", take_packet, NULL},
	{"messages", "sysv message queue", take_messages, NULL},
	{"inflight", "pipe in flight", take_inflight, NULL},
	{NULL, NULL, NULL, NULL},
};
