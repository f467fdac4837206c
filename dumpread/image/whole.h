/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whole.h - files that are looked at before it is known what they are.
 */
#ifndef VMCENSUS_IMAGE_WHOLE_H
#define VMCENSUS_IMAGE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/diag.h"

/* Up to LEN bytes from the beginning of the regular file PATH; 0 if it cannot be read. */
size_t file_head(const char *path, uint8_t *buf, size_t len);

/* The whole file, at most MAX bytes, in memory from malloc(). ST_IO or ST_LIMIT with DIAG. */
enum status file_whole(const char *path, uint64_t max, struct diag *diag, uint8_t **ret,
		       size_t *size);

/*
 * Is PATH a part of a split dump (makedumpfile --split)? KEY gets what all parts of that dump
 * have in common, and *START its first frame.
 */
#define SPLIT_KEY 320
bool file_is_split(const char *path, char key[SPLIT_KEY], uint64_t *start);

#endif
