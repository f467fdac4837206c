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

bool kallsyms_name_len(const struct kallsyms *k, size_t *pos, uint32_t *len)
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
		if (!kallsyms_name_len(k, &pos, &len))
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

void kallsyms_set_token(struct kallsyms *k, uint8_t code, const char *s, uint32_t len)
{
	struct kallsyms_token *t = &k->token[code];

	t->s = s;
	t->len = len;
	t->hash = hash_letters(t->s, t->len);
	t->tail = t->len ? hash_letters(t->s + 1, t->len - 1) : 0;
	t->power = 1;
	for (uint32_t i = 0; i < t->len; i++)
		t->power *= 0x100000001b3ull;
}

/* Tokens follow each other, so that without the index the table tells where they begin, up to a hole. */
static bool index_tokens(struct kallsyms *k)
{
	const struct holes *lost = &k->lost.tokens;
	bool by_index = !k->lost.token_index.n;
	unsigned found = 0;
	size_t off = 0;

	for (unsigned i = 0; i < 256; i++) {
		size_t len;

		if (by_index)
			off = load16(k->token_index + 2 * i, k->big);
		if (off >= k->tokens_len)
			return false;
		len = strnlen((const char *)k->tokens + off, k->tokens_len - off);
		if (holes_in(lost, off, off + len + 1))
			continue;
		/* a token is a part of a name */
		if (off + len >= k->tokens_len || len >= KALLSYMS_NAME_LEN)
			return false;
		kallsyms_set_token(k, (uint8_t)i, (const char *)k->tokens + off, (uint32_t)len);
		off += len + 1;
		found++;
	}
	return found || lost->n;
}

/* Expand the LEN token numbers at CODES; a name longer than BUF is cut. 0: a token is lost. */
static size_t expand(const struct kallsyms *k, const uint8_t *codes, uint32_t len, char *buf)
{
	size_t n = 0;

	for (uint32_t i = 0; i < len; i++) {
		uint8_t t = codes[i];
		uint32_t part = k->token[t].len;

		if (!k->token[t].s)
			return 0;
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

		if (!t->s)
			return 0;
		if (t->len > KALLSYMS_NAME_LEN - 1 - n)
			break;
		h = n ? h * t->power + t->hash : t->tail;
		n += t->len;
	}
	*ret = h;
	return n;
}

const uint8_t *kallsyms_codes(const struct kallsyms *k, uint32_t i, uint32_t *len)
{
	size_t pos;

	if (i >= k->num || i % KALLSYMS_MARK_STEP >= k->there[i / KALLSYMS_MARK_STEP])
		return NULL;
	pos = k->marks[i / KALLSYMS_MARK_STEP];
	for (uint32_t n = i % KALLSYMS_MARK_STEP; kallsyms_name_len(k, &pos, len); n--) {
		if (!n)
			return k->names + pos;
		pos += *len;
	}
	return NULL;
}

size_t kallsyms_name(const struct kallsyms *k, uint32_t i, char buf[KALLSYMS_NAME_LEN])
{
	uint32_t len;
	const uint8_t *codes = kallsyms_codes(k, i, &len);

	return codes ? expand(k, codes, len, buf) : 0;
}

/* The hole that the value of symbol I lies in; NULL: none. */
static const struct hole *value_hole(const struct kallsyms *k, uint32_t i)
{
	size_t at = (size_t)i * k->value_size;

	return k->lost.values.n ? holes_in(&k->lost.values, at, at + k->value_size) : NULL;
}

static uint64_t value_of(const struct kallsyms *k, uint32_t i)
{
	return load_uint(k->values + (size_t)i * k->value_size, k->value_size, k->big);
}

