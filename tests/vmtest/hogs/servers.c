/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs as servers have them: threads of nfsd, stripes of an md array, a kernel that waits for its start. */
#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/major.h>
#include <linux/types.h>
#include <linux/raid/md_p.h>
#include <linux/raid/md_u.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "hogs.h"

enum { PAGE = 4096 };

/*
 * Each thread of nfsd has pages for the largest request and the largest reply: in one array of 2 pages more than
 * a message in 6.12, in two of 3 pages more in 7.3. A message is a block and a page. And one page for odd ends.
 */
static size_t nfsd_pages(size_t block)
{
	return (release() >= 703 ? 2 * (block / PAGE + 4) : block / PAGE + 3) + 1;
}

static void take_nfsd(size_t bytes)
{
	static const char fs[] = "/proc/fs/nfsd";
	struct sockaddr_in any = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	size_t threads, pages;
	char text[64];

	must(!bind(fd, (struct sockaddr *)&any, sizeof any) && !listen(fd, 1), "socket");
	must(!mount("nfsd", fs, "nfsd", 0, NULL), fs);
	/* others ask for rpcbind */
	put("/proc/fs/nfsd/versions", "-2\n");
	put("/proc/fs/nfsd/versions", "-3\n");
	snprintf(text, sizeof text, "%lu\n", MIB);
	must(put("/proc/fs/nfsd/max_block_size", text), "max_block_size");
	snprintf(text, sizeof text, "%d\n", fd);
	must(put("/proc/fs/nfsd/portlist", text), "portlist");
	pages = nfsd_pages(number_in("/proc/fs/nfsd/max_block_size"));
	snprintf(text, sizeof text, "%zu\n", bytes / (pages * PAGE));
	must(put("/proc/fs/nfsd/threads", text), "threads");
	threads = number_in("/proc/fs/nfsd/threads");
	errno = 0;
	must(threads > 0, "threads of nfsd");
	count("block", number_in("/proc/fs/nfsd/max_block_size"));
	count("threads", threads);
	count("bytes", threads * pages * PAGE);
	count("pages", threads * pages);
}

enum { DISKS = 4, MD = 0 };

/* An array of RAID 5 over disks in memory, of which nothing was written. */
static int array(void)
{
	mdu_array_info_t info = { .major_version = 0, .minor_version = 90, .level = 5, .raid_disks = DISKS,
				  .nr_disks = DISKS, .active_disks = DISKS, .working_disks = DISKS,
				  .md_minor = MD, .not_persistent = 1, .state = 1 << MD_SB_CLEAN,
				  .size = 8 * MIB / KIB, .layout = 2, .chunk_size = 64 * KIB };
	char path[64];
	struct stat st;
	int md;

	put("/sys/module/md_mod/parameters/new_array", "md0");
	mknod("/dev/md0", S_IFBLK | 0600, makedev(MD_MAJOR, MD));
	md = open("/dev/md0", O_RDWR);
	must(md >= 0, "/dev/md0");
	must(!ioctl(md, SET_ARRAY_INFO, &info), "SET_ARRAY_INFO");
	for (int i = 0; i < DISKS; i++) {
		mdu_disk_info_t disk = { .number = i, .raid_disk = i,
					 .state = 1 << MD_DISK_SYNC | 1 << MD_DISK_ACTIVE };

		snprintf(path, sizeof path, "/dev/ram%d", i);
		must(!stat(path, &st), path);
		disk.major = major(st.st_rdev);
		disk.minor = minor(st.st_rdev);
		must(!ioctl(md, ADD_NEW_DISK, &disk), "ADD_NEW_DISK");
	}
	must(!ioctl(md, RUN_ARRAY, NULL), "RUN_ARRAY");
	return md;
}

/* A stripe has a page for each disk. */
static void take_stripes(size_t bytes)
{
	static const char size[] = "/sys/block/md0/md/stripe_cache_size";
	char text[64];
	int md = array();

	snprintf(text, sizeof text, "%zu", bytes / DISKS / PAGE);
	must(put(size, text), size);
	close(md);
	errno = 0;
	count("stripes", number_in(size));
	count("bytes", number_in(size) * DISKS * PAGE);
	count("pages", number_in(size) * DISKS);
}

/* It would go where the first kernel is; the pages that it waits in are others. */
static void take_kexec(size_t bytes)
{
	struct kexec_segment {
		const void *buf;
		size_t bufsz;
		const void *mem;
		size_t memsz;
	} segment = { .buf = touched(bytes, MAP_PRIVATE), .bufsz = bytes, .mem = (void *)(16 * MIB),
		      .memsz = bytes };

	must(!syscall(SYS_kexec_load, 16 * MIB, 1, &segment, KEXEC_ARCH_DEFAULT), "kexec_load");
	munmap((void *)segment.buf, bytes);
	count("bytes", bytes);
	count("pages", bytes / PAGE);
}

const struct hog server_hogs[] = {
	{"nfsd", "threads of a server", take_nfsd, NULL},
	{"stripes", "md array", take_stripes, NULL},
	{"kexec", "kernel that is loaded", take_kexec, NULL},
	{NULL, NULL, NULL, NULL},
};
