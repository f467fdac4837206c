/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --where, --sort, --columns: the texts that they accept, and the rows and columns that
 * they select. */
#include <math.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "reports/core/cell.h"
#include "reports/core/pick.h"
#include "reports/core/where.h"
#include "tests/unit/check.h"

struct row {
	const char *name;
	char state;
	int64_t n;
	uint64_t count, bytes, addr, ns;
	double ratio;
	uint64_t most, pages;
	int64_t grown, number;
};

static const struct column cols[] = {
	COL(struct row, name, COL_STR, COL_SHOWN, "", ""),
	COL(struct row, state, COL_CHAR, COL_SHOWN, "", ""),
	COL(struct row, n, COL_INT, COL_SHOWN, "", ""),
	COL(struct row, count, COL_UINT, 0, "", ""),
	COL(struct row, bytes, COL_BYTES, 0, "bytes", ""),
	COL(struct row, addr, COL_HEX, 0, "", ""),
	COL(struct row, ns, COL_NSEC, COL_THREADS, "ns", ""),
	COL(struct row, ratio, COL_RATIO, 0, "", ""),
	COL(struct row, most, COL_BYTES, 0, "bytes", ""),
	COL(struct row, pages, COL_UINT, 0, "pages", ""),
	COL(struct row, grown, COL_DELTA, 0, "bytes", ""),
	COL(struct row, number, COL_INT, 0, "", ""),
};

#define NCOLS ARRAY_LEN(cols)

static const struct row apple = {
	.name = "apple pie", .state = 'R', .n = -5, .count = 18446744073709551614u,
	.bytes = 1536 << 10, .addr = 0xffff888000000000, .ns = 90000000000, .ratio = 0.5,
	.most = 1536 << 10, .pages = 384, .grown = -4096, .number = 7,
};
static const struct row nothing = {
	.n = COL_UNKNOWN_INT, .count = COL_UNKNOWN, .bytes = COL_UNKNOWN, .addr = COL_UNKNOWN,
	.ns = COL_UNKNOWN, .ratio = NAN, .most = 5,
};

/* 1, 0, or -1: not accepted. */
static int holds_for(const struct row *row, const char *text)
{
	struct diag diag;
	struct where *w;
	int ret;

	if (where_parse(text, cols, NCOLS, &diag, &w))
		return -1;
	ret = where_match(w, row);
	where_free(w);
	return ret;
}

#define YES(text) CHECK(holds_for(&apple, text) == 1)
#define NO(text) CHECK(holds_for(&apple, text) == 0)
#define BAD(text) CHECK(holds_for(&apple, text) == -1)

TEST(values)
{
	YES("bytes = 1.5M"); YES("bytes=1536K"); YES("bytes==1536kib"); YES("bytes<2M");
	YES("bytes >= 1572864"); NO("bytes > 1.5m"); YES("bytes < 1G and bytes < 1T");
	YES("count = 18446744073709551614"); YES("count > 18446744073709551613");
	NO("count < 18446744073709551614"); YES("count=0xfffffffffffffffe");
	YES("n = -5"); YES("n < 0"); YES("n > -6"); NO("n > -5"); YES("n != 5");
	YES("n < 9223372036854775807"); YES("n > -9223372036854775807");
	YES("addr >= 0xffff888000000000"); NO("addr < 0xffff888000000000");
	YES("ns = 90"); YES("ns=90s"); YES("ns = 1.5m"); YES("ns > 89999999999ns");
	YES("ns < 2h and ns < 1d"); YES("ratio = .5");
	YES("ratio > 0.499"); YES("n != 05"); NO("n > 010");
	YES("state = R"); YES("state != S"); NO("state > R");
	YES("name = 'apple pie'"); YES("name=\"apple pie\""); NO("name = apple");
	YES("name ~ ^app"); YES("name ~ 'p{2}'"); YES("name !~ cherry"); NO("name ~ ^pie");
	YES("name > aardvark"); YES("name ~ \"a(pp|b)\""); YES("state~[RD]");
	BAD("bytes = 1.5X"); BAD("bytes = ten"); BAD("bytes = -1"); BAD("bytes ~ 5");
	BAD("count = 18446744073709551616"); BAD("n = "); BAD("name ~ '('"); BAD("n = 5 5");
	BAD("name = 'x"); BAD("bytes = 99999999999999999999T");
}

