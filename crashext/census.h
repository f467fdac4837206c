/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * census.h - the command, whatever the host.
 *
 * Each report is made by a child process. crash is one process with one heap, a
 * debugger inside and longjmp() as its way out of errors and interrupts; in a
 * child, threads may run, memory may end and Ctrl-C may strike anywhere, and
 * crash has lost nothing. What takes time and does not change, the opened
 * kernel, is made in crash itself, once, and inherited by the children.
 */
#ifndef VMCENSUS_CENSUS_H
#define VMCENSUS_CENSUS_H

#include <stdio.h>

/* argv[0] is the command's name. Does not return if the user interrupted it. */
void census_command(int argc, char **argv, FILE *out);
/* Release what is kept between commands. */
void census_unload(void);

#endif
