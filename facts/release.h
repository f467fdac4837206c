/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * release.h - the release of a kernel, and the one way to compare two.
 *
 * Changes in a mainline version are compared by mainline version: V(6, 1), V26(32).
 * The stable number ("6.1.192") counts where a rule names stable releases (rules.def).
 */
#ifndef VMCENSUS_RELEASE_H
#define VMCENSUS_RELEASE_H

#include <stdbool.h>

#define RELEASE_MAX 999		/* larger numbers become this */

struct release {
	int major, minor, patch;	/* all 0: not known */
	int stable;	/* 2.6.32.69: 69; only of 2.6, where the third number is the mainline's */
	int el, build;	/* 4.18.0-240.22.1.el8_3: 8 and 240; el 0: not of Red Hat's */
	int ubuntu;	/* 4.15.0-213-generic: 213; 0: not Ubuntu's, or of a cloud's own count */
};

/* A mainline version as a number that compares. Until 2.6.39 the third number is part of it. */
#define V(major, minor) (((major) * 1000 + (minor)) * 1000)
#define V26(patch) (V(2, 6) + (patch))

/* From the first version that has something to the first that no longer has it; 0: always,
   or until now. */
struct era {
	int from, until;
};

/* Read the numbers at the start of TEXT, at most three, of 2.6 four; returns how many. Missing
   ones are 0, and none is above RELEASE_MAX. */
unsigned release_parse(const char *text, struct release *ret);

/*
 * The release of a kernel whose uname -r is RELEASE and uname -v VERSION. "6.1.0-56-amd64"
 * does not tell its stable number; distributions put it in the version string:
 * "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-30)". Red Hat's and its clones' has the
 * number of the build and the distribution: "4.18.0-240.22.1.el8_3.x86_64". Other kernels that
 * are built for it are none of these:
 * "5.4.17-2136.300.7.el8uek.x86_64", "6.9.1-1.el9.elrepo.x86_64".
 */
void release_of(const char *release, const char *version, struct release *ret);

/*
 * Adds to R what only the banner has: that of Ubuntu ends with the stable release that was taken
 * last, "(Ubuntu 5.4.0-216.236-generic 5.4.291)".
 */
void release_of_banner(const char *banner, struct release *r);

/* V() or V26() of R. */
int release_mainline(const struct release *r);

static inline bool release_since(const struct release *r, int version)
{
	return release_mainline(r) >= version;
}

static inline bool release_in(const struct release *r, struct era e)
{
	return release_since(r, e.from) && (!e.until || !release_since(r, e.until));
}

/* "6.1" or "2.6.32" of a V() into BUF (16 bytes at least). */
const char *mainline_text(int version, char *buf, unsigned size);

#endif
