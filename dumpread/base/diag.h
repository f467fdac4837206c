/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diag.h - the text of an error, built on the way up.
 *
 * A function that cannot go on returns a status and leaves its sentence in a
 * diag; each caller may prepend what it was doing:
 *     "vmcore: cannot read task 0xc0123000: page 0x1234 not in the dump"
 * Hot loops return the bare status and do not touch the diag.
 */
#ifndef VMCENSUS_DIAG_H
#define VMCENSUS_DIAG_H

#include "dumpread/base/status.h"

struct diag {
	char text[1024];
};

/* Replace the text; returns ST, so that "return fail(...)" reads well. */
enum status fail(struct diag *g, enum status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "<fmt>: " before the text that is there; returns ST. */
enum status fail_in(struct diag *g, enum status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
