/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * census.h - the command, for any host.
 *
 * A child process opens the kernel, makes the report, and ends. crash is one process with
 * one heap, a debugger inside, and longjmp() as its way out of errors and interrupts. In a
 * child, threads may run, memory may run out and Ctrl-C may come at any time, and crash
 * loses nothing. Nothing is kept between commands: opening takes a tenth of a second or
 * two.
 *
 * The child is a copy of crash: it has crash's symbols and its reader, readmem(), as they
 * were when the command began. It shares crash's descriptors, and so the offsets of its
 * files; meanwhile crash waits and reads nothing. On a live machine the child reads memory
 * through these descriptors, as it is at that moment.
 */
#ifndef VMCENSUS_CENSUS_H
#define VMCENSUS_CENSUS_H

#include <stdio.h>

/* argv[0] is the command's name. Does not return if the user interrupted it. */
void census_command(int argc, char **argv, FILE *out);

#endif
