/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * path.c - parses paths of members, such as "struct.member.member".
 */
#include "dumpread/types/path.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/btf_index.h"

#define MAX_DEPTH 32u		/* of typedefs, of arrays, of anonymous members */
#define MAX_VISITS 65536u	/* members looked at for one path */

size_t path_type_len(const char *path)
{
	return strcspn(path, ".[");
}

bool path_step(const char **p, struct path_step *ret)
{
	const char *s = *p;

	ret->name = s;
	ret->len = strcspn(s, ".[");
	if (!ret->len)
		return false;
	s += ret->len;
	ret->array = !strncmp(s, "[]", 2);
	if (ret->array)
		s += 2;
	ret->last = !*s;
	if (*s == '.')
		s++;
	else if (*s)
		return false;
	*p = s;
	return true;
}

/* A type with its modifiers and array dimensions taken off. */
struct shape {
	uint32_t id;		/* of the element if an array */
	const struct btf_type *t;
	uint64_t count;
	bool is_array;
};

static uint32_t skip_modifiers(const struct btf_index *x, uint32_t id)
{
	for (unsigned i = 0; i < MAX_DEPTH; i++) {
		const struct btf_type *t = btf__type_by_id(x->btf, id);

		if (!btf_is_mod(t) && !btf_is_typedef(t))
			return id;
		id = t->type;
	}
	return 0; /* a loop: void */
}

static struct shape shape_of(const struct btf_index *x, uint32_t id)
{
	struct shape s = { .count = 1 };

	for (unsigned i = 0; i < MAX_DEPTH; i++) {
		s.id = skip_modifiers(x, id);
		s.t = btf__type_by_id(x->btf, s.id);
		if (!btf_is_array(s.t))
			return s;
		s.is_array = true;
		s.count = min_u64(s.count * btf_array(s.t)->nelems, UINT32_MAX);
		id = btf_array(s.t)->type;
	}
	s.id = 0;
	s.t = btf__type_by_id(x->btf, 0);
	return s;
}

/* Is T in the place of a type that could not be read (btf_mend.c)? */
static bool is_lost(const struct btf_index *x, const struct btf_type *t)
{
	return x->damaged && btf_is_fwd(t) && !t->name_off;
}

/* Bytes of type ID; 0 if it has none (void, a function, a forward). */
static uint32_t bytes_of(const struct btf_index *x, uint32_t id)
{
	int64_t n = id ? btf__resolve_size(x->btf, id) : 0;

	return n < 0 || n > UINT32_MAX ? 0 : (uint32_t)n;
}

/* The member found: its type, and its place in bits from the outermost type. */
struct found {
	uint32_t type;
	uint64_t bits;
	uint64_t end;		/* of the struct that it is a member of, in bits */
	uint32_t bit_size;	/* 0: not a bit field */
};

/* State of a walk through one aggregate and its anonymous members. */
struct lookup {
	const struct btf_index *x;
	const char *name;
	size_t len;
	uint32_t visits;
	bool lost;		/* the member may be one that could not be read */
};

static bool find_member(struct lookup *l, const struct btf_type *agg, uint64_t base, unsigned depth,
			struct found *ret)
{
	const struct btf_member *m = btf_members(agg);

	for (uint32_t i = 0; i < btf_vlen(agg); i++) {
		const char *name = btf__name_by_offset(l->x->btf, m[i].name_off);
		uint64_t bits = base + btf_member_bit_offset(agg, i);
		struct shape s;

		if (++l->visits > MAX_VISITS)
			return false;
		if (name && *name) {
			if (strncmp(name, l->name, l->len) || name[l->len]) {
				l->lost |= l->x->damaged && btf_may_be(name, l->name, l->len);
				continue;
			}
			ret->type = m[i].type;
			ret->bits = bits;
			ret->bit_size = btf_member_bitfield_size(agg, i);
			return true;
		}
		s = shape_of(l->x, m[i].type);
		l->lost |= is_lost(l->x, s.t);
		if (!s.is_array && btf_is_composite(s.t) && depth < MAX_DEPTH &&
		    find_member(l, s.t, bits, depth + 1, ret))
			return true;
	}
	return false;
}

