/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Process 1 of a guest without Python or a shell: what init and truth.py do, in one static program.
 *
 * It makes a stage, starts the zoo, stops user space and writes what the kernel
 * says of memory, as a tar, to /dev/vdb.  Numbers in binary files are written
 * least significant byte first, whatever the machine.  Arguments come from the
 * kernel's command line: kinds=A,B hugepages=N trim.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PIDS = 4096,
	PATH = 512,
	BLOCK = 512,		/* of tar */
	DISK_CHUNK = 1 << 16,
	ROOM = 2 << 20,		/* for one file, to begin with */
	PF_KTHREAD = 0x00200000,
};

static const char *const of_any[] = {
	"stat", "status", "comm", "cmdline", "cgroup", "oom_score", "oom_score_adj", "io", NULL
};
static const char *const of_user[] = {
	"maps", "smaps", "smaps_rollup", "statm", "mountinfo", NULL
};
static const char *const of_system[] = {
	"meminfo", "vmstat", "zoneinfo", "buddyinfo", "pagetypeinfo", "slabinfo", "swaps", "iomem",
	"version", "cmdline", "mounts", "vmallocinfo", "uptime", "loadavg", "pressure/memory",
	"sysvipc/shm", "modules", "filesystems", "self/mountinfo", "cpuinfo", NULL
};
static const char *const of_sysfs[] = {
	"kernel/mm/ksm/pages_shared", "kernel/mm/ksm/pages_sharing", "kernel/vmcoreinfo", NULL
};

static void give_up(const char *what)
{
	printf("LAB-FAILED %s: %s\n", what, strerror(errno));
	for (;;)
		pause();
}

/* ---- files ---------------------------------------------------------------------------- */

/* The file read last; data[size] is 0. */
static char *data;
static size_t size, room;

static void make_room(size_t bytes)
{
	if (bytes < room)
		return;
	room = 2 * bytes;
	data = realloc(data, room);
	if (!data)
		give_up("memory");
}

/* Reads all of PATH, in whole 8-byte words as kpagecount wants; false if that fails. */
static bool take(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	size = 0;
	data[0] = '\0';
	if (fd < 0)
		return false;
	do {
		make_room(size + DISK_CHUNK + 1);
		n = read(fd, data + size, DISK_CHUNK);
		if (n > 0)
			size += (size_t)n;
	} while (n > 0);
	close(fd);
	data[size] = '\0';
	return n == 0;
}

static bool take_of(const char *folder, const char *name)
{
	char path[PATH];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return take(path);
}

static void set_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		printf("init: %s: %s\n", path, strerror(errno));
	close(fd);
}

/* The value of NAME= in the kernel's command line, or FALLBACK (static buffer). */
static const char *argument(const char *name, const char *fallback)
{
	static char value[1024];
	char key[32], *found;

	snprintf(key, sizeof key, " %s=", name);
	take("/proc/cmdline");
	found = strstr(data, key);
	if (!found)
		return fallback;
	snprintf(value, sizeof value, "%.*s", (int)strcspn(found + strlen(key), " \n"),
		 found + strlen(key));
	return value;
}

static bool has_word(const char *word)
{
	take("/proc/cmdline");
	return strstr(data, word) != NULL;
}

/* ---- the stage ------------------------------------------------------------------------ */

static void mount_one(const char *what, const char *where, const char *type, const char *options)
{
	mkdir(where, 0755);
	if (mount(what, where, type, 0, options) && errno != EBUSY)
		printf("init: %s: %s\n", where, strerror(errno));
}

static void stage(void)
{
	mount_one("proc", "/proc", "proc", NULL);
	mount_one("sys", "/sys", "sysfs", NULL);
	mount_one("dev", "/dev", "devtmpfs", NULL);
	mount_one("shm", "/dev/shm", "tmpfs", "size=60%");
	mount_one("run", "/run", "tmpfs", NULL);
	mount_one("tmp", "/tmp", "tmpfs", NULL);
	mount_one("cgroup", "/sys/fs/cgroup", "cgroup2", NULL);
}

