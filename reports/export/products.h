/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The products of report export, one file each; export.c makes the table. */
#ifndef VMCENSUS_EXPORT_PRODUCTS_H
#define VMCENSUS_EXPORT_PRODUCTS_H

#include "reports/report.h"

enum status export_tvpm(const struct snapshot *s, const struct report_opts *o,
			const char *dest, FILE *out, struct diag *diag);
enum status export_proc(const struct snapshot *s, const struct report_opts *o,
			const char *dest, FILE *out, struct diag *diag);
enum status export_smemcap(const struct snapshot *s, const struct report_opts *o,
			   const char *dest, FILE *out, struct diag *diag);

#endif
