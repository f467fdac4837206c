/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hash.c - a hash table with open addressing.
 */
#include "dumpread/base/hash.h"

static size_t slot_of(const struct hash *h, uint64_t key)
{
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20) & (h->cap - 1);

	while (h->keys[i] && h->keys[i] != key)
		i = (i + 1) & (h->cap - 1);
	return i;
}

uint32_t hash_get(const struct hash *h, uint64_t key)
{
	size_t i;

	if (!h->cap || !key)
		return HASH_NONE;
	i = slot_of(h, key);
	return h->keys[i] ? h->vals[i] : HASH_NONE;
}

static void rehash(struct hash *h)
{
	struct hash old = *h;

	h->cap = old.cap ? old.cap * 2 : 64;
	h->keys = arena_array(h->mem, uint64_t, h->cap);
	h->vals = arena_array(h->mem, uint32_t, h->cap);
	for (size_t i = 0; i < old.cap; i++) {
		size_t s;

		if (!old.keys[i])
			continue;
		s = slot_of(h, old.keys[i]);
		h->keys[s] = old.keys[i];
		h->vals[s] = old.vals[i];
	}
}

void hash_put(struct hash *h, uint64_t key, uint32_t val)
{
	size_t i;

	if (!key)
		return;
	if ((h->n + 1) * 4 > h->cap * 3)
		rehash(h);
	i = slot_of(h, key);
	if (!h->keys[i]) {
		h->keys[i] = key;
		h->n++;
	}
	h->vals[i] = val;
}

uint64_t hash_bytes(const void *p, size_t len)
{
	const unsigned char *b = p;
	uint64_t v = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		v = (v ^ b[i]) * 0x100000001b3ull;
	return v ? v : 1;
}

uint64_t hash_str(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return hash_bytes(s, n);
}
