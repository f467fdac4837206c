/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hash.h - one open-addressing table: u64 key -> u32 index.
 *
 * It is the seen-set of every walk (kernel address -> index of the object that
 * was made of it). Key 0 is not allowed: no kernel object lies at 0.
 * Strings are hashed to keys with hash_str(); the caller compares the string.
 */
#ifndef VMCENSUS_HASH_H
#define VMCENSUS_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/arena.h"

#define HASH_NONE UINT32_MAX

struct hash {
	uint64_t *keys;
	uint32_t *vals;
	size_t n, cap;		/* cap is 0 or a power of two */
	struct arena *mem;	/* set by the user before the first insert */
};

/* The value of KEY, or HASH_NONE. */
uint32_t hash_get(const struct hash *h, uint64_t key);

/* Insert, or replace the value of, KEY. */
void hash_put(struct hash *h, uint64_t key, uint32_t val);

/* FNV-1a of LEN bytes, never 0. */
uint64_t hash_bytes(const void *p, size_t len);
uint64_t hash_str(const char *s);

#endif
