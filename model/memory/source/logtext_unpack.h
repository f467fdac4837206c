/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logtext_unpack.h - compressed texts: gzip, xz, zstd, also several after each other. */
#ifndef VMCENSUS_LOGTEXT_UNPACK_H
#define VMCENSUS_LOGTEXT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/status.h"

struct unpacked {
	uint8_t *data;	/* the caller's to free; one byte is behind it */
	size_t len;
	bool cut;	/* the compressed data ends too early, or is damaged behind that */
};

/* Does a file that begins so have one of these formats? */
bool log_is_packed(const uint8_t *head, size_t n);

/*
 * The first MAX bytes at most of what the LEN bytes IN are compressed from. ST_LIMIT: they would be more, and *RET has
 * MAX of them. ST_NOTMINE: nothing can be read, *RET is empty.
 */
enum status log_unpack(const uint8_t *in, size_t len, size_t max, struct unpacked *ret);

/* Bytes that LEN compressed bytes of a log may become: more is an attack. */
size_t log_unpack_max(uint64_t len);

#endif
