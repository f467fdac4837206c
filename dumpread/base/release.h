/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * release.h - the numbers in front of a kernel's release: "6.1.0-56-amd64".
 */
#ifndef VMCENSUS_RELEASE_H
#define VMCENSUS_RELEASE_H

#define RELEASE_MAX 999		/* larger numbers are taken for it */

struct release {
	int major, minor, patch;
};

/* The numbers that TEXT begins with, at most three; how many there are. What is
   missing is 0, and none is above RELEASE_MAX. */
unsigned release_parse(const char *text, struct release *ret);

#endif
