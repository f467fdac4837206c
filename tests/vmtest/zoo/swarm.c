/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swarm N SHARED_MB PRIVATE_MB: N processes that map one tmpfs file and touch private
 * memory of their own: a dump with very many page table entries.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static void member(int k, const volatile char *shared, size_t s, size_t p)
{
	char name[16];
	volatile char *own = mmap(NULL, p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

	snprintf(name, sizeof name, "swarm-%d", k);
	prctl(PR_SET_NAME, name);
	madvise((void *)own, p, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < s; i += 4096)
		(void)shared[i];
	for (size_t i = 0; i < p; i += 4096)
		own[i] = 1;
}

int main(int argc, char **argv)
{
	int ready[2], n, fd;
	size_t s, p;
	char *shared, c;

	if (argc != 4)
		return 64;
	n = atoi(argv[1]);
	s = (size_t)atoi(argv[2]) << 20;
	p = (size_t)atoi(argv[3]) << 20;
	fd = open("/dev/shm/swarm", O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)s) || pipe(ready))
		return 1;
	shared = mmap(NULL, s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (size_t i = 0; i < s; i += 4096)
		shared[i] = (char)(i >> 12);
	for (int k = 0; k < n; k++)
		if (fork() == 0) {
			close(ready[0]);
			member(k, shared, s, p);
			close(ready[1]);
			for (;;)
				pause();
		}
	close(ready[1]);
	if (read(ready[0], &c, 1) == 0)		/* end of file: all are there */
		puts("swarm ready");
	fflush(stdout);
	for (;;)
		pause();
}
