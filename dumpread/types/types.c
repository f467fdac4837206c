/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * types.c - asks the sources of types one after the other.
 */
#include "dumpread/types/types.h"

#include "dumpread/base/bytes.h"

bool types_add(struct types *t, const struct type_source *src)
{
	if (t->n == ARRAY_LEN(t->v)) {
		if (src->close)
			src->close(src->self);
		return false;
	}
	t->v[t->n++] = *src;
	return true;
}

void types_close(struct types *t)
{
	while (t->n) {
		struct type_source *src = &t->v[--t->n];

		if (src->close)
			src->close(src->self);
	}
}

/* The first source that knows the type has answered: note it, map the answer. */
static enum status decided(enum status st, const struct type_source *src, const char **from)
{
	if (from)
		*from = src->name;
	return st ? ST_ABSENT : ST_OK;
}

enum status types_member(const struct types *t, const char *path, struct member *ret,
			 const char **from)
{
	for (unsigned i = 0; i < t->n; i++) {
		enum status st = t->v[i].member(t->v[i].self, path, ret);

		if (st != ST_NOTMINE)
			return decided(st, &t->v[i], from);
	}
	return ST_ABSENT;
}

enum status types_size(const struct types *t, const char *type, uint32_t *bytes, const char **from)
{
	for (unsigned i = 0; i < t->n; i++) {
		enum status st = t->v[i].size(t->v[i].self, type, bytes);

		if (st != ST_NOTMINE)
			return decided(st, &t->v[i], from);
	}
	return ST_ABSENT;
}

enum status types_enumerator(const struct types *t, const char *name, int64_t *ret,
			     const char **from)
{
	for (unsigned i = 0; i < t->n; i++) {
		enum status st = t->v[i].enumerator(t->v[i].self, name, ret);

		if (st != ST_NOTMINE)
			return decided(st, &t->v[i], from);
	}
	return ST_ABSENT;
}
