/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * churn SECONDS WORKERS: processes that map, touch, move and unmap memory, also huge
 * pages of both kinds, fork, exec, start threads and end, for whoever looks at them
 * meanwhile.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AREAS 64
#define BYTES (64u << 10)
#define HUGE_AREAS 4
#define HUGE_BYTES (2u << 20)
#define GIB ((size_t)1 << 30)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23	/* 5.14 */
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25	/* 6.1 */
#endif

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

/* Huge pages that are made, split and collapsed. */
static void change_huge(char **area)
{
	if (!*area) {
		int kind = dice(2) ? MAP_PRIVATE : MAP_SHARED | (dice(2) ? MAP_HUGETLB : 0);

		*area = mmap(NULL, 2 * HUGE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | kind, -1, 0);
		if (*area == MAP_FAILED)
			*area = NULL;
		return;
	}
	switch (dice(5)) {
	case 0:
		munmap(*area, 2 * HUGE_BYTES);
		*area = NULL;
		break;
	case 1:
		madvise(*area, 2 * HUGE_BYTES, MADV_HUGEPAGE);
		(*area)[HUGE_BYTES] = 1;
		break;
	case 2:
		madvise(*area + HUGE_BYTES + BYTES, BYTES, MADV_DONTNEED);
		break;
	case 3:
		mprotect(*area + HUGE_BYTES, BYTES, PROT_READ);
		mprotect(*area + HUGE_BYTES, BYTES, PROT_READ | PROT_WRITE);
		break;
	case 4:
		madvise(*area, 2 * HUGE_BYTES, MADV_COLLAPSE);
		break;
	}
}

/*
 * Processes that map the same whole gigabyte of hugetlb share its tables: of 2 GiB
 * there is one. A page that cannot be had is no signal here.
 */
static char *map_shared_tables(void)
{
	char *p = mmap(NULL, 2 * GIB, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p + (-(uintptr_t)p & (GIB - 1));
}

static void change_shared_tables(char *gib)
{
	madvise(gib + dice(16) * HUGE_BYTES, HUGE_BYTES,
		dice(3) ? MADV_POPULATE_WRITE : MADV_REMOVE);
}

static void work(char **argv, time_t end, char *gib)
{
	static void *area[AREAS];
	static char *huge[HUGE_AREAS];

	seed = (unsigned)getpid();
	while (time(NULL) < end) {
		for (int i = 0; i < 200; i++)
			change(&area[dice(AREAS)]);
		for (int i = 0; i < 10; i++)
			change_huge(&huge[dice(HUGE_AREAS)]);
		for (int i = 0; gib && i < 4; i++)
			change_shared_tables(gib);
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
	char *gib = map_shared_tables();

	for (int n = argc > 2 ? atoi(argv[2]) : 0; n; n--)
		if (!fork()) {
			work(argv, end, gib);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
