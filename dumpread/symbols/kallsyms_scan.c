/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms without a name: the tables found in the kernel image by the form that
 * they must have. Order of the tables (scripts/kallsyms.c, write_src()), each
 * aligned to a word (to 4 bytes since 7.1):
 *
 *   ..6.3  addresses, or offsets and relative_base; num_syms; names; markers;
 *          (seqs_of_names, 6.2+;) token_table; token_index
 *   6.4..  num_syms; names; markers; token_table; token_index; offsets;
 *          relative_base (..7.0); seqs_of_names
 *
 * token_index and token_table confirm each other, and so nearly never occur by
 * chance. From there num_syms is sought backwards: after it num_syms names
 * must end where markers (offset in names of every 256th) agree with them.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/kallsyms.h"
#include "dumpread/symbols/kimage.h"

#define MIN_SYMS 500u			/* less than the smallest kernel */
#define WINDOW ((uint64_t)4 << 20)	/* names and markers, before token_table ... */
#define MAX_WINDOW ((uint64_t)16 << 20)	/* ... of a kernel with everything built in */
#define MAX_HITS 16u			/* token tables looked at */
#define MAX_STEPS 300000000u		/* names stepped over, in all */
#define TOKENS 256u

struct scan {
	struct kallsyms *k;
	const struct kimage *ki;
	const struct kallsyms_anchor *anchors;
	unsigned nanchors;
	unsigned hits;
	uint32_t steps;
	bool found;
	uint8_t *values;		/* room for num words */
	/* of the hit at work */
	uint64_t table, index;		/* addresses of token_table, token_index */
	const uint8_t *win;		/* the bytes before token_table ... */
	uint64_t win_start;		/* ... from this address on */
	bool holes;			/* pages of them could not be read, or are zeros */
};

static uint64_t align_up(uint64_t v, uint64_t a)
{
	return (v + a - 1) & ~(a - 1);
}

/* Are there 256 ascending u16 from 0 on? */
static bool looks_like_index(const uint8_t *p, bool big)
{
	uint16_t last = 0;

	if (p[0] || p[1])
		return false;
	for (unsigned i = 1; i < TOKENS; i++) {
		uint16_t v = load16(p + 2 * i, big);

		if (v <= last || v - last > KALLSYMS_NAME_LEN)
			return false;
		last = v;
	}
	return true;
}

/*
 * Offset of the token_table before the token_index at OFF of BUF. The last
 * token is the last string before the index (and its padding).
 */
static bool table_before(const uint8_t *buf, size_t off, bool big, size_t *ret)
{
	const uint8_t *index = buf + off;
	uint16_t last = load16(index + 2 * (TOKENS - 1), big);
	size_t p = off, table;

	while (p && off - p < 16 && !buf[p - 1])
		p--;
	if (p == off)
		return false;
	while (p && buf[p - 1])
		p--;
	if (p < last || (p - last) % 4)
		return false;
	table = p - last;
	for (unsigned i = 1; i < TOKENS; i++) {
		uint16_t from = load16(index + 2 * (i - 1), big);
		uint16_t to = load16(index + 2 * i, big);

		if (strnlen((const char *)buf + table + from, to - from) != (size_t)(to - from - 1))
			return false;
	}
	*ret = table;
	return true;
}

static uint64_t marker(const uint8_t *p, uint64_t i, unsigned width, bool big)
{
	return load_uint(p + i * width, width, big);
}

/* Are there markers at ADDR for names whose 256th and last marked ones are given? */
static bool markers_at(const struct scan *s, uint64_t addr, uint32_t num, uint64_t second,
		       uint64_t last)
{
	uint64_t n = (num + 255) / 256;

	for (unsigned width = 4; width <= s->k->word_size; width += 4) {
		const uint8_t *p = s->win + (addr - s->win_start);

		if (addr + n * width > s->table)
			continue;
		if (!marker(p, 0, width, s->k->big) && marker(p, 1, width, s->k->big) == second &&
		    marker(p, n - 1, width, s->k->big) == last)
			return true;
	}
	return false;
}

