/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_text.h - text files of /proc that belong to no process. */
#ifndef VMCENSUS_MACHINE_TEXT_H
#define VMCENSUS_MACHINE_TEXT_H

#include "reports/core/report.h"

struct machine_file {
	const char *name;
	void (*write)(const struct snapshot *s, FILE *out);
};

extern const struct machine_file machine_files[];	/* name NULL ends it */

const struct machine_file *machine_file(const char *name);
/* sys/kernel/osrelease. */
void write_osrelease(const struct snapshot *s, FILE *out);

#endif
