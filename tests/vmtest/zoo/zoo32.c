/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A 32-bit process.  Freestanding, since a 64-bit host seldom has a 32-bit C library. */

enum { SYS_close = 6, SYS_pause = 29, SYS_old_mmap = 90 };
enum { PAGES = 50, READ_WRITE = 3, PRIVATE_ANONYMOUS = 0x22 };

static long call(long nr, long argument)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "0"(nr), "b"(argument) : "memory");
	return ret;
}

void _start(void);
void _start(void)
{
	/* The old form takes its six arguments from memory. */
	const long args[6] = { 0, PAGES * 4096, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0 };
	volatile char *p = (volatile char *)call(SYS_old_mmap, (long)args);

	for (long i = 0; i < PAGES; i += 2)
		p[i * 4096] = 1;
	for (long fd = 3; fd < 64; fd++)	/* one of them says "ready" by being closed */
		call(SYS_close, fd);
	for (;;)
		call(SYS_pause, 0);
}
