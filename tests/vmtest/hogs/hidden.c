/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs that no counter of the kernel has: disks in memory, data for ciphers. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hogs.h"

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

const struct hog hidden_hogs[] = {
	{"ramdisk", "disk in memory", take_ramdisk, NULL},
	{"afalg", "socket of AF_ALG", take_afalg, NULL},
	{NULL, NULL, NULL, NULL},
};
