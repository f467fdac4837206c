/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules: a sign in the dump decides first, then the level of the kernel, then the release.
 */
#include <string.h>

#include "facts/layout/levels.h"
#include "facts/layout/page.h"
#include "facts/layout/signs.h"
#include "facts/layout/system.h"
#include "facts/rules.h"
#include "tests/unit/check.h"

/* Texts as show_smap() of RHEL 7 and of 6.1 have them. */
static const char old_format[] =
	"x\0Size:           %8lu kB\nRss:            %8lu kB\nPss:            %8lu kB\n"
	"Shared_Clean:   %8lu kB\nLocked:         %8lu kB\n";
static const char new_format[] =
	"Rss:            \0 kB\nPss:            \0 kB\nPss_Dirty:      \0 kB\nShared_Clean:   \0"
	"\nFilePmdMapped:  \0THPeligible:    %d\n\0";

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

TEST(texts)
{
	struct image_texts t = look(old_format, sizeof(old_format));

	CHECK(t.known && t.since[RULE_LINE_PSS] && t.since[RULE_LINE_LOCKED]);
	CHECK(t.since[RULE_PAGE_SIZES_LAST] && !t.until[RULE_PSS_WIDE]);
	CHECK(!t.since[RULE_PSS_DIRTY_LINE] && !t.spells);
	t = look(new_format, sizeof(new_format));
	CHECK(t.known && t.since[RULE_PSS_DIRTY_LINE]);
	CHECK(!t.since[RULE_PAGE_SIZES_LAST] && !t.since[RULE_LINE_LOCKED]);
	/* with one more blank it is another line */
	CHECK(t.since[RULE_LINE_FILE_HUGE] && !t.since[RULE_LINE_FILE_HUGE_NARROW]);
	CHECK(t.since[RULE_LINE_THP] && !t.since[RULE_LINE_THP_WIDE]);
	t = look("\nShared_Clean:   \0THPeligible:\t\t%d\n", 36);
	CHECK(t.since[RULE_LINE_THP_TABS] && !t.since[RULE_LINE_THP]);
	/* a text at the very end: nothing may be read after it */
	t = (struct image_texts){ 0 };
	image_texts_look(&t, (const uint8_t *)"\nShared_Clean:   \nPss_Dirty:      ", 34, 8);
	CHECK(t.known && !t.since[RULE_PSS_DIRTY_LINE]);
}

TEST(spelling)
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

static void clear(struct layout *l)
{
	for (int i = 0; i < LAYOUT_COUNT; i++)
		l->v[i].alt = -1;
}

