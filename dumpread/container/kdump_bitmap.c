/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdump_bitmap.c - a bitmap that counts other pages than there are descriptors.
 *
 * One that is too low by one bit gives each page after it the data of another. The number of descriptors is known, so
 * pages before the damage are counted from the front and those after it from the end; only those in it are lost.
 *
 * The first bitmap has each frame of memory, the second those that were dumped (create_2nd_bitmap() and
 * write_kdump_bitmap2() of makedumpfile 1.7.2; QEMU writes one bitmap twice). So a bit that only the second has is
 * damage; and a chunk without any bit, where memory is and bits are missing, can be.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/container/kdump_parts.h"

#define CHUNK_BYTES (BITMAP_CHUNK / 8)
#define NOISE (BITMAP_CHUNK * 3 / 8)	/* neighbours that differ: of random bits it is half */

struct chunk {
	unsigned set, memory;	/* bits of the second bitmap, of the first */
	bool stray;		/* a bit that only the second has */
	bool noise;
};

static unsigned count_changes(const uint8_t *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < CHUNK_BYTES; i += 8) {
		uint64_t v = load64(p + i, false);

		n += (unsigned)__builtin_popcountll((v ^ v >> 1) & (UINT64_MAX >> 1));
	}
	return n;
}

static bool read_chunk(const struct bitmap *b, uint64_t off, uint64_t c, uint8_t *out)
{
	size_t got;

	memset(out, 0, CHUNK_BYTES);
	return !part_read_some(b->file, off + c * CHUNK_BYTES, out,
			       min_u64(CHUNK_BYTES, (b->nbits + 7) / 8 - c * CHUNK_BYTES), &got);
}

static struct chunk look(const struct bitmap *b, const struct kdump_header *h, uint64_t c)
{
	uint8_t dumped[CHUNK_BYTES], there[CHUNK_BYTES];
	struct chunk k = { .set = 0 };

	if (!read_chunk(b, b->off, c, dumped) || !h->first_bitmap_off ||
	    !read_chunk(b, h->first_bitmap_off, c, there))
		return k;
	k.set = bitmap_count_chunk(dumped);
	k.memory = bitmap_count_chunk(there);
	k.noise = count_changes(dumped) > NOISE;
	for (unsigned i = 0; i < CHUNK_BYTES && !k.stray; i++)
		k.stray = dumped[i] & ~there[i];
	return k;
}

enum sign { STRAY, EMPTY, NOISY, SIGNS };

static bool shows(const struct chunk *k, enum sign sign, uint64_t missing)
{
	switch (sign) {
	case STRAY: return k->stray;
	case EMPTY: return missing && !k->set && k->memory >= missing;
	default: return k->noise;
	}
}

/* The chunks [*FIRST, *END) from the first to the last of [C, LAST) that shows SIGN. */
static bool find_chunks(const struct bitmap *b, const struct kdump_header *h, uint64_t c,
			uint64_t last, enum sign sign, uint64_t missing, uint64_t *first,
			uint64_t *end)
{
	*first = *end = last;
	for (; c < last; c++) {
		struct chunk k = look(b, h, c);

		if (!shows(&k, sign, missing))
			continue;
		*first = min_u64(*first, c);
		*end = c + 1;
	}
	return *first < last;
}

/* Of the chunks [FIRST, END): the bits of memory. */
static uint64_t count_memory(const struct bitmap *b, const struct kdump_header *h, uint64_t first,
			     uint64_t end)
{
	uint64_t n = 0;

	for (; first < end; first++)
		n += look(b, h, first).memory;
	return n;
}

bool kdump_mend_bitmap(struct bitmap *b, const struct kdump_part *kp, uint64_t want, uint64_t *lost)
{
	const struct kdump_header *h = &kp->h;
	uint64_t have = bitmap_rank(b, NULL, h->end_pfn) - bitmap_rank(b, NULL, h->start_pfn);
	uint64_t from = (h->start_pfn + BITMAP_CHUNK - 1) / BITMAP_CHUNK, first, end;
	uint64_t last = h->end_pfn == b->nbits ? b->nchunks : h->end_pfn / BITMAP_CHUNK;

	for (enum sign sign = 0; sign < SIGNS; sign++) {
		uint64_t in, memory;

		if (!find_chunks(b, h, from, last, sign, want > have ? want - have : 0, &first,
				 &end))
			continue;
		in = b->chunks[end].before - b->chunks[first].before;
		memory = count_memory(b, h, first, end);
		if (have - in > want || want - (have - in) > memory)
			return false;
		*lost = want - (have - in);
		bitmap_patch(b, first, end, *lost == memory ? h->first_bitmap_off : 0, *lost);
		*lost = *lost == memory ? 0 : *lost;
		return true;
	}
	return false;
}
