/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tasks.h - shared by the walk over tasks, the reading of one task and the making of
 * processes. Private to model/kernel/task/; others call build_tasks().
 */
#ifndef VMCENSUS_TASKS_H
#define VMCENSUS_TASKS_H

#include "dumpread/base/arena.h"
#include "dumpread/base/hash.h"
#include "model/build.h"
#include "model/kernel/kobj.h"

#define TASKS_MAX (4u << 20)	/* PID_MAX_LIMIT, include/linux/threads.h */
#define NSEC_MAX_SANE (1ull << 62)

/* A task as read, with the addresses and numbers that only its process needs. */
struct raw_task {
	struct task t;
	uint64_t mm, signal, cred, parent, cgroups, thread_pid, vfork_done;
	uint64_t runtime;
	uint32_t uid, euid, gid;	/* before struct cred */
	int32_t static_prio;
	int32_t rss[RSS_COUNTERS];
	uint32_t lead;			/* index in leads; NONE: not met in the list of leaders */
};

/* What a process has beside its tasks. */
struct lead {
	struct proc p;			/* users, pid namespace, oom_score_adj, sums of the dead threads */
	uint64_t oom_mm;		/* signal->oom_mm, 0 none */
	uint64_t runtime, prev_utime, prev_stime;	/* ns; of signal_struct */
	bool signal;			/* it was read */
};

struct tasks_builder {
	struct build *b;
	struct kobj task, sig, cred;
	struct hash seen;		/* task_struct -> index in raw */
	VEC(struct raw_task) raw;
	VEC(struct lead) leads;
	bool broken;			/* a list of tasks is damaged */
	const char *by;			/* task.unlisted of those that are added; NULL: a list */
	uint64_t unit;			/* nanoseconds of a unit of utime and stime; 0: not known */
};

/* task.c: the result of time_unit() becomes tb->unit before any task is read. */
uint64_t task_time_unit(const struct kernel *k, struct reader *r);
/* Reads the task_struct at ADDR. ST_CORRUPT also if it was freed and reused for something else. */
enum status task_read(struct tasks_builder *tb, uint64_t addr, struct raw_task *ret);

/* Index in raw of the task at ADDR, which is added if it is new; NONE: it is not readable. */
uint32_t tasks_add(struct tasks_builder *tb, uint64_t addr);
/* The task's threads. */
void tasks_add_threads(struct tasks_builder *tb, uint32_t leader);

/* unlisted.c: tasks that are in the tree of numbers. */
void tasks_add_by_number(struct tasks_builder *tb);
/* The same, those that a CPU runs, and children of tasks: after all lists. Those that no list has
   are an issue. */
void tasks_add_unlisted(struct tasks_builder *tb);

/* procs.c: reads what the process of the task has beside its tasks. */
void tasks_read_lead(struct tasks_builder *tb, uint32_t leader);
/* Sorts tb->raw by group and makes the tasks and procs of the snapshot. */
void make_procs(struct tasks_builder *tb);

#endif