TEST(judges)
{
	static struct layout l;
	struct image_texts t = look(new_format, sizeof(new_format));
	struct evidence e = { .layout = &l, .types_whole = true, .symbols_whole = true };
	const struct release rhel9 = { .major = 5, .minor = 14 }, old = { .major = 3, .minor = 10 },
			     new = { .major = 6, .minor = 12 };

	e.texts = &t;
	clear(&l);
	/* a text */
	CHECK(holds(RULE_PSS_DIRTY_LINE, rhel9, &e, JUDGE_SIGN));
	CHECK(!holds(RULE_PSS_DIRTY_LINE, rhel9, NULL, JUDGE_RELEASE));
	CHECK(!holds(RULE_KSM_LINE, new, &e, JUDGE_SIGN));
	t.known = false;
	CHECK(holds(RULE_KSM_LINE, new, &e, JUDGE_RELEASE));
	t.known = t.partial = true; /* what is found counts, what is not does not */
	CHECK(holds(RULE_KSM_LINE, new, &e, JUDGE_RELEASE));
	CHECK(holds(RULE_PSS_DIRTY_LINE, rhel9, &e, JUDGE_SIGN));
	t.partial = false;
	/* a fact; a layout file older than the fact does not decide */
	CHECK(!holds(RULE_YOUNG_OF_FOLIO, new, &e, JUDGE_SIGN));
	l.v[S_FOLIO].alt = 0;
	CHECK(holds(RULE_YOUNG_OF_FOLIO, rhel9, &e, JUDGE_SIGN));
	l.v[S_FOLIO].alt = -1;
	l.v[S_FOLIO].alt = FACT_LOST; /* on types that could not be read */
	CHECK(holds(RULE_YOUNG_OF_FOLIO, new, &e, JUDGE_RELEASE));
	l.v[E_PAGEFLAGS].alt = FACT_LOST;
	CHECK(!holds(RULE_PAGEFLAGS_2_6, new, &e, JUDGE_RELEASE));
	l.v[E_PAGEFLAGS].alt = l.v[S_FOLIO].alt = -1;
	e.types_whole = false;
	CHECK(holds(RULE_YOUNG_OF_FOLIO, new, &e, JUDGE_RELEASE));
	/* RHEL 9.2: it has the function, and what came with it */
	CHECK(!holds(RULE_THP_WITHIN_NEXT, rhel9, NULL, JUDGE_RELEASE));
	l.v[Y_SHMEM_IS_HUGE].alt = 0;
	CHECK(holds(RULE_THP_WITHIN_NEXT, rhel9, &e, JUDGE_SIGN));
	/* a fact that is an option of the configuration, and ends the rule */
	CHECK(holds(RULE_THP_BY_HEAD, old, &e, JUDGE_RELEASE));
	l.v[E_THP_SPLIT_PAGE_FAILED].alt = 0;
	CHECK(!holds(RULE_THP_BY_HEAD, old, &e, JUDGE_SIGN));
	/* symbols: absent only where others of their kind are listed */
	CHECK(holds(RULE_STACK_GUARD, old, &e, JUDGE_RELEASE));
	l.v[Y_SAVED_COMMAND_LINE].alt = 0;
	CHECK(holds(RULE_STACK_GUARD, old, &e, JUDGE_RELEASE)); /* the beginning has no sign */
	l.v[Y_STACK_GUARD_GAP].alt = 0;
	CHECK(!holds(RULE_STACK_GUARD, old, &e, JUDGE_SIGN));
	CHECK(!holds(RULE_SHMEM_SWAP, old, &e, JUDGE_RELEASE));
	l.v[Y_SHMEM_SWAP_USAGE].alt = 0;
	CHECK(holds(RULE_SHMEM_SWAP, old, &e, JUDGE_SIGN));
	l.v[Y_SHMEM_SWAP_USAGE].alt = -1;
	l.v[Y_SEQ_PRINTF].alt = 0;
	CHECK(!holds(RULE_SHMEM_SWAP, new, &e, JUDGE_SIGN));
	e.symbols_whole = false; /* an old layout file does not know the symbol */
	CHECK(holds(RULE_SHMEM_SWAP, new, &e, JUDGE_RELEASE));
}

/* Texts that were not looked for: which rules may they change? */
TEST(without_texts)
{
	static struct layout l;
	const struct evidence e = { .layout = &l };
	const struct release el6 = { .major = 2, .minor = 6, .patch = 32 },
			     new = { .major = 6, .minor = 12 };
	struct image_texts t = look("\nAnonymous:      ", 17);
	struct evidence with = { .layout = &l, .texts = &t };
	struct rules r;

	clear(&l);
	rules_decide(&new, &e, &r);
	CHECK(r.texts[RULE_LINE_PSS] && r.texts[RULE_THP_SIZE] && r.texts[RULE_PSS_WIDE]);
	CHECK(!r.texts[RULE_DIRTY_ASKS_PAGE] && !r.texts[RULE_RSS_HAS_SPECIAL]);
	CHECK(!r.texts[RULE_SINGLE_REF]);
	rules_decide(&el6, &e, &r);
	CHECK(r.texts[RULE_DIRTY_ASKS_PAGE] && r.texts[RULE_RSS_HAS_SPECIAL]);
	CHECK(r.on[RULE_RSS_HAS_SPECIAL] && !r.on[RULE_DIRTY_ASKS_PAGE]);
	rules_decide(&el6, &with, &r);
	CHECK(!r.texts[RULE_DIRTY_ASKS_PAGE]);
	CHECK(!r.on[RULE_RSS_HAS_SPECIAL] && r.on[RULE_DIRTY_ASKS_PAGE]);
	CHECK_EQ(r.judge[RULE_DIRTY_ASKS_PAGE], JUDGE_SIGN);
	t.since[RULE_DIRTY_ASKS_PAGE] = false;
	t.known = true; /* 2.6.36 has it and not the line: its absence proves nothing */
	CHECK(holds(RULE_DIRTY_ASKS_PAGE, (struct release){ .major = 2, .minor = 6, .patch = 36 },
		    &with, JUDGE_RELEASE));
}