/* A swap header of version 1 (union swap_header, include/linux/swap.h). */
static void make_swap(const char *device)
{
	static char page[4096];
	int fd = open(device, O_RDWR);
	off_t bytes = lseek(fd, 0, SEEK_END);
	uint32_t head[3] = { 1, (uint32_t)(bytes / (off_t)sizeof page) - 1, 0 };

	memcpy(page + 1024, head, sizeof head);
	memcpy(page + sizeof page - 10, "SWAPSPACE2", 10);
	if (pwrite(fd, page, sizeof page, 0) != sizeof page || fsync(fd) || swapon(device, 0))
		give_up(device);
	close(fd);
}

static void run_zoo(char *kinds)
{
	char *words[64] = { "/lab/zoo", "/var/zoo" };
	int n = 2, out = open("/tmp/zoo.log", O_WRONLY | O_CREAT, 0644);

	for (char *w = strtok(kinds, ","); w && n < 63; w = strtok(NULL, ","))
		words[n++] = w;
	dup2(out, 1);
	close(out);
	execv(words[0], words);
	_exit(1);
}

static void start_zoo(void)
{
	static char kinds[1024];

	make_swap("/dev/vdc");
	set_to("/proc/sys/vm/nr_hugepages", argument("hugepages", "10"));
	set_to("/sys/kernel/mm/ksm/sleep_millisecs", "20");
	set_to("/sys/kernel/mm/ksm/pages_to_scan", "5000");
	set_to("/sys/kernel/mm/ksm/run", "1");
	set_to("/proc/sys/vm/compaction_proactiveness", "0");
	mkdir("/var/zoo", 0755);
	snprintf(kinds, sizeof kinds, "%s", argument("kinds", ""));
	/* not fork(): pages once shared are marked as one's own when written, some after the truth */
	if (vfork() == 0)
		run_zoo(kinds);
	for (int i = 0; i < 600; i++) {
		if (take("/tmp/zoo.log") && strstr(data, "zoo ready"))
			break;
		usleep(500000);
	}
	printf("%s", data);
	sleep(5);			/* for KSM to merge */
	set_to("/sys/kernel/mm/ksm/run", "0");
}

/* ---- processes ------------------------------------------------------------------------ */

static int pids[PIDS], npids;
static bool user[PIDS];

/* The fields of stat from the state on: the name may hold anything.  NULL: gone. */
static const char *stat_fields(int pid)
{
	char path[PATH], *end;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	end = take(path) ? strrchr(data, ')') : NULL;
	return end && end[1] ? end + 2 : NULL;
}

static bool is_kernel_thread(int pid)
{
	const char *fields = stat_fields(pid);
	unsigned long flags;

	return !fields || sscanf(fields, "%*c %*d %*d %*d %*d %*d %lu", &flags) != 1 ||
	       flags & PF_KTHREAD;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The numbers that are names in PATH, in order; at most MOST. */
static int numbers(const char *path, int *list, int most)
{
	DIR *dir = opendir(path);
	int n = 0;

	if (!dir)
		return 0;
	for (struct dirent *e; n < most && (e = readdir(dir));)
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9')
			list[n++] = atoi(e->d_name);
	closedir(dir);
	qsort(list, (size_t)n, sizeof *list, by_number);
	return n;
}

/* SIGSTOP to all but this one; then let the kernel settle. */
static void freeze(void)
{
	for (int i = 0; i < npids; i++)
		if (user[i] && pids[i] != 1)
			kill(pids[i], SIGSTOP);
	sleep(1);
	sync();
	sleep(1);
}

/* Looking at a command line marks its page as referenced, then active, then both, for good. */
static void settle(void)
{
	char path[PATH];

	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < npids; i++) {
			snprintf(path, sizeof path, "/proc/%d/cmdline", pids[i]);
			take(path);
		}
		usleep(200000);
	}
}

/* For small dumps: drop unused inodes and directory entries, which looking through /proc makes. */
static void trim(void)
{
	if (!has_word(" trim"))
		return;
	for (int i = 0; i < 3; i++) {
		set_to("/proc/sys/vm/drop_caches", "2");
		sleep(1);
	}
}

/* ---- the tar -------------------------------------------------------------------------- */

/* Past the page cache, which would otherwise grow while the truth is told. */
static char chunk[DISK_CHUNK] __attribute__((aligned(4096)));
static size_t filled;
static uint64_t written;
static int disk;

