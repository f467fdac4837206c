/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hogs: each takes memory of one class, writes down what it took, and keeps it.
 *
 * A hog is one function in a process of its own, "hog-NAME". It takes some KiB and tells with
 * count() what its own arithmetic or the kernel says it holds; hogs.c writes that and the
 * kernel's files before and after. What a kernel lacks ends the hog with lacking().
 */
#ifndef HOGS_H
#define HOGS_H

#include <stdbool.h>
#include <stddef.h>

#define KIB 1024ul
#define MIB (1024 * KIB)

struct hog {
	const char *name;
	const char *kind;		/* of what holds the memory, in the record */
	void (*take)(size_t bytes);	/* bytes asked for; it may take somewhat more or less */
	void (*go_on)(void);		/* after the record; NULL: it rests */
};

extern const struct hog queue_hogs[], ring_hogs[], memory_hogs[], kernel_hogs[], ipc_hogs[], given_hogs[],
	server_hogs[], hidden_hogs[];

/* hogs.c */
void lacking(const char *what) __attribute__((noreturn)); /* prints why; ends the process */
void count(const char *key, unsigned long value);	/* one line of the record */
void tell(const char *key, const char *text);		/* one line of the record */
bool put(const char *path, const char *text);	/* write TEXT to an existing file */
int release(void);			/* of the kernel: 601 is 6.1 */
unsigned long number_in(const char *path);	/* the first number of a file; 0: none */
void must(bool good, const char *what);		/* lacking(WHAT) if not */
const char *argument(const char *name);	/* of NAME=VALUE on the command line, or NULL */
size_t fill(int fd, size_t bytes);	/* write so many pattern bytes; bytes written */
char *touched(size_t bytes, int flags); /* anonymous memory, each page written */

#endif
