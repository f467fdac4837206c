/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms_tokens.c - tokens of kallsyms that could not be read, by names that are known from elsewhere.
 *
 * A name is a sequence of tokens. Most of them have a known length: from token_index, or because a character that
 * occurs in names is a token of its own, with its code as its number (scripts/kallsyms.c,
 * insert_real_symbols_in_table()). Where the lengths of all tokens of a known name but one are known, the name
 * tells each of them. Each length that is found opens more names. What no known name has stays lost: of
 * exported names these are beginnings such as "d__func__." of what the compiler named.
 *
 * The first character of a name is its type, which names from elsewhere do not have: it is ANY until another name has
 * that token further on.
 */
#include <ctype.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "dumpread/symbols/kallsyms.h"
#include "dumpread/symbols/symlist.h"

#define ROUNDS 32u
#define ANY '?'		/* no character of a name */
#define GLOBAL 'T'	/* the type that stands for ANY in the end */
#define MOST 8u		/* names that agree for each that does not */
#define LACKING 100u	/* of known names one of these may lack a token in the end */

/* What names say of one token. */
struct vote {
	char s[KALLSYMS_NAME_LEN];
	uint32_t len;
	uint32_t yes, no;
};

struct mend {
	struct kallsyms *k;
	const uint8_t *codes;		/* of the name at work ... */
	uint32_t n;
	char name[KALLSYMS_NAME_LEN];	/* ... and what it says */
	uint32_t name_len;
	uint32_t len[256];		/* of tokens; 0: not known */
	struct vote vote[256];
};

static bool is_letter(unsigned c)
{
	return (c < 0x80 && isalnum((int)c)) || c == '_' || c == '.';
}

/* Token C is the LEN characters at S, which are copied. */
static void set(struct kallsyms *k, unsigned c, const char *s, uint32_t len)
{
	char *own = arena_alloc(&k->mem, len);

	memcpy(own, s, len);
	kallsyms_set_token(k, (uint8_t)c, own, len);
}

/* The length of token C by the index, 0: it does not tell. */
static uint32_t indexed_len(const struct kallsyms *k, unsigned c)
{
	const uint8_t *at = k->token_index + 2 * c;

	if (k->lost.token_index.n || c == 255 || load16(at + 2, k->big) <= load16(at, k->big))
		return 0;
	return load16(at + 2, k->big) - load16(at, k->big) - 1u;
}

/* What is known of tokens without a name. */
static void start(struct mend *m)
{
	struct kallsyms *k = m->k;

	for (unsigned c = 0; c < 256; c++) {
		uint32_t len = k->token[c].s ? k->token[c].len : indexed_len(k, c);
		const char letter = (char)c;

		if (!k->token[c].s && len == 1 && is_letter(c))
			set(k, c, &letter, 1);
		if (!len && is_letter(c))
			len = 1;
		m->len[c] = len < KALLSYMS_NAME_LEN ? len : 0;
	}
}

/* Are N characters of a name at A those at B? */
static bool same(const char *a, const char *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != b[i] && !(a[i] == ANY && isalpha((unsigned char)b[i])) &&
		    !(b[i] == ANY && isalpha((unsigned char)a[i])))
			return false;
	return true;
}

/* Where each token of the name begins, into AT. False: more than one has no known length, or they do not fit. */
static bool place(const struct mend *m, uint32_t at[KALLSYMS_NAME_LEN + 1])
{
	uint32_t sum = 0, open = m->n, more;

	for (uint32_t i = 0; i < m->n; i++) {
		if (!m->len[m->codes[i]] && open < m->n)
			return false;
		if (!m->len[m->codes[i]])
			open = i;
		sum += m->len[m->codes[i]];
	}
	if (sum > m->name_len || (open == m->n && sum != m->name_len))
		return false;
	more = m->name_len - sum;
	at[0] = 0;
	for (uint32_t i = 0; i < m->n; i++)
		at[i + 1] = at[i] + m->len[m->codes[i]] + (i == open ? more : 0);
	return open == m->n || more;
}

