/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/rules.h"

#include <string.h>

#include "model/kernel.h"

const struct rule_spec rule_specs[RULE_COUNT] = {
#define RULE(id, about_, from_major_, from_minor_, until_major_, until_minor_, backports_) \
	[id] = { #id, about_, from_major_, from_minor_, until_major_, until_minor_, backports_ },
#include "model/rules.def"
#undef RULE
};

static bool at_least(const struct release *v, int major, int minor)
{
	/* the rules write 2.6.32 as 2, 632 */
	int its_minor = v->major == 2 ? 100 * v->minor + v->patch : v->minor;

	return v->major > major || (v->major == major && its_minor >= minor);
}

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

void rules_decide(struct kernel *k)
{
	const struct release *v = &k->version;

	for (int i = 0; i < RULE_COUNT; i++) {
		const struct rule_spec *s = &rule_specs[i];
		bool on = at_least(v, s->from_major, s->from_minor);

		if (s->until_major && at_least(v, s->until_major, s->until_minor))
			on = false;
		else if (backported(v, s->backports))
			on = true;
		k->rules.on[i] = on;
	}
}
