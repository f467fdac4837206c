/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guard.h - work that leaves no half of a file behind. */
#ifndef VMCENSUS_GUARD_H
#define VMCENSUS_GUARD_H

/*
 * Runs WORK in a process of its own and returns its exit status. A signal by which a user or a
 * system ends this process (INT, TERM, HUP) ends that one, FILE is removed, and this one ends by the
 * signal. Without a process to spare WORK runs in this one.
 */
int guard(int (*work)(void *arg), void *arg, const char *file);

#endif
