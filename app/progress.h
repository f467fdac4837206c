/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.h - a line on a terminal while work takes longer than a second.
 *
 * Nothing is printed unless stderr is a terminal. Messages go through
 * progress_say(), which wipes the line first. Above it stand the first lines of the answer,
 * until the answer takes their place.
 */
#ifndef VMCENSUS_PROGRESS_H
#define VMCENSUS_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

struct progress;

/* ON false: messages only, never a line. The screen has so many ROWS and COLS: both above 0. */
struct progress *progress_start(bool on, unsigned rows, unsigned cols);
void progress_phase(struct progress *p, const char *phase);
/* LINE may contain names from the dump: they are escaped as in text. */
void progress_say(struct progress *p, const char *line);
/* Wipes the line and keeps it away until progress_resume(); no message in between. */
void progress_pause(struct progress *p);
void progress_resume(struct progress *p);
/* Shows TEXT, of whole lines that are safe to print, as far as the screen has room. TEXT is the caller's. */
void progress_head(struct progress *p, const char *text);
/* Wipes all and ends; later messages are printed plainly on TO: stderr, or what shows the answer. */
void progress_stop(struct progress *p, FILE *to);
void progress_free(struct progress *p);

#endif
