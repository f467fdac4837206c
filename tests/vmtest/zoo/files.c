/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of file mappings: file systems, odd names, namespaces, devices, rings shared with the kernel. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/if_packet.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "zoo.h"

#if defined(__i386__)
#define TRIPLET "i386-linux-gnu"
#elif defined(__powerpc64__)
#define TRIPLET "powerpc64le-linux-gnu"
#elif defined(__aarch64__)
#define TRIPLET "aarch64-linux-gnu"
#elif defined(__riscv)
#define TRIPLET "riscv64-linux-gnu"
#elif defined(__powerpc__)
#define TRIPLET "powerpc-linux-gnu"
#else
#define TRIPLET "x86_64-linux-gnu"
#endif

#define HUGE_PAGES (HUGE / PAGE)

static void on_disk(void)
{
	int fd = open(at("data.bin"), O_RDWR);
	char *r = map(256, PROT_READ, MAP_PRIVATE, fd, 0);
	char *w = map(128, RW, MAP_PRIVATE, fd, 64);
	char *s = map(256, RW, MAP_SHARED, fd, 0);

	if (!r || !w || !s)
		return;
	look(r, 256, 1);
	dirty(w, 128, 4);
	dirty(s, 256, 5);
	mprotect(r + 16 * PAGE, 32 * PAGE, PROT_NONE);
}

static void deleted(void)
{
	int fd = file(at("gone.bin"), 64);

	look(map(64, PROT_READ, MAP_SHARED, fd, 0), 64, 1);
	unlink(at("gone.bin"));
}

static void truncated(void)
{
	int fd = file(at("short.bin"), 64);

	look(map(64, PROT_READ, MAP_PRIVATE, fd, 0), 64, 1);
	dirty(map(64, RW, MAP_PRIVATE, fd, 0), 64, 2);
	if (ftruncate(fd, 20 * PAGE + 100))
		lacking("ftruncate");
}

static void odd_names(void)
{
	static const char *const names[] = {
		"two words", " leading and trailing ", "new\nline", "back\\slash", "tab\there",
		"gr\xc3\xbc\xc3\x9f" "e", "latin1 \xfc\xdf", "not gone (deleted)", "quote\"'`$",
		"control\x01\x7f", "[heap]", "gone\nline",
	};
	char long_name[240];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		look(map(4, PROT_READ, MAP_PRIVATE, file(at(names[i]), 4), 0), 4, 1);
	unlink(at("gone\nline"));
	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	look(map(4, PROT_READ, MAP_PRIVATE, file(at(long_name), 4), 0), 4, 1);
}

static void memfd(void)
{
	int fd = memfd_create("zoo memfd", 0);
	char *p;

	if (fd < 0 || ftruncate(fd, 100 * PAGE)) {
		lacking("memfd_create");
		return;
	}
	p = map(100, RW, MAP_SHARED, fd, 0);
	dirty(p, 80, 1);
	fd = memfd_create("zoo huge memfd", MFD_HUGETLB);
	if (fd < 0 || ftruncate(fd, HUGE)) {
		lacking("memfd_create(MFD_HUGETLB)");
		return;
	}
	p = map(HUGE_PAGES, RW, MAP_SHARED, fd, 0);
	if (p)
		dirty(p, 1, 1);
}

static char *attach(key_t key, size_t pages, int flags, int *id)
{
	char *p;

	*id = shmget(key, pages * PAGE, IPC_CREAT | 0600 | flags);
	p = shmat(*id, NULL, 0);
	if (*id >= 0 && p != (char *)-1)
		return p;
	lacking("System V shared memory");
	return NULL;
}

static void sysv(void)
{
	int id;
	char *p = attach(0x5151, 128, 0, &id);
	char *gone = attach(IPC_PRIVATE, 32, 0, &id);

	dirty(p, 90, 1);
	dirty(gone, 16, 1);
	shmctl(id, IPC_RMID, NULL);
	if (kid("zoo-sysv-kid")) {
		look(p, 40, 1);
		rest();
	}
	p = attach(IPC_PRIVATE, HUGE_PAGES, SHM_HUGETLB, &id);
	if (p)
		dirty(p, 1, 1);
}

static void tmpfs(void)
{
	int fd = file("/dev/shm/zoo.tmp", 96);
	char *s = map(96, RW, MAP_SHARED, fd, 0), *p = map(96, RW, MAP_PRIVATE, fd, 0);

	look(s, 48, 1);
	dirty(p, 20, 1);
}

