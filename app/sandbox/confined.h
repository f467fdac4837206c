/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * confined.h - a run whose dump is read in a sandbox (app/sandbox/broker.h).
 */
#ifndef VMCENSUS_CONFINED_H
#define VMCENSUS_CONFINED_H

#include "app/run.h"

/*
 * Is the dump read in a sandbox? Not with --no-sandbox, not the running kernel (whose reader
 * is root's, and which nobody else wrote), and not in a host, which has opened the dump.
 */
bool run_is_confined(const struct run *run);
/*
 * READ(RUN) in a sandbox; its exit status is returned. If the process dies of a signal, this
 * one says so and dies of it as well.
 */
int run_confined(struct run *run, int (*read)(struct run *run));
/* The process that reads has written all of O, an output of RUN: gives it its name. Returns STATUS, or the
   exit status of a failure. */
int run_end_output(struct run *run, struct output *o, int status);
/* Says what this kernel's sandbox lacks: always if that is all of it, else with -v. */
void run_say_lacks(struct run *run);
/* All output is written. Inside a sandbox the process outside gives the file its name. */
enum status run_written(struct run *run);

#endif
