/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * label.c - makes strings from a dump safe for cairo and XML.
 */
#include "reports/charts/label.h"

#include <stdio.h>
#include <string.h>

#include "reports/render/render.h"

const char *label_text(struct arena *mem, const char *s, size_t max)
{
	char *out = arena_alloc(mem, 4 * strnlen(s, max) + 1), *p = out;
	const char *end = s + strnlen(s, max);

	while (s < end) {
		unsigned n = utf8_char(s);

		if (n > (size_t)(end - s))
			break; /* cut inside of a character */
		if (utf8_shown(s, n)) {
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
