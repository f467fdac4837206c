/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.h - a line on a terminal while work takes longer than a second.
 *
 * Nothing is printed unless stderr is a terminal. Messages go through
 * progress_say(), which wipes the line first.
 */
#ifndef VMCENSUS_PROGRESS_H
#define VMCENSUS_PROGRESS_H

#include <stdbool.h>

struct progress;

/* ON false: messages only, never a line. */
struct progress *progress_start(bool on);
void progress_phase(struct progress *p, const char *phase);
/* LINE may contain names from the dump: they are escaped as in text. */
void progress_say(struct progress *p, const char *line);
/* Wipes the line and keeps it away until progress_resume(); no message in between. */
void progress_pause(struct progress *p);
void progress_resume(struct progress *p);
/* Wipes the line and ends; later messages are printed plainly. */
void progress_stop(struct progress *p);
void progress_free(struct progress *p);

#endif
