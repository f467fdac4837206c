/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elsewhere.h - images that have a name and no file: standard input ("-"), and exports of network
 * block devices ("nbd+unix:///EXPORT?socket=PATH", doc/uri.md of NBD). Their descriptors are opened
 * here, in the process that may (outside.h).
 */
#ifndef VMCENSUS_ELSEWHERE_H
#define VMCENSUS_ELSEWHERE_H

#include <stdbool.h>
#include <stddef.h>

#define ELSEWHERE_STDIN "-"
#define ELSEWHERE_FILES 2

bool elsewhere_named(const char *name);

/* The parts of the URI of an export, decoded; false: NAME is none. NULL: the part is not wanted. */
bool elsewhere_is_nbd(const char *name, char *export, size_t export_size, char *socket,
		      size_t socket_size);

/* Standard input is the regular file FD from now on, of this process and those that it starts. */
void elsewhere_stdin(int fd);

/*
 * The same of the file NAME, which is kept: what was packed in it is in FD. DAMAGED: not all of it, the packed stream
 * is damaged, or ends too early. ELSEWHERE_FILES at most.
 */
void elsewhere_file(const char *name, int fd, bool damaged);
bool elsewhere_is_damaged(const char *name);

/* A descriptor: of a file, or of a socket that is connected to the server. -1: errno says why. */
int elsewhere_open(const char *name);

#endif
