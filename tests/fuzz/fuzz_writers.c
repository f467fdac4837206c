/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_writers - the fuzzer's bytes as names: of a task, a host, a file, a line of the log. Each
 * renderer must keep its form: no control or bidirectional character in text, json and SVG, JSON
 * that is UTF-8 with its strings closed, tags that are ours, rows of csv with their fields.
 * Input: pieces, each ended by a zero byte.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/render/render.h"
#include "tests/unit/hand_snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PIECES 4

static void broken(const char *what, const char *text)
{
	fprintf(stderr, "%s:\n%s\n", what, text);
	abort();
}

/* Bytes of the character at S, which a terminal draws; 0: it obeys it, or it is no UTF-8. By the
   table of Unicode 15, not by our own functions. */
static unsigned drawn(const unsigned char *s)
{
	unsigned n = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;
	uint32_t c = n > 1 ? *s & (0x7f >> n) : *s;

	for (unsigned i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c == '\n' || c == '\t')
		return n;
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	    (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return 0;
	return n;
}

static void check_drawn(const char *text)
{
	unsigned n;

	for (const char *s = text; *s; s += n) {
		n = drawn((const unsigned char *)s);
		if (!n)
			broken("a terminal would obey it", text);
	}
}

static void check_json(const char *text)
{
	bool quoted = false;
	int depth = 0;

	for (const char *s = text; *s; s++) {
		if (quoted && *s == '\\' && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
	}
	if (quoted || depth)
		broken("no json", text);
}

/* Nothing but the tags of a chart. */
static void check_svg(const char *text)
{
	static const char *const tags[] = {
		"svg", "g", "rect", "text", "title", "line", "path", "style", "desc", "tspan", "a",
	};

	for (const char *s = text; (s = strchr(s, '<')); s++) {
		const char *name = s + 1 + (s[1] == '/');
		size_t n = strcspn(name, " />\n");
		bool known = *name == '?' || *name == '!';

		for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
			known |= strlen(tags[i]) == n && !memcmp(tags[i], name, n);
		if (!known)
			broken("a tag that no chart has", s);
	}
}

/* As many fields in each row as in the first. */
static void check_csv(const char *text)
{
	unsigned fields = 1, first = 0;
	bool quoted = false;

	for (const char *s = text; *s; s++) {
		if (*s == '"')
			quoted = !quoted;
		else if (*s == ',' && !quoted)
			fields++;
		else if (*s == '\n' && !quoted) {
			if (first && fields != first)
				broken("a row with other fields", text);
			first = fields;
			fields = 1;
		}
	}
	if (quoted)
		broken("an open quote", text);
}

static void print(struct hand *h, const char *report, const char *format,
		  void (*check)(const char *text), bool drawn)
{
	const struct report_opts o = { 0 };
	char *text = hand_print(h, report, format, NULL, NULL, NULL, 0, &o);

	check(text);
	if (drawn)
		check_drawn(text);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char piece[PIECES][512] = { "", "", "", "" };
	struct hand h;

	for (unsigned i = 0; i < PIECES && size; i++) {
		const uint8_t *end = memchr(data, 0, size);
		size_t n = end ? (size_t)(end - data) : size, used = n < 511 ? n : 511;

		memcpy(piece[i], data, used);
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
	hand_snapshot(&h, 6, 1);
	snprintf(h.tasks[1].comm, sizeof(h.tasks[1].comm), "%.15s", piece[0]);
	snprintf(h.k.nodename, sizeof(h.k.nodename), "%.64s", piece[1]);
	h.files[0].path = piece[2];
	h.log[0].text = piece[3];
	h.log[0].len = (uint32_t)strlen(piece[3]);
	print(&h, "procs", "text", check_drawn, true);
	print(&h, "procs", "json", check_json, true);
	print(&h, "procs", "csv", check_csv, false);
	print(&h, "procs", "svg", check_svg, true);
	print(&h, "vmas", "text", check_drawn, true);
	print(&h, "vmas", "json", check_json, true);
	print(&h, "vmas", "csv", check_csv, false);
	print(&h, "dmesg", "text", check_drawn, true);
	print(&h, "dmesg", "json", check_json, true);
	print(&h, "summary", "text", check_drawn, true);
	print(&h, "summary", "json", check_json, true);
	return 0;
}