static void flush(void)
{
	if (pwrite(disk, chunk, sizeof chunk, (off_t)written) != sizeof chunk)
		give_up("/dev/vdb");
	written += sizeof chunk;
	filled = 0;
}

static void put(const void *bytes, size_t n)
{
	for (const char *from = bytes; n;) {
		size_t part = sizeof chunk - filled < n ? sizeof chunk - filled : n;

		memcpy(chunk + filled, from, part);
		from += part;
		n -= part;
		filled += part;
		if (filled == sizeof chunk)
			flush();
	}
}

/* Adds a file; what was read last, if CONTENT is that. */
__attribute__((format(printf, 3, 4)))
static void add(const char *content, size_t n, const char *name, ...)
{
	static const char zeroes[BLOCK];
	char head[BLOCK] = { 0 };
	unsigned sum = 0;
	va_list args;

	va_start(args, name);
	vsnprintf(head, 100, name, args);
	va_end(args);
	memcpy(head + 100, "0000644\0000000000\0000000000", 24);
	snprintf(head + 124, 12, "%011zo", n);
	memcpy(head + 136, "00000000000", 12);
	memset(head + 148, ' ', 8);
	head[156] = '0';
	memcpy(head + 257, "ustar\00000", 8);
	for (int i = 0; i < BLOCK; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	put(head, BLOCK);
	put(content, n);
	put(zeroes, -n % BLOCK);
}

static void add_text(const char *folder, const char *name, const char *as)
{
	if (take_of(folder, name))
		add(data, size, "%s", as);
}

/* What was read last are words of this machine. */
static void little_endian(void)
{
	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t word;

		memcpy(&word, data + i, 8);
		word = htole64(word);
		memcpy(data + i, &word, 8);
	}
}

static void add_frames(const char *name)
{
	if (!take_of("/proc", name))
		return;
	little_endian();
	add(data, size, "%s", name);
}

/* ---- the truth ------------------------------------------------------------------------ */

/* For each mapping: start, end, count as u64, then the entries. */
static void add_pagemap(int pid)
{
	char path[PATH], *maps, *line;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int fd;

	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	if (!take(path))
		return;
	maps = strdup(data);
	snprintf(path, sizeof path, "/proc/%d/pagemap", pid);
	fd = open(path, O_RDONLY);
	size = 0;
	for (line = maps; line && *line && fd >= 0; line = strchr(line, '\n'), line += !!line) {
		unsigned long start, end;
		uint64_t head[3];
		ssize_t n;

		if (sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		head[0] = start;
		head[1] = end;
		make_room(size + sizeof head + (end - start) / page * 8);
		n = pread(fd, data + size + sizeof head, (end - start) / page * 8,
			  (off_t)(start / page * 8));
		head[2] = n > 0 ? (uint64_t)n / 8 : 0;
		memcpy(data + size, head, sizeof head);
		size += sizeof head + 8 * (size_t)head[2];
	}
	free(maps);
	close(fd);
	little_endian();
	add(data, size, "%d/pagemap.bin", pid);
}

static void add_threads(int pid)
{
	static int tids[PIDS];
	char path[PATH], name[PATH];
	const char *fields = stat_fields(pid);
	bool zombie = fields && *fields == 'Z';
	int n;

	snprintf(path, sizeof path, "/proc/%d/task", pid);
	n = numbers(path, tids, PIDS);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "/proc/%d/task/%d", pid, tids[i]);
		if (take_of(path, "stat"))
			add(data, size, "%d/task/%d", pid, tids[i]);
		/* The memory of a process without its leader shows through the other threads alone. */
		if (!zombie || tids[i] == pid)
			continue;
		snprintf(name, sizeof name, "%d/thread_smaps/%d", pid, tids[i]);
		add_text(path, "smaps", name);
		snprintf(name, sizeof name, "%d/thread_maps/%d", pid, tids[i]);
		add_text(path, "maps", name);
	}
}

static void add_files(int pid, const char *const *names)
{
	char path[PATH];

	snprintf(path, sizeof path, "/proc/%d", pid);
	for (; *names; names++)
		if (take_of(path, *names))
			add(data, size, "%d/%s", pid, *names);
}

