/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The choice of the OOM killer from tables written by hand, of 1000000 pages. The choices expected
 * follow from select_bad_process() and oom_evaluate_task() of the releases named.
 */
#include "model/cause/choice/replay.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

static struct oom_task row(int64_t pid, const char *comm, int64_t rss, int64_t adj)
{
	return (struct oom_task){ .pid = pid, .tgid = pid, .comm = comm, .rss = rss,
				  .oom_score_adj = adj };
}

struct of_table {
	struct oom_task v[4];
	struct oom_victim victim;
	struct oom_event e[2];
	struct oom_log log;
	struct hand h;
};

/* init, two equals, and one that may not be killed. */
static void make(struct of_table *t, int major, int minor)
{
	memset(t, 0, sizeof(*t));
	t->v[0] = row(1, "init", 90000, 0);
	t->v[1] = row(20, "first", 5000, 0);
	t->v[2] = row(30, "last", 5000, 0);
	t->v[3] = row(40, "safe", 80000, -1000);
	t->victim = oom_no_victim;
	t->victim.pid = 20;
	t->victim.comm = "first";
	for (int i = 0; i < 2; i++)
		t->e[i] = (struct oom_event){ .kind = OOM_KILL, .tasks = { t->v, 4, 4 },
					      .victims = { &t->victim, 1, 1 } };
	t->log = (struct oom_log){ t->e, 1, 0 };
	hand_snapshot(&t->h, major, minor);
}

static int64_t choose(struct of_table *t)
{
	struct replay r;

	replay_log(&t->h.s, &t->e[0], 1000000, &r);
	return r.result == REPLAY_CHOSEN ? r.pid : -(int64_t)r.result;
}

static enum replay_agrees agrees(struct of_table *t, size_t at)
{
	struct replay_difference d;
	struct replay r;

	replay_log(&t->h.s, &t->e[at], 1000000, &r);
	d = replay_compare(&t->log, at, &r);
	CHECK((d.agrees == REPLAY_EXPLAINED) == (d.why != REPLAY_NO_REASON));
	return d.agrees;
}

TEST(choice)
{
	struct of_table t;

	make(&t, 5, 10);
	CHECK_EQ((uint64_t)choose(&t), 30);
	make(&t, 4, 19);
	CHECK_EQ((uint64_t)choose(&t), 20);
	/* 5 thousandths of all are 5000 pages */
	t.v[1].oom_score_adj = -5;
	CHECK_EQ((uint64_t)choose(&t), 30);
	t.v[3].oom_score_adj = -70;
	CHECK_EQ((uint64_t)choose(&t), 40);
	/* the bonus of CAP_SYS_ADMIN is not in the table */
	make(&t, 4, 9);
	CHECK_EQ((uint64_t)choose(&t), (uint64_t)-REPLAY_NOT_POSSIBLE);
	make(&t, 6, 1);
	t.e[0].tasks.n = 1;
	CHECK_EQ((uint64_t)choose(&t), (uint64_t)-REPLAY_NOBODY);
}

TEST(compare)
{
	struct of_table t;

	make(&t, 4, 19);
	CHECK(agrees(&t, 0) == REPLAY_AGREES);
	make(&t, 6, 1);
	/* they are equal: sizes may have moved */
	CHECK(agrees(&t, 0) == REPLAY_EXPLAINED);
	t.v[2].rss = 6000;
	CHECK(agrees(&t, 0) == REPLAY_CONTRADICTS);
	t.e[0].prefix = "Out of memory (oom_kill_allocating_task)";
	CHECK(agrees(&t, 0) == REPLAY_EXPLAINED);
	/* the worst was killed before */
	make(&t, 6, 1);
	t.v[2].rss = 6000;
	t.log.n = 2;
	t.victim.pid = 30;
	CHECK(agrees(&t, 0) == REPLAY_AGREES);
	t.e[1].chosen_comm = "first";
	t.e[1].chosen_pid = 20;
	CHECK(agrees(&t, 1) == REPLAY_EXPLAINED);
	/* who is not in the table */
	make(&t, 6, 1);
	t.victim.pid = 77;
	CHECK(agrees(&t, 0) == REPLAY_EXPLAINED);
	t.e[0].tasks.n = 1;
	CHECK(agrees(&t, 0) == REPLAY_CONTRADICTS);
}
