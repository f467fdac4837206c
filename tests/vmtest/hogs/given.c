/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs of memory that a process gave to the kernel and does not map: pipes, io_uring, AF_XDP, dma-buf, zswap. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_xdp.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hogs.h"

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

enum { PAGE = 4096, PIPE = 1 << 20, RING = 1 << 16 };

/* As linux/dma-heap.h, which is newer than this. */
struct heap_request {
	uint64_t len;
	uint32_t fd, fd_flags;
	uint64_t heap_flags;
};

static void no_limit(void)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &none);
}

/* Anonymous pages in pipes, unmapped since. */
static void take_spliced(size_t bytes)
{
	size_t done = 0, pipes = 0;

	for (; done < bytes; done += PIPE, pipes++) {
		char *p = touched(PIPE, MAP_PRIVATE);
		struct iovec part = { p, PIPE };
		int ends[2];

		madvise(p, PIPE, MADV_NOHUGEPAGE);
		must(!pipe2(ends, O_NONBLOCK) && fcntl(ends[1], F_SETPIPE_SZ, PIPE) == PIPE, "pipe");
		must(vmsplice(ends[1], &part, 1, SPLICE_F_GIFT) == PIPE, "vmsplice");
		must(!munmap(p, PIPE), "munmap");
	}
	count("pipes", pipes);
	count("bytes", done);
}

/* Buffers of io_uring, unmapped since. */
static void take_fixed(size_t bytes)
{
	struct io_uring_params p = { 0 };
	struct iovec buffer = { touched(bytes, MAP_PRIVATE), bytes };
	int fd = (int)syscall(SYS_io_uring_setup, 8, &p);

	no_limit();
	must(fd >= 0, "io_uring_setup");
	must(!syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &buffer, 1),
	     "IORING_REGISTER_BUFFERS");
	must(!munmap(buffer.iov_base, bytes), "munmap");
	count("bytes", bytes);
}

/* A ring has a head; until 6.3 it takes twice as much, a power of two. */
static size_t ring_size(size_t entries, size_t each)
{
	return entries * each * (release() < 604 ? 2 : 1);
}

/* The four rings of sockets; packets would lie in the process's own memory. */
static void take_xdp(size_t bytes)
{
	static const int rings[] = {XDP_RX_RING, XDP_TX_RING, XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING};
	size_t done = 0, sockets = 0, n = RING;

	no_limit();
	for (; done < bytes; sockets++, done += 2 * ring_size(n, 16) + 2 * ring_size(n, 8)) {
		struct xdp_umem_reg umem = { .chunk_size = PAGE, .len = 16 * PAGE };
		int fd = socket(AF_XDP, SOCK_RAW, 0), size = (int)n;

		must(fd >= 0, "socket");
		umem.addr = (uintptr_t)touched(16 * PAGE, MAP_PRIVATE);
		must(!setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof umem), "XDP_UMEM_REG");
		for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
			must(!setsockopt(fd, SOL_XDP, rings[i], &size, sizeof size), "XDP ring");
	}
	count("sockets", sockets);
	count("bytes", done);
}

static unsigned long meminfo_kib(const char *format)
{
	unsigned long n = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof line, f))
		sscanf(line, format, &n);
	if (f)
		fclose(f);
	return n;
}

/* A trie of networks, in slabs. How the kernel rounds a node differs: what its counter says. */
static void take_trie(size_t bytes)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_LPM_TRIE, .key_size = 8,
				.value_size = 200, .max_entries = 1 << 20,
				.map_flags = BPF_F_NO_PREALLOC };
	struct {
		uint32_t length;
		unsigned char net[4];
	} key = { .length = 32 };
	char value[200] = "";
	unsigned long before;
	size_t n;
	int fd;

	no_limit();
	put("/proc/sys/vm/drop_caches", "2");
	before = meminfo_kib("SUnreclaim: %lu");
	strcpy(attr.map_name, "hog_trie");
	fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr);
	must(fd >= 0, "BPF_MAP_CREATE");
	for (n = 0; n * (256 + 64) < bytes; n++) {
		union bpf_attr set = { .map_fd = (uint32_t)fd, .key = (uintptr_t)&key,
				       .value = (uintptr_t)value };

		key.net[0] = 10;
		key.net[1] = (unsigned char)(n >> 16);
		key.net[2] = (unsigned char)(n >> 8);
		key.net[3] = (unsigned char)n;
		must(!syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &set, sizeof set), "BPF_MAP_UPDATE_ELEM");
	}
	count("entries", n);
	count("bytes", (meminfo_kib("SUnreclaim: %lu") - before) * KIB);
}

/* Of the system heap. */
static void take_dmabuf(size_t bytes)
{
	struct heap_request want = { .len = bytes / PAGE * PAGE, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDONLY);

	must(heap >= 0, "/dev/dma_heap/system");
	must(!ioctl(heap, _IOWR('H', 0, struct heap_request), &want), "DMA_HEAP_IOCTL_ALLOC");
	count("bytes", want.len);
}

/* Half of each page is noise. What the pool has is what the kernel says. */
static void take_zswap(size_t bytes)
{
	uint64_t seed = 88172645463325252u;
	char *p;

	must(!system("mkswap /dev/vdc > /dev/null && swapon /dev/vdc"), "swapon");
	must(put("/sys/module/zswap/parameters/enabled", "Y"), "zswap");
	p = touched(2 * bytes, MAP_PRIVATE);
	for (size_t i = 0; i < 2 * bytes; i += PAGE)
		for (size_t j = 0; j < PAGE / 2; j += 8) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			memcpy(p + i + j, &seed, 8);
		}
	must(!madvise(p, 2 * bytes, MADV_PAGEOUT), "MADV_PAGEOUT");
	must(meminfo_kib("Zswap: %lu") > 0, "zswap");
	count("bytes", meminfo_kib("Zswap: %lu") * KIB);
}

const struct hog given_hogs[] = {
	{"spliced", "pipe", take_spliced, NULL},
	{"fixed", "io_uring", take_fixed, NULL},
	{"xdp", "AF_XDP socket", take_xdp, NULL},
	{"trie", "bpf map", take_trie, NULL},
	{"dmabuf", "dma-buf", take_dmabuf, NULL},
	{"zswap", "zswap", take_zswap, NULL},
	{NULL, NULL, NULL, NULL},
};
