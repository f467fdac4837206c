/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve.h - reports as tools for programs: JSON-RPC 2.0 in the form of the Model Context Protocol, a message on each line
 * of stdin and stdout.
 */
#ifndef VMCENSUS_SERVE_H
#define VMCENSUS_SERVE_H

#include <getopt.h>

/* vmcensus serve ...: the exit status. argv[0] is "serve". */
int serve_main(int argc, char **argv);
void serve_help(void);
/* Its options; name NULL ends them. */
extern const struct option serve_options[];

#endif
