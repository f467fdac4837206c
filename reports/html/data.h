/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.h - the contents of the page, as one JSON object:
 *     image, page_size, version, issues     the request
 *     tables                                rows of reports
 *     classes                               frames by class: all memory
 *     mms, objects, vmas                    who maps what; sizes by VMA
 *     elf, elf_note                         the binaries of objects (binaries.h)
 *     states, maps                          pages of each VMA (runs.h), in base64
 *     strings                               the strings; other values are their numbers
 */
#ifndef VMCENSUS_HTML_DATA_H
#define VMCENSUS_HTML_DATA_H

#include "reports/core/report.h"

void html_data(const struct snapshot *s, const struct report_opts *o, FILE *out);

struct fleet;

/* The page of a fleet. */
void html_fleet(const struct fleet *f, FILE *out);

#endif
