/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "reports/render/render.h"

static bool cont(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Table 3-7 of the Unicode standard: no overlong forms, no surrogates. */
unsigned utf8_char(const char *str)
{
	const unsigned char *s = (const unsigned char *)str;

	if (s[0] < 0x80)
		return s[0] != 0;
	if (s[0] < 0xc2 || s[0] > 0xf4 || !cont(s[1]))
		return 0;
	if (s[0] < 0xe0)
		return 2;
	if (s[0] < 0xf0) {
		if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))
			return 0;
		return cont(s[2]) ? 3 : 0;
	}
	if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return cont(s[2]) && cont(s[3]) ? 4 : 0;
}

/* C0, DEL and C1: what a terminal may obey. */
static bool is_control(const char *str, unsigned len)
{
	const unsigned char *s = (const unsigned char *)str;

	if (len == 1)
		return s[0] < 0x20 || s[0] == 0x7f;
	return len == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

static uint32_t code_point(const char *str, unsigned n)
{
	const unsigned char *s = (const unsigned char *)str;
	uint32_t c = n < 2 ? s[0] : s[0] & (0x7fu >> n);

	for (unsigned i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3fu);
	return c;
}

bool utf8_shown(const char *s, unsigned n)
{
	uint32_t c;

	if (!n || is_control(s, n))
		return false;
	c = code_point(s, n);
	/* Unicode 23.7: U+FDD0..U+FDEF, and the last two of each plane */
	if ((c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef))
		return false;
	/* Unicode annex 9: marks, embeddings and overrides, isolates */
	return c != 0x200e && c != 0x200f && c != 0x61c && !(c >= 0x202a && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069);
}

size_t text_width(const char *s)
{
	size_t w = 0;

	while (*s) {
		unsigned n = utf8_char(s);

		if (!n || is_control(s, n)) {
			n = n ? n : 1;
			w += 4 * (size_t)n;
		} else {
			w++;
		}
		s += n;
	}
	return w;
}

static void put_hex(FILE *out, const char *s, unsigned n, const char *prefix)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%sx%02x", prefix, (unsigned char)s[i]);
}

void put_text_len(FILE *out, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		unsigned n = utf8_char(s);

		if (!n || is_control(s, n)) {
			n = n ? n : 1;
			put_hex(out, s, n, "\\");
		} else {
			fwrite(s, 1, n, out);
		}
		s += n;
	}
}

void put_text(FILE *out, const char *s)
{
	put_text_len(out, s, strlen(s));
}

void put_json(FILE *out, const char *s)
{
	putc('"', out);
	while (*s) {
		unsigned n = utf8_char(s);

		if (!n) {
			n = 1;
			put_hex(out, s, n, "\\\\");
		} else if (*s == '"' || *s == '\\') {
			putc('\\', out);
			putc(*s, out);
		} else if (is_control(s, n)) {
			fprintf(out, "\\u%04x", (unsigned char)s[n - 1]);
		} else {
			fwrite(s, 1, n, out);
		}
		s += n;
	}
	putc('"', out);
}

void put_json_html(FILE *out, const char *s)
{
	putc('"', out);
	while (*s) {
		unsigned n = utf8_char(s);

		if (!utf8_shown(s, n)) {
			n = n ? n : 1;
			put_hex(out, s, n, "\\\\");
		} else if (strchr("\"\\<>&", *s)) {
			fprintf(out, "\\u%04x", (unsigned char)*s);
		} else {
			fwrite(s, 1, n, out);
		}
		s += n;
	}
	putc('"', out);
}

void put_csv(FILE *out, const char *s)
{
	size_t len = strlen(s);
	bool quote = len && (strpbrk(s, ",\"\r\n") || s[0] == ' ' || s[len - 1] == ' ');

	if (quote)
		putc('"', out);
	while (*s) {
		unsigned n = utf8_char(s);

		if (!n || (is_control(s, n) && !strchr("\t\r\n", *s))) {
			n = n ? n : 1;
			put_hex(out, s, n, "\\");
		} else {
			if (*s == '"')
				putc('"', out);
			fwrite(s, 1, n, out);
		}
		s += n;
	}
	if (quote)
		putc('"', out);
}
