/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_index.c - an index of the names in a struct btf.
 */
#include "dumpread/types/btf_index.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/types/btf_check.h"
#include "dumpread/types/path.h"

#define MAX_PROBES 4096u	/* names of one hash, looked at: bounds hostile BTF */

static const char *str(const struct btf_index *x, uint32_t off)
{
	const char *s = btf__name_by_offset(x->btf, off);

	return s ? s : "";
}

/* FNV's low bits are weak on names that differ in few letters. */
static uint32_t slot_of(const char *name, size_t len, uint32_t mask)
{
	return (uint32_t)((hash_bytes(name, len) * 0x9e3779b97f4a7c15ull) >> 32) & mask;
}

/* 0: not to be found by name; more is better. */
static unsigned rank(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return 4;
	case BTF_KIND_TYPEDEF: return 3;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return 2;
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT: return 1;
	}
	return 0;
}

static bool same(const char *s, const char *name, size_t len)
{
	return !strncmp(s, name, len) && !s[len];
}

uint32_t btf_index_type(const struct btf_index *x, const char *name, size_t len)
{
	uint32_t best = 0, s = slot_of(name, len, x->types_mask);
	unsigned best_rank = 0;

	for (uint32_t n = 0; x->types[s] && n < MAX_PROBES; n++, s = (s + 1) & x->types_mask) {
		const struct btf_type *t = btf__type_by_id(x->btf, x->types[s]);

		if (rank(t) > best_rank && same(str(x, t->name_off), name, len)) {
			best = x->types[s];
			best_rank = rank(t);
		}
	}
	return best;
}

bool btf_may_be(const char *s, const char *name, size_t len)
{
	bool lost = false;

	for (size_t i = 0; i < len; i++) {
		if (s[i] != name[i] && s[i] != BTF_LOST_CHAR)
			return false;
		lost |= s[i] == BTF_LOST_CHAR;
	}
	return lost && !s[len];
}

static const char *enumerator_name(const struct btf_index *x, const struct btf_type *t, uint32_t nr)
{
	return str(x, btf_is_enum64(t) ? btf_enum64(t)[nr].name_off : btf_enum(t)[nr].name_off);
}

/*
 * The kind flag of an enum says that it is signed since 6089fb325cf7 (v6.0,
 * with ENUM64); before, none had it and all values were signed.
 */
static int64_t enumerator_value(const struct btf_index *x, const struct btf_type *t, uint32_t nr)
{
	if (btf_is_enum64(t))
		return (int64_t)btf_enum64_value(&btf_enum64(t)[nr]);
	if (x->signs && !btf_kflag(t))
		return (uint32_t)btf_enum(t)[nr].val;
	return btf_enum(t)[nr].val;
}

bool btf_index_enumerator(const struct btf_index *x, const char *name, int64_t *ret)
{
	uint32_t s = slot_of(name, strlen(name), x->enums_mask);

	for (uint32_t n = 0; x->enums[s].id && n < MAX_PROBES; n++, s = (s + 1) & x->enums_mask) {
		const struct btf_type *t = btf__type_by_id(x->btf, x->enums[s].id);

		if (!strcmp(enumerator_name(x, t, x->enums[s].nr), name)) {
			*ret = enumerator_value(x, t, x->enums[s].nr);
			return true;
		}
	}
	return false;
}

static void insert_type(struct btf_index *x, uint32_t id, const char *name)
{
	uint32_t s = slot_of(name, strlen(name), x->types_mask);

	for (uint32_t n = 0; n < MAX_PROBES; n++, s = (s + 1) & x->types_mask) {
		if (x->types[s])
			continue;
		x->types[s] = id;
		return;
	}
}

static void insert_enumerators(struct btf_index *x, uint32_t id, const struct btf_type *t)
{
	for (uint32_t nr = 0; nr < btf_vlen(t); nr++) {
		const char *name = enumerator_name(x, t, nr);
		uint32_t s = slot_of(name, strlen(name), x->enums_mask);
		uint32_t n = 0;

		for (; x->enums[s].id && n < MAX_PROBES; n++)
			s = (s + 1) & x->enums_mask;
		if (n == MAX_PROBES)
			continue;
		x->enums[s].id = id;
		x->enums[s].nr = nr;
	}
}

/* A power of two with room for N at a load of a half. */
static uint32_t table_size(uint64_t n)
{
	uint64_t cap = 64;

	while (cap < n * 2)
		cap *= 2;
	return (uint32_t)cap;
}

static bool is_enum(const struct btf_type *t)
{
	return btf_is_enum(t) || btf_is_enum64(t);
}

static void count(struct btf_index *x, uint64_t *types, uint64_t *enums)
{
	for (uint32_t id = x->first; id < btf__type_cnt(x->btf); id++) {
		const struct btf_type *t = btf__type_by_id(x->btf, id);

		if (is_enum(t)) {
			*enums += btf_vlen(t);
			x->signs |= btf_is_enum64(t) || btf_kflag(t);
		}
		if (rank(t) && *str(x, t->name_off))
			++*types;
	}
}