TEST(unknown)
{
	static const char *const any[] = {
		"name = x", "name != x", "name ~ .", "name !~ x", "n = 0", "n != 0", "count > 0",
		"count <= 0", "bytes < 1", "ns != 1", "ratio < 1", "ratio != 1", "state != x",
	};

	for (size_t i = 0; i < ARRAY_LEN(any); i++)
		CHECK(holds_for(&nothing, any[i]) == 0);
	CHECK(holds_for(&nothing, "name = - and n = - and count = - and ratio = -") == 1);
	CHECK(holds_for(&nothing, "name != -") == 0);
	CHECK(holds_for(&apple, "name != - and count != -") == 1);
	CHECK(holds_for(&apple, "name = '-'") == 0);
	BAD("name < -");
}

/* A column in place of the value. */
TEST(other_columns)
{
	struct diag diag = { "" };
	struct where *w;

	YES("bytes = most"); NO("bytes > most"); YES("bytes >= most"); NO("bytes != most"); YES("not bytes < most");
	YES("grown < bytes"); YES("bytes > grown"); NO("grown >= most");
	YES("n < number"); YES("n < count"); YES("number < count"); YES("count > n"); YES("n = n"); NO("grown != grown");
	YES("ratio <= ratio and ns = ns"); NO("ratio < ratio"); YES("(bytes=most)&&n<number");
	/* text is text: a name that happens to be that of a column */
	NO("name = name"); NO("state = name"); BAD("bytes = 'most'"); BAD("bytes = mos");
	BAD("bytes > count"); BAD("bytes > pages"); BAD("count < pages"); BAD("ns < count"); BAD("addr = count");
	BAD("ratio < n"); BAD("bytes > name"); BAD("bytes ~ most");
	CHECK(holds_for(&nothing, "bytes < most or bytes >= most or most < bytes or bytes != most") == 0);
	CHECK(holds_for(&nothing, "most = most") == 1);
	CHECK(where_parse("bytes > pages", cols, NCOLS, &diag, &w));
	CHECK_STR(diag.text, "--where: bytes (size of bytes) cannot be compared with pages (number of pages)");
	CHECK(!where_parse("bytes > most", cols, NCOLS, &diag, &w));
	CHECK(where_uses(w, &cols[4]) && where_uses(w, &cols[8]) && !where_uses(w, &cols[9]));
	where_free(w);
}

