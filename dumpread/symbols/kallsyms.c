/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms.c - reads the kallsyms tables of the kernel in the dump.
 */
#include "dumpread/symbols/kallsyms.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "dumpread/symbols/symbols.h"

#define MARK_STEP 256u		/* symbols between marks */
#define SLOT_INDEX ((1u << 22) - 1)	/* low bits of a slot: index + 1 */

/*
 * Slots looked at for one name. Real tables have some five hundred symbols of
 * one name ("__func__.0"); a hostile one has millions, and would cost a square.
 */
#define MAX_PROBES 2048u

_Static_assert(KALLSYMS_MAX_SYMS <= SLOT_INDEX, "an index must fit a slot");

struct kallsyms *kallsyms_new(void)
{
	return heap_array(struct kallsyms, 1);
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	arena_release(&k->mem);
	free(k);
}

/* Step over one length prefix at *pos; false when the names run out. */
static bool name_len(const struct kallsyms *k, size_t *pos, uint32_t *len)
{
	if (*pos >= k->names_len)
		return false;
	*len = k->names[(*pos)++];
	if (*len & 0x80) {
		if (*pos >= k->names_len)
			return false;
		*len = (*len & 0x7f) | (uint32_t)k->names[(*pos)++] << 7;
	}
	return *len > 0 && *len <= k->names_len - *pos;
}

size_t kallsyms_names_size(const struct kallsyms *k)
{
	size_t pos = 0;
	uint32_t len;

	for (uint32_t i = 0; i < k->num; i++) {
		if (!name_len(k, &pos, &len))
			return 0;
		pos += len;
	}
	return pos;
}

/*
 * A name is hashed as a polynomial of its letters, so that its hash comes from those of its tokens:
 * no name is expanded for the index.
 */
static uint64_t hash_letters(const char *s, size_t n)
{
	uint64_t h = 0;

	for (size_t i = 0; i < n; i++)
		h = h * 0x100000001b3ull + (unsigned char)s[i];
	return h;
}

static void hash_token(struct kallsyms_token *t)
{
	t->hash = hash_letters(t->s, t->len);
	t->tail = t->len ? hash_letters(t->s + 1, t->len - 1) : 0;
	t->power = 1;
	for (uint32_t i = 0; i < t->len; i++)
		t->power *= 0x100000001b3ull;
}

static bool index_tokens(struct kallsyms *k)
{
	for (unsigned t = 0; t < 256; t++) {
		uint16_t off = load16(k->token_index + 2 * t, k->big);

		if (off >= k->tokens_len)
			return false;
		k->token[t].s = (const char *)k->tokens + off;
		k->token[t].len = (uint32_t)strnlen(k->token[t].s, k->tokens_len - off);
		/* a token is a part of a name */
		if (off + k->token[t].len >= k->tokens_len || k->token[t].len >= KALLSYMS_NAME_LEN)
			return false;
		hash_token(&k->token[t]);
	}
	return true;
}

/* Expand the LEN token numbers at POS; a name longer than BUF is cut. */
static size_t expand(const struct kallsyms *k, size_t pos, uint32_t len, char *buf)
{
	size_t n = 0;

	for (uint32_t i = 0; i < len; i++) {
		uint8_t t = k->names[pos + i];
		uint32_t part = k->token[t].len;

		if (part > KALLSYMS_NAME_LEN - 1 - n)
			break;
		memcpy(buf + n, k->token[t].s, part);
		n += part;
	}
	buf[n] = '\0';
	return n;
}

/* The letters that expand() would give; *RET: hash_letters() of them without the first, the type. */
static size_t hash_name(const struct kallsyms *k, size_t pos, uint32_t len, uint64_t *ret)
{
	size_t n = 0;
	uint64_t h = 0;

	for (uint32_t i = 0; i < len; i++) {
		const struct kallsyms_token *t = &k->token[k->names[pos + i]];

		if (t->len > KALLSYMS_NAME_LEN - 1 - n)
			break;
		h = n ? h * t->power + t->hash : t->tail;
		n += t->len;
	}
	*ret = h;
	return n;
}

