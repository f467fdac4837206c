/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The containers that have only memory: raw, LiME, AVML, mcore. */
#include <snappy-c.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dumpread/base/bytes.h"
#include "tests/unit/mkimage.h"

/* Zeros up to N bytes. */
static void pad(struct bytes *b, uint64_t n)
{
	if (b->n < n)
		put_uint(b, n - 1, 0, 1, false);
}

static uint64_t page_size(const struct mkimage *m)
{
	return (uint64_t)1 << m->page_shift;
}

struct bytes mk_raw(const struct mkimage *m, uint64_t first, uint64_t n)
{
	uint8_t *page = malloc(page_size(m));
	struct bytes b = { 0 };

	for (uint64_t i = 0; i < n; i++) {
		memset(page, 0, page_size(m));
		if (mk_has(m, first + i))
			mk_page(m, first + i, page);
		put_at(&b, i << m->page_shift, page, page_size(m));
	}
	free(page);
	return b;
}

static void put_range(const struct mkimage *m, struct bytes *b, uint32_t magic, uint32_t version,
		      uint64_t first, uint64_t n)
{
	uint64_t at = b->n;

	put_uint(b, at, magic, 4, m->big);
	put_uint(b, at + 4, version, 4, m->big);
	put_uint(b, at + 8, first << m->page_shift, 8, m->big);
	put_uint(b, at + 16, ((first + n) << m->page_shift) - 1, 8, m->big);
	put_uint(b, at + 24, 0, 8, m->big);
}

struct bytes mk_lime(const struct mkimage *m)
{
	struct bytes b = { 0 }, data;

	for (uint64_t first = 0, n; (n = mk_run(m, &first)); first += n) {
		put_range(m, &b, 0x4c694d45, 1, first, n);
		data = mk_raw(m, first, n);
		put_at(&b, b.n, data.v, data.n);
		mk_free(&data);
	}
	return b;
}

/* CRC-32C, bit by bit, masked as snappy's framing_format.txt says. */
static uint32_t masked_crc(const uint8_t *p, size_t n)
{
	uint32_t c = ~0u;

	for (size_t i = 0; i < n; i++) {
		c ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0x82f63b78 : c >> 1;
	}
	c = ~c;
	return (c >> 15 | c << 17) + 0xa282ead8;
}

static void put_frame(struct bytes *b, const uint8_t *p, size_t n)
{
	size_t len = snappy_max_compressed_length(n);
	char *out = malloc(len);
	bool packed = snappy_compress((const char *)p, n, out, &len) == SNAPPY_OK &&
		      len < n - n / 8;
	uint64_t at = b->n;

	if (!packed)
		len = n;
	put_uint(b, at, packed ? 0 : 1, 1, false);
	put_uint(b, at + 1, len + 4, 2, false);
	put_uint(b, at + 3, (len + 4) >> 16, 1, false);
	put_uint(b, at + 4, masked_crc(p, n), 4, false);
	put_at(b, at + 8, packed ? (const uint8_t *)out : p, len);
	free(out);
}

static bool all_zeros(const struct bytes *b)
{
	return b->n && !b->v[0] && !memcmp(b->v, b->v + 1, b->n - 1);
}

/* Blocks of zeros are left out, as AVML does from version 0.15 on. */
struct bytes mk_avml(const struct mkimage *m)
{
	const uint64_t most = (16u << 20) >> m->page_shift;
	struct bytes b = { 0 }, data;

	for (uint64_t first = 0, n; (n = mk_run(m, &first)); first += n) {
		uint64_t begin;

		n = min_u64(n, most);
		data = mk_raw(m, first, n);
		if (all_zeros(&data)) {
			mk_free(&data);
			continue;
		}
		put_range(m, &b, 0x4c4d5641, 2, first, n);
		begin = b.n;
		put_at(&b, b.n, "\xff\x06\0\0sNaPpY", 10);
		for (size_t at = 0; at < data.n; at += 65536)
			put_frame(&b, data.v + at, min_u64(65536, data.n - at));
		mk_free(&data);
		put_uint(&b, b.n, b.n - begin, 8, false);
	}
	return b;
}

