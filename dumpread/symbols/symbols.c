/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols.c - asks the sources of symbols one after the other.
 */
#include "dumpread/symbols/symbols.h"

#include "dumpread/base/bytes.h"

bool symbols_add(struct symbols *s, const struct symbol_source *src)
{
	if (s->n == ARRAY_LEN(s->v)) {
		if (src->close)
			src->close(src->self);
		return false;
	}
	s->v[s->n++] = *src;
	return true;
}

void symbols_close(struct symbols *s)
{
	while (s->n) {
		struct symbol_source *src = &s->v[--s->n];

		if (src->close)
			src->close(src->self);
	}
}

bool symbols_find(const struct symbols *s, const char *name, uint64_t *addr, const char **from)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (!s->v[i].find(s->v[i].self, name, addr))
			continue;
		if (from)
			*from = s->v[i].name;
		return true;
	}
	return false;
}

bool symbols_at(const struct symbols *s, uint64_t addr, struct symbol_place *ret)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].at && s->v[i].at(s->v[i].self, addr, ret))
			return true;
	return false;
}
