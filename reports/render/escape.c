/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * escape.c - prints strings from a dump without control characters; their width.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
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

bool utf8_whole(const char *s)
{
	for (unsigned n; (n = utf8_char(s)); s += n)
		;
	return !*s;
}

static uint32_t code_point(const char *str, unsigned n)
{
	const unsigned char *s = (const unsigned char *)str;
	uint32_t c = n < 2 ? s[0] : s[0] & (0x7fu >> n);

	for (unsigned i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3fu);
	return c;
}

/*
 * C0, DEL and C1, which a terminal may obey; Default_Ignorable_Code_Point of Unicode 15
 * (DerivedCoreProperties.txt: invisible characters and bidirectional controls); separators
 * of lines and paragraphs; marks of annotations; U+FDD0..U+FDEF, which are no characters.
 */
static const struct { uint32_t first, last; } not_shown[] = {
	{ 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c },
	{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfdd0, 0xfdef },
	{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

bool utf8_shown(const char *s, unsigned n)
{
	uint32_t c;

	if (!n)
		return false;
	c = code_point(s, n);
	for (size_t i = 0; i < ARRAY_LEN(not_shown); i++)
		if (c >= not_shown[i].first && c <= not_shown[i].last)
			return false;
	return (c & 0xfffe) != 0xfffe; /* the last two of each plane are no characters */
}

size_t text_width(const char *s)
{
	size_t w = 0;

	while (*s) {
		unsigned n = utf8_char(s);

		if (!utf8_shown(s, n)) {
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

/* Bytes of the first character at S, and the columns that it takes. */
static size_t step(const char *s, size_t *width)
{
	unsigned n = utf8_char(s);
	char c[5] = "";

	memcpy(c, s, n ? n : 1);
	*width = text_width(c);
	return n ? n : 1;
}

void put_text_cut(FILE *out, const char *s, size_t width)
{
	size_t all = text_width(s), used = 0, w, n;
	const char *at = s;

	if (all <= width) {
		put_text(out, s);
		return;
	}
	if (*s == '/') {
		for (; *at && all + 3 > width; at += n, all -= w)
			n = step(at, &w);
		fputs("...", out);
		put_text(out, at);
		return;
	}
	for (n = step(at, &w); used + w + 3 <= width; n = step(at, &w)) {
		used += w;
		at += n;
	}
	put_text_len(out, s, (size_t)(at - s));
	fputs("...", out);
}

void put_text_len(FILE *out, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		unsigned n = utf8_char(s);

		if (!utf8_shown(s, n)) {
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

/* The character in UTF-16, as \u in JSON has it. */
static void put_utf16(FILE *out, uint32_t c)
{
	if (c > 0xffff)
		fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
			0xdc00 + (c & 0x3ff));
	else
		fprintf(out, "\\u%04x", c);
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
		} else if (!utf8_shown(s, n)) {
			put_utf16(out, code_point(s, n));
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

/* Does a spreadsheet take a cell that begins with this for a formula? Some treat full-width
   forms the same way. */
static bool begins_formula(uint32_t c)
{
	return c == '=' || c == '+' || c == '-' || c == '@' || c == 0xff0b || c == 0xff0d ||
	       c == 0xff1d || c == 0xff20;
}

void put_csv(FILE *out, const char *s)
{
	size_t len = strlen(s);
	bool quote = len && (strpbrk(s, ",\"") || s[0] == ' ' || s[len - 1] == ' ');
	const char *first = s + strspn(s, " ");

	if (quote)
		putc('"', out);
	while (*s) {
		unsigned n = utf8_char(s);

		if (!utf8_shown(s, n) || (s[0] == '\\' && s[1] == 'x') ||
		    (s == first && begins_formula(code_point(s, n)))) {
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

void put_lines(FILE *out, const char *s)
{
	put_folded(out, s, 0, 0);
}

/* The bytes of S to print of a line that has WIDTH columns: up to a blank, or, if there is none, as many as fit. */
static size_t fitting(const char *s, size_t len, size_t width)
{
	size_t at = 0, used = 0, blank = 0, w, n;

	while (at < len) {
		n = step(s + at, &w);
		if (s[at] == ' ' && at && s[at - 1] != ' ')
			blank = at;
		if (used + w > width)
			return blank ? blank : at ? at : n;
		used += w;
		at += n;
	}
	return len;
}

static void put_folded_line(FILE *out, const char *s, size_t len, size_t indent, size_t width)
{
	for (size_t left = width, n; (n = fitting(s, len, left)) < len; left = width - indent) {
		put_text_len(out, s, n);
		fprintf(out, "\n%*s", (int)indent, "");
		while (n < len && s[n] == ' ')
			n++;
		s += n;
		len -= n;
	}
	put_text_len(out, s, len);
	putc('\n', out);
}

void put_folded(FILE *out, const char *s, size_t indent, size_t width)
{
	for (size_t n; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		put_folded_line(out, s, n, indent, width > 2 * indent ? width : SIZE_MAX);
	}
}

void put_csv_field(FILE *out, const char *s)
{
	putc('"', out);
	while (*s) {
		unsigned n = utf8_char(s);

		if (!n)
			put_hex(out, s, 1, "\\");
		if (*s == '"')
			putc('"', out);
		fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
	putc('"', out);
}