TEST(grammar)
{
	char deep[600];

	YES("n=0 or n=-5"); YES("n=0 and n=1 or n=-5"); NO("n=0 and (n=1 or n=-5)");
	YES("not n=0"); YES("not not n = -5"); NO("not (n=-5 or n=0)");
	YES("NOT n=0 AND n=-5"); YES("((n=-5))"); YES(" n = -5 "); YES("n=-5 and not state=S");
	BAD(""); BAD("n"); BAD("n ="); BAD("= 5"); BAD("(n=-5"); BAD("n=-5)"); BAD("n=-5 and");
	BAD("and n=-5"); BAD("n=-5 or or n=1"); BAD("nosuch = 5"); BAD("n = 5 n = 6"); BAD("not");
	BAD("notn = 5");
	YES("n=-5&&!n=0"); YES("n=0||n=-5"); YES("n=0 && n=1 || n=-5"); NO("n=0&&(n=1||n=-5)");
	NO("!(n=-5||n=0)"); YES("!!n=-5"); BAD("n=-5 &&"); BAD("&& n=-5"); BAD("n=-5 & n=-5");
	BAD("n=-5 || || n=1"); BAD("!"); BAD("!=5"); NO("name = 'a&&b'");
	memset(deep, '(', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	BAD(deep);
	deep[40] = '\0';
	strcat(deep, "n=-5");
	memset(deep + 44, ')', 40);
	deep[84] = '\0';
	YES(deep);
}

TEST(messages)
{
	struct diag diag;
	struct where *w;

	CHECK(where_parse("rss > 5", cols, NCOLS, &diag, &w) && !w);
	CHECK_STR(diag.text, "--where: no column 'rss'; there are: name state n count bytes addr"
			     " ns ratio most pages grown number");
	CHECK(where_parse("bytes > x5", cols, NCOLS, &diag, &w) && !w);
	CHECK_STR(diag.text, "--where: bytes is compared with 'x5', which is not a number"
			     " (forms: 12, 0x1f, 1.5M)");
	CHECK(where_parse("bytes 5", cols, NCOLS, &diag, &w) && !w);
	CHECK_STR(diag.text, "--where: one of = != < <= > >= ~ !~ is expected at \"5\"");
}

/* Names in the order of SORT. */
static void check_order(const char *sort, size_t top, const char *want)
{
	struct row rows[] = {
		{ .name = "b", .n = 2, .bytes = 10, .ratio = 1 },
		{ .name = "a", .n = 2, .bytes = 9, .ratio = NAN },
		{ .name = NULL, .n = COL_UNKNOWN_INT, .bytes = COL_UNKNOWN, .ratio = 0.1 },
		{ .name = "d", .n = -1, .bytes = 100, .ratio = 2 },
		{ .name = "c", .n = 2, .bytes = 10, .ratio = -2 },
	};
	struct table t = { .cols = cols, .ncols = NCOLS, .rows = rows, .row_size = sizeof(rows[0]),
			   .nrows = ARRAY_LEN(rows) };
	struct sort order;
	struct diag diag;
	char got[16] = "";

	CHECK(!sort_parse(sort, cols, NCOLS, &diag, &order));
	table_sort(&t, &order, top);
	for (size_t i = 0; i < t.nrows; i++)
		strcat(got, rows[i].name ? rows[i].name : "?");
	CHECK_STR(got, want);
	arena_release(&t.mem);
}

TEST(sort)
{
	struct sort order;
	struct diag diag;

	check_order("name", 0, "abcd?");
	check_order("-name", 0, "dcba?");
	check_order("bytes", 0, "abcd?");
	check_order("-bytes", 0, "dbca?");
	check_order("n,-bytes", 0, "dbca?");
	check_order("-n,name", 0, "abcd?");
	check_order("-n, name", 2, "ab");
	check_order("ratio", 0, "c?bda");
	check_order("-ratio", 9, "db?ca");
	CHECK(sort_parse("name,x", cols, NCOLS, &diag, &order));
	CHECK(sort_parse("", cols, NCOLS, &diag, &order));
	CHECK(sort_parse("n,n,n,n,n,n,n,n,n", cols, NCOLS, &diag, &order) == ST_LIMIT);
}

static void check_columns(const char *list, const char *want)
{
	struct arena mem = { 0 };
	struct columns deflt, got;
	struct diag diag;
	char text[200] = "";

	columns_default(cols, NCOLS, false, &mem, &deflt);
	if (columns_choose(list, cols, NCOLS, &deflt, &mem, &diag, &got))
		strcpy(text, "bad");
	else
		for (unsigned i = 0; i < got.n; i++) {
			strcat(text, i ? " " : "");
			strcat(text, got.v[i]->name);
		}
	CHECK_STR(text, want);
	arena_release(&mem);
}

TEST(columns)
{
	struct arena mem = { 0 };
	struct columns got;

	check_columns("n,name", "n name");
	check_columns(" n , name ,n", "n name");
	check_columns("+bytes", "name state n bytes");
	check_columns("ns,all", "ns name state n count bytes addr ratio most pages grown number");
	check_columns("ns,nosuch", "bad");
	check_columns("", "bad");
	columns_default(cols, NCOLS, true, &mem, &got);
	CHECK_EQ(got.n, 1);
	columns_default(cols, 3, true, &mem, &got);
	CHECK_EQ(got.n, 3);
	arena_release(&mem);
}
