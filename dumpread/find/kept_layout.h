/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kept_layout.h - layout files in a directory, each named by the build-id of its kernel: DIR/BUILD-ID.layout.
 * One stands for types and symbols that a damaged dump of the same kernel has lost.
 */
#ifndef VMCENSUS_KEPT_LAYOUT_H
#define VMCENSUS_KEPT_LAYOUT_H

#include "dumpread/dump.h"

#define KEPT_LAYOUT_END ".layout"

/* The name in DIR of the layout of D's kernel; false: its build-id is not known, or the name is longer than SIZE. */
bool kept_layout_name(const struct dump *d, const char *dir, char *buf, size_t size);

/*
 * Adds the first of those in d->layouts that has D's build-id, at the end of the chains. It is told by name, as the
 * source of WHAT ("types", "symbols": a literal); if the dump has LOST them, that is an issue as well. One that is
 * refused is told. False: nothing was added.
 */
bool kept_layout_add(struct dump *d, const char *what, bool lost);

/* What a user can do who has another dump of D's kernel, in BUF of SIZE bytes (OFFER is enough); BUF is returned. */
#define KEPT_LAYOUT_OFFER 256
#define KEPT_LAYOUT_HELPS "another dump of this kernel (build-id "
const char *kept_layout_offer(const struct dump *d, char *buf, size_t size);

#endif