/* smaps asks the file, not the page tables, for what such a mapping has in swap. */
static void tmpfs_swapped(void)
{
	int fd = file("/dev/shm/zoo.swapped", 160);
	char *s = map(160, RW, MAP_SHARED, fd, 0), *w, *r;

	look(s, 160, 1);
	page_out(s + 20 * PAGE, 100);
	if (ftruncate(fd, 300 * PAGE))				/* a hole at the end */
		lacking("ftruncate");
	w = map(250, RW, MAP_PRIVATE, fd, 10);
	r = map(200, PROT_READ, MAP_PRIVATE, fd, 30);
	dirty(w, 40, 3);
	look(r, 10, 1);
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 70 * PAGE, 10 * PAGE);
}

static void tmpfs_huge(void)
{
	char options[64], *room, *s, *p;
	int fd;

	snprintf(options, sizeof options, "huge=always,size=%zu", 8 * HUGE);
	if (mkdir("/run/hugetmp", 0755) ||
	    mount("zoo", "/run/hugetmp", "tmpfs", 0, options)) {
		lacking("tmpfs huge=always");
		return;
	}
	fd = file("/run/hugetmp/big", 2 * HUGE_PAGES);
	room = huge_area(2 * HUGE, PRIVANON);
	s = mmap(room, 2 * HUGE, RW, MAP_SHARED | MAP_FIXED, fd, 0);
	dirty(s, 2 * HUGE_PAGES, 64);
	if (kid("zoo-shmthp-kid")) {
		room = huge_area(2 * HUGE, PRIVANON);
		p = mmap(room, 2 * HUGE, RW, MAP_PRIVATE | MAP_FIXED, fd, 0);
		look(p, 2 * HUGE_PAGES, 7);
		dirty(p, 30, 2);
		munmap(s + HUGE, 10 * PAGE);		/* splits the PMD of one huge page */
		rest();
	}
	fd = file("/run/hugetmp/cut", HUGE_PAGES);
	s = map(HUGE_PAGES, RW, MAP_SHARED, fd, 0);
	dirty(s, HUGE_PAGES, 1);
	if (ftruncate(fd, HUGE / 5))
		lacking("ftruncate");
}

static void hugetlbfs(void)
{
	int fd;
	char *s, *p;

	if (mkdir("/run/huge", 0755) || mount("zoo", "/run/huge", "hugetlbfs", 0, NULL)) {
		lacking("hugetlbfs");
		return;
	}
	fd = open("/run/huge/file", O_RDWR | O_CREAT, 0600);
	s = map(2 * HUGE_PAGES, RW, MAP_SHARED, fd, 0);
	p = map(2 * HUGE_PAGES, RW, MAP_PRIVATE, fd, 0);
	if (!s || !p)
		return;
	dirty(s, HUGE_PAGES + 1, HUGE_PAGES);
	look(p, HUGE_PAGES + 1, HUGE_PAGES);
	dirty(p, 1, 1);					/* one copied, one shared */
	if (kid("zoo-hugefs-kid"))
		rest();
}

static void dev_zero(void)
{
	int fd = open("/dev/zero", O_RDWR);
	char *s = map(40, RW, MAP_SHARED, fd, 0), *p = map(40, RW, MAP_PRIVATE, fd, 0);

	dirty(s, 30, 1);
	dirty(p, 10, 2);
	look(p + 20 * PAGE, 10, 1);
	fd = open("/dev/mem", O_RDONLY);		/* PFNMAP: the BIOS, below 1 MiB */
	s = map(16, PROT_READ, MAP_SHARED, fd, 0xf0);
	if (s)
		look(s, 16, 1);
}

/* ---- mounts of one's own ---- */

static void map_one(const char *path, size_t pages)
{
	int fd = open(path, O_RDONLY);
	char *p = fd < 0 ? NULL : map(pages, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p)
		look(p, pages, 1);
	else
		lacking(path);
}

