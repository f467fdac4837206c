/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs that no counter of the kernel has: disks in memory, data for ciphers, packets in queues, arenas of BPF. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_alg.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hogs.h"

#define MAP_TYPE_ARENA 33	/* BPF_MAP_TYPE_ARENA of linux/bpf.h, which is newer */

#ifndef AF_ALG
#define AF_ALG 38
#endif

enum { PAGE = 4096 };

/* A disk as large as asked for, which is written past the page cache. */
static void take_ramdisk(size_t bytes)
{
	static char block[MIB] __attribute__((aligned(PAGE)));
	int module = open("/lab/more/brd.ko", O_RDONLY | O_CLOEXEC), disk;
	size_t done = 0;
	char text[64];

	syscall(SYS_delete_module, "brd", O_NONBLOCK);
	snprintf(text, sizeof text, "rd_nr=1 rd_size=%zu", bytes / KIB);
	must(module >= 0 && !syscall(SYS_finit_module, module, text, 0), "brd");
	memset(block, 'r', sizeof block);
	disk = open("/dev/ram0", O_WRONLY | O_DIRECT);
	must(disk >= 0, "/dev/ram0");
	while (done < bytes && write(disk, block, sizeof block) == (ssize_t)sizeof block)
		done += sizeof block;
	must(done > 0, "write");
	close(disk);
	close(module);
	count("bytes", done);
	count("pages", done / PAGE);
}

/* A socket for one request, which never ends. */
static int cipher(int from)
{
	struct {
		struct cmsghdr head;
		unsigned int op;
	} control = { { .cmsg_len = CMSG_LEN(sizeof(unsigned int)), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_OP },
		      ALG_OP_ENCRYPT };
	struct msghdr message = { .msg_control = &control, .msg_controllen = sizeof control };
	int fd = accept(from, NULL, NULL), most = 1 << 30;

	must(fd >= 0, "accept");
	must(!setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &most, sizeof most), "SO_SNDBUFFORCE");
	must(!sendmsg(fd, &message, MSG_MORE), "sendmsg");
	return fd;
}

/* Data that wait for the last of them; 8 MiB in each socket. */
static void take_afalg(size_t bytes)
{
	struct sockaddr_alg address = { .salg_family = AF_ALG, .salg_type = "skcipher", .salg_name = "ecb(aes)" };
	int from = socket(AF_ALG, SOCK_SEQPACKET, 0);
	static char block[64 * KIB];
	size_t done = 0, sockets = 0;

	put("/proc/sys/net/core/optmem_max", "100000000");
	must(from >= 0 && !bind(from, (struct sockaddr *)&address, sizeof address), "AF_ALG");
	must(!setsockopt(from, SOL_ALG, ALG_SET_KEY, block, 16), "ALG_SET_KEY");
	for (; done < bytes; sockets++) {
		size_t end = done + 8 * MIB < bytes ? done + 8 * MIB : bytes;
		int fd = cipher(from);

		for (; done < end; done += sizeof block)
			must(send(fd, block, sizeof block, MSG_MORE) == (ssize_t)sizeof block, "send");
	}
	count("sockets", sockets + 1);
	count("bytes", done);
	count("pages", done / PAGE);
}

/* Packets that a device would send in minutes and hours: each has 30000 bytes in fragments, an sk_buff and its head. */
static void take_netem(size_t bytes)
{
	enum { DATA = 30000, HEAD = 768 };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), most = 1 << 30;
	static char data[DATA];
	size_t n = 0;

	must(!system("tc qdisc add dev lo root netem rate 1kbit limit 1000000"), "tc");
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &most, sizeof most);
	must(!connect(fd, (struct sockaddr *)&to, sizeof to), "connect");
	for (; n * (DATA + HEAD) < bytes; n++)
		must(write(fd, data, DATA) == DATA, "write");
	close(fd);
	count("packets", n);
	count("bytes", n * (DATA + HEAD));
}

/* Packets for a program that does not read: each is a block of 8 pages, an sk_buff and its head. */
static void take_tun(size_t bytes)
{
	enum { DATA = 8 * PAGE, LINK = 14, HEAD = 768 };
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI, .ifr_name = "hog0" };
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_halen = 6 };
	int tun = open("/dev/net/tun", O_RDWR), fd = socket(AF_PACKET, SOCK_RAW, 0), most = 1 << 30;
	static char frame[DATA + LINK];
	size_t n = 0;

	must(tun >= 0 && !ioctl(tun, TUNSETIFF, &request), "/dev/net/tun");
	must(fd >= 0, "AF_PACKET");
	request.ifr_qlen = 20000;
	must(!ioctl(fd, SIOCSIFTXQLEN, &request), "SIOCSIFTXQLEN");
	request.ifr_mtu = 40000;
	must(!ioctl(fd, SIOCSIFMTU, &request), "SIOCSIFMTU");
	request.ifr_flags = IFF_UP;
	must(!ioctl(fd, SIOCSIFFLAGS, &request), "SIOCSIFFLAGS");
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &most, sizeof most);
	to.sll_ifindex = (int)if_nametoindex("hog0");
	memset(frame, 0xff, 12);
	frame[12] = 0x08;
	for (; n * (DATA + HEAD) < bytes; n++)
		must(sendto(fd, frame, sizeof frame, 0, (struct sockaddr *)&to, sizeof to) == (ssize_t)sizeof frame, "sendto");
	close(fd);
	count("packets", n);
	count("bytes", n * (DATA + HEAD));
}

/* Half of the pages is mapped here, too. */
static void take_arena(size_t bytes)
{
	union bpf_attr attr = { .map_type = MAP_TYPE_ARENA, .map_flags = BPF_F_MMAPABLE,
				.max_entries = (unsigned int)(bytes / PAGE), .map_name = "hog_arena" };
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	int fd;
	char *p;

	setrlimit(RLIMIT_MEMLOCK, &none);
	fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr);
	must(fd >= 0, "arena");
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(p != MAP_FAILED, "mmap");
	for (size_t i = 0; i < bytes; i += PAGE)
		p[i] = 'a';
	must(!madvise(p, bytes / 2 & ~(size_t)(PAGE - 1), MADV_DONTNEED), "MADV_DONTNEED");
	count("bytes", bytes);
	count("pages", bytes / PAGE);
}

const struct hog hidden_hogs[] = {
	{"ramdisk", "disk in memory", take_ramdisk, NULL},
	{"afalg", "socket of AF_ALG", take_afalg, NULL},
	{"netem", "queue of a network device", take_netem, NULL},
	{"tun", "queue of tun", take_tun, NULL},
	{"arena", "bpf arena", take_arena, NULL},
	{NULL, NULL, NULL, NULL},
};
