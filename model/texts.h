/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * texts.h - what the kernel image says of itself, for the rules.
 */
#ifndef VMCENSUS_TEXTS_H
#define VMCENSUS_TEXTS_H

#include "model/kernel.h"

/*
 * Decide k->rules, by what the layout and the texts of the image show and, where that shows
 * nothing, by k->version. Reads the constant data of the image, a few MiB, into k->texts;
 * what cannot be read is no issue: the release decides then.
 */
void kernel_rules(struct kernel *k, struct reader *r);

#endif
