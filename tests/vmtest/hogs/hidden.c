/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs that no counter of the kernel has: disks in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hogs.h"

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

const struct hog hidden_hogs[] = {
	{"ramdisk", "disk in memory", take_ramdisk, NULL},
	{NULL, NULL, NULL, NULL},
};
