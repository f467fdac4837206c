/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_types.c - converts DWARF types to BTF.
 */
#include "dumpread/types/dwarf_types.h"

#include <dwarf.h>
#include <string.h>

#define MAX_DEPTH 48u		/* of embedding */
#define MAX_TYPES 200000u	/* taken, in all */
#define MAX_PEEL 32u		/* typedefs and qualifiers on one type */

static uint32_t take_type(struct dwarf_types *t, Dwarf_Die *die, unsigned depth);

bool dwarf_declared(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	bool flag = false;

	return dwarf_attr(die, DW_AT_declaration, &attr) && !dwarf_formflag(&attr, &flag) && flag;
}

static bool get_uint(Dwarf_Die *die, unsigned at, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word w;

	if (!dwarf_attr(die, at, &attr) || dwarf_formudata(&attr, &w))
		return false;
	*ret = w;
	return true;
}

static bool follow(Dwarf_Die *die, unsigned at, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, at, &attr) && dwarf_formref_die(&attr, ret);
}

/*
 * Look through typedefs and qualifiers, and from a declaration to the type unit
 * that has the definition (-fdebug-types-section); false for void.
 */
static bool peel(Dwarf_Die *die)
{
	for (unsigned i = 0; i < MAX_PEEL; i++) {
		if (follow(die, DW_AT_signature, die))
			continue;
		switch (dwarf_tag(die)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!follow(die, DW_AT_type, die))
				return false;
			break;
		default: return true;
		}
	}
	return false;
}

static uint32_t added(int id)
{
	return id < 0 ? 0 : (uint32_t)id;
}

/* The type that DIE's DW_AT_type leads to. */
static uint32_t take_target(struct dwarf_types *t, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die target;

	return follow(die, DW_AT_type, &target) && peel(&target) ? take_type(t, &target, depth) : 0;
}

static uint32_t take_base(struct dwarf_types *t, Dwarf_Die *die)
{
	uint64_t encoding = 0, bytes = 0;
	const char *name = dwarf_diename(die);
	int btf_encoding = 0, id;

	get_uint(die, DW_AT_byte_size, &bytes);
	get_uint(die, DW_AT_encoding, &encoding);
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char: btf_encoding = BTF_INT_SIGNED; break;
	case DW_ATE_boolean: btf_encoding = BTF_INT_BOOL; break;
	case DW_ATE_float:
	case DW_ATE_complex_float:
		return added(btf__add_float(t->btf, name ? name : "float", bytes));
	}
	id = btf__add_int(t->btf, name ? name : "int", bytes, btf_encoding);
	/* a size that BTF has no integers of: opaque bytes */
	if (id < 0 && bytes <= UINT32_MAX)
		id = btf__add_struct(t->btf, NULL, (uint32_t)bytes);
	return added(id);
}

/* Elements of one dimension; 0 for a flexible array. */
static uint64_t dimension(Dwarf_Die *range)
{
	uint64_t n;

	if (get_uint(range, DW_AT_count, &n))
		return n;
	/* an upper bound of -1 is how old compilers wrote [0] */
	if (get_uint(range, DW_AT_upper_bound, &n) && n < UINT32_MAX)
		return n + 1;
	return 0;
}

static uint32_t take_array(struct dwarf_types *t, Dwarf_Die *die, unsigned depth)
{
	uint32_t element = take_target(t, die, depth + 1);
	uint64_t n = 1;
	Dwarf_Die child;

	if (!element)
		return 0;
	if (!t->index)
		t->index = added(btf__add_int(t->btf, "__index", 4, 0));
	if (dwarf_child(die, &child))
		n = 0;
	else
		do {
			if (dwarf_tag(&child) == DW_TAG_subrange_type &&
			    __builtin_mul_overflow(n, dimension(&child), &n))
				return 0;
		} while (!dwarf_siblingof(&child, &child));
	if (n > UINT32_MAX)
		return 0;
	return added(btf__add_array(t->btf, (int)t->index, (int)element, (uint32_t)n));
}

static bool enumerator_value(Dwarf_Die *die, int64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Sword s;

	if (!dwarf_attr(die, DW_AT_const_value, &attr) || dwarf_formsdata(&attr, &s))
		return false;
	/*
	 * Compilers write data1..data4 for values that fit unsigned and sdata
	 * for negative ones; formsdata would extend a sign for all.
	 */
	switch (attr.form) {
	case DW_FORM_data1: s = (uint8_t)s; break;
	case DW_FORM_data2: s = (uint16_t)s; break;
	case DW_FORM_data4: s = (uint32_t)s; break;
	}
	*ret = s;
	return true;
}

/* Does any enumerator need 64 bits? */
static bool is_wide(Dwarf_Die *die)
{
	Dwarf_Die child;
	bool negative = false, wide = false, upper = false;
	int64_t v;

	if (dwarf_child(die, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_enumerator || !enumerator_value(&child, &v))
			continue;
		negative |= v < 0;
		upper |= v > INT32_MAX;
		wide |= v < INT32_MIN || v > UINT32_MAX;
	} while (!dwarf_siblingof(&child, &child));
	return wide || (negative && upper);
}

