/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a build, and which view, met which issues. */
#include "model/met.h"

#include <stdlib.h>
#include <string.h>

#include "model/shared.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"
#include "tests/unit/issue_texts.h"

static void set_up(struct snapshot *s, struct fake *f)
{
	*s = (struct snapshot){ .k = &f->kernel };
}

static struct issues *issues_of(const struct snapshot *s)
{
	return s->k->issues;
}

static void part(struct snapshot *s, const char *object, unsigned runs_for, unsigned depends)
{
	struct issues_part p;

	met_begin(s, &p);
	if (object)
		issue_add(issues_of(s), ST_NODATA, object, 2, "in a part");
	met_end(s, &p, runs_for, depends);
}

/* A snapshot with less meets what its own parts met; if one would have met something else, it is not alike. */
TEST(parts)
{
	struct fake *f = fake_new(8, false);
	struct snapshot s;
	struct issues *of = calloc(1, sizeof(*of));

	set_up(&s, f);
	issues_init(of);
	s.built = NEED_TASKS | NEED_VMAS | NEED_LOG;
	issue_add(issues_of(&s), ST_FAULT, "file", 1, "is short");
	part(&s, "task", NEED_TASKS, NEED_TASKS);
	part(&s, NULL, NEED_VMAS, ~0u);
	part(&s, "log", NEED_LOG, NEED_LOG);
	CHECK_STR(all_of(issues_of(&s)), "file*1:is short task*2:in a part log*2:in a part");
	CHECK_EQ(met_by(&s, ~0u, NULL), 4);
	CHECK_EQ(met_by(&s, NEED_TASKS, of), 2);
	CHECK_STR(all_of(of), "task*2:in a part");
	CHECK_EQ(met_by(&s, NEED_CGROUPS, NULL), 0);
	CHECK(met_alike(&s, NEED_TASKS));
	part(&s, "mm", NEED_TASKS, NEED_TASKS | NEED_VMAS);
	CHECK(!met_alike(&s, NEED_TASKS));
	CHECK(met_alike(&s, NEED_TASKS | NEED_VMAS));
	CHECK(met_alike(&s, NEED_LOG));
	met_depends(&s, NEED_LOG, NEED_VMAS);
	CHECK(!met_alike(&s, NEED_LOG));
	CHECK(met_alike(&s, NEED_LOG | NEED_VMAS));
	CHECK_EQ(met_by(&s, NEED_LOG, NULL), 2);
	met_free(&s);
	issues_release(of);
	free(of);
	fake_free(f);
}

/* While a part runs, what was met before it is known, though it is counted apart. */
TEST(before)
{
	struct fake *f = fake_new(8, false);
	struct issues_part p;
	struct snapshot s;

	set_up(&s, f);
	issue_add(issues_of(&s), ST_FAULT, "task list", 3, "first");
	issues_begin_part(issues_of(&s), &p);
	CHECK_EQ(issues_of(&s)->n, 0);
	CHECK_EQ(issues_total(issues_of(&s)), 3);
	CHECK_EQ(issues_reason(issues_of(&s), "task list"), ST_FAULT);
	issue_add(issues_of(&s), ST_FAULT, "task list", 1, "second");
	issues_end_part(issues_of(&s), &p, NULL);
	CHECK_STR(all_of(issues_of(&s)), "task list*4:first,second");
	fake_free(f);
}

/* ---- views ------------------------------------------------------------------------------- */

static int one;

static void *make_inner(const struct snapshot *s, struct arena *mem)
{
	(void)mem;
	issue_add(issues_of(s), ST_NODATA, "inner", 1, "i");
	issue_add(issues_of(s), ST_NODATA, "both", 1, "same");
	return &one;
}

static const struct shared_maker inner = { make_inner, NULL };

static void *make_outer(const struct snapshot *s, struct arena *mem)
{
	(void)mem;
	issue_add(issues_of(s), ST_NODATA, "first", 1, "f");
	shared_view(s, SHARED_CLASSES, &inner);
	issue_add(issues_of(s), ST_NODATA, "both", 1, "same");
	issue_add(issues_of(s), ST_NODATA, "last", 1, "l");
	return &one;
}

static const struct shared_maker outer = { make_outer, NULL };

/* Each report that asks for a view has its issues, once, in the order in which it would meet them. */
TEST(views)
{
	struct fake *f = fake_new(8, false);
	struct issues *again = calloc(1, sizeof(*again));
	struct snapshot s;

	set_up(&s, f);
	issues_init(again);
	shared_serve(&s, again);
	shared_view(&s, SHARED_CENSUS, &outer);
	CHECK_STR(all_of(issues_of(&s)), "first*1:f inner*1:i both*2:same,same last*1:l");
	shared_view(&s, SHARED_CENSUS, &outer);
	shared_view(&s, SHARED_CLASSES, &inner);
	CHECK_EQ(issues_total(issues_of(&s)), 5);
	CHECK_EQ(again->n, 0);
	issues_clear(issues_of(&s));
	shared_serve(&s, again);
	CHECK_EQ(issues_total(issues_of(&s)), 0);
	shared_view(&s, SHARED_CENSUS, &outer);
	CHECK_STR(all_of(issues_of(&s)), "first*1:f inner*1:i both*2:same,same last*1:l");
	CHECK_STR(all_of(again), "first*1:f inner*1:i both*2:same,same last*1:l");
	issues_clear(issues_of(&s));
	shared_serve(&s, NULL);
	shared_view(&s, SHARED_CLASSES, &inner);
	shared_view(&s, SHARED_CENSUS, &outer);
	CHECK_STR(all_of(issues_of(&s)), "inner*1:i both*2:same,same first*1:f last*1:l");
	issues_take_away(issues_of(&s), again);
	CHECK_EQ(issues_of(&s)->n, 0);
	shared_free(&s);
	issues_release(again);
	free(again);
	fake_free(f);
}