static int level(struct layout *l, int major, int minor)
{
	const struct release v = { .major = major, .minor = minor };
	struct level ret = level_decide(&v, l, true);

	CHECK(ret.known);
	return ret.version;
}

TEST(levels)
{
	static const enum layout_id to_6_1[] = {
		Y_LEVEL_4_11, Y_LEVEL_4_17, Y_LEVEL_4_18, Y_LEVEL_5_4, Y_LEVEL_5_8, Y_LEVEL_5_10,
		Y_LEVEL_5_14, Y_LEVEL_5_17, Y_LEVEL_5_18, Y_LEVEL_5_19, Y_LEVEL_6_0, Y_LEVEL_6_1,
	};
	static struct layout l;
	const struct release v = { .major = 5, .minor = 14 }, unknown = { 0 };
	struct evidence e = { .layout = &l, .symbols_whole = true };

	clear(&l);
	for (size_t i = 0; i < sizeof(to_6_1) / sizeof(*to_6_1); i++)
		l.v[to_6_1[i]].alt = 0;
	CHECK_EQ(level(&l, 6, 1), V(6, 1));
	/* a distribution's: it rises as far as all is there */
	CHECK_EQ(level(&l, 5, 14), V(6, 1));
	CHECK_EQ(level(&l, 5, 16), V(6, 1));
	l.v[Y_LEVEL_5_18].alt = -1;
	CHECK_EQ(level(&l, 5, 14), V(5, 17));
	CHECK_EQ(level(&l, 5, 16), V(5, 17));
	/* one that is missing below, as a configuration may, changes nothing */
	CHECK_EQ(level(&l, 6, 1), V(6, 1));
	CHECK_EQ(level(&l, 6, 2), V(6, 1));
	/* a number that is too high */
	CHECK_EQ(level(&l, 6, 12), V(6, 1));
	l.v[Y_LEVEL_5_18].alt = 0;
	/* newer than the list */
	CHECK_EQ(level(&l, 7, 900), V(7, 900));
	CHECK(!level_decide(&v, &l, false).known && !level_decide(&unknown, &l, true).known);
	CHECK_EQ(level_decide(&v, &l, false).version, V(5, 14));
	/* rules ask it, if functions are listed */
	CHECK(!holds(RULE_NONPRESENT_CLEAN, v, &e, JUDGE_RELEASE));
	l.v[Y_SEQ_PRINTF].alt = 0;
	CHECK(holds(RULE_NONPRESENT_CLEAN, v, &e, JUDGE_LEVEL));
	CHECK(!holds(RULE_HEAP_STRICT, (struct release){ .major = 6, .minor = 12 }, &e, JUDGE_LEVEL));
	/* what another tree took is told by the release, there or not */
	CHECK(holds(RULE_HWPOISON_IS_PAGE,
		    (struct release){ .major = 6, .minor = 1, .patch = 192 }, &e, JUDGE_RELEASE));
	CHECK(!holds(RULE_HWPOISON_IS_PAGE,
		     (struct release){ .major = 6, .minor = 1, .patch = 20 }, &e, JUDGE_RELEASE));
}

/* FROM is the text of a release: "6.1.0-56-amd64", "Debian 6.1.192-1". */
static struct release release(const char *from, const char *version)
{
	struct release r;

	release_of(from, version, &r);
	return r;
}

