/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The products of report export, one file each; export.c makes the table. */
#ifndef VMCENSUS_EXPORT_PRODUCTS_H
#define VMCENSUS_EXPORT_PRODUCTS_H

#include "dumpread/base/hash.h"
#include "reports/core/report.h"

/*
 * Is this the first file or directory for PID? The idle tasks have none. A second process
 * of one pid, which only a damaged dump has, is left out and counted as an issue, WHAT.
 * SEEN: the pids that were asked about.
 */
bool export_takes(const struct snapshot *s, struct hash *seen, int32_t pid, const char *what);

enum status export_tvpm(const struct snapshot *s, const struct report_opts *o,
			const char *dest, FILE *out, struct diag *diag);
enum status export_proc(const struct snapshot *s, const struct report_opts *o,
			const char *dest, FILE *out, struct diag *diag);
enum status export_smemcap(const struct snapshot *s, const struct report_opts *o,
			   const char *dest, FILE *out, struct diag *diag);

#endif
