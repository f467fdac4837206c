/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkkallsyms.c - writes kallsyms tables as the kernel's build does.
 */
#include "tests/unit/mkkallsyms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"

struct out {
	const struct mk_kallsyms *m;
	uint8_t *buf;
	size_t len, size;
};

static void put(struct out *o, const void *p, size_t n)
{
	if (n > o->size - o->len)
		abort();
	memcpy(o->buf + o->len, p, n);
	o->len += n;
}

static void put_uint(struct out *o, uint64_t v, unsigned bytes)
{
	uint8_t b[8];

	store_uint(b, v, bytes, o->m->big);
	put(o, b, bytes);
}

/* Align, and say where the next table starts. */
static uint64_t label(struct out *o)
{
	while ((o->m->va + o->len) % o->m->align)
		put_uint(o, 0, 1);
	return o->m->va + o->len;
}

/* Tokens of more than one character, by their numbers; one may be a part of another that is before it. */
static const char *const longer[] = { NULL, "sym_1", "sym_", ".loc" };

/* Characters of names stand for themselves; others are fillers. */
static const char *token(unsigned t, char buf[8])
{
	if (t && t < ARRAY_LEN(longer))
		return longer[t];
	if (t > ' ' && t < 0x7f)
		snprintf(buf, 8, "%c", (int)t);
	else
		snprintf(buf, 8, "~%02x~", t);
	return buf;
}

static void put_name(struct out *o, const struct mk_symbol *s)
{
	uint8_t codes[1024];
	unsigned n = 0;

	codes[n++] = (uint8_t)s->type;
	for (const char *p = s->name; *p && n < sizeof(codes); ) {
		unsigned t = 1;

		while (t < ARRAY_LEN(longer) && strncmp(p, longer[t], strlen(longer[t])))
			t++;
		p += t < ARRAY_LEN(longer) ? strlen(longer[t]) : 1;
		codes[n++] = (uint8_t)(t < ARRAY_LEN(longer) ? t : (unsigned char)p[-1]);
	}
	if (n < 0x80) {
		put_uint(o, n, 1);
	} else {
		put_uint(o, (n & 0x7f) | 0x80, 1);
		put_uint(o, n >> 7, 1);
	}
	put(o, codes, n);
}

static void put_names(struct out *o, struct mk_kallsyms *m, const struct mk_symbol *s, uint32_t n)
{
	uint64_t marks[4096];
	unsigned nmarks = 0, width = m->long_count ? m->word : 4;

	m->num = label(o);
	put_uint(o, n, width);
	m->names = label(o);
	for (uint32_t i = 0; i < n; i++) {
		if (i % 256 == 0 && nmarks < ARRAY_LEN(marks))
			marks[nmarks++] = m->va + o->len - m->names;
		put_name(o, &s[i]);
	}
	m->markers = label(o);
	for (unsigned i = 0; i < nmarks; i++)
		put_uint(o, marks[i], width);
}

static void put_tokens(struct out *o, struct mk_kallsyms *m)
{
	uint16_t index[256];
	char buf[8];

	m->tokens = label(o);
	for (unsigned t = 0; t < 256; t++) {
		const char *s = token(t, buf);

		index[t] = (uint16_t)(m->va + o->len - m->tokens);
		put(o, s, strlen(s) + 1);
	}
	m->index = label(o);
	for (unsigned t = 0; t < 256; t++)
		put_uint(o, index[t], 2);
}

static uint64_t value(const struct mk_kallsyms *m, uint32_t i, uint64_t addr)
{
	switch (m->form) {
	case KALLSYMS_RELATIVE:
		return addr - m->base;
	case KALLSYMS_PERCPU:
		return addr < 0x100000 ? addr : m->base - 1 - addr;
	case KALLSYMS_PCREL:
		return addr - (m->values + 4ull * i);
	default:
		return addr;
	}
}

static void put_values(struct out *o, struct mk_kallsyms *m, const struct mk_symbol *s,
		       uint32_t n)
{
	unsigned size = m->form == KALLSYMS_ADDRESS && !m->late_order ? m->word : 4;

	m->values = label(o);
	for (uint32_t i = 0; i < n; i++)
		put_uint(o, value(m, i, s[i].addr), size);
	if (m->form != KALLSYMS_RELATIVE && m->form != KALLSYMS_PERCPU)
		return;
	m->base_at = label(o);
	put_uint(o, m->base, m->word);
}

size_t mk_kallsyms(struct mk_kallsyms *m, const struct mk_symbol *s, uint32_t n,
		   uint8_t *buf, size_t size)
{
	struct out o = { m, buf, 0, size };

	if (!m->late_order)
		put_values(&o, m, s, n);
	put_names(&o, m, s, n);
	put_tokens(&o, m);
	if (m->late_order)
		put_values(&o, m, s, n);
	label(&o);
	return o.len;
}