static void add_process(int pid, bool of_users)
{
	char path[PATH], target[PATH];
	ssize_t n;

	add_files(pid, of_any);
	if (of_users)
		add_files(pid, of_user);
	add_threads(pid);
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	n = readlink(path, target, sizeof target);
	if (!of_users || n < 0)
		return;
	add(target, (size_t)n, "%d/exe", pid);
	add_pagemap(pid);
}

static void add_groups(const char *folder, size_t root)
{
	DIR *dir = opendir(folder);
	char path[PATH];

	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));) {
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			add_groups(path, root);
		else if (!strncmp(e->d_name, "memory.", 7) || !strcmp(e->d_name, "cgroup.procs"))
			if (take(path))
				add(data, size, "cgroup%s", path + root);
	}
	closedir(dir);
}

/* As syslog(2) gives it, less the priorities. */
static void add_log(const char *name)
{
	enum { READ_ALL = 3 };
	size_t to = 0;
	int n;

	make_room(1 << 20);
	n = klogctl(READ_ALL, data, (int)room - 1);
	size = n > 0 ? (size_t)n : 0;
	for (size_t i = 0; i < size; i++) {
		if (data[i] == '<' && (!i || data[i - 1] == '\n')) {
			size_t end = i + 1;

			while (end < size && data[end] >= '0' && data[end] <= '9')
				end++;
			if (end < size && data[end] == '>') {
				i = end;
				continue;
			}
		}
		data[to++] = data[i];
	}
	add(data, to, "%s", name);
}

/* "a/b" becomes "a_b", or "b" if SHORT. */
static void add_tree(const char *root, const char *const *names, bool brief)
{
	for (; *names; names++) {
		char as[PATH];
		const char *last = strrchr(*names, '/');

		snprintf(as, sizeof as, "%s", brief && last ? last + 1 : *names);
		for (char *p = as; (p = strchr(p, '/'));)
			*p = '_';
		add_text(root, *names, as);
	}
}

/* ---- the module ----------------------------------------------------------------------- */

#define MODULE "/lab/live/vmcensus.ko"

/* Before all else stands still; -1: there is none. */
static int load_module(void)
{
	int fd = open(MODULE, O_RDONLY);
	long status;

	if (fd < 0)
		return -1;
	status = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	return (int)status;
}

static void add_module(int status)
{
	char text[16];

	if (status < 0)
		return;
	snprintf(text, sizeof text, "%d", status);
	add(text, strlen(text), "live/vmcensus.ko.status");
	add_text("/dev", "vmcensus", "live/vmcensus");
	add_text("/dev", "vmcensus-text", "live/vmcensus-text");
	add_log("live/dmesg");
}

static void tell_truth(int module)
{
	static const char *const frames[] = { "kpagecount", "kpageflags", "kpagecgroup" };
	static const char end[2 * BLOCK];

	trim();
	for (int i = 0; i < npids; i++)
		add_process(pids[i], user[i]);
	trim();
	for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
		add_frames(frames[i]);
	add_tree("/proc", of_system, false);
	add_tree("/sys", of_sysfs, true);
	add_groups("/sys/fs/cgroup", strlen("/sys/fs/cgroup"));
	add_log("dmesg");
	add_module(module);
	put(end, sizeof end);
	if (filled)
		flush();
}

int main(void)
{
	int users = 0, module;

	setvbuf(stdout, NULL, _IOLBF, 0);
	mlockall(MCL_CURRENT | MCL_FUTURE);	/* the zoo alone is swapped */
	make_room(ROOM);
	stage();
	disk = open("/dev/vdb", O_WRONLY | O_DIRECT);
	if (disk < 0)
		give_up("/dev/vdb");
	start_zoo();
	munlockall();
	module = load_module();
	npids = numbers("/proc", pids, PIDS);
	for (int i = 0; i < npids; i++)
		users += user[i] = !is_kernel_thread(pids[i]);
	freeze();
	settle();
	tell_truth(module);
	memset(data, 0, room);		/* all the less to pack */
	printf("LAB-TRUTH %llu bytes, %d user processes\nLAB-READY\n", (unsigned long long)written,
	       users);
	for (;;)
		pause();
}
