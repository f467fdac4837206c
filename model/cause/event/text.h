/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.h - lines of the kernel's log, taken apart by patterns. The texts are hostile: names
 * of tasks and control groups may hold any byte, also what a pattern looks for.
 *
 * A pattern is literal text with fields:
 *
 *     %c  name of a task: at most COMM_MAX bytes, up to the last place that fits
 *     %p  any bytes, up to the last place that fits       %q  up to the first
 *     %d  a decimal number, with its sign                 %x  hexadecimal, 0x if given
 *     %l  a list of numbers "0-1,3" or "(null)"           %w  letters, digits and _
 *     %b  blanks, or none                                 %*  the rest, may be empty
 *
 * Without %* at its end a pattern must match the whole line. Work is bounded: two fields
 * without a limit may stand in one pattern, and TEXT_MAX bytes of a line are looked at.
 */
#ifndef VMCENSUS_OOM_TEXT_H
#define VMCENSUS_OOM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMM_MAX 15u		/* TASK_COMM_LEN - 1 */
#define TEXT_MAX 4096u		/* bytes of one line; the kernel writes at most 1024 at once */
#define TEXT_FIELDS 9u

struct span {
	const char *p;
	size_t n;
};

/* Does the text match? FIELD has TEXT_FIELDS places, for all fields but %b. */
bool text_match(const char *pattern, struct span text, struct span *field);

static inline bool span_is(struct span s, const char *word)
{
	size_t i = 0;

	while (i < s.n && word[i] && s.p[i] == word[i])
		i++;
	return i == s.n && !word[i];
}

bool span_starts(struct span s, const char *word);
bool span_ends(struct span s, const char *word);
/* First place of WORD in S, s.n if there is none. */
size_t span_find(struct span s, const char *word);
struct span span_from(struct span s, size_t at);
/* Without blanks at both ends. */
struct span span_trim(struct span s);

/* Bytes at the start of S that the field CODE ('d', 'x', 'l', 'w') takes. */
size_t span_take(char code, struct span s);

/* The number that S is, decimal or with 0x; false: none, or it does not fit. */
bool span_number(struct span s, int64_t *ret);

/* A key and its number. */
struct pair {
	struct span key;
	int64_t value;
	bool kib;		/* "kB" or "KB" stands behind it */
};

/*
 * Takes the next "key:12kB", "key=12", "key 12" or "key? yes" (1) from *S; commas and blanks
 * stand between them. What is none is left out. False: there is no other.
 */
bool pair_next(struct span *s, struct pair *ret);

#endif
