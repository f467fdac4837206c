/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/charts/label.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "reports/render/render.h"

/* Noncharacters (Unicode 23.7): U+FDD0..U+FDEF, and the last two of each plane. */
static bool no_character(const char *str, unsigned n)
{
	const unsigned char *s = (const unsigned char *)str;
	uint32_t c = n < 3 ? 0 : n == 3 ? s[0] & 0xfu : s[0] & 7u;

	for (unsigned i = 1; n >= 3 && i < n; i++)
		c = c << 6 | (s[i] & 0x3fu);
	return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

static bool control(const char *str, unsigned n)
{
	const unsigned char *s = (const unsigned char *)str;

	return n == 1 ? s[0] < 0x20 || s[0] == 0x7f : n == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

const char *label_text(struct arena *mem, const char *s, size_t max)
{
	char *out = arena_alloc(mem, 4 * strnlen(s, max) + 1), *p = out;
	const char *end = s + strnlen(s, max);

	while (s < end) {
		unsigned n = utf8_char(s);

		if (n > (size_t)(end - s))
			break;			/* cut inside of a character */
		if (n && !control(s, n) && !no_character(s, n)) {
			memcpy(p, s, n);
			p += n;
			s += n;
			continue;
		}
		for (n = n ? n : 1; n; n--)
			p += sprintf(p, "\\x%02x", (unsigned char)*s++);
	}
	*p = '\0';
	return out;
}
