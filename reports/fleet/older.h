/* SPDX-License-Identifier: GPL-3.0-or-later */
/* older.h - rows of older programs, which have words and no ids. */
#ifndef VMCENSUS_FLEET_OLDER_H
#define VMCENSUS_FLEET_OLDER_H

#include "dumpread/base/arena.h"

/* The id of what had WORDS when ids were made of them. In MEM. */
const char *older_id(const char *words, struct arena *mem);

/* Who OWNER of a verdict is, without the words around: "hog-pipes" of "pipes of hog-pipes (147)". NULL: nobody.
   In MEM. */
const char *older_subject(const char *owner, struct arena *mem);

#endif
