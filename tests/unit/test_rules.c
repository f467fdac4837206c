/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules: a sign in the dump decides before the release.
 */
#include <string.h>

#include "facts/rules.h"
#include "tests/unit/check.h"

/* Texts as show_smap() of RHEL 7 and of 6.1 have them. */
static const char old_format[] =
	"x\0Size:           %8lu kB\nRss:            %8lu kB\nPss:            %8lu kB\n"
	"Shared_Clean:   %8lu kB\nLocked:         %8lu kB\n";
static const char new_format[] =
	"Rss:            \0 kB\nPss:            \0 kB\nPss_Dirty:      \0 kB\nShared_Clean:   \0"
	"\nFilePmdMapped:  \0THPeligible:    %d\n\0[stack:%d]\0";

/* RHEL 6: 2.6.32 with huge pages and lines of later releases. */
static const char rhel6_format[] =
	"Rss:            %8lu kB\nPss:            %8lu kB\nShared_Clean:   %8lu kB\n"
	"Anonymous:      %8lu kB\nAnonHugePages:  %8lu kB\nSwap:           %8lu kB\n";

static struct image_texts look(const char *text, size_t len)
{
	struct image_texts t = { 0 };
	uint8_t buf[1024] = { 0 };

	memcpy(buf + 8, text, len);
	image_texts_look(&t, buf, sizeof(buf), 8);
	return t;
}

static void test_texts(void)
{
	struct image_texts t = look(old_format, sizeof(old_format));

	CHECK(t.known && t.printed[RULE_LINE_PSS] && t.printed[RULE_LINE_LOCKED]);
	CHECK(t.printed[RULE_PAGE_SIZES_LAST]);
	CHECK(!t.printed[RULE_PSS_DIRTY_LINE] && !t.printed[RULE_STACK_TID] && !t.spells);
	t = look(new_format, sizeof(new_format));
	CHECK(t.known && t.printed[RULE_PSS_DIRTY_LINE] && t.printed[RULE_STACK_TID]);
	CHECK(!t.printed[RULE_PAGE_SIZES_LAST] && !t.printed[RULE_LINE_LOCKED]);
	/* with one more blank it is another line */
	CHECK(t.printed[RULE_LINE_FILE_HUGE] && !t.printed[RULE_LINE_FILE_HUGE_NARROW]);
	CHECK(t.printed[RULE_LINE_THP] && !t.printed[RULE_LINE_THP_WIDE]);
	/* a text at the very end: nothing may be read after it */
	t = (struct image_texts){ 0 };
	image_texts_look(&t, (const uint8_t *)"\nShared_Clean:   \nPss_Dirty:      ", 34, 8);
	CHECK(t.known && !t.printed[RULE_PSS_DIRTY_LINE]);
}

static void test_spelling(void)
{
	static const char two[129] = "rdwrexshmrmpmemsgd??pf??dw??lo",
			  three[] = "rd\0wr\0ex\0sh\0mr\0mw\0me";
	struct image_texts t = look(two, 128);

	CHECK(t.spells && !memcmp(t.spelling[5], "mp", 2) && !t.spelling[40][0]);
	t = look(three, sizeof(three));
	CHECK(t.spells && !memcmp(t.spelling[6], "me", 2));
	t = (struct image_texts){ 0 };
	image_texts_look(&t, (const uint8_t *)two, 40, 8); /* cut off */
	CHECK(!t.spells);
}

static bool holds(enum rule r, struct release v, const struct evidence *e, int judge)
{
	struct rules rules;

	rules_decide(&v, e, &rules);
	CHECK_EQ(rules.judge[r], judge);
	return rules.on[r];
}

static void test_judges(void)
{
	static struct layout l;
	struct image_texts t = look(new_format, sizeof(new_format));
	struct evidence e = { &l, true, &t };
	const struct release rhel9 = { 5, 14, 0 }, old = { 3, 10, 0 }, new = { 6, 12, 0 };

	for (int i = 0; i < LAYOUT_COUNT; i++)
		l.v[i].alt = -1;
	/* a text */
	CHECK(holds(RULE_PSS_DIRTY_LINE, rhel9, &e, JUDGE_SIGN));
	CHECK(!holds(RULE_PSS_DIRTY_LINE, rhel9, NULL, JUDGE_RELEASE));
	CHECK(!holds(RULE_KSM_LINE, new, &e, JUDGE_SIGN));
	t.known = false;
	CHECK(holds(RULE_KSM_LINE, new, &e, JUDGE_RELEASE));
	/* a fact; a layout file older than the fact does not decide */
	CHECK(!holds(RULE_YOUNG_OF_FOLIO, new, &e, JUDGE_SIGN));
	l.v[S_FOLIO].alt = 0;
	CHECK(holds(RULE_YOUNG_OF_FOLIO, rhel9, &e, JUDGE_SIGN));
	l.v[S_FOLIO].alt = -1;
	e.types_whole = false;
	CHECK(holds(RULE_YOUNG_OF_FOLIO, new, &e, JUDGE_RELEASE));
	/* a fact that is an option of the configuration, and ends the rule */
	CHECK(holds(RULE_THP_BY_HEAD, old, &e, JUDGE_RELEASE));
	l.v[E_THP_SPLIT_PAGE_FAILED].alt = 0;
	CHECK(!holds(RULE_THP_BY_HEAD, old, &e, JUDGE_SIGN));
	/* symbols: absent only where others of their kind are listed */
	CHECK(holds(RULE_STACK_GUARD, old, &e, JUDGE_RELEASE));
	l.v[Y_SAVED_COMMAND_LINE].alt = 0;
	CHECK(holds(RULE_STACK_GUARD, old, &e, JUDGE_SIGN));
	l.v[Y_STACK_GUARD_GAP].alt = 0;
	CHECK(!holds(RULE_STACK_GUARD, old, &e, JUDGE_SIGN));
	CHECK(!holds(RULE_SHMEM_SWAP, old, &e, JUDGE_RELEASE));
	l.v[Y_SHMEM_SWAP_USAGE].alt = 0;
	CHECK(holds(RULE_SHMEM_SWAP, old, &e, JUDGE_SIGN));
}

/* A text that came after a change shows that it was made; its absence shows nothing. */
static void test_later_texts(void)
{
	struct image_texts t = look(rhel6_format, sizeof(rhel6_format));
	const struct evidence e = { .texts = &t };
	const struct release rhel6 = { 2, 6, 32 }, v2_6_36 = { 2, 6, 36 };

	CHECK(!holds(RULE_RSS_HAS_SPECIAL, rhel6, &e, JUDGE_SIGN));
	CHECK(holds(RULE_DIRTY_ASKS_PAGE, rhel6, &e, JUDGE_SIGN));
	CHECK(holds(RULE_THP_BY_HEAD, rhel6, &e, JUDGE_SIGN));
	t = look("\nShared_Clean:   ", 17);
	CHECK(holds(RULE_RSS_HAS_SPECIAL, rhel6, &e, JUDGE_RELEASE));
	CHECK(!holds(RULE_DIRTY_ASKS_PAGE, rhel6, &e, JUDGE_RELEASE));
	CHECK(holds(RULE_DIRTY_ASKS_PAGE, v2_6_36, &e, JUDGE_RELEASE));
}

int main(void)
{
	test_texts();
	test_spelling();
	test_judges();
	test_later_texts();
	return check_done();
}
