/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tell.h - sentences on stderr, of commands that are no reports. */
#ifndef VMCENSUS_TELL_H
#define VMCENSUS_TELL_H

/* "vmcensus: PATH: TEXT", in which a terminal gets no control character. PATH NULL: only TEXT. */
void tell(const char *path, const char *text);
/* The same with a text as of printf(), of 1023 bytes at most. */
void tellf(const char *path, const char *form, ...) __attribute__((format(printf, 2, 3)));

#endif
