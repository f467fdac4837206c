/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * erased.c - what makedumpfile --config erased on purpose, as it says itself: in kdump-compressed files a text
 * (offset_eraseinfo of the sub-header), in ELF files the note ERASEINFO. Each line is a rule that was followed:
 *
 *	erase task_struct.comm 0 16
 *
 * The data of each is overwritten with the letter X (makedumpfile.conf(5)).
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/format.h"

#define RULE "erase "
#define NAMES_SHOWN 4u

void image_take_eraseinfo(struct image *im, const uint8_t *text, size_t len)
{
	const char *line =
		arena_strndup(&im->mem, (const char *)text, strnlen((const char *)text, len));
	const char *names = "";
	uint64_t rules = 0;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t n;

		if (!str_begins(line, RULE))
			continue;
		n = strcspn(line + strlen(RULE), " \t\n");
		if (n && n < 64 && rules < NAMES_SHOWN)
			names = arena_printf(&im->mem, "%s%s%.*s", names, *names ? ", " : "",
					     (int)n, line + strlen(RULE));
		rules++;
	}
	if (rules > NAMES_SHOWN)
		names = arena_printf(&im->mem, "%s, ...", names);
	if (rules)
		cause_add(&im->causes, CAUSE_ERASED, rules, 0, names);
}