static void cast(struct vote *v, const char *s, uint32_t len)
{
	bool agrees = v->len == len && same(v->s, s, len);

	if (!agrees && ++v->no <= v->yes)
		return;
	if (!agrees) { /* so far most say something else than the first did */
		memcpy(v->s, s, len);
		v->len = len;
		v->no = v->yes;
		v->yes = 0;
	}
	v->yes++;
	if (v->s[0] == ANY)
		v->s[0] = s[0];
}

/* What the name at work says of its tokens, if those that are known are in it. */
static void use_name(struct mend *m)
{
	uint32_t at[KALLSYMS_NAME_LEN + 1];

	if (m->n >= KALLSYMS_NAME_LEN || !place(m, at))
		return;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct kallsyms_token *t = &m->k->token[m->codes[i]];

		if (t->s && !same(t->s, m->name + at[i], t->len))
			return;
	}
	for (uint32_t i = 0; i < m->n; i++)
		if (!m->k->token[m->codes[i]].s)
			cast(&m->vote[m->codes[i]], m->name + at[i], at[i + 1] - at[i]);
}

/* The only symbol at ADDR; false: there are none or more. */
static bool only_at(const struct kallsyms *k, uint64_t addr, uint32_t *ret)
{
	uint32_t next = search_first(k->num, mid, kallsyms_address(k, mid) <= addr);

	*ret = next - 1;
	return next && kallsyms_address(k, next - 1) == addr &&
	       (next == 1 || kallsyms_address(k, next - 2) != addr);
}

static void use_names(struct mend *m, const struct symlist *known)
{
	for (uint32_t i = 0; i < known->n; i++) {
		const char *name = known->names + known->v[i].name;
		size_t len = strlen(name);
		uint32_t at;

		if (len + 1 >= KALLSYMS_NAME_LEN || !only_at(m->k, known->v[i].addr, &at) ||
		    !(m->codes = kallsyms_codes(m->k, at, &m->n)))
			continue;
		m->name[0] = ANY;
		memcpy(m->name + 1, name, len);
		m->name_len = (uint32_t)len + 1;
		use_name(m);
	}
}

/* Lengths that this round of names has told; false: none. */
static bool learn(struct mend *m)
{
	bool more = false;

	for (unsigned c = 0; c < 256; c++) {
		const struct vote *v = &m->vote[c];

		if (v->yes > MOST * v->no && !m->len[c]) {
			m->len[c] = v->len;
			more = true;
		}
	}
	return more;
}

/* Take over what the last round has told. */
static void settle(struct mend *m)
{
	for (unsigned c = 0; c < 256; c++) {
		struct vote *v = &m->vote[c];

		if (m->k->token[c].s || v->yes <= MOST * v->no)
			continue;
		if (v->s[0] == ANY)
			v->s[0] = v->len == 1 && is_letter(c) ? (char)c : GLOBAL;
		set(m->k, c, v->s, v->len);
	}
}

/* Do nearly all KNOWN names have all of their tokens now? */
static bool named(const struct kallsyms *k, const struct symlist *known)
{
	char buf[KALLSYMS_NAME_LEN];
	uint32_t there = 0, lacking = 0;

	for (uint32_t i = 0; i < known->n; i++) {
		uint32_t at, len;

		if (!only_at(k, known->v[i].addr, &at) || !kallsyms_codes(k, at, &len))
			continue;
		there++;
		lacking += !kallsyms_name(k, at, buf);
	}
	return there && lacking <= there / LACKING;
}

bool kallsyms_mend_tokens(struct kallsyms *k, const struct symlist *known)
{
	struct mend *m = arena_calloc(&k->mem, 1, sizeof(*m));

	m->k = k;
	start(m);
	for (unsigned round = 0; round < ROUNDS; round++) {
		memset(m->vote, 0, sizeof(m->vote));
		use_names(m, known);
		if (!learn(m))
			break;
	}
	settle(m);
	kallsyms_index_names(k);
	return named(k, known);
}