/*
 * Integers of fewer bits than their bytes hold are bit fields too, in BTF
 * without the kind flag (pahole before 1.13, kernels around 5.2).
 */
static void narrow_int(const struct btf_type *t, struct found *f)
{
	if (f->bit_size || !btf_is_int(t) || btf_int_encoding(t) & BTF_INT_BOOL ||
	    !btf_int_bits(t) || btf_int_bits(t) >= t->size * 8)
		return;
	f->bits += btf_int_offset(t);
	f->bit_size = btf_int_bits(t);
}

/* Does the word of UNIT bits at START hold the field, inside of its struct? */
static bool word_fits(const struct found *f, uint64_t start, uint64_t unit)
{
	return f->bits >= start && f->bits + f->bit_size <= start + unit && start + unit <= f->end;
}

/*
 * The word that holds a bit field: a word of the declared type if one holds the
 * field, else (packed structs) the smallest that does, from its first byte on or up
 * to the end of the struct.
 */
static bool find_word(const struct found *f, uint32_t bytes, uint64_t *start, uint64_t *unit)
{
	*unit = (uint64_t)bytes * 8;
	if (*unit && *unit <= 64) {
		*start = f->bits - f->bits % *unit;
		if (word_fits(f, *start, *unit))
			return true;
	}
	for (*unit = 8; *unit <= 64; *unit *= 2) {
		*start = f->bits & ~7ull;
		if (f->end >= *unit)
			*start = min_u64(*start, (f->end & ~7ull) - *unit);
		if (word_fits(f, *start, *unit))
			return true;
	}
	return false;
}

/*
 * BTF counts bits from the low end of the first byte on little-endian machines
 * and from its high end on big-endian ones.
 */
static bool place_bits(const struct found *f, uint32_t bytes, bool big, struct member *ret)
{
	uint64_t start, unit, skip;

	if (!find_word(f, bytes, &start, &unit))
		return false;
	skip = f->bits - start;
	ret->offset = (uint32_t)(start / 8);
	ret->size = (uint32_t)(unit / 8);
	ret->bit_offset = (uint8_t)(big ? unit - skip - f->bit_size : skip);
	ret->bit_size = (uint8_t)f->bit_size;
	return true;
}

/* Bytes from member I of AGG to the next one. */
static uint64_t room_of(const struct btf_type *agg, uint32_t i)
{
	uint64_t at = btf_member_bit_offset(agg, i), next = 8ull * agg->size;

	for (uint32_t k = 0; k < btf_vlen(agg); k++)
		if (btf_member_bit_offset(agg, k) > at)
			next = min_u64(next, btf_member_bit_offset(agg, k));
	return next > at ? (next - at) / 8 : 0;
}

/*
 * Bytes of a type that could not be read (btf_mend.c): the least room that a member of it has, anywhere. One
 * member may be followed by padding, so that there must be two; but integers have many members, and what
 * has a word for one member alone is a pointer. 0: not known.
 */
static uint32_t bytes_of_lost(const struct btf_index *x, uint32_t id)
{
	uint64_t least = UINT32_MAX;
	unsigned uses = 0;

	for (uint32_t t = 1; t < btf__type_cnt(x->btf); t++) {
		const struct btf_type *agg = btf__type_by_id(x->btf, t);

		for (uint32_t i = 0; btf_is_composite(agg) && i < btf_vlen(agg); i++) {
			if (btf_members(agg)[i].type != id || btf_member_bitfield_size(agg, i))
				continue;
			least = min_u64(least, room_of(agg, i));
			uses++;
		}
	}
	return uses > 1 || least == btf__pointer_size(x->btf) ? (uint32_t)least : 0;
}

