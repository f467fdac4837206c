/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict_text.c - rows of a verdict as sentences, and sentences as lines. */
#include "reports/oom/verdict_text.h"

#include <string.h>

#include "reports/oom/words.h"

#define WIDTH 98
#define INDENT 2

typedef const char *say_fn(const struct telling *t);

static say_fn *const say[VERDICT_RULES] = {
#define RULE(kind, use, rule, cause, report) say_##rule,
#include "model/cause/verdict/rules.def"
};

/* "... together, 32 % of RAM (of those found: 206 of 234 processes)." */
static const char *with_found(const char *text, const char *found, struct arena *mem)
{
	size_t n = strlen(text);

	n -= n && text[n - 1] == '.';
	return arena_printf(mem, "%.*s (of those found: %s).", (int)n, text, found);
}

const char *verdict_text(const struct verdict *v, const struct verdict_row *r, struct arena *mem)
{
	const char *text = say[r->rule](&(struct telling){ .e = v->e, .r = r, .mem = mem });

	return r->doubt == DOUBT_FOUND ? with_found(text, v->e->found, mem) : text;
}

const char *verdict_owner(const struct verdict *v, const struct verdict_row *r, struct arena *mem)
{
	if (r->use == USE_ANON)
		return r->subject.name;
	return r->told ? owner_text(&v->e->owner[r->use], mem) : NULL;
}

const char *verdict_sentence(const struct verdict *v, const struct verdict_row *r,
			     struct arena *mem)
{
	const char *text = verdict_text(v, r, mem);

	if (r->certainty == CERTAIN)
		return arena_printf(mem, "%s [%s]", text, r->report);
	return arena_printf(mem, "%s [%s; %s: %s]", text, r->report, certainty_text(r->certainty),
			    verdict_why(v, r, mem));
}

/* A name may hold any byte: a line feed in it is no end of a line. */
static const char *one_line(const char *text, struct arena *mem)
{
	size_t n;

	while (text[n = strcspn(text, "\n")])
		text = arena_printf(mem, "%.*s\\x0a%s", (int)n, text, text + n + 1);
	return text;
}

const char *verdict_wrap(const char *text, unsigned screen, struct arena *mem)
{
	size_t n = 0, at = 0, len, width = screen && screen < WIDTH ? screen : WIDTH;
	char *to;

	text = one_line(text, mem);
	to = arena_alloc(mem, strlen(text) * (INDENT + 3) + INDENT + 3);
	while (*text) {
		size_t word = strcspn(text, " ");
		bool begins = !at, breaks = !begins && at + 1 + word > width;

		if (breaks)
			to[n++] = '\n';
		len = begins ? INDENT : breaks ? 2 * INDENT : 1;
		memset(to + n, ' ', len);
		memcpy(to + n + len, text, word);
		n += len + word;
		at = breaks || begins ? len + word : at + len + word;
		text += word + (text[word] == ' ');
	}
	to[n] = '\n';
	return to;
}
