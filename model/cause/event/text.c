/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns and pairs of key and number in lines of the log. */
#include "model/cause/event/text.h"

#include <ctype.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool span_starts(struct span s, const char *word)
{
	size_t n = strlen(word);

	return s.n >= n && !memcmp(s.p, word, n);
}

bool span_ends(struct span s, const char *word)
{
	size_t n = strlen(word);

	return s.n >= n && !memcmp(s.p + s.n - n, word, n);
}

size_t span_find(struct span s, const char *word)
{
	const char *at = s.n ? memmem(s.p, s.n, word, strlen(word)) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

struct span span_from(struct span s, size_t at)
{
	at = at < s.n ? at : s.n;
	return (struct span){ s.p + at, s.n - at };
}

struct span span_trim(struct span s)
{
	while (s.n && (*s.p == ' ' || *s.p == '\t'))
		s = span_from(s, 1);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* ---- numbers --------------------------------------------------------------------- */

static unsigned digit_of(char c)
{
	return is_digit(c)		    ? (unsigned)(c - '0')
	       : isxdigit((unsigned char)c) ? (unsigned)((c | 32) - 'a' + 10)
					    : 99;
}

bool span_number(struct span s, int64_t *ret)
{
	bool minus = s.n && *s.p == '-';
	unsigned base = 10;
	uint64_t v = 0;

	s = span_from(s, minus);
	if (span_starts(s, "0x") || span_starts(s, "0X")) {
		base = 16;
		s = span_from(s, 2);
	}
	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = digit_of(s.p[i]);

		if (d >= base || v > ((uint64_t)INT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	*ret = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

/* ---- patterns --------------------------------------------------------------------- */

size_t span_take(char code, struct span s)
{
	size_t n = 0;

	switch (code) {
	case 'd':
		n = s.n && *s.p == '-';
		while (n < s.n && is_digit(s.p[n]))
			n++;
		return n == 1 && *s.p == '-' ? 0 : n;
	case 'x':
		n = span_starts(s, "0x") ? 2 : 0;
		while (n < s.n && isxdigit((unsigned char)s.p[n]))
			n++;
		return n;
	case 'l':
		if (span_starts(s, "(null)"))
			return 6;
		while (n < s.n && (is_digit(s.p[n]) || s.p[n] == '-' || s.p[n] == ','))
			n++;
		/* a comma at the end belongs to what follows */
		return n && s.p[n - 1] == ',' ? n - 1 : n;
	case 'w':
		while (n < s.n && (isalnum((unsigned char)s.p[n]) || s.p[n] == '_'))
			n++;
		return n;
	case 'b':
		while (n < s.n && s.p[n] == ' ')
			n++;
		return n;
	default: return s.n;
	}
}

static bool match(const char *pat, struct span s, struct span *field, unsigned left);

/* A field of any bytes: up to each place where the literal text behind it stands. */
static bool match_any(const char *pat, struct span s, struct span *field, unsigned left)
{
	size_t most = *pat == 'c' && s.n > COMM_MAX ? COMM_MAX : s.n, len;
	const char *next = pat + 1;

	len = strcspn(next, "%");
	if (len && !memmem(s.p, s.n - most > len ? most + len : s.n, next, len))
		return false;
	for (size_t i = 0; i <= most; i++) {
		size_t n = *pat == 'q' ? i : most - i;

		if (s.n - n < len || (len && (s.p[n] != *next || memcmp(s.p + n, next, len))))
			continue;
		*field = (struct span){ s.p, n };
		if (match(next, span_from(s, n), field + 1, left - 1))
			return true;
	}
	return false;
}

static bool match(const char *pat, struct span s, struct span *field, unsigned left)
{
	for (; *pat; pat++) {
		size_t n;

		if (*pat != '%') {
			if (!s.n || *s.p != *pat)
				return false;
			s = span_from(s, 1);
			continue;
		}
		pat++;
		if (*pat != 'b' && !left)
			return false;
		if (*pat == 'c' || *pat == 'p' || *pat == 'q')
			return match_any(pat, s, field, left);
		n = span_take(*pat, s);
		if (*pat == 'b') {
			s = span_from(s, n);
			continue;
		}
		if (!n && *pat != '*')
			return false;
		*field++ = (struct span){ s.p, n };
		left--;
		s = span_from(s, n);
	}
	return !s.n;
}

bool text_match(const char *pattern, struct span text, struct span *field)
{
	size_t first = strcspn(pattern, "%");

	if (text.n < first || memcmp(text.p, pattern, first))
		return false;
	return match(pattern + first, span_from(text, first), field, TEXT_FIELDS);
}

/* ---- pairs ------------------------------------------------------------------------- */

static bool in_key(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '+' || c == '-' || c == '(' ||
	       c == ')' || c == '/';
}

/* The number behind a key, and its unit. */
static bool pair_value(struct span *s, struct pair *ret)
{
	size_t n = span_take('d', *s), hex = span_starts(*s, "0x") ? span_take('x', *s) : 0;

	n = hex ? hex : n;
	if (!n || !span_number((struct span){ s->p, n }, &ret->value))
		return false;
	*s = span_from(*s, n);
	ret->kib = span_starts(*s, "kB") || span_starts(*s, "KB");
	*s = span_from(*s, ret->kib ? 2 : 0);
	return true;
}

bool pair_next(struct span *s, struct pair *ret)
{
	while (s->n) {
		size_t n = 0;

		while (n < s->n && in_key(s->p[n]))
			n++;
		if (!n) {
			*s = span_from(*s, 1);
			continue;
		}
		ret->key = (struct span){ s->p, n };
		*s = span_from(*s, n);
		if (span_starts(*s, "? ")) {
			*s = span_from(*s, 2);
			ret->value = span_starts(*s, "yes");
			ret->kib = false;
			*s = span_from(*s, ret->value ? 3 : 2);
			return true;
		}
		if (s->n && (*s->p == ':' || *s->p == '=')) {
			*s = span_from(*s, 1);
			/* 4.9 to 6.5 write "shmem_thp: 0kB" */
			*s = span_from(*s, s->n > 1 && *s->p == ' ' && is_digit(s->p[1]));
		} else if (s->n > 1 && *s->p == ' ' && is_digit(s->p[1])) {
			*s = span_from(*s, 1);
		} else {
			continue;
		}
		if (pair_value(s, ret))
			return true;
	}
	return false;
}
