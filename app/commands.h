/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * commands.h - what the program does beside reports: words of their own, no image to report on.
 */
#ifndef VMCENSUS_COMMANDS_H
#define VMCENSUS_COMMANDS_H

#include <getopt.h>
#include <stdbool.h>

struct command {
	const char *name, *about;
	int (*run)(int argc, char **argv);	/* argv[0] is NAME; the exit status */
	void (*help)(void);			/* on stdout */
	const struct option *options;		/* of getopt_long(); name NULL ends them */
};

extern const struct command commands[];		/* name NULL ends it */

/* Is the first word a command, or is its help asked for? Then it ran, with *STATUS. */
bool command_run(int argc, char **argv, int *status);

#endif