struct btf_index *btf_index_new(struct btf *btf, const struct btf_index *base, unsigned word_size,
				bool big_endian)
{
	struct btf_index *x = heap_array(struct btf_index, 1);
	uint64_t types = 0, enums = 0;

	x->btf = btf;
	x->first = base ? btf__type_cnt(base->btf) : 1;
	x->signs = base && base->signs;
	x->big_endian = big_endian;
	if (word_size == 4 || word_size == 8)
		btf__set_pointer_size(btf, word_size);
	count(x, &types, &enums);
	x->types_mask = table_size(types) - 1;
	x->types = arena_array(&x->mem, uint32_t, x->types_mask + 1ull);
	x->enums_mask = table_size(enums) - 1;
	x->enums = arena_calloc(&x->mem, x->enums_mask + 1ull, sizeof(*x->enums));
	for (uint32_t id = x->first; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name = str(x, t->name_off);

		if (rank(t) && *name)
			insert_type(x, id, name);
		if (is_enum(t))
			insert_enumerators(x, id, t);
	}
	return x;
}

void btf_index_free(struct btf_index *x)
{
	if (!x)
		return;
	btf__free(x->btf);
	arena_release(&x->mem);
	free(x);
}

/* ---- what is lost --------------------------------------------------------------------------- */

/* Offset of the string NAME; 0: there is none. */
static uint32_t offset_of(const struct btf_index *x, const char *name, size_t len)
{
	uint32_t size;
	const struct btf_header *h = btf__raw_data(x->btf, &size);
	const char *strs = (const char *)h + h->hdr_len + h->str_off, *p;
	char whole[256] = { 0 };

	if (len + 2 > sizeof(whole))
		return 0;
	memcpy(whole + 1, name, len);
	p = memmem(strs, h->str_len, whole, len + 2);
	return p ? (uint32_t)(p + 1 - strs) : 0;
}

/* Is ID a type that could not be read, or a pointer to one? */
static bool leads_to_lost(const struct btf_index *x, uint32_t id)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct btf_type *t = btf__type_by_id(x->btf, id);

		if (btf_is_fwd(t))
			return !t->name_off;
		if (!btf_is_mod(t) && !btf_is_ptr(t))
			return false;
		id = t->type;
	}
	return false;
}

/* Does T name OFF, or a member of it? *LOST: one of a type that could not be read. */
static bool names(const struct btf_index *x, const struct btf_type *t, uint32_t off, bool *lost)
{
	bool found = t->name_off == off;

	for (uint32_t i = 0; btf_is_composite(t) && i < btf_vlen(t); i++) {
		if (btf_members(t)[i].name_off != off)
			continue;
		found = true;
		*lost |= leads_to_lost(x, btf_members(t)[i].type);
	}
	for (uint32_t i = 0; btf_is_func_proto(t) && i < btf_vlen(t); i++)
		found |= btf_params(t)[i].name_off == off;
	return found;
}

/* Enumerators of one enum begin alike ("MM_"). */
static bool enumerator_may_be(const struct btf_index *x, const struct btf_type *t, const char *name,
			      size_t len)
{
	size_t prefix = strcspn(name, "_") + 1;
	bool lost = false, alike = false;

	for (uint32_t i = 0; is_enum(t) && i < btf_vlen(t); i++) {
		lost |= btf_may_be(enumerator_name(x, t, i), name, len);
		alike |= prefix < len && !strncmp(enumerator_name(x, t, i), name, prefix);
	}
	return lost && alike;
}

bool btf_index_lost(const struct btf_index *x, const char *name, size_t len)
{
	uint32_t off = x->damaged ? offset_of(x, name, len) : 0;
	bool named = false, lost = false;

	for (uint32_t id = 1; x->damaged && id < btf__type_cnt(x->btf); id++) {
		const struct btf_type *t = btf__type_by_id(x->btf, id);

		if (enumerator_may_be(x, t, name, len))
			return true;
		named |= off && names(x, t, off, &lost);
	}
	return off && (!named || lost);
}

static enum status member(void *self, const char *path, struct member *ret)
{
	return path_member(self, path, ret);
}

static enum status size(void *self, const char *type, uint32_t *bytes)
{
	return path_type_size(self, type, bytes);
}

static enum status enumerator(void *self, const char *name, int64_t *ret)
{
	if (btf_index_enumerator(self, name, ret))
		return ST_OK;
	return btf_index_lost(self, name, strlen(name)) ? ST_NODATA : ST_NOTMINE;
}

static void close_source(void *self)
{
	btf_index_free(self);
}

enum status btf_index_attach(struct btf_index *x, struct dump *d, const char *name)
{
	struct type_source src = {
		.name = name,
		.member = member,
		.size = size,
		.enumerator = enumerator,
		.close = close_source,
		.self = x,
	};

	if (types_add(&d->types, &src))
		return ST_OK;
	return fail(&d->diag, ST_LIMIT, "too many sources of types");
}
