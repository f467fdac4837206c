/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.c - decides which rules hold for a release.
 */
#include "facts/rules.h"

#include <string.h>

const struct rule_spec rule_specs[RULE_COUNT] = {
#define RULE(id, about_, from_, until_, backports_) \
	[id] = { #id, about_, { from_, until_ }, backports_ },
#include "facts/rules.def"
#undef RULE
};

/* Is V in a stable tree of the list, at the release named or a later one? */
static bool backported(const struct release *v, const char *list)
{
	struct release w;

	for (; release_parse(list, &w) == 3; list += strspn(list, " ")) {
		if (v->major == w.major && v->minor == w.minor)
			return v->patch >= w.patch;
		list += strcspn(list, " ");
	}
	return false;
}

void rules_decide(const struct release *v, struct rules *ret)
{
	for (int i = 0; i < RULE_COUNT; i++) {
		const struct rule_spec *s = &rule_specs[i];
		bool ended = s->era.until && release_since(v, s->era.until);

		ret->on[i] = release_in(v, s->era) || (!ended && backported(v, s->backports));
	}
}
