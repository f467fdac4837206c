/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pager.h - shows a long answer from its top, as git and systemctl do.
 *
 * The command is $VMCENSUS_PAGER, else $PAGER, else less. An empty one, or "cat", is none. It starts with
 * the first byte of the answer, so that progress and errors before it stay on the terminal. Where $LESS is not
 * set it is FRSX: what fits the screen is printed, long lines are not folded. Under sudo $LESSSECURE is set: no
 * commands from inside the pager. A signal that would end this process ends it when the reader has left: else the
 * shell and the pager would read one terminal.
 */
#ifndef VMCENSUS_PAGER_H
#define VMCENSUS_PAGER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Zero: no pager. */
struct pager { pid_t pid; };

/* The stream that the pager shows, which the caller closes; NULL: none is wanted, or it cannot be started. */
FILE *pager_open(struct pager *p);
/* Waits until the reader has left the pager; false: it could not be run, and showed nothing. Its stream is closed
   before, here and in all other processes. */
bool pager_wait(struct pager *p);

#endif
