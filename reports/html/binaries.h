/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * binaries.h - the mapped ELF files: sections, symbols, and where they are loaded. The
 * browser computes the cost of each from the page maps.
 */
#ifndef VMCENSUS_HTML_BINARIES_H
#define VMCENSUS_HTML_BINARIES_H

#include "model/memory/areas/objects.h"
#include "reports/html/emit.h"

/* "elf": [...], "elf_note": why some are missing. Strings live as long as T. */
void html_binaries(struct emit *e, const struct snapshot *s, const struct report_opts *o,
		   const struct objects *objects, struct table *t);

#endif