static uint32_t take_enum(struct dwarf_types *t, Dwarf_Die *die)
{
	bool wide = is_wide(die);
	uint64_t bytes = 4;
	Dwarf_Die child;
	int64_t v;
	int id;

	get_uint(die, DW_AT_byte_size, &bytes);
	id = wide ? btf__add_enum64(t->btf, dwarf_diename(die), (uint32_t)bytes, true)
		  : btf__add_enum(t->btf, dwarf_diename(die), (uint32_t)bytes);
	if (id < 0 || dwarf_child(die, &child))
		return added(id);
	do {
		const char *name = dwarf_diename(&child);

		if (dwarf_tag(&child) != DW_TAG_enumerator || !name ||
		    !enumerator_value(&child, &v))
			continue;
		/* refused where there are too many: the rest is unknown */
		if (wide ? btf__add_enum64_value(t->btf, name, (uint64_t)v)
			 : btf__add_enum_value(t->btf, name, v))
			break;
	} while (!dwarf_siblingof(&child, &child));
	return added(id);
}

/* DW_AT_data_member_location: a constant, or DW_OP_plus_uconst (DWARF 2). */
static bool member_location(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word w;
	Dwarf_Op *ops;
	size_t n;

	*ret = 0; /* absent: a union's, or data_bit_offset says all */
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
		return true;
	if (!dwarf_formudata(&attr, &w)) {
		*ret = w;
		return true;
	}
	if (dwarf_getlocation(&attr, &ops, &n) || n != 1 ||
	    (ops[0].atom != DW_OP_plus_uconst && ops[0].atom != DW_OP_constu))
		return false;
	*ret = ops[0].number;
	return true;
}

struct field {
	const char *name;
	uint32_t type;
	uint32_t bits, bit_size;
};

/*
 * Bits from the start of the struct, as BTF counts them: from the low end of
 * the first byte on little-endian machines, the high end on big-endian ones.
 * DW_AT_data_bit_offset (DWARF 4+) is that; DW_AT_bit_offset (2, 3) counts from
 * the high end of a word of DW_AT_byte_size bytes whatever the byte order.
 */
static bool field_place(const struct dwarf_types *t, Dwarf_Die *die, struct field *f)
{
	uint64_t at, bits, bit_size = 0, skip, word;

	if (!member_location(die, &at) || at > UINT32_MAX / 8)
		return false;
	get_uint(die, DW_AT_bit_size, &bit_size);
	if (get_uint(die, DW_AT_data_bit_offset, &skip)) {
		bits = at * 8 + skip;
	} else if (bit_size && get_uint(die, DW_AT_bit_offset, &skip)) {
		if (!get_uint(die, DW_AT_byte_size, &word))
			word = (uint64_t)btf__resolve_size(t->btf, f->type);
		bits = at * 8 + (t->big ? skip : word * 8 - skip - bit_size);
	} else {
		bits = at * 8;
	}
	if (bits > UINT32_MAX || bit_size > 64)
		return false;
	f->bits = (uint32_t)bits;
	f->bit_size = (uint32_t)bit_size;
	return true;
}

/*
 * All members first, with the types that they embed: libbpf adds a struct and
 * its members only at the end of what is there.
 */
static uint32_t take_struct(struct dwarf_types *t, Dwarf_Die *die, unsigned depth)
{
	VEC(struct field) fields = { 0 };
	bool is_union = dwarf_tag(die) == DW_TAG_union_type;
	uint64_t bytes;
	Dwarf_Die child;
	int id;

	if (dwarf_declared(die) || !get_uint(die, DW_AT_byte_size, &bytes) || bytes > UINT32_MAX)
		return 0;
	if (!dwarf_child(die, &child))
		do {
			struct field f = { .name = dwarf_diename(&child) };

			if (dwarf_tag(&child) != DW_TAG_member)
				continue;
			f.type = take_target(t, &child, depth + 1);
			if (field_place(t, &child, &f))
				*vec_push(t->mem, &fields) = f;
		} while (!dwarf_siblingof(&child, &child));
	id = is_union ? btf__add_union(t->btf, dwarf_diename(die), (uint32_t)bytes)
		      : btf__add_struct(t->btf, dwarf_diename(die), (uint32_t)bytes);
	for (size_t i = 0; id > 0 && i < fields.n; i++)
		btf__add_field(t->btf, fields.v[i].name, (int)fields.v[i].type, fields.v[i].bits,
			       fields.v[i].bit_size);
	return added(id);
}

static uint32_t take_new(struct dwarf_types *t, Dwarf_Die *die, unsigned depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type: return take_base(t, die);
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_class_type: return take_struct(t, die, depth);
	case DW_TAG_enumeration_type: return take_enum(t, die);
	case DW_TAG_array_type: return take_array(t, die, depth);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
		if (!t->pointer)
			t->pointer = added(btf__add_ptr(t->btf, 0));
		return t->pointer;
	}
	return 0;
}

/* DIE with typedefs and qualifiers off. */
static uint32_t take_type(struct dwarf_types *t, Dwarf_Die *die, unsigned depth)
{
	/* unique over .debug_info and .debug_types, unlike a DIE's offset */
	uint64_t key = (uint64_t)(uintptr_t)die->addr;
	uint32_t id = hash_get(&t->done, key);

	if (id != HASH_NONE)
		return id;
	if (depth > MAX_DEPTH || btf__type_cnt(t->btf) > MAX_TYPES)
		return 0;
	hash_put(&t->done, key, 0); /* a type that embeds itself ends here */
	id = take_new(t, die, depth);
	hash_put(&t->done, key, id);
	return id;
}

uint32_t dwarf_type(struct dwarf_types *t, Dwarf_Die *die)
{
	return take_type(t, die, 0);
}

uint32_t dwarf_typedef(struct dwarf_types *t, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	uint32_t target = take_target(t, die, 0);

	return name && target ? added(btf__add_typedef(t->btf, name, (int)target)) : 0;
}
