/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit.h - does a layout file belong to this kernel?
 *
 * The places of members depend on the kernel's configuration, which a release does not tell.
 * A layout of another configuration gives numbers that look like an answer, so it is refused.
 */
#ifndef VMCENSUS_FIT_H
#define VMCENSUS_FIT_H

#include "model/kernel/kernel.h"

/*
 * Compare what K's layout file says with sizes and offsets in VMCOREINFO, and with the first
 * task. ST_CORRUPT, with the sentence in the dump's diag, if they contradict it; one
 * contradiction alone may be damage. ST_OK without a layout file, and where nothing can be
 * compared.
 */
enum status layout_fits(const struct kernel *k, struct reader *r);

#endif
