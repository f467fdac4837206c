/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers.h - "layout --headers": a layout file without the kernel's debug information.
 */
#ifndef VMCENSUS_APP_HEADERS_H
#define VMCENSUS_APP_HEADERS_H

#include "app/run.h"

/* Wrong usage: EXIT_USAGE with a sentence in RUN's diag; 0 if the options fit together. */
int run_headers_check(struct run *run);

/* Write the layout file to the output. Returns the exit status; SAID: its sentence is out. */
int run_headers(struct run *run, bool *said);

#endif
