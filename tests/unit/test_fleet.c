/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Crashes of a fleet: their kinds, order and distances, worked out by hand. */
#include <math.h>

#include "dumpread/base/bytes.h"
#include "reports/fleet/fleet.h"
#include "reports/fleet/older.h"
#include "tests/unit/check.h"

static struct arena mem;

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static struct crashed panic_of(const char *message, const char *f, const char *g)
{
	return (struct crashed){ .id = "x", .panic = message, .reason = message, .function = f,
				 .frame = { f, g }, .nframes = 2, .crash_time = COL_UNKNOWN_INT };
}

static struct told told(enum verdict_cause id)
{
	return (struct told){ id, cause_facts[id].words };
}

static struct crashed oom_of(enum verdict_cause limit, enum verdict_cause cause, const char *subject)
{
	return (struct crashed){ .id = "x", .event = told(VC_OOM_KILL), .limit = told(limit),
				 .cause = told(cause), .subject = subject, .ram = 1000,
				 .crash_time = COL_UNKNOWN_INT };
}

static void test_kinds(void)
{
	struct crashed c = panic_of("Attempted to kill init!", "f", "g");

	CHECK_EQ(crash_kind_of(&c), CRASH_PANIC);
	c = oom_of(VC_MACHINE, VC_ONE_GREW, "java");
	CHECK_EQ(crash_kind_of(&c), CRASH_MEMORY);
	/* after an OOM kill something else is wrong */
	c.panic = "Attempted to kill init!";
	CHECK_EQ(crash_kind_of(&c), CRASH_PANIC);
	c.panic = "Out of memory: compulsory panic_on_oom is enabled";
	CHECK_EQ(crash_kind_of(&c), CRASH_MEMORY);
	c.panic = "sysrq triggered crash";
	CHECK_EQ(crash_kind_of(&c), CRASH_MEMORY);
	c.limit = told(VC_ENOUGH);
	CHECK_EQ(crash_kind_of(&c), CRASH_ASKED);
	c = (struct crashed){ .id = "x" };
	CHECK_EQ(crash_kind_of(&c), CRASH_ASKED);
	/* no panic was found, but the log could not be read: that is not asked for */
	c.unread = true;
	CHECK_EQ(crash_kind_of(&c), CRASH_UNKNOWN);
	c.panic = "Attempted to kill init!";
	CHECK_EQ(crash_kind_of(&c), CRASH_PANIC);
	c = (struct crashed){ .id = "x" };
	/* somebody asked for it because of a hang; an OOM counts more, for tasks wait for memory then */
	c.hang = true;
	CHECK_EQ(crash_kind_of(&c), CRASH_HANG);
	c.panic = "BUG: unable to handle kernel NULL pointer dereference at (null)";
	CHECK_EQ(crash_kind_of(&c), CRASH_HANG);
	c.limit = told(VC_MACHINE);
	c.event = told(VC_OOM_KILL);
	CHECK_EQ(crash_kind_of(&c), CRASH_MEMORY);
	c.panic = "hung_task: blocked tasks";
	CHECK_EQ(crash_kind_of(&c), CRASH_HANG);
}

static void test_panics(void)
{
	struct crashed a = panic_of("bug", "f", "g"), b = panic_of("bug", "f", "h");

	CHECK(near(crash_distance(&a, &a), 0));
	/* weights 1 and 1/2: both have 1, one of them 1 + 1/2 + 1/2 */
	CHECK(near(crash_distance(&a, &b), 0.45 * 0.5));
	CHECK(near(crash_distance(&b, &a), 0.45 * 0.5));
	b.reason = "gpf";
	CHECK(near(crash_distance(&a, &b), 0.25 + 0.45 * 0.5));
	b = panic_of("gpf", "k", "l");
	CHECK(near(crash_distance(&a, &b), 1));
	/* at another depth: the smaller weight of each is 1/2 */
	b = panic_of("bug", "g", "f");
	CHECK(near(crash_distance(&a, &b), 0.30 + 0.45 * 0.5));
}

