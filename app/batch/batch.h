/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch.h - many dumps, each in a process of its own; the result is a directory of capsules.
 */
#ifndef VMCENSUS_BATCH_H
#define VMCENSUS_BATCH_H

#include <getopt.h>

/* vmcensus batch ...: the exit status. argv[0] is "batch". */
int batch_main(int argc, char **argv);
void batch_help(void);
/* Its options; name NULL ends them. */
extern const struct option batch_options[];

#endif
