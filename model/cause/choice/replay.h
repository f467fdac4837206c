/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay.h - whom the OOM killer chooses, by the rules of the dumped kernel
 * (select_bad_process(), oom_evaluate_task(), mm/oom_kill.c): among the rows of the table that it
 * printed, and among the processes in the dump. And why the log says otherwise, if it does.
 */
#ifndef VMCENSUS_OOM_REPLAY_H
#define VMCENSUS_OOM_REPLAY_H

#include "model/cause/choice/badness.h"
#include "model/cause/event/oomlog.h"

enum replay_result {
	REPLAY_NOT_POSSIBLE,	/* no table, or badness is not known */
	REPLAY_NOBODY,		/* nobody may be killed */
	REPLAY_WAITS,		/* a victim is dying: the kernel waits for it */
	REPLAY_CHOSEN,
};

struct replay {
	enum replay_result result;
	int64_t pid;		/* of the chosen, or of who is dying */
	const char *comm;
	int64_t points;
	uint32_t unknown;	/* processes whose badness is not known: one of them may be worse */
};

/* Pages that the tasks of event E could use; 0: not known. E NULL: a request without limits. */
uint64_t oom_total_of(const struct snapshot *s, const struct oom_event *e, struct arena *mem);

/* Badness of a row of the table; known is false where it depends on what the table lacks. */
struct badness oom_task_badness(const struct snapshot *s, const struct oom_task *t, uint64_t total);

/* From the table of E. */
void replay_log(const struct snapshot *s, const struct oom_event *e, uint64_t total,
		struct replay *ret);
/* From the dump, for a request as that of E. */
void replay_dump(const struct snapshot *s, const struct oom_event *e, uint64_t total,
		 struct replay *ret);

enum replay_agrees {
	REPLAY_AGREES,
	REPLAY_EXPLAINED,	/* the log names another, for a reason */
	REPLAY_CONTRADICTS,
};

/* Why the log names another. */
enum replay_why {
	REPLAY_NO_REASON,
	REPLAY_KILLS_ASKER,	/* vm.oom_kill_allocating_task */
	REPLAY_KILLED_BEFORE,	/* in event BEFORE: its memory was reaped, or could not be (UNABLE) */
	REPLAY_NOT_IN_TABLE,
	REPLAY_NEAR,		/* within a percent: sizes move between the choice and the table */
};

struct replay_difference {
	enum replay_agrees agrees;
	enum replay_why why;
	size_t before;		/* number of an event */
	bool unable;
	int64_t got;		/* the pid that the log has; OOM_UNKNOWN */
};

/* R is replay_log() of event AT (its index). */
struct replay_difference replay_compare(const struct oom_log *log, size_t at, const struct replay *r);

#endif
