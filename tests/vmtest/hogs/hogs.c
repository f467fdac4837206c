/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hogs DIR NAME KIB [KEY=VALUE...]   be hog NAME; DIR/NAME has the record once all is taken. Any hog
 *                                    takes comm=NAME (also the record's), adj=N, bind=NODE, cgroup=PATH, quick=1
 *                                    (no files of /proc beside the record)
 * hogs --free PID...                 kill each in turn; print what was free before and after
 * hogs --bomb COMM KIB               fork without end
 * hogs --list                        names and kinds
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hogs.h"

static const struct hog *const families[] = {queue_hogs, ring_hogs, memory_hogs, kernel_hogs,
					   ipc_hogs,   given_hogs, server_hogs,  hidden_hogs};
static const char *dir, *name = "hogs";
static char **words;
static char record[1 << 16];
static size_t recorded;

static void line(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void line(const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(record + recorded, sizeof record - recorded, format, list);
	va_end(list);
	if (n > 0 && (size_t)n < sizeof record - recorded)
		recorded += (size_t)n;
}

void lacking(const char *what)
{
	printf("LAB-LACKS %s: %s: %s\n", name, what, errno ? strerror(errno) : "not offered");
	exit(1);
}

void must(bool good, const char *what)
{
	if (!good)
		lacking(what);
}

void count(const char *key, unsigned long value)
{
	line("%s %lu\n", key, value);
}

void tell(const char *key, const char *text)
{
	line("%s %s\n", key, text);
}

bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

unsigned long number_in(const char *path)
{
	unsigned long n = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		return 0;
	if (fscanf(f, "%lu", &n) != 1)
		n = 0;
	fclose(f);
	return n;
}

int release(void)
{
	struct utsname u;
	int major = 0, minor = 0;

	if (!uname(&u))
		sscanf(u.release, "%d.%d", &major, &minor);
	return major * 100 + minor;
}

const char *argument(const char *key)
{
	size_t length = strlen(key);

	for (char **w = words; *w; w++)
		if (!strncmp(*w, key, length) && (*w)[length] == '=')
			return *w + length + 1;
	return NULL;
}

size_t fill(int fd, size_t bytes)
{
	static char page[64 * KIB];
	size_t done = 0;

	memset(page, 'h', sizeof page);
	while (done < bytes) {
		size_t want = bytes - done < sizeof page ? bytes - done : sizeof page;
		ssize_t n = write(fd, page, want);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

char *touched(size_t bytes, int flags)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

	must(p != MAP_FAILED, "mmap");
	for (size_t i = 0; i < bytes; i += 4096)
		p[i] = 'h';
	return p;
}

/* A file of /proc beside the record, as NAME.WHEN.FILE. */
static void copy(const char *path, const char *when)
{
	static char text[1 << 20];
	char to[600];
	const char *base = strrchr(path, '/') + 1;
	size_t done = 0;
	ssize_t n;
	int in = open(path, O_RDONLY), out;

	if (in < 0)
		return;
	while (done < sizeof text && (n = read(in, text + done, sizeof text - done)) > 0)
		done += (size_t)n;
	close(in);
	snprintf(to, sizeof to, "%s/%s.%s.%s", dir, name, when, base);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (out < 0 || write(out, text, done) != (ssize_t)done)
		lacking(to);
	close(out);
}

static void kernel_says(const char *when)
{
	copy("/proc/meminfo", when);
	copy("/proc/slabinfo", when);
	copy("/proc/net/sockstat", when);
	copy("/proc/zoneinfo", when);
}

/* Counters and lists of processors get to where /proc shows them. */
static void settle(void)
{
	sync();
	put("/proc/sys/vm/compact_memory", "1"); /* drains the per-CPU lists, too */
	sleep(1);
	put("/proc/sys/vm/stat_refresh", "1");
}

static unsigned long field(const char *path, const char *format, bool all)
{
	char text[256];
	unsigned long sum = 0, n;
	FILE *f = fopen(path, "r");

	while (f && fgets(text, sizeof text, f))
		if (sscanf(text, format, &n) == 1) {
			sum += n;
			if (!all)
				break;
		}
	if (f)
		fclose(f);
	return sum;
}

/* Free memory in KiB: in zones and on the lists of processors; and what could be had. */
static void free_now(const char *when)
{
	printf(" %s MemFree %lu pcp %lu MemAvailable %lu", when,
	       field("/proc/meminfo", "MemFree: %lu", false),
	       field("/proc/zoneinfo", " count: %lu", true) * 4,
	       field("/proc/meminfo", "MemAvailable: %lu", false));
}

/* Kills each process and says what came free.  Its parent must reap it. */
static int measure(char **pids)
{
	for (; *pids; pids++) {
		pid_t pid = atoi(*pids);

		settle();
		printf("LAB-FREED %d", pid);
		free_now("before");
		kill(pid, SIGKILL);
		for (int i = 0; i < 600 && !kill(pid, 0); i++)
			usleep(50000);
		settle();
		settle();
		free_now("after");
		printf(" %s\n", kill(pid, 0) ? "gone" : "still there");
		fflush(stdout);
	}
	puts("LAB-FREED-ALL");
	return 0;
}

/* Forks without end, every child, too, until the kernel has killed one; each touches so much. */
static int bomb(const char *comm, size_t bytes)
{
	prctl(PR_SET_NAME, comm);
	for (;;) {
		touched(bytes, MAP_PRIVATE);
		if (fork() < 0)
			usleep(1000);
		usleep(500000);
		while (field("/proc/vmstat", "oom_kill %lu", false))
			pause();
	}
	return 0;
}

static const struct hog *find(const char *wanted)
{
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		for (const struct hog *h = families[i]; h->name; h++)
			if (!wanted)
				printf("%s %s\n", h->name, h->kind);
			else if (!strcmp(h->name, wanted))
				return h;
	return NULL;
}

/* What any hog can be told of itself. */
static void set_up(char *comm, size_t size)
{
	struct rlimit most = { 1 << 20, 1 << 20 };
	const char *wanted = argument("comm"), *adj = argument("adj"), *node = argument("bind"),
		   *cgroup = argument("cgroup");
	unsigned long nodes;
	char path[300];

	snprintf(comm, size, "hog-%s", name);
	if (wanted) {
		snprintf(comm, size, "%s", wanted);
		name = wanted;
	}
	prctl(PR_SET_NAME, comm);
	put("/proc/sys/fs/nr_open", "1048576");
	setrlimit(RLIMIT_NOFILE, &most);
	must(!adj || put("/proc/self/oom_score_adj", adj), "oom_score_adj");
	if (node) {
		nodes = 1ul << atoi(node);
		must(!syscall(SYS_set_mempolicy, 2 /* MPOL_BIND */, &nodes, 8 * sizeof nodes),
		     "set_mempolicy");
	}
	if (cgroup) {
		snprintf(path, sizeof path, "%s/cgroup.procs", cgroup);
		must(put(path, "0"), path);
	}
}

/* The record becomes visible as a whole. */
static void publish(void)
{
	char path[300], new[320];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	snprintf(new, sizeof new, "%s.new", path);
	f = fopen(new, "w");
	must(f && fwrite(record, 1, recorded, f) == recorded && !fclose(f), new);
	must(!rename(new, path), path);
}

static void be(const struct hog *h, size_t bytes)
{
	bool quick = argument("quick") != NULL;
	char comm[16];

	set_up(comm, sizeof comm);
	tell("name", h->name);
	tell("kind", h->kind);
	count("pid", (unsigned long)getpid());
	tell("comm", comm);
	count("asked", bytes);
	if (!quick) {
		settle();
		kernel_says("before");
	}
	h->take(bytes);
	if (!quick) {
		settle();
		kernel_says("after");
		copy("/proc/self/status", "after");
	}
	publish();
	if (h->go_on)
		h->go_on();
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const struct hog *h;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "--free"))
		return measure(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "--bomb"))
		return bomb(argv[2], strtoul(argv[3], NULL, 10) * KIB);
	if (argc < 4) {
		find(NULL);
		return argc == 2 && !strcmp(argv[1], "--list") ? 0 : 64;
	}
	dir = argv[1];
	name = argv[2];
	words = argv + 4;
	mkdir(dir, 0755);
	errno = 0;
	h = find(name);
	must(h != NULL, "no such hog");
	be(h, strtoul(argv[3], NULL, 10) * KIB);
	return 0;
}