static bool private_mounts(void)
{
	if (!unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return true;
	lacking("mount namespace");
	return false;
}

static void bind_mounts(void)
{
	if (!private_mounts())
		return;
	mkdir(at("bind"), 0755);
	close(file(at("onto"), 1));
	if (mount("/usr/lib", at("bind"), NULL, MS_BIND, NULL))
		lacking("bind mount");
	map_one(at("bind/" TRIPLET "/libc.so.6"), 16);
	if (mount("/etc/services", at("onto"), NULL, MS_BIND, NULL))
		lacking("bind mount of a file");
	map_one(at("onto"), 1);
}

static void overlay(void)
{
	char options[1024], base[256];

	if (!private_mounts())
		return;
	snprintf(base, sizeof base, "%s", at("ovl"));
	mkdir(base, 0755);
	if (mount("zoo", base, "tmpfs", 0, NULL))
		lacking("tmpfs");
	for (const char *const *d = (const char *const[]){ "low", "up", "work", "all", NULL }; *d; d++) {
		char path[300];

		snprintf(path, sizeof path, "%s/%s", base, *d);
		mkdir(path, 0755);
	}
	close(file(at("ovl/low/lower.bin"), 8));
	snprintf(options, sizeof options, "lowerdir=%s/low,upperdir=%s/up,workdir=%s/work", base,
		 base, base);
	if (mount("zoo", at("ovl/all"), "overlay", 0, options)) {
		lacking("overlayfs");
		return;
	}
	map_one(at("ovl/all/lower.bin"), 8);
	dirty(map(8, RW, MAP_SHARED, file(at("ovl/all/upper.bin"), 8), 0), 4, 1);
}

static void jailed(void)
{
	mkdir(at("jail"), 0755);
	mkdir(at("jail/in"), 0755);
	close(file(at("jail/in/file"), 8));
	if (chroot(at("jail")) || chdir("/"))
		lacking("chroot");
	map_one("/in/file", 8);
}

static void pivoted(void)
{
	if (!private_mounts())
		return;
	mkdir(at("newroot"), 0755);
	if (mount("zoo", at("newroot"), "tmpfs", 0, NULL) || chdir(at("newroot")) ||
	    syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/")) {
		lacking("pivot_root");
		return;
	}
	look(map(8, PROT_READ, MAP_SHARED, file("/inside", 8), 0), 8, 1);
}

/* The mount is gone from every namespace; the file lives on through its mapping. */
static void unmounted(void)
{
	mkdir(at("lazy"), 0755);
	if (mount("zoo", at("lazy"), "tmpfs", 0, NULL)) {
		lacking("tmpfs");
		return;
	}
	mkdir(at("lazy/deep"), 0755);
	look(map(8, PROT_READ, MAP_SHARED, file(at("lazy/deep/file"), 8), 0), 8, 1);
	if (umount2(at("lazy"), MNT_DETACH))
		lacking("lazy unmount");
}

/* ---- memory shared with the kernel ---- */

static void io_uring(void)
{
	struct io_uring_params params = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 64, &params);

	if (fd < 0) {
		lacking("io_uring");
		return;
	}
	map(1, RW, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING / (off_t)PAGE);
	map(1, RW, MAP_SHARED, fd, IORING_OFF_SQES / (off_t)PAGE);
}

static void aio(void)
{
	aio_context_t context = 0;

	if (syscall(SYS_io_setup, 256, &context))
		lacking("aio");
}

static void perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.size = sizeof attr, .disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	char *p = fd < 0 ? NULL : map(9, RW, MAP_SHARED, fd, 0);

	if (p)
		look(p, 9, 1);
	else
		lacking("perf events");
}

static void packet(void)
{
	struct tpacket_req ring = {
		.tp_block_size = 4 * PAGE, .tp_block_nr = 4, .tp_frame_size = 2048,
		.tp_frame_nr = 4 * (4 * PAGE / 2048),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, htons(0x88b5));

	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring)) {
		lacking("packet ring");
		return;
	}
	map(16, RW, MAP_SHARED, fd, 0);
}

const struct kind file_kinds[] = {
	{ "file", on_disk },
	{ "deleted", deleted },
	{ "truncated", truncated },
	{ "names", odd_names },
	{ "memfd", memfd },
	{ "sysv", sysv },
	{ "tmpfs", tmpfs },
	{ "tmpswap", tmpfs_swapped },
	{ "shmthp", tmpfs_huge },
	{ "hugefs", hugetlbfs },
	{ "devzero", dev_zero },
	{ "bind", bind_mounts },
	{ "overlay", overlay },
	{ "jailed", jailed },
	{ "pivoted", pivoted },
	{ "unmounted", unmounted },
	{ "iouring", io_uring },
	{ "aio", aio },
	{ "perf", perf },
	{ "packet", packet },
	{ NULL, NULL },
};
