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
		bool now;

		if (!text.n || (*f->pattern != '%' && *f->pattern != *text.p))
			continue;
		now = release_in(v, f->era);
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

/* "killer", "Killed", "allocation": all but those below have one of them. */
static bool has_sign(struct span s)
{
	const char *at = s.p, *end = s.p + s.n;

	while (at < end && (at = memchr(at, 'l', (size_t)(end - at))) && ++at < end) {
		if (*at != 'l')
			continue;
		if (at - s.p >= 3 && (!memcmp(at - 3, "kil", 3) || !memcmp(at - 3, "Kil", 3)))
			return true;
		if (end - at > 2 && !memcmp(at, "loc", 3))
			return true;
	}
	return false;
}

/* "[  123]": of a table whose beginning is missing */
static bool is_row(struct span s)
{
	s = span_from(s, 1 + span_take('b', span_from(s, 1)));
	s = span_from(s, span_take('d', s));
	return s.n && *s.p == ']';
}

bool oom_line_may_begin(struct span text)
{
	switch (text.n ? *text.p : 0) {
	case '[': return is_row(text) || has_sign(text);
	case 'H': return span_starts(text, "Huh VM_FAULT_OOM") || has_sign(text);
	case 'K': return span_starts(text, "Kernel panic") || has_sign(text);
	case 'T': return span_starts(text, "Tasks in ") || has_sign(text);
	case 'o': return span_starts(text, "oom_reaper:") || has_sign(text);
	default: return has_sign(text);
	}
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
