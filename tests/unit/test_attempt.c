/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that changes while it is read, as a live machine's does. */
#include "model/kernel/attempt.h"

#include <pthread.h>
#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define AT 0x3000

/* Change memory as another processor does: without telling the reader. */
static void change(struct fake *f, uint8_t v)
{
	f->page[AT >> 12][AT & 0xfff] = v;
}

static uint64_t look(struct fake *f)
{
	uint64_t v = 0;

	CHECK(!read_kva_uint(f->r, fake_kva(f, AT), 1, &v));
	return v;
}

static struct fake *new_machine(bool live)
{
	struct fake *f = fake_new(8, false);

	f->dump.live = live;
	fake_put_uint(f, AT, 1, 1);
	return f;
}

static uint64_t torn(struct fake *f)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < f->dump.issues.n; i++)
		if (f->dump.issues.v[i].kind == ST_TORN)
			n += f->dump.issues.v[i].count;
	return n;
}

static void test_renew(bool live)
{
	struct fake *f = new_machine(live);
	struct page_ref held;

	CHECK_EQ(look(f), 1);
	CHECK(!reader_page(f->r, AT >> 12, &held));
	change(f, 2);
	reader_renew(f->r);
	CHECK_EQ(look(f), 1);		/* borrowed pages stay */
	reader_release(f->r, &held);
	reader_renew(f->r);
	CHECK_EQ(look(f), live ? 2 : 1);
	fake_free(f);
}

/* A walk that succeeds when the memory holds WANTED. */
static unsigned walk_until(struct fake *f, struct attempt *a, uint8_t wanted, uint8_t step)
{
	unsigned n = 0;

	attempt_begin(a, &f->kernel, f->r);
	do {
		uint64_t v = look(f);

		n++;
		if (v != wanted)
			issue_add(f->kernel.issues, ST_CORRUPT, "thing", 1, "is %u", (unsigned)v);
		change(f, (uint8_t)(v + step));
	} while (attempt_again(a, "thing"));
	return n;
}

static void test_mended(void)
{
	struct fake *f = new_machine(true);
	struct attempt a;

	issue_add(f->kernel.issues, ST_NODATA, "before", 2, "kept");
	CHECK_EQ(walk_until(f, &a, 4, 1), 4);
	CHECK(!attempt_failed(&a));
	CHECK_EQ(issues_total(f->kernel.issues), 2);
	CHECK_EQ(torn(f), 3);
	CHECK_EQ(fake_issues(f, "before"), 2);
	fake_free(f);
}

static void test_not_mended(void)
{
	struct fake *f = new_machine(true);
	struct attempt a;
	unsigned n = walk_until(f, &a, 99, 0);

	CHECK(n > 2 && n < 20);
	CHECK(attempt_failed(&a));
	CHECK_EQ(issues_total(f->kernel.issues), 1);
	CHECK_EQ(torn(f), n - 1);
	attempt_gone(&a, "thing", "went away");
	CHECK_EQ(issues_total(f->kernel.issues), 0);
	CHECK_EQ(torn(f), n);
	fake_free(f);
}

/* A dump does not change: it is read once, and damage stays damage. */
static void test_dump(void)
{
	struct fake *f = new_machine(false);
	struct attempt a;

	CHECK_EQ(walk_until(f, &a, 4, 1), 1);
	CHECK(!attempt_failed(&a));
	CHECK_EQ(issues_total(f->kernel.issues), 1);
	CHECK_EQ(torn(f), 0);
	fake_free(f);
}

static void test_undo(void)
{
	struct issues_mark m;
	struct issues is;

	issues_init(&is);
	issue_add(&is, ST_FAULT, "a", 1, "first");
	issues_mark(&is, &m);
	CHECK(!issues_since(&is, &m));
	issue_add(&is, ST_FAULT, "a", 5, "second");
	CHECK(issues_since(&is, &m));
	issue_add(&is, ST_FAULT, "b", 1, "third");
	issues_undo(&is, &m);
	CHECK(!issues_since(&is, &m));
	CHECK_EQ(issues_total(&is), 1);
	CHECK_EQ(is.n, 1);
	CHECK_EQ(is.v[0].ntexts, 1);
	issue_add(&is, ST_FAULT, "a", 1, "fourth");
	CHECK_STR(is.v[0].text[1], "fourth");
	issues_release(&is);
}

#define WALKERS 4
#define WALKS 200

struct walker {
	struct issues *is;
	pthread_t thread;
};

/* Every walk fails once, and is taken back; every second one finds damage that stays. */
static void *walk_aside(void *arg)
{
	const struct walker *w = arg;
	struct issues_aside *own = heap_array(struct issues_aside, 1);
	struct issues_mark m;

	for (unsigned i = 0; i < WALKS; i++) {
		issues_begin_aside(w->is, own);
		issues_mark(w->is, &m);
		issue_add(w->is, ST_CORRUPT, "torn", 1, "taken back");
		issues_undo(w->is, &m);
		if (i & 1)
			issue_add(w->is, ST_CORRUPT, "damage", 1, "stays");
		if (issues_since(w->is, &m) != (i & 1))
			issue_add(w->is, ST_LIMIT, "since", 1, "told of others");
		issues_end_aside(w->is, own);
	}
	free(own);
	return NULL;
}

static void test_aside(void)
{
	struct walker w[WALKERS];
	struct issues is;

	issues_init(&is);
	issue_add(&is, ST_FAULT, "before", 7, "first");
	for (unsigned i = 0; i < WALKERS; i++) {
		w[i].is = &is;
		CHECK(!pthread_create(&w[i].thread, NULL, walk_aside, &w[i]));
	}
	for (unsigned i = 0; i < WALKS; i++)	/* counted at the same time, but not aside */
		issue_add(&is, ST_FAULT, "before", 1, "more");
	for (unsigned i = 0; i < WALKERS; i++)
		CHECK(!pthread_join(w[i].thread, NULL));
	CHECK_EQ(is.n, 2);
	CHECK_EQ(is.v[0].count, 7 + WALKS);
	CHECK_STR(is.v[1].object, "damage");
	CHECK_EQ(is.v[1].count, WALKERS * WALKS / 2);
	CHECK_EQ(is.v[1].ntexts, ISSUE_TEXTS);
	CHECK_STR(is.v[1].text[0], "stays");
	issues_release(&is);
}

int main(void)
{
	test_renew(true);
	test_renew(false);
	test_mended();
	test_not_mended();
	test_dump();
	test_undo();
	test_aside();
	return check_done();
}
