/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * taken.h - what was taken from the system while a dump is opened inside crash.
 *
 * The opening can be left in the middle: by an error of crash's, or when memory
 * is out. Nobody then knows what was allocated, but for this list: the linker
 * leads malloc() and its kin, open() and close() of our objects here (--wrap, in
 * the Makefile). It also is how an interrupt ends the opening: reads fail from
 * then on. Outside of an opening all of it passes through. One thread.
 */
#ifndef VMCENSUS_TAKEN_H
#define VMCENSUS_TAKEN_H

#include <signal.h>

/* Reads fail once *CUT is set. */
void taken_watch(const volatile sig_atomic_t *cut);
/* What was taken stays. */
void taken_keep(void);
/* Give all of it back. */
void taken_release(void);

#endif
