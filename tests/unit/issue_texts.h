/* SPDX-License-Identifier: GPL-3.0-or-later */
/* issue_texts.h - issues as one line, for comparing. */
#ifndef VMCENSUS_TESTS_ISSUE_TEXTS_H
#define VMCENSUS_TESTS_ISSUE_TEXTS_H

#include <stdio.h>
#include <string.h>

#include "dumpread/base/issues.h"

/* "object*count:text,text ..." in their order. Valid up to the next call. */
static const char *all_of(const struct issues *is)
{
	static char text[2000];

	*text = '\0';
	for (unsigned i = 0; i < is->n; i++) {
		sprintf(text + strlen(text), "%s%s*%u:", i ? " " : "", is->v[i].object, (unsigned)is->v[i].count);
		for (unsigned t = 0; t < is->v[i].ntexts; t++)
			sprintf(text + strlen(text), "%s%s", t ? "," : "", is->v[i].text[t]);
	}
	return text;
}

#endif
