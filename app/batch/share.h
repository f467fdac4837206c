/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share.h - which of many machines does a dump, so that all of them, and reruns, agree.
 *
 * It follows from the identity of the crash (report id): wherever the dump is, in whatever
 * container, and however it is filtered. Where there is none (an archive, a file that is no
 * dump), it follows from the beginning of the file and its size.
 */
#ifndef VMCENSUS_BATCH_SHARE_H
#define VMCENSUS_BATCH_SHARE_H

#include "app/batch/jobs.h"

struct share {
	uint64_t number;	/* modulo the number of shares */
	bool everybodys;	/* it took too long, or was killed, which may not happen elsewhere:
				   no share leaves it out */
};

/*
 * Fills RET for the N dumps of JOBS, which have no process yet. Asks for identities in SLOTS
 * processes at once, each in its sandbox. ST_IO with DIAG.
 */
enum status shares_find(struct job *const *jobs, size_t n, const struct job_opts *o, unsigned slots,
			struct share *ret, struct diag *diag);

#endif
