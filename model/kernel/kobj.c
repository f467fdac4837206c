/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kobj.c - reads a kernel object, and takes members from the copy.
 */
#include "model/kernel/kobj.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

/* The largest object believed: task_struct with everything on is about 16 KiB. */
#define KOBJ_MAX (256u << 10)

void kobj_init(struct kobj *o, const struct kernel *k, enum layout_id size_id)
{
	uint32_t size = layout_size(&k->layout, size_id);

	*o = (struct kobj){ .k = k };
	if (!size || size > KOBJ_MAX)
		return;
	o->data = heap_calloc(1, size);
	o->size = size;
	o->extent = layout_extent(&k->layout, size_id);
}

void kobj_release(struct kobj *o)
{
	free(o->data);
	*o = (struct kobj){ 0 };
}

enum status kobj_read(struct kobj *o, struct reader *r, uint64_t addr)
{
	if (!o->size)
		return ST_ABSENT;
	o->addr = addr;
	return read_kva(r, addr, o->data, o->extent);
}

/* A load of SIZE bytes at OFF of the copy; 0 where it does not reach. */
static uint64_t load_at(const struct kobj *o, uint64_t off, unsigned size)
{
	if (off > o->size || size > o->size - off)
		return 0;
	return load_uint(o->data + off, size, o->k->dump->big_endian);
}

static uint64_t member_load(const struct member *m, uint64_t raw)
{
	if (m->bit_size && m->bit_size < 64)
		return raw >> m->bit_offset & ((1ull << m->bit_size) - 1);
	return raw;
}

/* Bytes to load for the member itself, or for its first element. */
static unsigned member_width(const struct member *m)
{
	return m->is_array ? m->stride : m->size;
}

/* A struct that wraps one integer (atomic_t, kuid_t, pte_t) loads as that. */
uint64_t kobj_u64(const struct kobj *o, enum layout_id id)
{
	const struct fact *f = &o->k->layout.v[id];

	if (f->alt < 0)
		return 0;
	return member_load(&f->m, load_at(o, f->m.offset, member_width(&f->m)));
}

int64_t kobj_int(const struct kobj *o, enum layout_id id)
{
	const struct fact *f = &o->k->layout.v[id];
	unsigned bits;

	if (f->alt < 0)
		return 0;
	bits = f->m.bit_size ? f->m.bit_size : 8 * member_width(&f->m);
	return bits ? sign_extend(kobj_u64(o, id), bits) : 0;
}

uint64_t kobj_elem(const struct kobj *o, enum layout_id id, uint32_t i)
{
	const struct fact *f = &o->k->layout.v[id];

	if (f->alt < 0 || !f->m.is_array || (f->m.count && i >= f->m.count))
		return 0;
	return load_at(o, f->m.offset + (uint64_t)i * f->m.stride, f->m.stride);
}

uint64_t kobj_member_kva(const struct kobj *o, enum layout_id id)
{
	return o->addr + layout_offset(&o->k->layout, id);
}

void kobj_str(const struct kobj *o, enum layout_id id, char *buf, size_t size)
{
	const struct fact *f = &o->k->layout.v[id];
	size_t n = 0;

	if (f->alt >= 0 && f->m.offset < o->size) {
		n = min_u64(o->size - f->m.offset, size - 1);
		if (f->m.size)
			n = min_u64(n, f->m.size);
		memcpy(buf, o->data + f->m.offset, n);
	}
	buf[n] = 0;
}

enum status kmember_u64(const struct kernel *k, struct reader *r, uint64_t addr, enum layout_id id,
			uint64_t *ret)
{
	const struct fact *f = &k->layout.v[id];
	uint8_t raw[8];
	unsigned n;
	enum status st;

	*ret = 0;
	if (f->alt < 0)
		return layout_lost(&k->layout, id) ? ST_NODATA : ST_ABSENT;
	n = member_width(&f->m);
	if (n > sizeof(raw))
		return ST_CORRUPT;
	st = read_kva(r, addr + f->m.offset, raw, n);
	if (!st)
		*ret = member_load(&f->m, load_uint(raw, n, k->dump->big_endian));
	return st;
}

enum status kvar_u64(const struct kernel *k, struct reader *r, enum layout_id id, unsigned size,
		     uint64_t *ret)
{
	*ret = 0;
	if (!has(k, id))
		return ST_ABSENT;
	return read_kva_uint(r, layout_symbol(&k->layout, id), size ? size : k->dump->word_size,
			     ret);
}
