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
	check_line("6,77,2000001,-,caller=T1;x y", 2000001000, 6, THREAD(1), "x y");
	check_line("2026-02-28T03:20:00.5+01:00 h kernel: [    2.000000] x", 2000000000, none, 0, "x");
	check_line("Feb 28 03:20:00 h kernel: x", NO_TIME, none, 0, "x");
	check_line("[    2.000000] h kernel: x", 2000000000, none, 0, "x");
	check_line("[    2.000000 <    0.250000>] x", 2000000000, none, 0, "x");
	check_line("[    2.000000] [    T7] x", 2000000000, none, THREAD(7), "x");
	check_line("[  +0.250000] x", NO_TIME, none, 0, "x");
	check_line("[Feb28 03:20] x", NO_TIME, none, 0, "x");
	check_line("2026-02-28T03:20:00,500000+01:00 x y", NO_TIME, none, 0, "x y");
	check_line("6.1.0-18-amd64,6,77,2000001,-,caller=C1;x", 2000001000, 6, CPU(1), "x");
	check_line("6,77,2000001,-;caf\\xc3\\xa9 \\x5c \\xg", 2000001000, 6, 0, "caf\303\251 \\ \\xg");
	check_line("I/oom_reaper(    0): reaped", NO_TIME, 6, 0, "oom_reaper: reaped");
	check_line("W/active_anon(    0): 12 b:3", NO_TIME, 4, 0, "active_anon:12 b:3");
	check_line("02-28 03:20:00.123     0     0 W         : x", NO_TIME, 4, 0, "x");
	check_line("2026-02-28 03:20:00.123  root     0     0 E a b     : x", NO_TIME, 3, 0, "a b: x");
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

static void check_texts(const char *all, size_t n, const char *const *texts)
{
	struct snapshot *s;
	struct kernel *k = open_log(all, &s);

	if (CHECK(k && s->machine.nlog == n))
		for (size_t i = 0; i < n; i++)
			CHECK_STR(s->machine.log[i].text, texts[i]);
	snapshot_free(s);
	kernel_close(k);
}

#define TEXTS(all, ...) \
	check_texts(all, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]){ __VA_ARGS__ })

/* Fragments in any order, twice, without their end, and with a dictionary. */
TEST(fragments)
{
	TEXTS("4,1,5,-,ncfrag=0/25;Linux versi\n4,1,5,-,ncfrag=11/25;on 6.1.0 (x) y\n4,2,6,-;z\n", "Linux version 6.1.0 (x) y", "z");
	TEXTS("4,1,5,-,ncfrag=11/26;on 6.1.0 (x) y\n4,1,5,-,ncfrag=0/26;Linux versi\n4,1,5,-,ncfrag=0/26;Linux versi\n4,2,6,-;z\n"
	      "4,2,7,-;w\n", "Linux version 6.1.0 (x) y", "z", "w");
	TEXTS("4,1,5,-,ncfrag=0/40;Linux version 6\n4,2,6,-;z\n4,2,7,-;w\n", "z", "w", "Linux version 6");
	TEXTS("4,1,5,-,ncfrag=0/37;Linux version \n4,1,5,-,ncfrag=14/37;6.1.0 (x)\n SUBSYSTEM=a\n4,2,6,-;z\n4,2,7,-;w\n",
	      "Linux version 6.1.0 (x)", "z", "w");
	TEXTS("4,1,5,-,ncfrag=9/8;a\n4,1,5,-,ncfrag=0/0;b\n4,1,5,-,ncfrag=;c\n", "a", "b", "c");
}

/* Parts of pstore: of one dump the last is the first in time; dumps keep their order. */
TEST(parts)
{
	TEXTS("Panic#2 Part1\n<4>[    3.0] c\nPanic#2 Part2\n<4>[    2.0] b\nPanic#2 Part3\n<4>[    1.0] a", "a", "b", "c");
	TEXTS("Oops#1 Part2\n<4>[    1.0] a\nOops#1 Part1\n<4>[    2.0] b\nPanic#2 Part1\n<4>[    3.0] c\n", "a", "b", "c");
	TEXTS("<4>[    1.0] Oops#1 Part1\n<4>[    2.0] Panic#x Part1\n<4>[    3.0] c\n", "Oops#1 Part1", "Panic#x Part1", "c");
}

/* JSON of any shape: escapes, objects in objects, what is cut. */
TEST(json)
{
	TEXTS("{\"a\":{\"MESSAGE\":\"Linux version 6.1.0\"},\"MESSAGE\":\"x\"}\n{\"MESSAGE\":\"a\\u00e9\\n\\\"b\\q\\ud83d\"}",
	      "Linux version 6.1.0", "a\303\251", "\"bq\355\240\275");
	TEXTS("{\"MESSAGE\":[76,105,110,117,120,32,118,101,114,115,105,111,110,32,54,46,49]}\n{\"MESSAGE\":[\"x\",\"y\"]}\n{\"MESSAGE\":[",
	      "Linux version 6.1", "x");
	TEXTS("{\"MESSAGE\":\"Linux version 6.1\"}\n{\"MESSAGE\":\"cut\n{\"MESSAGE\":\"b\"}\n{\"MESSAGE", "Linux version 6.1", "b");
	TEXTS("{\"msg\":\"Linux version 6.1\\n\\n<6>[    1.5] x\\n\"}\n", "Linux version 6.1");
	TEXTS("{\"msg\":\"[  T7] Linux version 6.1\",\"pri\":null}\n", "Linux version 6.1");
}

/* A message of several lines in the journal's forms. */
TEST(journal)
{
	TEXTS("Fri 2026-11-27 05:00:00.1 UTC [s=1;i=1;b=2;m=a;t=1;x=1]\n    MESSAGE=Linux version 6.1\n            b\n              c\n"
	      "    _TRANSPORT=kernel\nFri 2026-11-27 05:00:00.1 UTC [s=1;i=1;b=2;m=a;t=1;x=1]\n    MESSAGE=d\n    _TRANSPORT=driver\n",
	      "Linux version 6.1", "b", "  c");
	TEXTS("__CURSOR=x\nMESSAGE=Linux version 6.1\n_TRANSPORT=kernel\n\n__CURSOR=y\nMESSAGE=no\n_TRANSPORT=stdout\n\n", "Linux version 6.1");
}
