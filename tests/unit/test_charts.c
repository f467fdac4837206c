/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes, amounts, labels and sums of bars of charts, worked out by hand. */
#include <stdlib.h>
#include <string.h>

#include "model/memory/usage/refs.h"
#include "model/shared.h"
#include "reports/charts/label.h"
#include "reports/charts/scale.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

static void axis(uint64_t max, enum text_unit unit, uint64_t step, uint64_t ticks,
		 const char *last)
{
	struct scale s = { .type = COL_BYTES, .unit = "bytes", .units = { unit, 4096 } };
	char buf[AMOUNT_TEXT];

	scale_axis(&s, max);
	CHECK_EQ(s.step, step);
	CHECK_EQ(s.ticks, ticks);
	scale_tick(&s, step * ticks, buf);
	CHECK_STR(buf, last);
}

TEST(axis)
{
	axis(0, UNIT_KIB, 1, 1, "1 B");
	axis(6, UNIT_KIB, 1, 6, "6 B");
	axis(4096, UNIT_KIB, 1024, 4, "4 KiB");
	axis(38281216, UNIT_KIB, UINT64_C(10) << 20, 4, "40 MiB");
	axis(UINT64_C(3) << 30, UNIT_KIB, UINT64_C(1) << 30, 3, "3 GiB");
	axis(UINT64_C(5900) << 20, UNIT_KIB, UINT64_C(1) << 30, 6, "6 GiB");
	axis(UINT64_C(900) << 40, UNIT_KIB, UINT64_C(200) << 40, 5, "1000 TiB");
	axis(4096 * 1234, UNIT_PAGES, 4096 * 500, 3, "1,500 pages");
}

/* An axis ends for any amount, and holds it. */
TEST(axis_any)
{
	uint64_t max = 1;

	for (unsigned i = 0; i < 64; i++, max = max * 2 + i % 2) {
		struct scale s = { .type = COL_BYTES, .unit = "", .units = { UNIT_KIB, 4096 } };

		scale_axis(&s, max);
		CHECK(s.ticks >= 1 && s.ticks <= 10);
		CHECK((double)s.step * (double)s.ticks >= (double)max);
	}
}

static void amount(uint64_t v, enum text_unit unit, const char *want)
{
	const struct scale s = { .type = COL_BYTES, .unit = "bytes", .units = { unit, 4096 } };
	char buf[AMOUNT_TEXT];

	scale_amount(&s, v, buf);
	CHECK_STR(buf, want);
}

TEST(amount)
{
	const struct scale count = { .type = COL_UINT, .unit = "pages" };
	char buf[AMOUNT_TEXT];

	amount(0, UNIT_KIB, "0 B");
	amount(1023, UNIT_KIB, "1.00 KiB");
	amount(1024 * 10, UNIT_KIB, "10.0 KiB");
	amount(UINT64_C(1023) << 20, UNIT_KIB, "1.00 GiB");
	amount(36655000, UNIT_KIB, "35.0 MiB");
	amount(UINT64_MAX, UNIT_KIB, "16.0 EiB");
	amount(1234567, UNIT_BYTES, "1,234,567 B");
	amount(4096 * 1234, UNIT_PAGES, "1,234 pages");
	scale_amount(&count, 154, buf);
	CHECK_STR(buf, "154 pages");
}

/* XML has no U+FFFE, and cairo refuses it, as it refuses invalid UTF-8. */
TEST(label)
{
	struct arena mem = { 0 };

	CHECK_STR(label_text(&mem, "a<b>\xc3\xa9", 99), "a<b>\xc3\xa9");
	CHECK_STR(label_text(&mem, "\x1b[2J\x80\n", 99), "\\x1b[2J\\x80\\x0a");
	CHECK_STR(label_text(&mem, "\xc2\x85", 99), "\\xc2\\x85");
	CHECK_STR(label_text(&mem, "\xef\xbf\xbe", 99), "\\xef\\xbf\\xbe");
	CHECK_STR(label_text(&mem, "\xef\xb7\x90", 99), "\\xef\\xb7\\x90");
	CHECK_STR(label_text(&mem, "\xf4\x8f\xbf\xbf", 99), "\\xf4\\x8f\\xbf\\xbf");
	CHECK_STR(label_text(&mem, "\xf0\x9f\x90\xa7", 99), "\xf0\x9f\x90\xa7");
	CHECK_STR(label_text(&mem, "\xe2\x80\xae" "x\xe2\x81\xa6", 99),
		  "\\xe2\\x80\\xaex\\xe2\\x81\\xa6");
	CHECK_STR(label_text(&mem, "\xe2\x80\xa6\xef\xbf\xbd", 99), "\xe2\x80\xa6\xef\xbf\xbd");
	CHECK_STR(label_text(&mem, "abcdef", 3), "abc");
	CHECK_STR(label_text(&mem, "a\xc3\xa9", 2), "a");
	arena_release(&mem);
}

/* Two processes share one mm: a bar each, and the total of one. */
TEST(shared)
{
	struct hand h;
	char *svg;

	hand_snapshot(&h, 6, 1);
	svg = hand_print(&h, "procs", "svg", NULL, NULL, NULL, 0, NULL);
	CHECK(strstr(svg, "sh\\x1b[2J (10): pss_anon 10.0 KiB (10240)"));
	CHECK(strstr(svg, "child (11): pss_anon 10.0 KiB (10240)"));
	/* 10240 + 2730 of pss, 2048 of swap_pss */
	CHECK(strstr(svg, "2 rows; pss and swap_pss of all together: 14.7 KiB;"));
	CHECK(strstr(svg, "field &quot;7&quot;"));
	free(svg);
	svg = hand_print(&h, "procs", "svg", NULL, NULL, NULL, 1, NULL);
	CHECK(strstr(svg, "rest (1)") && !strstr(svg, "rest (1):"));
	free(svg);
}

TEST(formats)
{
	static const char *const formats[] = { "ps", "pdf", "png" };
	static const char *const starts[] = { "%!PS-Adobe", "%PDF-1.", "\x89PNG" };
	struct hand h;

	hand_snapshot(&h, 6, 1);
	strcpy(h.tasks[3].comm, "\xef\xbf\xbe\xff");
	for (unsigned i = 0; i < 3; i++) {
		char *out = hand_print(&h, "procs", formats[i], NULL, NULL, NULL, 0, NULL);

		CHECK(!memcmp(out, starts[i], strlen(starts[i])));
		free(out);
	}
}

/* The elements of a page are those of its template, whatever the names are. */
TEST(html)
{
	const struct product *p = report_find("html")->products;
	static const char evil[] = "</script><!--";
	struct report_opts o = { .pid = 0 };
	struct sizes sizes[3] = { { .vm = 0 } };
	unsigned ends = 0;
	struct diag diag;
	struct hand h;
	char *page = NULL;
	size_t len;
	FILE *out = open_memstream(&page, &len);

	hand_snapshot(&h, 6, 1);
	strcpy(h.tasks[1].comm, evil);
	strcpy(h.k.nodename, evil);
	h.files[0].path = h.vmas[0].name = evil;
	h.log[0].text = h.s.machine.panic = evil;
	h.s.sizes = sizes;
	CHECK(!p->write(&h.s, &o, NULL, out, &diag));
	fclose(out);
	for (const char *at = page; (at = strstr(at, "</script")); at++)
		ends++;
	CHECK_EQ(ends, 2);
	CHECK(!strstr(page, "<!--") || !strstr(strstr(page, "<!--") + 4, "<!--"));
	CHECK(strstr(page, "\\u003c/script\\u003e\\u003c!--"));
	free(page);
	shared_free(&h.s);
}