/* Do NUM names at ADDR end at their markers? */
static bool names_at(struct scan *s, uint64_t addr, uint32_t num)
{
	const uint8_t *names = s->win + (addr - s->win_start);
	size_t len = s->table - addr, pos = 0, second = 0, last = 0;

	for (uint32_t i = 0; i < num; i++) {
		uint32_t l;

		if (i == 256)
			second = pos;
		if (i % 256 == 0)
			last = pos;
		if (pos + 2 > len || ++s->steps > MAX_STEPS)
			return false;
		l = names[pos++];
		if (l & 0x80)
			l = (l & 0x7f) | (uint32_t)names[pos++] << 7;
		if (!l || l > len - pos)
			return false;
		pos += l;
	}
	return markers_at(s, align_up(addr + pos, 4), num, second, last) ||
	       markers_at(s, align_up(addr + pos, 8), num, second, last);
}

/* Where the 256th name at ADDR ends; 0: one of the 256 is none. */
static uint64_t first_group(const struct scan *s, uint64_t addr)
{
	const uint8_t *names = s->win + (addr - s->win_start);
	size_t len = s->table - addr, pos = 0;

	for (unsigned i = 0; i < 256; i++) {
		uint32_t l;

		if (pos + 2 > len)
			return 0;
		l = names[pos++];
		if (l & 0x80)
			l = (l & 0x7f) | (uint32_t)names[pos++] << 7;
		if (!l || l > len - pos)
			return 0;
		pos += l;
	}
	return pos;
}

/* Do N markers that ascend lie at START, behind the names at ADDR? */
static bool markers_ascend(const struct scan *s, uint64_t addr, uint64_t start, uint64_t n,
			   unsigned width)
{
	const uint8_t *p = s->win + (start - s->win_start);
	uint64_t last = 0;

	if (marker(p, 0, width, s->k->big) ||
	    marker(p, 1, width, s->k->big) != first_group(s, addr))
		return false;
	for (uint64_t i = 1; i < n; i++) {
		uint64_t v = marker(p, i, width, s->k->big);

		if (v <= last || v > start - addr)
			return false;
		last = v;
	}
	return start - addr - last <= 256 * (KALLSYMS_NAME_LEN + 2);
}

/*
 * As names_at() where names could not be read. To 6.1 the markers end where the tokens begin, and tell
 * enough; later kernels say in VMCOREINFO where all this is.
 */
static bool names_with_holes_at(const struct scan *s, uint64_t addr, uint32_t num)
{
	uint64_t n = (num + 255) / 256;

	for (unsigned width = 4; s->holes && width <= s->k->word_size; width += 4) {
		uint64_t start = (s->table - n * width) & ~(uint64_t)(s->k->word_size - 1);

		if (start >= addr + 2 * (uint64_t)num && start >= s->win_start &&
		    markers_ascend(s, addr, start, n, width))
			return true;
	}
	return false;
}

static const uint8_t *keep_bytes(struct scan *s, uint64_t addr, size_t len, struct holes *lost)
{
	uint8_t *p = arena_alloc(&s->k->mem, len);

	kimage_read(s->ki, addr, p, len);
	holes_of_zeros(p, addr, len, dump_page_size(reader_dump(s->ki->r)), lost);
	return p;
}

/* Is an anchor, if there are any, where the table says? Addresses one entry further ascend as well. */
static bool anchored(const struct scan *s)
{
	uint64_t addr;

	for (unsigned i = 0; i < s->nanchors; i++)
		if (kallsyms_find(s->k, s->anchors[i].name, &addr))
			return true;
	return !s->nanchors;
}

/* Try VALUES of SIZE bytes each at ADDR, and the base at BASE_AT if not 0. */
static bool values_at(struct scan *s, uint64_t addr, unsigned size, uint64_t base_at)
{
	struct kallsyms *k = s->k;
	uint8_t word[8];

	if (addr < s->ki->start || addr >= s->ki->end)
		return false;
	k->is_address = size == k->word_size && !base_at;
	k->has_base = base_at != 0;
	k->value_size = (uint8_t)size;
	k->values_va = addr;
	if (base_at) {
		kimage_read(s->ki, base_at, word, k->word_size);
		k->base = load_uint(word, k->word_size, k->big);
		if (!k->base)
			return false;
	}
	k->values = s->values;
	kimage_read(s->ki, addr, s->values, (size_t)k->num * size);
	holes_of_zeros(s->values, addr, (size_t)k->num * size,
		       dump_page_size(reader_dump(s->ki->r)), &k->lost.values);
	return !kallsyms_choose_form(k, s->anchors, s->nanchors) && anchored(s);
}