static uint64_t address_as(const struct kallsyms *k, uint32_t i, enum kallsyms_form form)
{
	const struct hole *hole = value_hole(k, i);
	uint64_t v;
	int64_t sv;

	if (hole)
		i = (uint32_t)(hole->from / k->value_size) - (hole->from >= k->value_size);
	v = value_of(k, i);
	sv = sign_extend(v, 32);

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

static void insert_name(struct kallsyms *k, uint32_t i, size_t pos, uint32_t len)
{
	uint32_t probes = 0;
	uint64_t h;
	size_t s;

	if (hash_name(k, pos, len, &h) < 2)
		return;
	h = mix(h);
	for (s = h & k->mask; k->slots[s] && probes < MAX_PROBES; probes++)
		s = (s + 1) & k->mask;
	if (probes < MAX_PROBES)
		k->slots[s] = (uint32_t)(h >> 38) << 22 | (i + 1);
}

void kallsyms_index_names(struct kallsyms *k)
{
	uint32_t nmarks = k->num / KALLSYMS_MARK_STEP + 1, len;
	size_t cap = 1024;

	while (cap < (size_t)k->num * 2)
		cap *= 2;
	k->mask = (uint32_t)cap - 1;
	k->slots = arena_array(&k->mem, uint32_t, cap);
	k->marks = arena_array(&k->mem, uint32_t, nmarks);
	k->there = arena_array(&k->mem, uint16_t, nmarks);
	kallsyms_find_marks(k);
	for (uint32_t g = 0; g < nmarks; g++) {
		size_t pos = k->marks[g];

		for (uint32_t i = 0; i < k->there[g] && kallsyms_name_len(k, &pos, &len);
		     i++, pos += len)
			insert_name(k, g * KALLSYMS_MARK_STEP + i, pos, len);
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

		if (k->slots[s] >> 22 != tag || value_hole(k, i) || kallsyms_name(k, i, buf) < 2 ||
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

/* The base by the first anchor that the table names. */
static void base_by_anchor(struct kallsyms *k, enum kallsyms_form form,
			   const struct kallsyms_anchor *a, unsigned n)
{
	uint32_t i;

	for (unsigned j = 0; j < n; j++) {
		if (!find_index(k, a[j].name, &i))
			continue;
		k->base = form == KALLSYMS_PERCPU
				  ? a[j].addr + 1 + (uint64_t)sign_extend(value_of(k, i), 32)
				  : a[j].addr - value_of(k, i);
		return;
	}
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
	/* one anchor is used up where it tells the base */
	int best = k->base_lost;
	uint64_t base = k->base;

	for (int f = 0; f < KALLSYMS_FORMS && n; f++) {
		int s;

		if (k->base_lost)
			base_by_anchor(k, f, a, n);
		s = form_possible(k, f) ? score(k, f, a, n) : -1;
		if (s > best) {
			best = s;
			k->form = f;
			base = k->base;
		}
	}
	k->base = base;
	if (best > (int)k->base_lost)
		return ST_OK;
	/* of a table with holes the anchors may be what is lost */
	if (n && (k->base_lost || !(k->has_base || k->is_address) ||
		  !(k->lost.names.n || k->lost.values.n || k->lost.tokens.n)))
		return ST_CORRUPT;
	k->form = guess_form(k);
	return ascends(k) ? ST_OK : ST_CORRUPT;
}

enum status kallsyms_index(struct kallsyms *k)
{
	if (!k->num || k->num > KALLSYMS_MAX_SYMS || k->names_len > KALLSYMS_MAX_NAMES ||
	    k->tokens_len > KALLSYMS_MAX_TOKENS)
		return ST_LIMIT;
	if (!index_tokens(k) || (!k->lost.names.n && !kallsyms_names_size(k)))
		return ST_CORRUPT;
	kallsyms_index_names(k);
	return ST_OK;
}

unsigned kallsyms_lost(const struct kallsyms *k, unsigned *of, enum status *why)
{
	const struct holes *const all[] = { &k->lost.names, &k->lost.values, &k->lost.tokens,
					    &k->lost.token_index };
	unsigned n = k->base_lost;

	*of = k->base_lost;
	*why = k->base_lost ? ST_NODATA : ST_OK;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		n += all[i]->lost;
		*of += all[i]->pages;
		if (all[i]->st)
			*why = all[i]->st;
	}
	return n;
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
	if (!next || next == k->num || value_hole(k, next) || value_hole(k, next - 1))
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
