/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rank.c - compares capsules by what they say of their dumps. */
#include "app/batch/rank.h"

#include <stdio.h>
#include <string.h>

#include "app/answers.h"

void rank_of(const char *path, struct rank *r)
{
	struct capsule_file *f;
	struct diag none;
	const char *id;

	*r = (struct rank){ .known = false };
	if (stored_open(path, &none, &f))
		return;
	id = capsule_text_fact(f, "id");
	r->known = true;
	r->level = capsule_image(f)->level;
	r->damaged = capsule_is_damaged(f);
	snprintf(r->path, sizeof(r->path), "%s",
		 capsule_image(f)->npaths ? capsule_image(f)->paths[0] : "");
	snprintf(r->id, sizeof(r->id), "%s", id ? id : "");
	capsule_close(f);
}

bool rank_is_better(const struct rank *a, const struct rank *b)
{
	if (a->damaged != b->damaged)
		return b->damaged;
	if (a->level != b->level)
		return a->level < b->level;
	return strcmp(a->path, b->path) < 0;
}
