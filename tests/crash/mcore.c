/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mcore - pages of an mcore file, as crash's own reader (va_server.c) gives them.
 *
 *	mcore FILE START BYTES
 *
 * Writes the physical memory [START, START + BYTES) to standard output. It is linked
 * with that reader by tests/crash/mcore; what that file calls of crash is here.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int va_server_init(char *file, unsigned long *start, unsigned long *end, unsigned long *stride);
int vas_lseek(unsigned long position, int whence);
size_t vas_read(void *buf, size_t count);
int monitor_memory(long *a, long *b, long *c, long *d);
int console(char *fmt, ...);
int clean_exit(int status);

int monitor_memory(long *a, long *b, long *c, long *d)
{
	(void)a, (void)b, (void)c, (void)d;
	return 0;
}

int console(char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	return 0;
}

int clean_exit(int status)
{
	fprintf(stderr, "the reader gave up\n");
	exit(status);
}

int main(int argc, char **argv)
{
	unsigned long start, end, stride, at, n;
	char *buf;

	if (argc != 4 || va_server_init(argv[1], &start, &end, &stride)) {
		fprintf(stderr, "mcore: the reader does not take it\n");
		return 1;
	}
	fprintf(stderr, "pages of %lu bytes from %#lx to %#lx\n", stride, start, end);
	at = strtoul(argv[2], NULL, 0);
	n = strtoul(argv[3], NULL, 0);
	buf = malloc(stride);
	for (; buf && n; n -= stride, at += stride) {
		if (vas_lseek(at, SEEK_SET) || vas_read(buf, stride) != stride) {
			fprintf(stderr, "mcore: no page at %#lx\n", at);
			return 1;
		}
		fwrite(buf, 1, stride, stdout);
	}
	return fflush(stdout) ? 1 : 0;
}
