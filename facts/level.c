/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * level.c - the level of a kernel, from the functions that it has.
 */
#include "facts/level.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/levels.h"

static const struct milestone {
	int version;
	enum layout_id id;
} milestones[] = {
#define LEVEL(version, id, name) { version, id },
#include "facts/levels.def"
#undef LEVEL
};

int level_newest(void)
{
	return milestones[ARRAY_LEN(milestones) - 1].version;
}

bool level_may_be(const struct level *l, int version)
{
	int newest = 0;

	for (size_t i = 0; i < ARRAY_LEN(milestones) && milestones[i].version <= version; i++)
		newest = milestones[i].version;
	return !l->known || l->version >= newest;
}

struct level level_decide(const struct release *v, const struct layout *l, bool listed)
{
	const int release = release_mainline(v), n = (int)ARRAY_LEN(milestones);
	struct level ret = { .version = release };
	int next = 0, seen;

	if (!listed || !v->major)
		return ret;
	ret.known = true;
	while (next < n && milestones[next].version <= release)
		next++;
	for (seen = next - 1; seen >= 0 && !layout_has(l, milestones[seen].id);)
		seen--;
	if (release > level_newest())
		return ret;  /* later kernels may have renamed all */
	if (seen < next - 1) /* the release claims what is not there */
		ret.version = seen >= 0 ? milestones[seen].version : 0;
	else
		for (; next < n && layout_has(l, milestones[next].id); next++)
			ret.version = milestones[next].version;
	return ret;
}
