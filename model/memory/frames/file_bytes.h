/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file_bytes.h - the content of a mapped file, as far as its page cache is in the dump.
 */
#ifndef VMCENSUS_FILE_BYTES_H
#define VMCENSUS_FILE_BYTES_H

#include "model/model.h"

/* LEN bytes at OFF of F; false if not all of them are in the dump. OFF may be beyond the end. */
bool file_read_cached(const struct snapshot *s, struct reader *r, const struct file *f,
		      uint64_t off, void *buf, size_t len);

#endif
