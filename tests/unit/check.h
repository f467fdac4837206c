/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.h - the whole test framework: checks that count, and an exit status.
 *
 *	TEST(open)
 *	{
 *		CHECK(open_it() == ST_OK);
 *		CHECK_EQ(count, 3);
 *	}
 *
 * A failed check prints its place and text, and the program goes on. check_done(), which follows the last
 * test, prints "N passed, N failed" and returns the exit status: 0, or 1 if any check
 * failed. Unlike assert(), checks do not depend on NDEBUG. A program may have a main() of its own, and no
 * TEST() then.
 */
#ifndef VMCENSUS_TESTS_CHECK_H
#define VMCENSUS_TESTS_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CHECK_SKIPPED 77	/* exit status of a test that cannot run here */

struct check_counts {
	unsigned long passed, failed;
};

/* One test program is one translation unit, so these can be static. */
static struct check_counts check_counts;

static inline bool check_one(bool ok, const char *file, int line, const char *what)
{
	if (ok) {
		check_counts.passed++;
	} else {
		check_counts.failed++;
		printf("%s:%d: failed: %s\n", file, line, what);
	}
	return ok;
}

static inline bool check_equal(uint64_t a, uint64_t b, const char *file, int line,
			       const char *what)
{
	if (check_one(a == b, file, line, what))
		return true;
	printf("\tleft  %" PRIu64 " (%#" PRIx64 ")\n\tright %" PRIu64 " (%#" PRIx64 ")\n",
	       a, a, b, b);
	return false;
}

static inline bool check_str(const char *a, const char *b, const char *file, int line,
			     const char *what)
{
	if (check_one(a && b && !strcmp(a, b), file, line, what))
		return true;
	printf("\tleft  \"%s\"\n\tright \"%s\"\n", a ? a : "(null)", b ? b : "(null)");
	return false;
}

/* All return whether the check held, to guard code that would crash otherwise. */
#define CHECK(cond) check_one((cond), __FILE__, __LINE__, #cond)
#define CHECK_EQ(a, b) \
	check_equal((uint64_t)(a), (uint64_t)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR(a, b) check_str((a), (b), __FILE__, __LINE__, #a " is " #b)

static inline int check_done(void)
{
	printf("%lu passed, %lu failed\n", check_counts.passed, check_counts.failed);
	return check_counts.failed ? 1 : 0;
}

struct check_test {
	void (*run)(void);
	int (*done)(void);
	struct check_test *next;
};

void check_add(struct check_test *t);

/* A test of this program. */
#define TEST(name)                                                                                   \
	static void test_##name(void);                                                                \
	static struct check_test test_##name##_listed = { test_##name, check_done, NULL };            \
	__attribute__((constructor)) static void test_##name##_list(void)                             \
	{                                                                                             \
		check_add(&test_##name##_listed);                                                     \
	}                                                                                             \
	static void test_##name(void)

#endif
