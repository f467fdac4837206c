/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hogs that hold buffers which the kernel shares with programs: io_uring, perf, BPF, tracing. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hogs.h"

enum { PAGE = 4096 };

static void no_limit(void)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &none);
}

static size_t power_of_two(size_t bytes)
{
	size_t n = PAGE;

	while (n < bytes)
		n *= 2;
	return n;
}

/* Rings of 16384 entries; a quarter of the amount besides as registered (pinned) buffers. */
static void take_uring(size_t bytes)
{
	size_t rings = 0, sizes = 0, rounded = 0, pinned = bytes / 4;
	struct iovec buffer;
	int fd = -1;

	no_limit();
	for (; rounded < bytes - pinned; rings++) {
		struct io_uring_params p = { 0 };
		size_t ring, entries;

		fd = (int)syscall(SYS_io_uring_setup, 16384, &p);
		must(fd >= 0, "io_uring_setup");
		/* completions, then the array of submissions, in one area from 5.4 on */
		ring = p.sq_off.array + p.sq_entries * sizeof(unsigned int);
		entries = p.sq_entries * sizeof(struct io_uring_sqe);
		sizes += ring + entries;
		rounded += power_of_two(ring) + power_of_two(entries);
		must(mmap(NULL, ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING) !=
			     MAP_FAILED,
		     "mmap");
	}
	buffer.iov_len = pinned / PAGE * PAGE;
	buffer.iov_base = touched(buffer.iov_len, MAP_PRIVATE);
	must(!syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &buffer, 1),
	     "IORING_REGISTER_BUFFERS");
	count("rings", rings);
	count("bytes", sizes);
	count("rounded", rounded); /* to powers of two, as they are allocated before 6.13 */
	count("registered", buffer.iov_len);
}

/* Events with a mapped buffer of 4 MiB and a page each. */
static void take_perf(size_t bytes)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof attr,
					.config = PERF_COUNT_SW_DUMMY,
					.disabled = 1 };
	size_t done = 0, each = 4 * MIB + PAGE, events = 0;

	no_limit();
	for (; done + each <= bytes + each / 2; events++, done += each) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

		must(fd >= 0, "perf_event_open");
		must(mmap(NULL, each, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED,
		     "mmap");
	}
	count("events", events);
	count("bytes", done);
	count("pages", done / PAGE);
}

/* "memlock" of the map's fdinfo: bytes. */
static unsigned long map_memory(int fd)
{
	char path[64], line[128];
	unsigned long n = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		sscanf(line, "memlock: %lu", &n);
	if (f)
		fclose(f);
	return n;
}

/* Makes a map; says its size by arithmetic and by fdinfo. */
static int map_of(const char *name, unsigned int type, unsigned int key, unsigned int value,
		  unsigned int entries, unsigned int flags, size_t bytes)
{
	union bpf_attr attr = { .map_type = type,
				.key_size = key,
				.value_size = value,
				.max_entries = entries,
				.map_flags = flags };
	char text[32];
	int fd;

	snprintf(attr.map_name, sizeof attr.map_name, "hog_%s", name);
	fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr);
	must(fd >= 0, name);
	snprintf(text, sizeof text, "%s", name);
	count(text, bytes);
	snprintf(text, sizeof text, "%s_memlock", name);
	count(text, map_memory(fd));
	return fd;
}

static size_t ring_bytes(size_t bytes)
{
	size_t n = PAGE;

	while (2 * n <= bytes)
		n *= 2;
	return n;
}

/* An eighth as a ring, the rest as two arrays, a hash table and an array per processor. */
static void take_bpf(size_t bytes)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int n = (unsigned int)(bytes / 4 / PAGE);
	size_t ring = ring_bytes(bytes / 8);
	unsigned int of_cpu = (unsigned int)(bytes / 8 / 1024 / (size_t)cpus);
	size_t all = 2 * (size_t)n * PAGE + (size_t)n * PAGE + ring +
		     (size_t)of_cpu * 1024 * (size_t)cpus;

	no_limit();
	map_of("array1", BPF_MAP_TYPE_ARRAY, 4, PAGE, n, 0, (size_t)n * PAGE);
	map_of("array2", BPF_MAP_TYPE_ARRAY, 4, PAGE, n, BPF_F_MMAPABLE, (size_t)n * PAGE);
	map_of("hash", BPF_MAP_TYPE_HASH, 8, 2048 - 64, 2 * n, 0, (size_t)n * PAGE);
	map_of("ringbuf", BPF_MAP_TYPE_RINGBUF, 0, 0, (unsigned int)ring, 0, ring);
	map_of("percpu", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 1024, of_cpu, 0,
	       (size_t)of_cpu * 1024 * (size_t)cpus);
	count("maps", 5);
	count("bytes", all);
}

/* The buffers of the kernel's tracer, and of an instance of its own; no process holds them. */
static void take_ftrace(size_t bytes)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char text[32];

	mount("trace", "/sys/kernel/tracing", "tracefs", 0, NULL);
	snprintf(text, sizeof text, "%lu", bytes / 2 / KIB / (size_t)cpus);
	must(put("/sys/kernel/tracing/buffer_size_kb", text), "buffer_size_kb");
	must(!mkdir("/sys/kernel/tracing/instances/hog", 0755), "instances");
	must(put("/sys/kernel/tracing/instances/hog/buffer_size_kb", text),
	     "instances/buffer_size_kb");
	count("main", number_in("/sys/kernel/tracing/buffer_total_size_kb") * KIB);
	count("instance",
	      number_in("/sys/kernel/tracing/instances/hog/buffer_total_size_kb") * KIB);
	count("bytes", (number_in("/sys/kernel/tracing/buffer_total_size_kb") +
			number_in("/sys/kernel/tracing/instances/hog/buffer_total_size_kb")) *
			       KIB);
}

const struct hog ring_hogs[] = {
	{"uring", "io_uring", take_uring, NULL},
	{"perf", "perf buffer", take_perf, NULL},
	{"bpf", "bpf map", take_bpf, NULL},
	{"ftrace", "trace buffer", take_ftrace, NULL},
	{NULL, NULL, NULL, NULL},
};
