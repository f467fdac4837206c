/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prober SECONDS WORKERS FILE...: readers of the module's files that do what no reader
 * should. Each picks a file, opens it and makes random calls: reads of any size, into
 * memory that is not there or is unmapped meanwhile, at any offset; seek, ioctl, mmap,
 * poll, splice; by two threads or by parent and child, interrupted by signals. Prints
 * the calls made, those that succeeded and must not, and the workers that died.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES (256u << 10)
#define CALLS 40

static unsigned seed;
static uint64_t *calls, *wrong; /* of all workers */
static char *area;

static unsigned dice(unsigned sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

static uint64_t any(void)
{
	uint64_t value = (uint64_t)dice(1 << 15) << 45 | (uint64_t)dice(1 << 15) << 30 |
			 dice(1 << 15) << 15 | dice(1 << 15);

	return value >> dice(64);
}

/* Where to read to: there, there in part, never there, or the kernel's. */
static void *place(void)
{
	switch (dice(8)) {
	case 0: return area + BYTES - dice(5000);
	case 1: return (void *)(uintptr_t)any();
	case 2: return (void *)(UINT64_C(0xffff) << 48 | any());
	default: return area + dice(BYTES / 2);
	}
}

static size_t size(void)
{
	return dice(4) ? dice(BYTES / 2) : any();
}

static void must_fail(int ok)
{
	if (ok)
		__atomic_add_fetch(wrong, 1, __ATOMIC_RELAXED);
}

static void map(int fd)
{
	void *p = mmap(NULL, 4096u << dice(4), dice(2) ? PROT_READ : PROT_READ | PROT_WRITE,
		       dice(2) ? MAP_PRIVATE : MAP_SHARED, fd, (off_t)(any() & ~4095u));

	must_fail(p != MAP_FAILED);
}

static void through_pipe(int fd)
{
	int ends[2];

	if (pipe(ends))
		return;
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	splice(fd, NULL, ends[1], NULL, 1 + dice(100000), SPLICE_F_NONBLOCK);
	close(ends[0]);
	close(ends[1]);
}

static void call(int fd)
{
	struct iovec parts[3] = { { place(), size() }, { place(), size() }, { place(), size() } };
	struct pollfd poller = { .fd = fd, .events = POLLIN | POLLOUT };

	switch (dice(10)) {
	case 0: must_fail(pread(fd, area, 1 + dice(4000), (off_t)any()) >= 0); break;
	case 1: must_fail(lseek(fd, (off_t)any(), (int)dice(5)) >= 0); break;
	case 2:
		ioctl(fd, (unsigned long)any(), place()); /* some succeed with every file */
		break;
	case 3: map(fd); break;
	case 4: poll(&poller, 1, 0); break;
	case 5: must_fail(write(fd, area, 1 + dice(4000)) >= 0); break;
	case 6: readv(fd, parts, 1 + (int)dice(3)); break;
	case 7: through_pipe(fd); break;
	default: read(fd, place(), size());
	}
	__atomic_add_fetch(calls, 1, __ATOMIC_RELAXED);
}

static void *caller(void *file)
{
	for (int i = 0; i < CALLS; i++)
		call((int)(intptr_t)file);
	return NULL;
}

/* The last pages of the area come and go under the readers. */
static void *unmapper(void *unused)
{
	for (int i = 0; i < CALLS; i++) {
		mmap(area + BYTES - 4096, 4096, PROT_READ | (dice(2) ? PROT_WRITE : 0),
		     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(area, BYTES, MADV_DONTNEED);
	}
	return unused;
}

static void probe(const char *path)
{
	int fd =
		open(path, dice(4) ? O_RDONLY
				   : (int)(any() & (O_ACCMODE | O_NONBLOCK | O_APPEND | O_DIRECT)));
	pthread_t t;
	int started;

	if (fd < 0)
		return; /* the module is not loaded now */
	started = !dice(2) &&
		  !pthread_create(&t, NULL, dice(2) ? caller : unmapper, (void *)(intptr_t)fd);
	if (!dice(8) && !fork()) {
		caller((void *)(intptr_t)fd);
		_exit(0);
	}
	caller((void *)(intptr_t)fd);
	if (started)
		pthread_join(t, NULL);
	close(fd);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void ignore(int sig)
{
	(void)sig;
}

static void work(time_t end, char **files, unsigned n)
{
	struct itimerval often = { { 0, 20000 }, { 0, 20000 } };
	struct sigaction action = { .sa_handler = ignore };

	seed = (unsigned)getpid();
	sigaction(SIGALRM, &action, NULL);
	area = mmap(NULL, BYTES + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		exit(1);
	mprotect(area + BYTES, 4096, PROT_NONE); /* reads end here */
	setitimer(ITIMER_REAL, &often, NULL);
	while (time(NULL) < end)
		probe(files[dice(n)]);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 0);
	int status, died = 0;

	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc < 4 || calls == MAP_FAILED)
		return 2;
	wrong = calls + 1;
	for (int n = atoi(argv[2]); n; n--)
		if (!fork()) {
			work(end, argv + 3, (unsigned)argc - 3);
			_exit(0);
		}
	while (wait(&status) > 0)
		died += status != 0;
	printf("%llu calls, %llu wrong, %d died\n", (unsigned long long)*calls,
	       (unsigned long long)*wrong, died);
	return *wrong || died;
}
