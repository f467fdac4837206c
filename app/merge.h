/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge.h - the command merge: capsules to a fleet. */
#ifndef VMCENSUS_MERGE_H
#define VMCENSUS_MERGE_H

#include <getopt.h>

/* vmcensus merge ...: the exit status. argv[0] is "merge". */
int merge_main(int argc, char **argv);
void merge_help(void);
/* Its options; name NULL ends them. */
extern const struct option merge_options[];

#endif
