/* SPDX-License-Identifier: GPL-3.0-or-later */
/* id.h - rows of the report id. */
#ifndef VMCENSUS_REPORTS_ID_H
#define VMCENSUS_REPORTS_ID_H

#include "dumpread/image/image.h"
#include "reports/render/render.h"

struct id_row {
	const char *id, *release, *version, *build_id, *arch, *nodename, *crashed, *format,
		*compression, *why, *dump, *panic;
	uint64_t cpus, uptime, held, ram;
	int64_t crash_time, level;
	double coverage;		/* percent */
};

/* The row of a dump; its strings are in MEM. */
void id_of_snapshot(const struct snapshot *s, struct id_row *r, struct arena *mem);
/* The same if its kernel cannot be read: what the file says. */
void id_of_image(const struct image *im, struct id_row *r, struct arena *mem);
/* The same if not even that is known. */
void id_unknown(const char *why, struct id_row *r, struct arena *mem);

/* A copy of FROM, with its strings. */
void id_copy(const struct id_row *from, struct id_row *to, struct arena *mem);

#endif
