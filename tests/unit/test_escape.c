/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of a hostile dump. The output of each format is written here by hand, for the
 * functions and then for every report and every layout over the snapshot made by hand.
 */
#include <stdlib.h>

#include "reports/render/render.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

static void check_put(void (*put)(FILE *, const char *), const char *s, const char *want)
{
	char *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	put(out, s);
	fclose(out);
	CHECK_STR(got, want);
	free(got);
}

/* Without the quotes that json and the page have around a string. */
static const struct { const char *name, *text, *csv, *json, *html; } cases[] = {
	{ "", "", "", "", "" },
	{ "plain", "plain", "plain", "plain", "plain" },
	{ "caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80",
	  "caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80" },
	/* C0, DEL, C1 */
	{ "a\tb", "a\\x09b", "a\\x09b", "a\\u0009b", "a\\\\x09b" },
	{ "a\r\nb", "a\\x0d\\x0ab", "a\\x0d\\x0ab", "a\\u000d\\u000ab", "a\\\\x0d\\\\x0ab" },
	{ "\x1b[2J\x7f", "\\x1b[2J\\x7f", "\\x1b[2J\\x7f", "\\u001b[2J\\u007f",
	  "\\\\x1b[2J\\\\x7f" },
	{ "\xc2\x9bm", "\\xc2\\x9bm", "\\xc2\\x9bm", "\\u009bm", "\\\\xc2\\\\x9bm" },
	/* changes of direction: U+202E, U+2066, U+200F, U+061C */
	{ "\xe2\x80\xaegpj", "\\xe2\\x80\\xaegpj", "\\xe2\\x80\\xaegpj", "\\u202egpj",
	  "\\\\xe2\\\\x80\\\\xaegpj" },
	{ "\xe2\x81\xa6\xe2\x80\x8f", "\\xe2\\x81\\xa6\\xe2\\x80\\x8f",
	  "\\xe2\\x81\\xa6\\xe2\\x80\\x8f", "\\u2066\\u200f",
	  "\\\\xe2\\\\x81\\\\xa6\\\\xe2\\\\x80\\\\x8f" },
	{ "\xd8\x9c", "\\xd8\\x9c", "\\xd8\\x9c", "\\u061c", "\\\\xd8\\\\x9c" },
	/* without width: U+200B, U+FEFF, U+00AD, a tag (U+E0041) */
	{ "s\xe2\x80\x8bh", "s\\xe2\\x80\\x8bh", "s\\xe2\\x80\\x8bh", "s\\u200bh",
	  "s\\\\xe2\\\\x80\\\\x8bh" },
	{ "\xef\xbb\xbfs", "\\xef\\xbb\\xbfs", "\\xef\\xbb\\xbfs", "\\ufeffs",
	  "\\\\xef\\\\xbb\\\\xbfs" },
	{ "s\xc2\xadh", "s\\xc2\\xadh", "s\\xc2\\xadh", "s\\u00adh", "s\\\\xc2\\\\xadh" },
	{ "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81", "\\xf3\\xa0\\x81\\x81", "\\udb40\\udc41",
	  "\\\\xf3\\\\xa0\\\\x81\\\\x81" },
	/* U+2028, for some programs a line's end */
	{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8", "\\xe2\\x80\\xa8", "\\u2028", "\\\\xe2\\\\x80\\\\xa8" },
	/* invalid UTF-8: overlong, surrogate, beyond Unicode, cut short */
	{ "\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf", "\\\\xc0\\\\xaf", "\\\\xc0\\\\xaf" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", "\\\\xed\\\\xa0\\\\x80",
	  "\\\\xed\\\\xa0\\\\x80" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80",
	  "\\\\xf4\\\\x90\\\\x80\\\\x80", "\\\\xf4\\\\x90\\\\x80\\\\x80" },
	{ "\xe2\x82", "\\xe2\\x82", "\\xe2\\x82", "\\\\xe2\\\\x82", "\\\\xe2\\\\x82" },
	/* formulas of a spreadsheet */
	{ "=1+2", "=1+2", "\\x3d1+2", "=1+2", "=1+2" },
	{ "+1", "+1", "\\x2b1", "+1", "+1" },
	{ "-1", "-1", "\\x2d1", "-1", "-1" },
	{ "---p", "---p", "\\x2d--p", "---p", "---p" },
	{ "@sum", "@sum", "\\x40sum", "@sum", "@sum" },
	{ "  =1", "  =1", "\"  \\x3d1\"", "  =1", "  =1" },
	{ "\t=1", "\\x09=1", "\\x09=1", "\\u0009=1", "\\\\x09=1" },
	{ "=A,\"b\"", "=A,\"b\"", "\"\\x3dA,\"\"b\"\"\"", "=A,\\\"b\\\"", "=A,\\u0022b\\u0022" },
	{ "\xef\xbc\x9d" "1", "\xef\xbc\x9d" "1", "\\xef\\xbc\\x9d1", "\xef\xbc\x9d" "1",
	  "\xef\xbc\x9d" "1" },
	{ "a=b-c", "a=b-c", "a=b-c", "a=b-c", "a=b-c" },
	/* RFC 4180 */
	{ "a,b", "a,b", "\"a,b\"", "a,b", "a,b" },
	{ "say \"x\"", "say \"x\"", "\"say \"\"x\"\"\"", "say \\\"x\\\"", "say \\u0022x\\u0022" },
	{ " lead", " lead", "\" lead\"", " lead", " lead" },
	{ "trail ", "trail ", "\"trail \"", "trail ", "trail " },
	/* csv keeps names apart that already look escaped */
	{ "dev\\x2dsda", "dev\\x2dsda", "dev\\x5cx2dsda", "dev\\\\x2dsda", "dev\\u005cx2dsda" },
	{ "a\\b", "a\\b", "a\\b", "a\\\\b", "a\\u005cb" },
	/* markup */
	{ "<b>&", "<b>&", "<b>&", "<b>&", "\\u003cb\\u003e\\u0026" },
};

TEST(functions)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char quoted[128];

		check_put(put_text, cases[i].name, cases[i].text);
		check_put(put_csv, cases[i].name, cases[i].csv);
		snprintf(quoted, sizeof(quoted), "\"%s\"", cases[i].json);
		check_put(put_json, cases[i].name, quoted);
		snprintf(quoted, sizeof(quoted), "\"%s\"", cases[i].html);
		check_put(put_json_html, cases[i].name, quoted);
	}
	CHECK_EQ(text_width("caf\xc3\xa9 \xf0\x9f\x98\x80"), 6);
	CHECK_EQ(text_width("a\x1b\xc2\x9b"), 13);
	CHECK_EQ(text_width("\xe2\x80\xae"), 12);
}

