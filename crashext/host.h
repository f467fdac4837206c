/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * host.h - all that this folder sees of the crash utility.
 *
 * Only crash.c includes <crash/defs.h>, with its thousands of names and structs whose
 * layout differs between versions.
 *
 * crash leaves a failed function by longjmp() to its main loop. host_guard() turns that
 * into a return value, so that the child can end. Only crash's own thread may call these
 * functions.
 */
#ifndef VMCENSUS_HOST_H
#define VMCENSUS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host {
	const char *dumpfile;	/* its first part; or the source of live memory */
	const char *vmlinux;	/* with the debug information that crash uses */
	const char *machine, *release;	/* of utsname */
	bool live;
	bool whole;		/* dumpfile is a file, and the complete dump */
	uint8_t word_size;	/* bytes */
	uint32_t page_size;	/* bytes */
};

void host_describe(struct host *ret);

bool host_symbol(const char *name, uint64_t *addr);

/* Through crash's own reader; false: cannot be read. */
bool host_read_pa(uint64_t pa, void *buf, size_t len);
bool host_read_kva(uint64_t kva, void *buf, size_t len);

/* False: an error of crash left FN. */
bool host_guard(void (*fn)(void *), void *arg);

#endif