TEST(distributions)
{
	struct release r = release("4.18.0-240.22.1.el8_3.x86_64", "#1 SMP Thu Apr 8");

	CHECK(r.major == 4 && r.minor == 18 && r.el == 8 && r.build == 240);
	CHECK(holds(RULE_KPAGE_ONLINE, r, NULL, JUDGE_RELEASE));
	r = release("4.18.0-147.el8.x86_64", "");
	CHECK(r.el == 8 && r.build == 147);
	CHECK(!holds(RULE_KPAGE_ONLINE, r, NULL, JUDGE_RELEASE));
	r = release("2.6.32-642.6.2.el6.x86_64", "");
	CHECK(r.patch == 32 && r.el == 6 && r.build == 642);
	CHECK(holds(RULE_OOM_PTES, r, NULL, JUDGE_RELEASE));
	/* the stable number of 2.6 is the fourth */
	CHECK(!holds(RULE_HEAP_PART, r, NULL, JUDGE_RELEASE));
	CHECK_EQ(r.stable, 0);
	r = release("2.6.32.69-amd64", "#1 SMP");
	CHECK(r.patch == 32 && r.stable == 69);
	CHECK(holds(RULE_HEAP_PART, r, NULL, JUDGE_RELEASE));
	CHECK(!holds(RULE_HEAP_PART, release("2.6.32.59", ""), NULL, JUDGE_RELEASE));
	CHECK(!holds(RULE_HEAP_PART, release("2.6.33.70", ""), NULL, JUDGE_RELEASE));
	CHECK(holds(RULE_HEAP_PART, release("2.6.39", ""), NULL, JUDGE_RELEASE));
	CHECK_EQ(release("6.1.2.3", "").stable, 0);
	r = release("3.10.0-1160.119.1.el7.x86_64", "");
	CHECK(r.el == 7 && r.build == 1160);
	CHECK(holds(RULE_OOM_ADMIN_PERCENT, r, NULL, JUDGE_RELEASE));
	r = release("6.12.0-124.28.1.el10_1.aarch64", "");
	CHECK(r.el == 10 && r.build == 124);
	/* kernels of others: Oracle's, ELRepo's, SUSE's, Ubuntu's, Debian's */
	CHECK_EQ(release("5.4.17-2136.300.7.el8uek.x86_64", "").el, 0);
	CHECK_EQ(release("6.9.1-1.el9.elrepo.x86_64", "").el, 0);
	CHECK_EQ(release("4.12.14-122.37-default", "").el, 0);
	CHECK_EQ(release("5.15.0-91-generic", "#101~20.04.1-Ubuntu SMP").el, 0);
	/* Ubuntu's: its builds; the stable release it took last is in the banner */
	r = release("4.15.0-213-generic", "#224-Ubuntu SMP Mon Jun 19 13:30:12 UTC 2023");
	CHECK(r.ubuntu == 213 && r.patch == 0);
	CHECK(holds(RULE_HUGETLB_PMD_SHARED, r, NULL, JUDGE_RELEASE));
	r.ubuntu = 212;
	CHECK(!holds(RULE_HUGETLB_PMD_SHARED, r, NULL, JUDGE_RELEASE));
	CHECK_EQ(release("4.15.0-1151-aws", "#164-Ubuntu SMP").ubuntu, 0);
	CHECK_EQ(release("4.15.0-213-generic", "#224 SMP").ubuntu, 0);
	CHECK_EQ(release("4.15.0-213", "#224-Ubuntu SMP").ubuntu, 0);
	CHECK_EQ(release("4.15.0-", "#224-Ubuntu SMP").ubuntu, 0);
	r = release("5.4.0-216-generic", "#236-Ubuntu SMP Fri Apr 11 19:53:21 UTC 2025");
	CHECK(!holds(RULE_HUGETLB_PMD_SHARED, r, NULL, JUDGE_RELEASE));
	release_of_banner("Linux version 5.4.0-216-generic (buildd@lcy02) (gcc version 9.4.0 (Ubuntu "
			  "9.4.0-1ubuntu1)) #236-Ubuntu SMP Fri (Ubuntu 5.4.0-216.236-generic 5.4.291)\n",
			  &r);
	CHECK_EQ(r.patch, 291);
	CHECK(holds(RULE_HUGETLB_PMD_SHARED, r, NULL, JUDGE_RELEASE));
	CHECK(holds(RULE_OOM_SIGNED, r, NULL, JUDGE_RELEASE));
	release_of_banner("Linux version 5.4.0 (me@host) (gcc 5.4.17) #1 SMP", &r);
	release_of_banner("", &r);
	CHECK_EQ(r.patch, 291);
	r = release("5.14.0-362.8.1.el9_3.x86_64", "#1 SMP");
	CHECK(holds(RULE_HUGETLB_PMD_SHARED, r, NULL, JUDGE_RELEASE));
	CHECK(holds(RULE_PMD_PROTNONE_SKIPPED, r, NULL, JUDGE_RELEASE));
	r = release("6.1.0-56-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-30)");
	CHECK(r.el == 0 && r.patch == 192);
	/* hostile */
	CHECK_EQ(release("5.4.el8", "").el, 0);
	CHECK_EQ(release("5.4.0-.el8", "").el, 0);
	CHECK(release("5.4.0-99999999999999999999.el8", "").build < 100000);
	CHECK_EQ(release("5.4.0-1.el", "").el, 0);
}

