/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bytes.h - integers of the dumped machine, read on this one; small questions about bytes
 * and strings.
 *
 * All loads are unaligned-safe and take the byte order of the dump; nothing
 * else in the program may cast dump bytes to an integer pointer.
 */
#ifndef VMCENSUS_BYTES_H
#define VMCENSUS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load16(const void *p, bool big)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big ? __builtin_bswap16(v) : v;
}

static inline uint32_t load32(const void *p, bool big)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big ? __builtin_bswap32(v) : v;
}

static inline uint64_t load64(const void *p, bool big)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big ? __builtin_bswap64(v) : v;
}

/* SIZE is 1, 2, 4 or 8 bytes; any other size gives 0. */
static inline uint64_t load_uint(const void *p, unsigned size, bool big)
{
	switch (size) {
	case 1: return *(const uint8_t *)p;
	case 2: return load16(p, big);
	case 4: return load32(p, big);
	case 8: return load64(p, big);
	}
	return 0;
}

/* Sign-extend the low BITS (1..64) bits of V. */
static inline int64_t sign_extend(uint64_t v, unsigned bits)
{
	return bits >= 64 ? (int64_t)v
			  : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static inline void store_uint(void *p, uint64_t v, unsigned size, bool big)
{
	uint8_t *b = p;

	for (unsigned i = 0; i < size; i++)
		b[big ? size - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* N bytes (1 or more) of zeros. */
static inline bool is_zero(const void *p, size_t n)
{
	const uint8_t *b = p;

	return !b[0] && !memcmp(b, b + 1, n - 1);
}

static inline bool str_begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static inline bool str_ends(const char *s, const char *with)
{
	size_t n = strlen(s), k = strlen(with);

	return n >= k && !strcmp(s + n - k, with);
}

#endif
