/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The zoo: processes with every kind of mapping, made to be frozen and dumped.
 *
 * Each kind is one function, run in a process of its own that rests for ever
 * afterwards.  What a kernel lacks is said with lacking() and left out; nothing
 * here may stop the other kinds.
 */
#ifndef ZOO_H
#define ZOO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>

#define PAGE	  page_size
#define PAGE_MOST 65536ul		/* of any kernel */
#define HUGE	  huge_size
#define RW	 (PROT_READ | PROT_WRITE)
#define PRIVANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define SHANON	 (MAP_SHARED | MAP_ANONYMOUS)

struct kind {
	const char *name;	/* becomes the process name, with "zoo-" before it */
	void (*make)(void);
};

extern size_t page_size, huge_size;	/* of this kernel; bytes */
extern const struct kind memory_kinds[], huge_kinds[], file_kinds[], process_kinds[], task_kinds[];

/* zoo.c */
void lacking(const char *what);		/* prints "zoo: KIND: lacks WHAT: strerror" */
void ready(void);			/* tells the keeper that this process is ready, once */
void rest(void) __attribute__((noreturn)); /* the same; sleeps */
void rest_as(const char *program) __attribute__((noreturn)); /* the same in another program */
bool kid(const char *name);		/* fork: true in the child, which must end in rest() */
const char *at(const char *name);	/* a path in the zoo's directory (static buffer) */
char *map(size_t pages, int prot, int flags, int fd, off_t page); /* NULL: said so already */
char *anon(size_t pages);		/* private anonymous, untouched */
char *huge_area(size_t bytes, int flags); /* anonymous, aligned for huge pages */
void dirty(char *p, size_t pages, size_t step);	/* write one byte in every step-th page */
void look(const char *p, size_t pages, size_t step); /* read one */
int file(const char *path, size_t pages);	/* a new file with content, synced */
bool put(const char *path, const char *text);	/* write TEXT to an existing file */
void page_out(char *p, size_t pages);		/* to swap; they must have been touched */

#endif