/* ---- mcore: the tables in dumpread/container/mcore.c -------------------------------- */

static void put_mcore_header(const struct mkimage *m, struct bytes *b, uint64_t at,
			     uint64_t map_block, uint64_t map_blocks)
{
	unsigned w = m->word;

	put_uint(b, at, 0x9a8bccdd, w, m->big);
	put_uint(b, at + 4 * w, page_size(m), 4, m->big);
	put_uint(b, at + 4 * w + 4, map_block, 4, m->big);
	put_uint(b, at + 4 * w + 8, map_blocks, 4, m->big);
}

/* Append from the next block's start; returns the length in blocks. */
static uint64_t put_stream(const struct mkimage *m, struct bytes *b, const uint8_t *raw, size_t n)
{
	uLongf len = compressBound(n);
	uint8_t *out = malloc(len);
	uint64_t at = b->n, page = page_size(m), blocks;

	if (compress2(out, &len, raw, n, 1) != Z_OK)
		abort();
	blocks = (len + page - 1) / page;
	put_at(b, at, out, len);
	pad(b, at + blocks * page);
	free(out);
	return blocks;
}

static uint64_t count(const struct mkimage *m)
{
	uint64_t n = 0;

	for (uint64_t first = 0, len; (len = mk_run(m, &first)); first += len)
		n += len;
	return n;
}

/* The next page that an mcore file must have: the first frame shows where memory is. */
static bool next_page(const struct mkimage *m, uint64_t *pfn)
{
	if (!*pfn)
		return true;
	return mk_run(m, pfn);
}

static void get_page(const struct mkimage *m, uint64_t pfn, uint8_t *out)
{
	memset(out, 0, page_size(m));
	if (mk_has(m, pfn))
		mk_page(m, pfn, out);
}

struct bytes mk_mcore2(const struct mkimage *m)
{
	uint64_t base = m->identity, page = page_size(m), step = 2 * m->word + 8, pfn = 0, entry = page;
	uint64_t units = count(m) / 128 + 2;
	uint64_t map_blocks = ((units + 1) * step + page - 1) / page;
	size_t table = (129 * m->word + page - 1) / page * page;
	uint8_t *raw = malloc(table + 128 * page);
	struct bytes b = { 0 };

	put_mcore_header(m, &b, 0, 1, map_blocks);
	pad(&b, (1 + map_blocks) * page);
	while (next_page(m, &pfn)) {
		unsigned n = 0;

		memset(raw, 0, table);
		put_uint(&b, entry, base + (pfn << m->page_shift), m->word, m->big);
		for (; n < 128 && next_page(m, &pfn); n++, pfn++) {
			store_uint(raw + n * m->word, base + (pfn << m->page_shift), m->word,
				   m->big);
			get_page(m, pfn, raw + table + n * page);
		}
		put_uint(&b, entry + 2 * m->word, b.n / page, 4, m->big);
		put_uint(&b, entry + 2 * m->word + 4,
			 put_stream(m, &b, raw, table + n * page), 4, m->big);
		entry += step;
	}
	free(raw);
	return b;
}

/* One header and its units, N pages from FIRST on without a hole; returns its block. */
static uint64_t put_region(const struct mkimage *m, struct bytes *b, uint64_t first, uint64_t n)
{
	uint64_t page = page_size(m), step = m->word == 4 ? 20 : 32, at = b->n, pos = at / page;
	uint64_t map_blocks = (n * step + page - 1) / page, entry = at + page;
	uint8_t *raw = malloc(page);

	put_mcore_header(m, b, at, 1, map_blocks);
	put_uint(b, at + 4 * m->word + 12, n, 4, m->big);
	put_uint(b, at + (m->word == 4 ? 32 : 48), page, m->word, m->big);
	pad(b, at + (1 + map_blocks) * page);
	for (uint64_t i = 0; i < n; i++, entry += step) {
		get_page(m, first + i, raw);
		put_uint(b, entry, m->identity + ((first + i) << m->page_shift), m->word, m->big);
		put_uint(b, entry + 2 * m->word, b->n / page - pos + 100, 4, m->big);
		put_uint(b, entry + 2 * m->word + 4, put_stream(m, b, raw, page), 4, m->big);
	}
	free(raw);
	return pos;
}