size_t kallsyms_name(const struct kallsyms *k, uint32_t i, char buf[KALLSYMS_NAME_LEN])
{
	size_t pos;
	uint32_t len;

	if (i >= k->num)
		return 0;
	pos = k->marks[i / MARK_STEP];
	for (uint32_t n = i % MARK_STEP; name_len(k, &pos, &len); n--) {
		if (!n)
			return expand(k, pos, len, buf);
		pos += len;
	}
	return 0;
}

static uint64_t address_as(const struct kallsyms *k, uint32_t i, enum kallsyms_form form)
{
	const uint8_t *p = k->values + (size_t)i * k->value_size;
	uint64_t v = load_uint(p, k->value_size, k->big);
	int64_t sv = sign_extend(v, 32);

	switch (form) {
	case KALLSYMS_RELATIVE: v += k->base; break;
	case KALLSYMS_PERCPU:
		if (sv < 0)
			v = k->base - 1 - (uint64_t)sv;
		break;
	case KALLSYMS_PCREL: v = k->values_va + 4ull * i + (uint64_t)sv; break;
	default: break;
	}
	return k->word_size == 4 ? (uint32_t)v : v;
}

uint64_t kallsyms_address(const struct kallsyms *k, uint32_t i)
{
	return address_as(k, i, k->form);
}

/* The low bits are weak on names that differ in few letters. */
static uint64_t mix(uint64_t h)
{
	return (h * 0x9e3779b97f4a7c15ull) >> 16;
}

static void index_names(struct kallsyms *k)
{
	size_t cap = 1024, pos = 0;
	uint32_t len;

	while (cap < (size_t)k->num * 2)
		cap *= 2;
	k->mask = (uint32_t)cap - 1;
	k->slots = arena_array(&k->mem, uint32_t, cap);
	k->marks = arena_array(&k->mem, uint32_t, k->num / MARK_STEP + 1);
	for (uint32_t i = 0; i < k->num; i++, pos += len) {
		uint64_t h;
		size_t n, s;
		uint32_t probes = 0;

		if (i % MARK_STEP == 0)
			k->marks[i / MARK_STEP] = (uint32_t)pos;
		if (!name_len(k, &pos, &len))
			return;
		n = hash_name(k, pos, len, &h);
		if (n < 2)
			continue;
		h = mix(h);
		for (s = h & k->mask; k->slots[s] && probes < MAX_PROBES; probes++)
			s = (s + 1) & k->mask;
		if (probes < MAX_PROBES)
			k->slots[s] = (uint32_t)(h >> 38) << 22 | (i + 1);
	}
}

/* Index of NAME: the first global one, else the first; false if none. */
static bool find_index(const struct kallsyms *k, const char *name, uint32_t *ret)
{
	uint64_t h = mix(hash_letters(name, strlen(name)));
	uint32_t tag = (uint32_t)(h >> 38);
	char buf[KALLSYMS_NAME_LEN];
	size_t s = h & k->mask;
	bool found = false;

	for (uint32_t n = 0; k->slots[s] && n < MAX_PROBES; n++, s = (s + 1) & k->mask) {
		uint32_t i = (k->slots[s] & SLOT_INDEX) - 1;

		if (k->slots[s] >> 22 != tag || kallsyms_name(k, i, buf) < 2 ||
		    strcmp(buf + 1, name))
			continue;
		if (!found)
			*ret = i;
		found = true;
		if (isupper((unsigned char)buf[0])) {
			*ret = i;
			break;
		}
	}
	return found;
}

/* Anchors that FORM puts in their place, or -1 if it puts one elsewhere. */
static int score(const struct kallsyms *k, enum kallsyms_form form, const struct kallsyms_anchor *a,
		 unsigned n)
{
	int hits = 0;

	for (unsigned j = 0; j < n; j++) {
		uint32_t i;

		if (!find_index(k, a[j].name, &i))
			continue;
		if (address_as(k, i, form) != a[j].addr)
			return -1;
		hits++;
	}
	return hits;
}

/*
 * Without anchors: an image is far less than 2 GiB, so plain offsets are never
 * negative, and those of ABSOLUTE_PERCPU nearly all are.
 */
static enum kallsyms_form guess_form(const struct kallsyms *k)
{
	uint32_t negative = 0;