/* The values lie before num_syms (at NUM_AT) or after token_index. */
static bool find_values(struct scan *s, uint64_t num_at)
{
	unsigned word = s->k->word_size;
	uint64_t num = s->k->num, behind = s->index + 2 * TOKENS;

	for (unsigned a = word; a >= 4; a -= 4) {
		uint64_t label = num_at & ~(uint64_t)(a - 1);
		uint64_t offsets = align_up(behind, a);

		if (values_at(s, label - word - align_up(4 * num, a), 4, label - word) ||
		    values_at(s, label - num * word, word, 0) ||
		    values_at(s, offsets, 4, align_up(offsets + 4 * num, word)))
			return true;
		/* on 64 bits relative to themselves: needs a virtual address */
		if ((word == 4 || !s->ki->physical) && values_at(s, offsets, 4, 0))
			return true;
	}
	return false;
}

static bool take_tables(struct scan *s, uint64_t num_at, uint64_t names)
{
	struct kallsyms *k = s->k;

	k->names_len = s->table - names;
	k->names = keep_bytes(s, names, k->names_len, &k->lost.names);
	k->tokens_len = s->index - s->table;
	k->tokens = keep_bytes(s, s->table, k->tokens_len, &k->lost.tokens);
	k->token_index = keep_bytes(s, s->index, 2 * TOKENS, &k->lost.token_index);
	s->values = arena_calloc(&k->mem, k->num, k->word_size);
	return !kallsyms_index(k) && find_values(s, num_at);
}

/* Look backwards from token_table for num_syms with its names after it. */
static bool find_names(struct scan *s)
{
	uint64_t from = s->table & ~3ull;

	while (from >= s->win_start + 16 && s->steps < MAX_STEPS) {
		const uint8_t *p = s->win + ((from -= 4) - s->win_start);
		uint32_t num = load32(p, s->k->big);
		bool padded;

		if (num < MIN_SYMS || num > KALLSYMS_MAX_SYMS || s->table - from < 16)
			continue;
		/* the upper half of a long, or padding to a word */
		padded = s->k->word_size == 8 && !load32(p + 4, s->k->big);
		for (unsigned skip = 4; skip <= (padded ? 8u : 4u); skip += 4) {
			if (!names_at(s, from + skip, num) &&
			    !names_with_holes_at(s, from + skip, num))
				continue;
			s->k->num = num;
			return take_tables(s, from, from + skip);
		}
	}
	return false;
}

static bool try_window(struct scan *s, uint64_t len)
{
	uint8_t *win = malloc(len + 1);
	struct holes lost;
	bool found;

	if (!win)
		return false;
	s->win = win;
	s->win_start = s->table - len;
	kimage_read(s->ki, s->win_start, win, len);
	holes_of_zeros(win, s->win_start, len, dump_page_size(reader_dump(s->ki->r)), &lost);
	s->holes = lost.n != 0;
	found = find_names(s);
	free(win);
	return found;
}

static bool try_hit(struct scan *s)
{
	uint64_t room = s->table - s->ki->start;

	return try_window(s, min_u64(WINDOW, room)) ||
	       (room > WINDOW && try_window(s, min_u64(MAX_WINDOW, room)));
}

static bool look_at(void *arg, uint64_t addr, const uint8_t *buf, size_t len)
{
	struct scan *s = arg;
	bool big = s->k->big;
	/* u16: 0, and the length of the first token, which is no more than 10 bits */
	const struct kimage_word begin = { .mask = big ? 0x00fcffff : 0xfc00ffff };
	size_t end = len < 2 * TOKENS ? 0 : (len - 2 * TOKENS + 4) & ~(size_t)3, off = 4;

	for (; off < end; off += 4) {
		size_t table;

		off = kimage_next(buf, off, end, &begin);
		if (off == end || buf[off - 1] || !looks_like_index(buf + off, big) ||
		    !table_before(buf, off, big, &table) || table >= KIMAGE_STEP)
			continue;
		s->table = addr + table;
		s->index = addr + off;
		s->found = try_hit(s);
		if (s->found || ++s->hits == MAX_HITS || s->steps >= MAX_STEPS)
			return true;
	}
	return false;
}

enum status kallsyms_scan(struct kallsyms *k, struct reader *r, const struct kallsyms_anchor *a,
			  unsigned n)
{
	struct kimage ki;
	struct scan s = { .k = k, .ki = &ki, .anchors = a, .nanchors = n };

	kimage_init(&ki, r);
	if (!kimage_scan(&ki, look_at, &s))
		return s.hits ? ST_CORRUPT : ST_ABSENT;
	return s.found ? ST_OK : ST_LIMIT;
}
