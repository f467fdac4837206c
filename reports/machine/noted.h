/* SPDX-License-Identifier: GPL-3.0-or-later */
/* noted.h - lines of the kernel's log that a reader wants to know of. */
#ifndef VMCENSUS_NOTED_H
#define VMCENSUS_NOTED_H

#include "dumpread/base/arena.h"
#include "model/model.h"

struct noted {
	const char *key;		/* "OOM kill" */
	uint64_t n;			/* lines of that kind */
	const struct log_line *last;
};

/* The next kind of which the log has a line; *AT is 0 at first. False: there is no more. */
bool noted_next(const struct machine *mc, size_t *at, struct noted *ret);
/* L as dmesg prints it, in MEM. */
const char *noted_text(const struct machine *mc, const struct log_line *l, struct arena *mem);

#endif
