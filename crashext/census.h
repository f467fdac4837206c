/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * census.h - the command, whatever the host.
 *
 * A child process opens the kernel and makes the report, and ends. crash is one process
 * with one heap, a debugger inside and longjmp() as its way out of errors and interrupts;
 * in a child, threads may run, memory may end and Ctrl-C may strike anywhere, and crash has
 * lost nothing. Nothing is kept between commands: opening takes a tenth of a second or two.
 *
 * The child is a copy of crash: it has crash's symbols and its reader, readmem(), as they
 * were when the command began. Descriptors are shared with crash, and so are the offsets of
 * its files; crash waits meanwhile and reads nothing. Of a live machine the child reads
 * memory through these descriptors, as it is at that moment.
 */
#ifndef VMCENSUS_CENSUS_H
#define VMCENSUS_CENSUS_H

#include <stdio.h>

/* argv[0] is the command's name. Does not return if the user interrupted it. */
void census_command(int argc, char **argv, FILE *out);

#endif
