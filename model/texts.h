/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * texts.h - texts in the kernel image that the rules need.
 */
#ifndef VMCENSUS_TEXTS_H
#define VMCENSUS_TEXTS_H

#include "model/kernel.h"

/*
 * Decides k->rules from the layout and the texts of the image, and from k->version where
 * these show nothing. Reads the constant data of the image, a few MiB, into k->texts.
 * Unreadable data is no issue: then the release decides.
 */
void kernel_rules(struct kernel *k, struct reader *r);

#endif
