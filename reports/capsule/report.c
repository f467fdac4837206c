/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capsule - the rows of all reports of a dump in one file.
 *
 * app/answers/capsule.c makes it: each report is made as if it were the only one.
 */
#include "dumpread/base/bytes.h"
#include "model/memory/elf/demangle.h"
#include "reports/capsule/capsule.h"

static const struct product products[] = {
	{ .name = "sqlite", .about = "an SQLite file, which is an IMAGE of its dump" },
	{ .name = NULL }
};

const struct report report_capsule = {
	.name = "capsule",
	.about = "the rows of all reports in one file, in place of the dump",
	.products = products,
	.prepare = demangle_prepare,
	.help = "An SQLite file with a table for each report (vmcensus --help-schema). It is an IMAGE: reports\n"
		"print from it what they print from the dump, in text, csv, json and jsonl, with -c, -s,\n"
		"-w and -n, with --all and the options that divide a report; diff and html too. What\n"
		"it does not hold is refused with a sentence. The file is made in memory, and takes a\n"
		"few percent of the dump.",
};
