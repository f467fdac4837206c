/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge_lines.h - the lines of manifests into a fleet. */
#ifndef VMCENSUS_MERGE_LINES_H
#define VMCENSUS_MERGE_LINES_H

#include <stdbool.h>

#include <sqlite3.h>

#include "dumpread/base/diag.h"

/* Adds those of the manifest PATH to FLEET; of each dump the last line counts. What is none is told, and counted in
   *SKIPPED. ST_IO with DIAG: the fleet cannot be written, or the manifest not read. */
enum status merge_lines(sqlite3 *fleet, const char *path, unsigned long *skipped,
			struct diag *diag);

/* Is it the file of FLEET that failed, or memory, and nothing that was put in? errno was 0 before. A
   database that reached its limit is full as well. */
bool merge_failed(sqlite3 *fleet);

#endif