/* Units of a header are contiguous in memory: each run has a header of its own. */
struct bytes mk_mcore1(const struct mkimage *m)
{
	struct bytes b = { 0 };
	uint64_t first = 0, n, headers = 0;

	pad(&b, page_size(m));
	if (mk_run(m, &first) && first)
		put_uint(&b, 4 * headers++, put_region(m, &b, 0, 1), 4, m->big);
	for (first = 0; (n = mk_run(m, &first)); first += n)
		put_uint(&b, 4 * headers++, put_region(m, &b, first, n), 4, m->big);
	return b;
}

/* ---- QEMU's stream: the table in dumpread/container/qemu_stream.c ------------------------ */

#define QEMU_ID 2

static void put_text(struct bytes *b, const char *text)
{
	put_uint(b, b->n, strlen(text), 1, true);
	put_at(b, b->n, text, strlen(text));
}

static void put_section(struct bytes *b, unsigned type)
{
	put_uint(b, b->n, type, 1, true);
	put_uint(b, b->n, QEMU_ID, 4, true);
}

/* The end of one, and its footer, which no machine before 2.4 wrote: the last has none. */
static void end_section(struct bytes *b, bool footer)
{
	put_uint(b, b->n, 0x10, 8, true);
	if (footer) {
		put_uint(b, b->n, 0x7e, 1, true);
		put_uint(b, b->n, QEMU_ID, 4, true);
	}
}

/* 4 KiB at ADDR of memory; SAME: of the block of the record before. */
static void put_qemu_page(struct bytes *b, uint64_t addr, const uint8_t *page, bool same)
{
	bool zeros = is_zero(page, 4096);

	put_uint(b, b->n, addr | (zeros ? 2 : 8) | (same ? 0x20 : 0), 8, true);
	if (!same)
		put_text(b, "mk.ram");
	if (zeros)
		put_uint(b, b->n, 0, 1, true);
	else
		put_at(b, b->n, page, 4096);
}

/* The first half of the pages in one section, then all in another: the second copy counts. */
struct bytes mk_qemu(const struct mkimage *m)
{
	static const uint8_t old[4096] = { 0xdd };
	uint8_t *page = malloc(page_size(m));
	uint64_t ram = m->max_pfn << m->page_shift;
	struct bytes b = { 0 };

	put_at(&b, 0, "QEVM\0\0\0\3\7\0\0\0\2mk", 15);
	put_section(&b, 1);
	put_text(&b, "ram");
	put_uint(&b, b.n, 0, 4, true);
	put_uint(&b, b.n, 4, 4, true);
	put_uint(&b, b.n, (ram + 8192) | 4, 8, true);
	put_text(&b, "mk.ram");
	put_uint(&b, b.n, ram, 8, true);
	put_text(&b, "0000:00:02.0/vga.vram");
	put_uint(&b, b.n, 8192, 8, true);
	end_section(&b, true);
	put_section(&b, 2);
	put_qemu_page(&b, 0, old, false);
	end_section(&b, true);
	put_section(&b, 3);
	for (uint64_t pfn = 0, n = 0; pfn < m->max_pfn; pfn++) {
		if (!mk_has(m, pfn))
			continue;
		mk_page(m, pfn, page);
		for (uint64_t at = 0; at < page_size(m); at += 4096)
			put_qemu_page(&b, (pfn << m->page_shift) + at, page + at, n++);
	}
	end_section(&b, false);
	free(page);
	return b;
}

/* ---- the table -------------------------------------------------------------------- */

const struct mk_container mk_containers[MK_CONTAINERS] = {
	{ "lime", mk_lime, false },
	{ "avml", mk_avml, true },
	{ "mcore1", mk_mcore1, false },
	{ "mcore2", mk_mcore2, false },
	{ "qemu", mk_qemu, false },
};
