/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thrash_text.c - what thrashing is judged by, in words. */
#include "reports/machine/thrash_text.h"

#include <string.h>

#include "dumpread/base/bytes.h"

static const char *of_words(enum thrash_of of)
{
	static const char *const words[] = { "it is not known of what", "nothing",
					     "mostly of files", "mostly of anonymous memory",
					     "of files and of anonymous memory" };

	return words[of];
}

const char *thrash_reason_text(const struct thrash_reason *r, struct arena *mem)
{
	const char *when = r->two ? "between the dumps" : "in the last 10 s";

	switch (r->why) {
	case THRASH_WHY_NOT_LOOKED:
	case THRASH_WHYS: break;
	case THRASH_WHY_NOTHING:
		return arena_printf(mem, "No page was read again after it was reclaimed %s.",
				    r->two ? when : "since boot");
	case THRASH_WHY_DISKS:
		return arena_printf(
			mem,
			"Tasks waited for disks %.1f %% of the time, all of them %.1f %%, %s, while "
			"memory was reclaimed; most major faults read again what was given up, %s.",
			r->some, r->full, when, of_words(r->of));
	case THRASH_WHY_MEMORY:
		return arena_printf(
			mem,
			"Tasks waited for memory %.1f %% of the time, all of them %.1f %%, "
			"%s; pages were read again, %s.",
			r->some, r->full, when, of_words(r->of));
	case THRASH_WHY_OLD:
		return "The averages of pressure are old; counters since boot do not tell when.";
	case THRASH_WHY_NO_PRESSURE:
		return "The kernel keeps no pressure (PSI); counters since boot do not tell when.";
	}
	return NULL;
}

const char *thrash_about(const char *name)
{
	static const struct {
		const char *name, *about;
	} figures[] = {
#define COUNTER(section, name, unit, about) { name, about },
#define OTHER(name, about)		    { name, about },
#include "model/cause/thrash/figures.def"
	};

	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		if (!strcmp(figures[i].name, name))
			return figures[i].about;
	return NULL;
}