static enum status describe(const struct btf_index *x, struct found f, struct member *ret)
{
	struct shape s = shape_of(x, f.type);
	uint32_t bytes = bytes_of(x, s.id);
	uint64_t whole = s.is_array ? s.count * bytes : bytes;

	memset(ret, 0, sizeof(*ret));
	if (is_lost(x, s.t) && !f.bit_size) {
		whole = bytes_of_lost(x, f.type);
		bytes = (uint32_t)(whole / max_u64(s.count, 1));
		if (!bytes || whole % bytes)
			return ST_NODATA;
	}
	if (!s.is_array)
		narrow_int(s.t, &f);
	if (f.bits / 8 > UINT32_MAX || whole > UINT32_MAX)
		return ST_ABSENT;
	ret->is_array = s.is_array;
	ret->is_signed = btf_is_int(s.t) ? btf_int_encoding(s.t) & BTF_INT_SIGNED
					 : btf_is_any_enum(s.t) && btf_kflag(s.t);
	ret->is_pointer = btf_is_ptr(s.t);
	ret->is_aggregate = btf_is_composite(s.t);
	if (f.bit_size)
		return place_bits(&f, bytes, x->big_endian, ret) ? ST_OK : ST_ABSENT;
	ret->offset = (uint32_t)(f.bits / 8);
	ret->size = (uint32_t)whole;
	ret->count = s.is_array ? (uint32_t)s.count : 0;
	ret->stride = s.is_array ? bytes : 0;
	return ST_OK;
}

/* Of a type that is not found: is there one of which the name is lost, and that has the first member of PATH? */
static bool lost_type_has(const struct btf_index *x, const char *path)
{
	size_t len = path_type_len(path);
	struct path_step step;
	const char *rest = path;

	if (!x->damaged || !path_step(&rest, &step) || step.last || !path_step(&rest, &step))
		return false;
	for (uint32_t id = 1; id < btf__type_cnt(x->btf); id++) {
		const struct btf_type *t = btf__type_by_id(x->btf, id);
		struct lookup l = { .x = x, .name = step.name, .len = step.len };
		struct found f;

		if (btf_is_composite(t) &&
		    btf_may_be(btf__name_by_offset(x->btf, t->name_off), path, len) &&
		    find_member(&l, t, 0, 0, &f))
			return true;
	}
	return false;
}

enum status path_member(const struct btf_index *x, const char *path, struct member *ret)
{
	struct found f = { .type = btf_index_type(x, path, path_type_len(path)) };
	struct lookup l = { .x = x };
	struct path_step step;

	if (!f.type)
		return lost_type_has(x, path) || btf_index_lost(x, path, path_type_len(path))
			       ? ST_NODATA
			       : ST_NOTMINE;
	if (!path_step(&path, &step) || step.array || step.last)
		return ST_ABSENT;
	while (path_step(&path, &step)) {
		struct shape s = shape_of(x, f.type);

		if (f.bit_size || !btf_is_composite(s.t))
			return is_lost(x, s.t) ? ST_NODATA : ST_ABSENT;
		l.name = step.name;
		l.len = step.len;
		f.end = f.bits + 8ull * s.t->size;
		if (!find_member(&l, s.t, f.bits, 0, &f))
			return l.lost ? ST_NODATA : ST_ABSENT;
		s = shape_of(x, f.type);
		/* "[]" demands an array; without it one can only come last */
		if (s.is_array ? !step.array && !step.last : step.array)
			return is_lost(x, s.t) ? ST_NODATA : ST_ABSENT;
		if (step.last)
			return describe(x, f, ret);
	}
	return ST_ABSENT;
}

enum status path_type_size(const struct btf_index *x, const char *type, uint32_t *bytes)
{
	uint32_t id = btf_index_type(x, type, strlen(type));

	if (!id)
		return btf_index_lost(x, type, strlen(type)) ? ST_NODATA : ST_NOTMINE;
	*bytes = bytes_of(x, id);
	return ST_OK;
}