/* ---- every report ----------------------------------------------------------------- */

#define NAME "=a\tb\xe2\x80\xae\n"
#define NAME_TEXT "=a\\x09b\\xe2\\x80\\xae\\x0a"
#define NAME_CSV "\\x3da\\x09b\\xe2\\x80\\xae\\x0a"
#define NAME_JSON "=a\\u0009b\\u202e\\u000a"

static void start(struct hand *h)
{
	hand_snapshot(h, 6, 1);
	for (int i = 1; i < 4; i++)
		strcpy(h->tasks[i].comm, NAME);
	h->mms[0].cmdline = NAME;
	h->cgroups[0].path = NAME;
	h->files[0].path = h->vmas[0].name = NAME;
	h->files[0].deleted = false;
	h->log[1].text = NAME;
}

/* No byte of TEXT may control a terminal, except those in MAY; WANT is in it. */
static void check_text(const char *what, const char *text, const char *may, const char *want)
{
	bool clean = true;

	for (const char *s = text; *s; s++)
		clean &= ((unsigned char)*s >= ' ' && *s != 0x7f) || strchr(may, *s);
	clean &= !strstr(text, "\xe2\x80\xae");
	if (!CHECK(clean && strstr(text, want)))
		printf("%s prints: %s\n", what, text);
}

static void check_report(const char *report, const char *format, const char *like,
			 const char *may, const char *want)
{
	const struct report_opts o = { .like = like, .all = true };
	struct hand h;
	char *got;

	start(&h);
	got = hand_print(&h, report, format, NULL, NULL, NULL, 0, &o);
	check_text(like ? like : report, got, may, want);
	free(got);
}

TEST(reports)
{
	static const struct { const char *report, *columns; } named[] = {
		{ "procs", "comm" }, { "programs", "name" }, { "cgroups", "path" },
		{ "vmas", "name" }, { "files", "name" }, { "smaps", "comm" }, { "maps", "name" },
		{ "dmesg", "text" },
	};

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		struct hand h;
		char *got;

		start(&h);
		got = hand_print(&h, named[i].report, "text", named[i].columns, NULL, NULL, 0, NULL);
		check_text(named[i].report, got, "\n", NAME_TEXT);
		free(got);
		got = hand_print(&h, named[i].report, "csv", named[i].columns, NULL, NULL, 0, NULL);
		check_text(named[i].report, got, "\n", "\n" NAME_CSV "\n");
		free(got);
		got = hand_print(&h, named[i].report, "json", named[i].columns, NULL, NULL, 0, NULL);
		check_text(named[i].report, got, "\n", "\"" NAME_JSON "\"");
		free(got);
	}
	check_report("summary", "text", NULL, "\n", NAME_TEXT);
	/* a tab of the log stays one */
	check_report("dmesg", "text", NULL, "\n\t", "=a\tb\\xe2\\x80\\xae\\x0a");
}

/* Tabs and the form feed are the layouts' own. */
TEST(layouts)
{
	check_report("procs", "text", "smem", "\n", NAME_TEXT);
	check_report("procs", "text", "procrank", "\n", NAME_TEXT);
	check_report("procs", "text", "exmap", "\n\t", "\t" NAME_TEXT "\n");
	check_report("procs", "text", "paper", "\n", NAME_CSV ", ");
	check_report("procs", "csv", "paper", "\n", NAME_CSV ", ");
	check_report("programs", "text", "ps_mem", "\n\t", "\t" NAME_TEXT " (2)\n");
	check_report("vmas", "text", "smem", "\n", NAME_TEXT);
	check_report("vmas", "text", "smem.pl", "\n\f", NAME_TEXT "\n");
	check_report("vmas", "text", "librank", "\n", NAME_TEXT " [10]");
	check_report("vmas", "text", "showmap", "\n", NAME_TEXT "\n");
	check_report("vmas", "text", "pmap", "\n", "10:   " NAME_TEXT "\n");
	check_report("vmas", "text", "paper", "\n\t", "name: " NAME_TEXT "\n");
	check_report("maps", "text", "exmap", "\n\t", NAME_TEXT "\n");
	check_report("units", "text", "paper", "\n\t", NAME_TEXT);
	check_report("total", "csv", "paper", "\n\t", NAME_CSV ", ");
	check_report("files", "text", "exmap", "\n\t", NAME_TEXT);
}
