/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdumpfile.h - the protocol of the process that calls libkdumpfile. First it sends
 * struct kdumpfile_told, VMCOREINFO, and its page map in pieces. Then it answers each
 * frame number (u64) with a status (u32) and, after ST_OK, the page.
 */
#ifndef VMCENSUS_IMAGE_KDUMPFILE_H
#define VMCENSUS_IMAGE_KDUMPFILE_H

#include <sys/types.h>

#include "dumpread/image/format.h"

#define KDUMPFILE_MAX_PFN ((uint64_t)1 << 36)

struct kdumpfile_told {
	enum status st;		/* of opening; if not ST_OK, only text is valid */
	char text[200];
	uint16_t elf_machine;
	uint8_t word_size, page_shift;
	uint8_t big_endian, has_map;	/* no bool: any byte may come */
	uint64_t max_pfn;
	struct image_header header;
	char format[64];
	uint64_t vmcoreinfo_len;
};

/* Bits of the page map: of BYTES * 8 frames from PFN on; 0 bytes: that was all. */
struct kdumpfile_piece {
	uint64_t pfn, bytes;
};

/*
 * In a process of its own: open the N files and serve TO, a socket, until it is closed. CONFINE
 * is called before a byte of them is read; NULL: there is nothing to call.
 */
void kdumpfile_serve(int to, unsigned n, const int *fds, void (*confine)(void *arg), void *arg)
	__attribute__((noreturn));
/* Starts that process, *PID. Returns its socket; -1: errno says why there is none. */
int kdumpfile_start(unsigned n, const int *fds, void (*confine)(void *arg), void *arg,
		    pid_t *pid);

#endif
