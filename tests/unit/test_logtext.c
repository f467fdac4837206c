/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of the kernel's log, line by line: what a prefix says, and what only looks like one.
 */
#include <stdlib.h>

#include "model/memory/source/capture.h"
#include "tests/unit/check.h"

#define NO_TIME UINT64_MAX
#define THREAD(n) (n)
#define CPU(n) (UINT32_C(1) << 31 | (n))

/* The log of TEXT, or one of no lines. */
static struct kernel *open_log(const char *text, struct snapshot **s)
{
	struct kernel *k = NULL;

	*s = NULL;
	if (!capture_of_bytes((const uint8_t *)text, strlen(text), &k))
		*s = snapshot_build(k, NEED_LOG | NEED_MACHINE, NULL);
	return k;
}

static void check_line(const char *line, uint64_t ts, unsigned level, uint32_t caller,
		       const char *text)
{
	char all[512];
	struct snapshot *s;
	struct kernel *k;

	snprintf(all, sizeof(all), "%s\n%s\n%s\n", line, line, line);
	k = open_log(all, &s);
	if (CHECK(k && s->machine.nlog)) {
		const struct log_line *l = &s->machine.log[0];

		CHECK_STR(l->text, text);
		CHECK_EQ(s->machine.log_by_clock ? NO_TIME : l->ts, ts);
		CHECK_EQ(l->level, level);
		CHECK_EQ(l->caller, caller);
	}
	snapshot_free(s);
	kernel_close(k);
}

TEST(prefixes)
{
	const unsigned none = LOG_LEVEL_UNKNOWN;

	check_line("[    1.500000] a: b", 1500000000, none, 0, "a: b");
	check_line("[12345.000001]  two blanks", 12345000001000, none, 0, " two blanks");
	check_line("<3>[    2.000000] x", 2000000000, 3, 0, "x");
	check_line("[    2.000000][    T7] x", 2000000000, none, THREAD(7), "x");
	check_line("[    2.000000][    C3] x", 2000000000, none, CPU(3), "x");
	check_line("kern  :err   : [    2.000000] x", 2000000000, 3, 0, "x");
	check_line("6,77,2000001,-,caller=T1;x y", 2000001000, 6, 0, "x y");
	check_line("2026-02-28T03:20:00.5+01:00 h kernel: [    2.000000] x", 2000000000, none, 0, "x");
	check_line("Feb 28 03:20:00 h kernel: x", NO_TIME, none, 0, "x");
	check_line("[    2.000000] h kernel: x", 2000000000, none, 0, "x");
	check_line("\033[1m[    2.000000]\033[0m x\r", 2000000000, none, 0, "x");
}

/* What is cut, too long or of no possible value is a part of the text. */
TEST(no_prefixes)
{
	static const char *const lines[] = {
		"[", "[ 1", "[ 1.5", "[99999999999.5] x", "<", "<1234>x", "<4", "6,7,8", "6,7,8,-", "kern", "kern  :",
		"kern  :warn", "[Fri Nov 27 05:00:00 2026", "[Fri Nov 27 05:00:00 1500] x", "9999-01-01T00:00:00 h kernel: x",
		"Feb 30", "1 ", "Jan", "[\033[", "\033",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char all[256];
		struct snapshot *s;
		struct kernel *k;

		snprintf(all, sizeof(all), "Linux version 6.1.0 (x)\n%s", lines[i]);
		k = open_log(all, &s);
		CHECK(k && s->machine.nlog);
		CHECK(k && s->machine.log_by_clock);
		snapshot_free(s);
		kernel_close(k);
	}
}

/* The clock is kept as it stands, and counts from the first line. */
TEST(clock)
{
	struct snapshot *s;
	struct kernel *k = open_log("[Sat Feb 28 23:59:58 2026] Linux version 6.1.0 (x)\n"
				    "[Sun Mar  1 00:00:01 2026] b\n", &s);

	if (CHECK(k && s->machine.nlog == 2)) {
		CHECK(s->machine.log_by_clock);
		CHECK_EQ(s->machine.log[0].ts, 0);
		CHECK_EQ(s->machine.log[1].ts, 3000000000);
		CHECK_STR(s->machine.log[1].printed, "Sun Mar  1 00:00:01 2026");
	}
	snapshot_free(s);
	kernel_close(k);
}

TEST(release)
{
	struct snapshot *s;
	struct kernel *k = open_log("[    1.0] CPU: 0 PID: 1 Comm: a #b Tainted: G  O  5.10.0-46-amd64 #1 Debian\n"
				    "[    2.0] x invoked oom-killer: gfp_mask=0x0, order=0\n", &s);

	if (CHECK(k != NULL)) {
		CHECK_STR(k->release, "5.10.0-46-amd64");
		CHECK_EQ(k->version.minor, 10);
	}
	snapshot_free(s);
	kernel_close(k);
}

TEST(others)
{
	struct snapshot *s;
	struct kernel *k = open_log("Feb 28 03:20:00 h kernel: Linux version 6.1.0 (x)\n"
				    "Feb 28 03:20:01 h cron[3]: kernel: no\n"
				    "no prefix at all\n"
				    "Feb 28 03:20:02 h kernel: last", &s);

	if (CHECK(k && s->machine.nlog == 2))
		CHECK_STR(s->machine.log[1].text, "last");
	snapshot_free(s);
	kernel_close(k);
	k = open_log("some text\nof two lines\n", &s);
	CHECK(!k);
}
