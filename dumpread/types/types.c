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

/* One question: a path, or a name. */
struct question {
	const char *name;
	struct member *member;
	uint32_t *bytes;
	int64_t *value;
};

static enum status ask(const struct type_source *src, const struct question *q)
{
	if (q->member)
		return src->member(src->self, q->name, q->member);
	if (q->bytes)
		return src->size(src->self, q->name, q->bytes);
	return src->enumerator(src->self, q->name, q->value);
}

/* The first source that knows the type has answered. One that has lost it leaves the answer to the others. */
static enum status ask_all(const struct types *t, const struct question *q, const char **from)
{
	enum status none = ST_ABSENT;

	for (unsigned i = 0; i < t->n; i++) {
		enum status st = ask(&t->v[i], q);

		if (st == ST_NODATA)
			none = st;
		if (st == ST_NOTMINE || st == ST_NODATA)
			continue;
		if (from)
			*from = t->v[i].name;
		return st ? ST_ABSENT : ST_OK;
	}
	return none;
}

enum status types_member(const struct types *t, const char *path, struct member *ret,
			 const char **from)
{
	return ask_all(t, &(struct question){ .name = path, .member = ret }, from);
}

enum status types_size(const struct types *t, const char *type, uint32_t *bytes, const char **from)
{
	return ask_all(t, &(struct question){ .name = type, .bytes = bytes }, from);
}

enum status types_enumerator(const struct types *t, const char *name, int64_t *ret,
			     const char **from)
{
	return ask_all(t, &(struct question){ .name = name, .value = ret }, from);
}
