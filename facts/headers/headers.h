/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers.h - the types of a kernel from its headers and its configuration.
 *
 * For kernels without BTF whose vmlinux is gone. A compiler reads the headers as the
 * kernel's own build would, and its debug information is the answer. The tree need not be
 * built: headers that the build generates are made, or replaced where no type depends on
 * them. Structs that are private to a source file are found in a source tree; packages of
 * headers lack them.
 */
#ifndef VMCENSUS_HEADERS_H
#define VMCENSUS_HEADERS_H

#include <stdint.h>
#include <stdio.h>

#include "dumpread/base/diag.h"
#include "dumpread/base/log.h"

struct headers_opts {
	const char *dir;	/* headers package, or a source tree */
	const char *config;	/* text of .config; NULL: DIR/.config */
	const char *config_name;	/* where it is from, for messages; NULL with config NULL */
	const char *release;	/* of the kernel, for the file; NULL: what DIR says, if it does */
	const uint8_t *build_id;	/* the same; BUILD_ID_LEN 0: none */
	unsigned build_id_len;
	const char *tmp;	/* an empty directory, which it leaves full */
	const struct log *log;
};

/*
 * Write the layout file to OUT. Runs $CC, or the usual compiler for the kernel's CPU, with all
 * signals let through. ST_ABSENT and others with DIAG.
 */
enum status headers_layout(const struct headers_opts *o, FILE *out, struct diag *diag);

#endif
