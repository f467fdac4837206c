/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen.h - a run whose answer a person reads: its width, the first words, the pager. */
#ifndef VMCENSUS_APP_SCREEN_H
#define VMCENSUS_APP_SCREEN_H

#include "app/run.h"

/* Behind the opening of the output. Sets run->screen and, if a terminal shows the output, report_opts.width; puts the
   pager between, if one is wanted. A host shows its output by itself. */
void screen_open(struct run *run);
/* Shows what the report says first, if it does; for snapshot_opts.first. NULL: nobody waits for it. */
void (*screen_first(const struct run *run))(void *arg, const struct snapshot *s);
/* Closes the output and waits for the pager. EXIT_NO_ANSWER with a sentence in run->diag: it showed nothing. */
int screen_leave(struct run *run);

#endif
