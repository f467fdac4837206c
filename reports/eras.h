/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eras.h - what the text of /proc looked like, by kernel version.
 *
 * A line or a mnemonic that the kernel's source gained leaves no trace in its
 * types. Such things stand in tables with the first version that has them and
 * the first that has not; only these tables look at the version.
 */
#ifndef VMCENSUS_ERAS_H
#define VMCENSUS_ERAS_H

#include "model/kernel.h"

#define V(major, minor) (((major) * 1000 + (minor)) * 1000)
#define V26(patch) (V(2, 6) + (patch))	/* 2.6.0 ... 2.6.39 */

struct era {
	int from, until;	/* V(); 0: ever, or until now */
};

static inline bool in_era(const struct kernel *k, struct era e)
{
	int now = V(k->version.major, k->version.minor);

	if (k->version.major == 2)
		now += k->version.patch;
	return now >= e.from && (!e.until || now < e.until);
}

#endif
