/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_mend.c - types behind a hole keep their ids.
 *
 * A page of types that is lost takes the sizes of all that began there, and with them where the next type
 * begins, and its id. Both can be told:
 *   - where: a type begins with the start of a name, a kind and what that kind demands. A member or a parameter
 *     that is taken for a type has its type id in the place of the kind, and so kind 0, which there is not.
 *     So many types in a row are never found by chance.
 *   - its id: other types refer to it. With a wrong number of lost types functions have no prototype, and
 *     members are functions. The number for which no reference is wrong is right, if it is the only one.
 * Types between two holes of which the number cannot be told are lost as well: they join the holes.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/types/btf_blob.h"

#define RUN 24u			/* types in a row that prove where one begins */
#define SEGMENTS (HOLES_MAX + 1u)
#define TRIES 2000000u		/* places looked at for the start of a type, in all */
#define NAMES 8u		/* in a row, with which the strings begin */
#define MIN_REFS 8u		/* references that must agree */

struct segment {
	size_t at, words;	/* in the blob */
	uint32_t ntypes;
	uint32_t first;		/* number of its first type among those of all segments */
};

enum expected { A_PROTO, A_VARIABLE, AN_INTEGER, AN_OBJECT };

struct reference {
	uint32_t id;
	uint32_t expected;
};

struct mend {
	struct btf_blob *b;
	const struct holes *holes;
	struct segment seg[SEGMENTS];
	unsigned nseg;
	uint8_t *kind;		/* of each type of all segments */
	struct reference *ref;
	size_t nrefs;
	uint32_t top;		/* the largest id that is referred to */
	uint32_t tries;
};

/* ---- where types are ------------------------------------------------------------------------- */

/* The next hole that ends behind word AT of the types: its words; false: there is none. */
static bool next_hole(const struct mend *m, size_t at, size_t *from, size_t *to)
{
	size_t start = m->b->types_at, end = start + 4 * m->b->ntypes_words;
	const struct hole *h = start + 4 * at < end ? holes_in(m->holes, start + 4 * at, end)
						    : NULL;

	if (!h)
		return false;
	*from = h->from > start ? (h->from - start) / 4 : 0;
	*to = h->to < end ? (h->to - start + 3) / 4 : m->b->ntypes_words;
	return true;
}

/* Words of the type at AT, all of which end by LIMIT; 0: none can be there. */
static size_t words_at(const struct mend *m, size_t at, size_t limit)
{
	const uint32_t *t = m->b->types + at;
	const struct btf_shape *s;
	size_t words;

	if (limit < at + 3)
		return 0;
	s = &m->b->shape[BTF_KIND_OF(t[1])];
	words = 3 + s->fixed + (size_t)s->element * BTF_VLEN(t[1]);
	return s->known && words <= limit - at ? words : 0;
}

static bool name_starts(const struct btf_blob *b, uint32_t off)
{
	return btf_name_ok(b, off) &&
	       (!off || !b->strs[off - 1] || b->strs[off - 1] == BTF_LOST_CHAR);
}

/* What a type must be, that may as well be something else. */
static bool is_type(const struct mend *m, size_t at, size_t words)
{
	const struct btf_blob *b = m->b;
	const uint32_t *t = b->types + at;
	uint32_t kind = BTF_KIND_OF(t[1]), vlen = BTF_VLEN(t[1]);
	const struct btf_shape *s = &b->shape[kind];
	bool named = kind != BTF_KIND_DATASEC && s->element;

	if (!name_starts(b, t[0]) || !btf_size_ok(kind, t[2]) || (s->ref && t[2] > BTF_MAX_TYPES) ||
	    (!s->element && vlen && kind != BTF_KIND_FUNC) || (kind == BTF_KIND_PTR && t[0]))
		return false;
	for (uint32_t i = 0; named && i < vlen; i++)
		if (!name_starts(b, t[3 + s->fixed + (size_t)s->element * i]))
			return false;
	return words != 0;
}

