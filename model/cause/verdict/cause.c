/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cause.c - what is known of causes and subjects themselves. */
#include "model/cause/verdict/cause.h"

#include <string.h>

const struct cause_facts cause_facts[VERDICT_CAUSES] = {
#define CAUSE(cause, id, words, family, ranks) { id, words, family, ranks },
#include "model/cause/verdict/causes.def"
#undef CAUSE
};

enum verdict_cause cause_of_id(const char *id)
{
	unsigned i = 0;

	while (i < VERDICT_CAUSES && strcmp(cause_facts[i].id, id))
		i++;
	return (enum verdict_cause)i;
}

const char *subject_kind_id(enum subject_kind k)
{
	static const char *const id[SUBJECT_KINDS] = { "",	 "process", "program", "file",
						       "folder", "cache",   "caller",  "store" };

	return id[k];
}
