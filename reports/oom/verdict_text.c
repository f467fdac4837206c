/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict_text.c - rows of a verdict as sentences, and sentences as lines. */
#include "reports/oom/verdict_text.h"

#include <string.h>

#define WIDTH 98
#define INDENT 2

const char *verdict_sentence(const struct verdict_row *r, struct arena *mem)
{
	if (r->certainty == CERTAIN)
		return arena_printf(mem, "%s [%s]", r->text, r->report);
	return arena_printf(mem, "%s [%s; %s: %s]", r->text, r->report,
			    certainty_text(r->certainty), r->why);
}

/* A name may hold any byte: a line feed in it is no end of a line. */
static const char *one_line(const char *text, struct arena *mem)
{
	size_t n;

	while (text[n = strcspn(text, "\n")])
		text = arena_printf(mem, "%.*s\\x0a%s", (int)n, text, text + n + 1);
	return text;
}

const char *verdict_wrap(const char *text, struct arena *mem)
{
	size_t n = 0, at = 0, len;
	char *to;

	text = one_line(text, mem);
	to = arena_alloc(mem, strlen(text) * (INDENT + 3) + INDENT + 3);
	while (*text) {
		size_t word = strcspn(text, " ");
		bool begins = !at, breaks = !begins && at + 1 + word > WIDTH;

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