	if (k->is_address)
		return KALLSYMS_ADDRESS;
	if (!k->has_base)
		return k->word_size == 8 ? KALLSYMS_PCREL : KALLSYMS_ADDRESS;
	for (uint32_t i = 0; i < k->num; i++)
		negative += load32(k->values + 4 * (size_t)i, k->big) >> 31;
	return negative > k->num / 2 ? KALLSYMS_PERCPU : KALLSYMS_RELATIVE;
}

static bool form_possible(const struct kallsyms *k, enum kallsyms_form form)
{
	switch (form) {
	case KALLSYMS_ADDRESS:
		/* 7.1+ on 32 bits, not relocatable: offsets are addresses */
		return k->is_address || (!k->has_base && k->word_size == 4);
	case KALLSYMS_PCREL: return !k->is_address && !k->has_base;
	default: return !k->is_address && k->has_base;
	}
}

/* In a true table very few are out of order, and most addresses differ. */
static bool ascends(const struct kallsyms *k)
{
	uint32_t up = 0, down = 0;

	for (uint32_t i = 1; i < k->num; i++) {
		uint64_t last = kallsyms_address(k, i - 1), next = kallsyms_address(k, i);

		up += next > last;
		down += next < last;
	}
	return down <= k->num / 64 && up >= k->num / 2;
}

enum status kallsyms_choose_form(struct kallsyms *k, const struct kallsyms_anchor *a, unsigned n)
{
	int best = 0;

	if (!n) {
		k->form = guess_form(k);
		return ascends(k) ? ST_OK : ST_CORRUPT;
	}
	for (int f = 0; f < KALLSYMS_FORMS; f++) {
		int s = form_possible(k, f) ? score(k, f, a, n) : -1;

		if (s > best) {
			best = s;
			k->form = f;
		}
	}
	return best ? ST_OK : ST_CORRUPT;
}

enum status kallsyms_index(struct kallsyms *k)
{
	if (!k->num || k->num > KALLSYMS_MAX_SYMS || k->names_len > KALLSYMS_MAX_NAMES ||
	    k->tokens_len > KALLSYMS_MAX_TOKENS)
		return ST_LIMIT;
	if (!index_tokens(k) || !kallsyms_names_size(k))
		return ST_CORRUPT;
	index_names(k);
	return ST_OK;
}

/* Marks of WIDTH bytes at P, which has LEN bytes. */
static bool marks_at(const struct kallsyms *k, const uint8_t *p, size_t len, unsigned width)
{
	for (uint32_t i = 0; i <= (k->num - 1) / MARK_STEP; i++)
		if ((i + 1) * (size_t)width > len ||
		    load_uint(p + i * (size_t)width, width, k->big) != k->marks[i])
			return false;
	return true;
}

/* They are longs up to 4.19. The table begins at a word, since 7.1 at 4 bytes. */
bool kallsyms_marked(const struct kallsyms *k, uint64_t kva)
{
	uint64_t end = kva + kallsyms_names_size(k);

	for (unsigned align = 4; align <= 8; align += 4) {
		uint64_t at = ((end + align - 1) & ~(uint64_t)(align - 1)) - kva;

		for (unsigned width = 4; width <= 8 && at <= k->names_len; width += 4)
			if (marks_at(k, k->names + at, k->names_len - at, width))
				return true;
	}
	return false;
}

bool kallsyms_find(const struct kallsyms *k, const char *name, uint64_t *addr)
{
	uint32_t i;

	if (!find_index(k, name, &i))
		return false;
	*addr = kallsyms_address(k, i);
	return true;
}

bool kallsyms_at(const struct kallsyms *k, uint64_t addr, struct symbol_place *ret)
{
	char buf[KALLSYMS_NAME_LEN];
	/* the tables are sorted by address (scripts/kallsyms.c, sort_symbols) */
	uint32_t next = search_first(k->num, mid, kallsyms_address(k, mid) <= addr), first;
	uint64_t start;

	/* the last symbol is the end of the image: nothing is known beyond */
	if (!next || next == k->num)
		return false;
	first = next - 1;
	start = kallsyms_address(k, first);
	while (first && kallsyms_address(k, first - 1) == start)
		first--;
	if (kallsyms_name(k, first, buf) < 2)
		return false;
	snprintf(ret->name, sizeof(ret->name), "%s", buf + 1);
	ret->offset = addr - start;
	ret->size = kallsyms_address(k, next) - start;
	return true;
}
