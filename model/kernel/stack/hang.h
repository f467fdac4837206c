/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hang.h - reports of the kernel that a task or a CPU hangs: by khungtaskd, the watchdogs and RCU
 * (kernel/hung_task.c, kernel/watchdog.c, kernel/rcu/tree_stall.h). The kernel panics then if it is told
 * to. Else it goes on, and somebody may ask for a dump.
 */
#ifndef VMCENSUS_HANG_H
#define VMCENSUS_HANG_H

#include "model/model.h"

/* The one text for panics of the kind that MESSAGE is of: "RCU Stall". NULL: it is no panic about a hang. */
const char *hang_reason(const char *message);

/* The line of the log, before END, that a panic with MESSAGE is about: the last report of its kind, of hung
   tasks the first, which waits longest. END: there is none. */
uint32_t hang_line(const struct machine *m, const char *message, uint32_t end);

/*
 * The hang for which the dump of S was asked for, by the log: what hangs at the end. A CPU that hangs is
 * reported again and again; the task of a hung task is still in state D (NEED_TASKS; else it is taken for
 * granted). *line: of the report. NULL: nobody asked for the dump, or nothing hangs.
 */
const char *hang_of_asked(const struct snapshot *s, uint32_t *line);

#endif
