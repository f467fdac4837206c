/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sandbox_test.h - "vmcensus --sandbox-test": does what an exploit would do, in the sandbox.
 */
#ifndef VMCENSUS_SANDBOX_TEST_H
#define VMCENSUS_SANDBOX_TEST_H

#include <stdio.h>

/* A line for each attempt on OUT. 0: all were refused; EXIT_NO_ANSWER: one was not. */
int sandbox_test(FILE *out);

#endif
