/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of lines, and the search in it. */
#include "model/cause/event/lines.h"

#include <string.h>

const struct oom_form oom_forms[] = {
#define FORM(line_, from_, until_, pattern_) { line_, { from_, until_ }, pattern_, NULL },
#define PIECES(line_, from_, until_, pattern_, whole_) \
	{ line_, { from_, until_ }, pattern_, whole_ },
#include "model/cause/event/lines.def"
#undef FORM
#undef PIECES
	{ LINE_NONE, { 0, 0 }, NULL, NULL },
};

/*
 * Programs whose messages reach the log through /dev/kmsg, as systemd's journal and the
 * programs themselves write them: systemd-oomd(8), earlyoom 1.6 and 1.8, lmkd of Android.
 */
static const struct oom_form user_forms[] = {
	{ LINE_USER_KILLER, { 0, 0 }, "%q: Killed %q due to memory %*", NULL },
	{ LINE_USER_KILLER, { 0, 0 }, "%q: sending %w to process %d %*", NULL },
	{ LINE_USER_KILLER, { 0, 0 }, "lowmemorykiller: Kill '%q' (%d), %*", NULL },
	{ LINE_NONE, { 0, 0 }, NULL, NULL },
};

void oom_line_read(struct span text, const struct release *v, struct oom_match *ret)
{
	struct oom_match other = { .form = NULL };

	ret->form = NULL;
	for (const struct oom_form *f = oom_forms; f->line; f++) {
		bool now = release_in(v, f->era);

		if ((!now && other.form) ||
		    !text_match(f->pattern, text, now ? ret->field : other.field))
			continue;
		if (now) {
			ret->form = f;
			return;
		}
		other.form = f;
	}
	*ret = other;
}

void oom_user_line_read(struct span text, struct oom_match *ret)
{
	ret->form = NULL;
	for (const struct oom_form *f = user_forms; f->line && !ret->form; f++)
		if (text_match(f->pattern, text, ret->field))
			ret->form = f;
}

bool oom_line_partial(const struct oom_match *m, struct span text)
{
	struct span field[TEXT_FIELDS];

	return m->form && m->form->whole && !text_match(m->form->whole, text, field);
}
