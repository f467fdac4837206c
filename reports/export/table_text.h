/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_text.h - files of /proc that print tables of the kernel: zones, slab caches, vmalloc
 * areas, resources. Their data is read when they are written; it is no part of the snapshot.
 */
#ifndef VMCENSUS_TABLE_TEXT_H
#define VMCENSUS_TABLE_TEXT_H

#include "model/model.h"
#include "reports/export/tree.h"

/* Writes the files that the dump has data for. */
void put_table_files(struct tree *t, const struct snapshot *s);

#endif
