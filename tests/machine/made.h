/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * made.h - a machine from text to a dump in one call, and what its text says of each process: for
 * users of model/model.h, whose struct machine is another.
 */
#ifndef VMCENSUS_TESTS_MADE_H
#define VMCENSUS_TESTS_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a process that has an mm and whose number no other task has. */
struct made_proc {
	int pid;
	uint64_t size, rss, swap;
	uint64_t pss, uss;
	uint32_t pages;			/* each may cut off a byte of pss */
	bool rss_known, pss_known;	/* do they follow from the text in the simple way? */
};

#define MADE_PROCS 64u

struct made {
	struct made_proc proc[MADE_PROCS];
	unsigned n;
	bool damaged;			/* the text has damage, too */
};

/*
 * Lays out the machine of TEXT (N bytes) for CPU with the types in LAYOUT; its System.map goes to the
 * file MAP, its dump to the descriptor IMAGE. False: the text describes none. The program is linked
 * with --wrap=mdie, and made.c has the wrapper.
 */
bool machine_make(const char *cpu, const char *layout, char *text, size_t n, const char *map, int image,
		  struct made *ret);

#endif