static void test_memory(void)
{
	static struct cost few[] = { { 0, CLASS_FREE, 900 },
				     { 1, CLASS_SLAB, 100 } };
	static struct cost many[] = { { 1, CLASS_SLAB, 300 },
				      { 2, CLASS_ANON, 100 } };
	struct crashed a = oom_of(VC_MACHINE, VC_PIPES, "hog"), b = a;

	CHECK(near(crash_distance(&a, &b), 0));
	b.subject = "hog of more words";
	CHECK(near(crash_distance(&a, &b), 0));
	b.subject = "cat";
	CHECK(near(crash_distance(&a, &b), 0.35));
	b.subject = NULL;
	CHECK(near(crash_distance(&a, &b), 0.175));
	b = a;
	b.cause = told(VC_SOCKETS);
	b.limit = told(VC_CPUSET);
	CHECK(near(crash_distance(&a, &b), 0.55));
	/* one knows the family only; of a family of families too */
	b = a;
	b.cause = told(VC_DESCRIPTORS);
	CHECK(near(crash_distance(&a, &b), 0.10));
	a.cause = told(VC_SYSV_NOBODY), b.cause = told(VC_SHMEM);
	CHECK(near(crash_distance(&b, &a), 0.10));
	b.cause = told(VC_TMPFS);
	CHECK(near(crash_distance(&a, &b), 0.20));
	a.cause = told(VC_PIPES);
	/* slab: 0.1 and 0.3 of RAM; anonymous: 0 and 0.1; free does not count: 1 - 0.1 / 0.4 */
	b = a;
	a.costs.v = few, a.costs.n = a.nclasses = 2;
	b.costs.v = many, b.costs.n = b.nclasses = 2;
	CHECK(near(crash_distance(&a, &b), 0.10 * 0.75));
	/* nobody is known: the census counts for it */
	a.subject = NULL;
	b.subject = NULL;
	CHECK(near(crash_distance(&a, &b), 0.45 * 0.75));
	b = panic_of("bug", "f", "g");
	CHECK(near(crash_distance(&a, &b), 1));
}

/* Owners as older programs told them. */
static void test_older(void)
{
	static const struct { const char *owner, *subject; } forms[] = {
		{ "pipes of hog-pipes (147)", "hog-pipes" }, { "a deleted file of tmpfs /dev/shm/x", "/dev/shm/x" },
		{ "a SysV segment, shmid 3, key 0x1f", NULL }, { "alloc_rx [acme]", "alloc_rx acme" },
		{ "frames of no known use", NULL }, { "kmalloc-64", "kmalloc-64" },
	};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		const char *got = older_subject(forms[i].owner, &mem);

		CHECK(!forms[i].subject ? !got : got && !strcmp(got, forms[i].subject));
	}
	CHECK_STR(older_id("SysV segment, attached by nobody", &mem), cause_facts[VC_SYSV_NOBODY].id);
	CHECK_STR(older_id("free on CPUs", &mem), class_facts[CLASS_FREE_CPU].id);
	CHECK_EQ(cause_of_id("no OOM"), VERDICT_CAUSES);
}

static void test_order(void)
{
	CHECK(release_order("4.2.0-9", "4.10.0") < 0);
	CHECK(release_order("4.2.0-10", "4.2.0-9") > 0);
	CHECK(release_order("2.6.32-754", "3.10.0") < 0);
	CHECK(release_order("6.1", "6.1") == 0);
	CHECK(release_order(NULL, "6.1") > 0 && release_order("6.1", NULL) < 0);
	CHECK_STR(name_plain("shmid 0, key 0x484f, /tmp/a12b", &mem), "shmid #, key #, /tmp/a#b");
	CHECK_STR(date_text(1700000000, &mem), "2023-11-14 22:13");
	CHECK(!date_text(COL_UNKNOWN_INT, &mem) && !date_text(INT64_MAX, &mem));
}

/* Copies of a crash are one; clusters are of all crashes, the largest first. */
static void test_clusters(void)
{
	struct fleet f = { .mem = &mem };
	struct cluster *v;

	for (unsigned i = 0; i < 5; i++) {
		struct crashed c = panic_of(i < 3 ? "bug" : "gpf", i < 3 ? "f" : "k", "g");

		c.id = arena_printf(&mem, "%u", i == 2 ? 1 : i);
		c.crash_time = i == 2 ? 1 : (int64_t)i;
		*vec_push(&mem, &f.v) = c;
	}
	fleet_done(&f);
	CHECK_EQ(f.v.n, 4);
	CHECK_EQ(clusters_of(&f, &mem, &v), 2);
	CHECK_EQ(v[0].n, 2);
	CHECK_EQ(v[1].n, 2);
	CHECK_EQ(v[0].member[0], 0);
	CHECK_EQ(v[1].exemplar, 3);
}

int main(void)
{
	test_kinds();
	test_panics();
	test_memory();
	test_older();
	test_order();
	test_clusters();
	arena_release(&mem);
	return check_done();
}
