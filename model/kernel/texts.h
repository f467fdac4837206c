/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * texts.h - texts in the kernel image that the rules need.
 */
#ifndef VMCENSUS_TEXTS_H
#define VMCENSUS_TEXTS_H

#include "model/kernel/kernel.h"

/*
 * Decides k->rules from the layout, and from k->version where it shows nothing. Rules that have
 * a text as their sign wait for the first question (kernel_rule()).
 */
void kernel_rules(struct kernel *k);

/*
 * The texts of the image, and the rules with them. The first call reads the constant data of
 * the image, some MiB; any thread may call. NULL: K has no image. Unreadable data is no issue:
 * then the level or the release decides.
 */
const struct image_texts *kernel_texts(const struct kernel *k);
const struct rules *kernel_texts_rules(const struct kernel *k);

void texts_free(struct texts *t);

#endif
