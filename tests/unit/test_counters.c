/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of the kernel beside the classes, and what they decide. */
#include "model/memory/census/counters.h"

#include <stdlib.h>

#include "model/kernel/source.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

static const struct source from_dump = { .has = SOURCE_MEMORY | SOURCE_COUNTERS };

struct rig {
	struct fake *f;
	struct snapshot s;
	struct census_counter counter;
	struct page_classes classes;
	struct census c;
};

/* 4 GiB; a counter of 120000 pages. */
static void start(struct rig *g)
{
	*g = (struct rig){ .f = fake_new(8, false) };
	g->f->kernel.source = &from_dump;
	g->s.k = &g->f->kernel;
	g->counter = (struct census_counter){ .name = "Cached", .row = CLASS_FILE, .kernel = 120000,
					      .on_cpus = 64, .found = 120064 };
	g->c = (struct census){ .classes = &g->classes, .counters = &g->counter, .ncounters = 1,
				.ram = 1 << 20 };
}

static uint64_t told(struct rig *g)
{
	census_tell_counters(&g->s, &g->c);
	return fake_issues(g->f, "counter");
}

TEST(counters)
{
	struct rig g;

	start(&g);
	CHECK_EQ(told(&g), 0);
	g.counter.found = 120000 + 110592;
	CHECK_EQ(told(&g), 1);
	fake_free(g.f);
	start(&g);
	g.counter.found = 120000 - 110592;
	CHECK_EQ(told(&g), 1);
	fake_free(g.f);
	/* struct pages that were not read may be those */
	start(&g);
	g.counter.found = 120000 - 110592;
	g.classes.count[CLASS_UNREAD].pages = 110592;
	CHECK_EQ(told(&g), 0);
	g.classes.count[CLASS_UNREAD].pages = 0;
	g.counter.kernel = UINT64_MAX;
	CHECK_EQ(told(&g), 0);
	g.counter.kernel = 1;
	g.c.unknown[CLASS_FILE] = true;
	CHECK_EQ(told(&g), 0);
	fake_free(g.f);
}

/* Of 1000 compound pages 990 are large kmalloc: no page is lost or counted twice. */
TEST(decide)
{
	struct rig g;

	start(&g);
	g.classes.count[CLASS_UNKNOWN].pages = 1500;
	g.classes.count[CLASS_KMALLOC].pages = 5;
	census_decide(&g.c, 1000, 990);
	CHECK_EQ(g.classes.count[CLASS_KMALLOC].pages, 995);
	CHECK_EQ(g.classes.count[CLASS_UNKNOWN].pages, 510);
	CHECK_EQ(g.c.undecided.frames, 1000);
	CHECK_EQ(g.c.undecided.pages, 990);
	census_decide(&g.c, 1000, UINT64_MAX);
	CHECK_EQ(g.classes.count[CLASS_KMALLOC].pages + g.classes.count[CLASS_UNKNOWN].pages, 1505);
	fake_free(g.f);
}

/* A claim that lacks a type finds no frame. */
TEST(doubt)
{
	struct rig g;

	start(&g);
	g.classes.count[CLASS_STACK].pages = 1;
	census_doubt_empty(&g.f->kernel, &g.c);
	CHECK(!g.c.unknown[CLASS_PIPE] && !g.c.unknown[CLASS_BOOT]);
	g.f->kernel.layout.lost = 1;
	census_doubt_empty(&g.f->kernel, &g.c);
	CHECK(g.c.unknown[CLASS_PIPE] && g.c.unknown[CLASS_BOOT]);
	CHECK(!g.c.unknown[CLASS_STACK] && !g.c.unknown[CLASS_ANON]);
	fake_free(g.f);
}