/* RHEL 6 has huge pages, and counts them as 2.6.38 did. */
TEST(early_huge_pages)
{
	static struct layout l;
	const struct evidence e = { .layout = &l, .types_whole = true };
	const struct release rhel6 = { .major = 2, .minor = 6, .patch = 32 },
			     v3_12 = { .major = 3, .minor = 12 };

	clear(&l);
	CHECK(!holds(RULE_ANON_WITHOUT_THP, rhel6, &e, JUDGE_SIGN));
	l.v[E_NR_ANON_THPS].alt = 1;
	CHECK(holds(RULE_ANON_WITHOUT_THP, rhel6, &e, JUDGE_RELEASE)); /* its end */
	CHECK(!holds(RULE_ANON_WITHOUT_THP, v3_12, &e, JUDGE_RELEASE));
}

/*
 * A change that only newer trees took: a kernel that lacks a function of theirs is none of them,
 * whatever its release. One that has it may be.
 */
TEST(trees)
{
	static struct layout l;
	const struct evidence e = { .layout = &l, .symbols_whole = true };
	const struct release rhel6 = { .major = 2, .minor = 6, .patch = 32, .el = 6, .build = 642 },
			     rhel7 = { .major = 3, .minor = 10, .el = 7, .build = 1160 };

	clear(&l);
	l.v[Y_SEQ_PRINTF].alt = l.v[Y_LEVEL_2_6_32].alt = 0;
	CHECK(!holds(RULE_HUGE_ZERO_SKIPPED, rhel6, &e, JUDGE_LEVEL));
	CHECK(holds(RULE_OOM_PTES, rhel6, &e, JUDGE_RELEASE));
	CHECK(!holds(RULE_HUGE_ZERO_SKIPPED, rhel6, NULL, JUDGE_RELEASE));
	l.v[Y_LEVEL_3_7].alt = 0;
	CHECK(holds(RULE_HUGE_ZERO_SKIPPED, rhel7, &e, JUDGE_RELEASE));
	CHECK(!holds(RULE_HWPOISON_IS_PAGE, rhel7, &e, JUDGE_LEVEL));
}

/* A text that came after a change shows that it was made; its absence shows nothing. */
TEST(later_texts)
{
	struct image_texts t = look(rhel6_format, sizeof(rhel6_format));
	const struct evidence e = { .texts = &t };
	const struct release rhel6 = { .major = 2, .minor = 6, .patch = 32 },
			     v2_6_36 = { .major = 2, .minor = 6, .patch = 36 };

	CHECK(!holds(RULE_RSS_HAS_SPECIAL, rhel6, &e, JUDGE_SIGN));
	CHECK(holds(RULE_DIRTY_ASKS_PAGE, rhel6, &e, JUDGE_SIGN));
	CHECK(holds(RULE_THP_BY_HEAD, rhel6, &e, JUDGE_RELEASE)); /* its end */
	t = look("\nShared_Clean:   ", 17);
	CHECK(holds(RULE_RSS_HAS_SPECIAL, rhel6, &e, JUDGE_RELEASE));
	CHECK(!holds(RULE_DIRTY_ASKS_PAGE, rhel6, &e, JUDGE_RELEASE));
	CHECK(holds(RULE_DIRTY_ASKS_PAGE, v2_6_36, &e, JUDGE_RELEASE));
}