/* Do types begin at AT, up to LIMIT? */
static bool types_begin(const struct mend *m, size_t at, size_t limit)
{
	for (unsigned n = 0; n < RUN; n++) {
		size_t words = words_at(m, at, limit);

		if (!words)
			return n && limit < at + 3;
		if (!is_type(m, at, words))
			return false;
		at += words;
	}
	return true;
}

/* Types from AT on, up to a hole or to what is none. */
static void take_segment(struct mend *m, size_t at)
{
	struct segment *s = &m->seg[m->nseg];
	size_t limit = m->b->ntypes_words, to, words;

	*s = (struct segment){ .at = at };
	next_hole(m, at, &limit, &to);
	while ((words = words_at(m, at, limit)) != 0) {
		at += words;
		s->ntypes++;
	}
	s->words = at - s->at;
	if (s->ntypes)
		m->nseg++;
}

static void find_segments(struct mend *m)
{
	size_t at = 0, from, to, n = m->b->ntypes_words;

	take_segment(m, 0);
	while (m->nseg < SEGMENTS && next_hole(m, at, &from, &to)) {
		size_t limit = n, end;

		next_hole(m, to, &limit, &end);
		for (at = to; at < limit && !types_begin(m, at, limit); at++)
			if (++m->tries > TRIES)
				return;
		if (at < limit)
			take_segment(m, at);
	}
}

/* ---- references ---------------------------------------------------------------------------- */

static void add_ref(struct mend *m, uint32_t id, enum expected e)
{
	if (!id)
		return;
	m->ref[m->nrefs++] = (struct reference){ id, e };
	if (id > m->top && id <= BTF_MAX_TYPES)
		m->top = id;
}

static void refs_of(struct mend *m, const uint32_t *t)
{
	uint32_t vlen = BTF_VLEN(t[1]), kind = BTF_KIND_OF(t[1]);

	switch (kind) {
	case BTF_KIND_FUNC: add_ref(m, t[2], A_PROTO); return;
	case BTF_KIND_ARRAY:
		add_ref(m, t[3], AN_OBJECT);
		add_ref(m, t[4], AN_INTEGER);
		return;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (uint32_t i = 0; i < vlen; i++)
			add_ref(m, t[3 + 3 * i + 1], AN_OBJECT);
		return;
	case BTF_KIND_FUNC_PROTO:
		for (uint32_t i = 0; i < vlen; i++)
			add_ref(m, t[3 + 2 * i + 1], AN_OBJECT);
		return;
	case BTF_KIND_DATASEC:
		for (uint32_t i = 0; i < vlen; i++)
			add_ref(m, t[3 + 3 * i], A_VARIABLE);
		return;
	}
}

/* Kinds and references of all types that are there. */
static void read_types(struct mend *m)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < m->nseg; i++) {
		struct segment *s = &m->seg[i];
		const uint32_t *t = m->b->types + s->at;

		s->first = n;
		for (uint32_t k = 0; k < s->ntypes; k++, n++) {
			m->kind[n] = (uint8_t)BTF_KIND_OF(t[1]);
			refs_of(m, t);
			t += words_at(m, (size_t)(t - m->b->types), m->b->ntypes_words);
		}
	}
}

static bool fits(uint8_t kind, enum expected e)
{
	switch (e) {
	case A_PROTO: return kind == BTF_KIND_FUNC_PROTO;
	case A_VARIABLE: return kind == BTF_KIND_VAR || kind == BTF_KIND_FUNC;
	case AN_INTEGER: return kind == BTF_KIND_INT;
	case AN_OBJECT: break;
	}
	return kind != BTF_KIND_FUNC_PROTO && kind != BTF_KIND_FUNC && kind != BTF_KIND_VAR &&
	       kind != BTF_KIND_DATASEC;
}

