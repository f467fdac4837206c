/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.h - what the page shows, as one JSON object:
 *     image, page_size, version, issues     what was asked
 *     tables                                reports, as their rows are
 *     classes                               frames by class: all memory
 *     mms, objects, vmas                    who maps what; sizes by VMA
 *     elf, elf_note                         the binaries behind them (binaries.h)
 *     states, maps                          pages of each VMA (runs.h), in base64
 *     strings                               what the numbers of strings mean
 */
#ifndef VMCENSUS_HTML_DATA_H
#define VMCENSUS_HTML_DATA_H

#include "reports/core/report.h"

void html_data(const struct snapshot *s, const struct report_opts *o, FILE *out);

#endif
