/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * churn SECONDS WORKERS: processes that map, touch, move and unmap memory, fork,
 * exec, start threads and end, for whoever looks at them meanwhile.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AREAS 64
#define BYTES (64u << 10)

static unsigned seed;

static unsigned dice(unsigned sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

static void *toucher(void *area)
{
	memset(area, 1, BYTES);
	return NULL;
}

static void change(void **area)
{
	pthread_t t;

	switch (*area ? dice(6) : 0) {
	case 0:
		if (*area)
			munmap(*area, BYTES);
		*area = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | (dice(3) ? MAP_PRIVATE : MAP_SHARED), -1, 0);
		if (*area == MAP_FAILED)
			*area = NULL;
		break;
	case 1:
		memset(*area, 2, BYTES);
		break;
	case 2:
		madvise(*area, BYTES, MADV_DONTNEED);
		break;
	case 3:
		mprotect(*area, 4096 * (1 + dice(15)), PROT_READ);
		mprotect(*area, BYTES, PROT_READ | PROT_WRITE);
		break;
	case 4:
		madvise(*area, BYTES, MADV_PAGEOUT);
		break;
	case 5:
		if (!pthread_create(&t, NULL, toucher, *area))
			pthread_join(t, NULL);
		break;
	}
}

static void work(char **argv, time_t end)
{
	static void *area[AREAS];

	seed = (unsigned)getpid();
	while (time(NULL) < end) {
		for (int i = 0; i < 200; i++)
			change(&area[dice(AREAS)]);
		if (!fork()) {
			if (dice(2))
				execl(argv[0], argv[0], "0", "0", (char *)NULL);
			_exit(0);
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 0);

	for (int n = argc > 2 ? atoi(argv[2]) : 0; n; n--)
		if (!fork()) {
			work(argv, end);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