/* Is no reference wrong if the types of S begin with id FIRST? */
static bool agrees(const struct mend *m, const struct segment *s, uint32_t first)
{
	uint32_t met = 0;

	for (size_t i = 0; i < m->nrefs; i++) {
		uint32_t nr = m->ref[i].id - first;

		if (nr >= s->ntypes)
			continue;
		if (!fits(m->kind[s->first + nr], m->ref[i].expected))
			return false;
		met++;
	}
	return met >= MIN_REFS;
}

/* The id of the first type of S, which is at least LOW and at most HIGH; 0: it cannot be told. */
static uint32_t first_id(const struct mend *m, const struct segment *s, uint32_t low, uint32_t high)
{
	uint32_t found = 0;

	for (uint32_t id = low; id <= high; id++) {
		if (!agrees(m, s, id))
			continue;
		if (found)
			return 0;
		found = id;
	}
	return found;
}

/* ---- the types anew ------------------------------------------------------------------------- */

static size_t put_inert(uint32_t *types, size_t out, size_t end, uint32_t n)
{
	for (; n && out + 3 <= end; n--, out += 3)
		memcpy(types + out, (uint32_t[3]){ 0, BTF_INERT, 0 }, 12);
	return out;
}

/* A type has three words, so that the inert ones never take more than what was lost. */
static void write_types(struct mend *m)
{
	struct btf_blob *b = m->b;
	size_t out = 0, behind = 0; /* words written, words of the blob passed */
	uint32_t next = b->base.ntypes + 1;

	for (unsigned i = 0; i < m->nseg; i++) {
		const struct segment *s = &m->seg[i];
		uint32_t id = next;

		if (s->at)
			id = first_id(m, s, next, next + (uint32_t)((s->at - behind) / 3));
		if (!id)
			continue;
		out = put_inert(b->types, out, s->at, id - next);
		memmove(b->types + out, b->types + s->at, 4 * s->words);
		out += s->words;
		behind = s->at + s->words;
		next = id + s->ntypes;
	}
	if (m->top >= next)
		out = put_inert(b->types, out, b->ntypes_words, m->top + 1 - next);
	b->ntypes_words = out;
}

static bool is_text(uint8_t c)
{
	return !c || (c >= ' ' && c <= '~');
}

/* Do names follow the empty one at P, before END? The words of a type may look like one of a letter. */
static bool names_begin(const uint8_t *p, const uint8_t *end)
{
	for (unsigned i = 0; i < NAMES; i++) {
		size_t n;

		if (p++ >= end || p >= end)
			return false;
		n = strnlen((const char *)p, (size_t)(end - p));
		if (n < 2)
			return false;
		p += n;
	}
	return true;
}

void btf_mend_header(uint8_t *data, size_t len, bool big)
{
	const uint32_t hdr_len = sizeof(struct btf_header);
	size_t at = len;
	uint32_t words[5];

	while (at > hdr_len && is_text(data[at - 1]))
		at--;
	for (at = (at + 3) & ~(size_t)3; at < len; at += 4)
		if (!data[at] && names_begin(data + at, data + len))
			break;
	if (at >= len)
		return;
	words[0] = hdr_len;
	words[1] = 0;
	words[2] = words[3] = (uint32_t)at - hdr_len;
	words[4] = (uint32_t)(len - at);
	store_uint(data, BTF_MAGIC, 2, big);
	data[2] = BTF_VERSION;
	data[3] = 0;
	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		store_uint(data + 4 + 4 * i, words[i], 4, big);
}

void btf_mend_types(struct btf_blob *b, const struct holes *holes)
{
	struct mend m = { .b = b, .holes = holes };
	size_t from, to;

	if (!next_hole(&m, 0, &from, &to))
		return;
	find_segments(&m);
	/* a type has three words, a reference one at least */
	m.kind = heap_bytes(b->ntypes_words / 3 + 1);
	m.ref = heap_array(struct reference, b->ntypes_words + 1);
	read_types(&m);
	write_types(&m);
	free(m.kind);
	free(m.ref);
}
