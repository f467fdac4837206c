/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * objects.c - names the object that a vma maps: a file, [heap], [stack], [anon] ....
 */
#include "model/memory/areas/objects.h"

#include <string.h>

#include "dumpread/base/hash.h"

struct maker {
	const struct snapshot *s;
	struct arena *mem;
	struct hash by_key;	/* file + 1, or a hash of the name -> index in v */
	VEC(struct object) v;
	uint32_t *last_mm;	/* [v.cap]: the mm that was counted last, + 1 */
	size_t nlast;
};

const char *object_name(const struct snapshot *s, const struct vma *v)
{
	if (v->file < s->nfiles)
		return s->files[v->file].path;
	return v->name && *v->name ? v->name : "[anon]";
}

static uint32_t add_object(struct maker *m, uint64_t key, const char *name, uint32_t file)
{
	struct object *o = vec_push(m->mem, &m->v);
	uint32_t index = (uint32_t)(m->v.n - 1);

	o->name = name;
	o->file = file;
	hash_put(&m->by_key, key, index);
	return index;
}

static uint32_t find_object(struct maker *m, const struct vma *v)
{
	bool is_file = v->file < m->s->nfiles;
	const char *name = object_name(m->s, v);
	uint64_t key = is_file ? UINT64_C(1) + v->file : hash_str(name) | UINT64_C(1) << 63;

	/* names with the same hash take the keys after it */
	for (;; key++) {
		uint32_t i = hash_get(&m->by_key, key);

		if (i == HASH_NONE)
			return add_object(m, key, name, is_file ? v->file : NONE);
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): I is one of v */
		if (is_file || !strcmp(m->v.v[i].name, name))
			return i;
	}
}

/* VMAs of one mm are adjacent: an object met before in this mm has it as its last. */
static void count_object(struct maker *m, uint32_t index, uint32_t mm)
{
	struct object *o = &m->v.v[index];

	if (m->nlast < m->v.cap) {
		m->last_mm =
			arena_grow(m->mem, m->last_mm, m->nlast, m->v.cap, sizeof(*m->last_mm));
		m->nlast = m->v.cap;
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): INDEX is one of v */
	o->nvmas++;
	if (m->last_mm[index] == mm + 1)
		return;
	m->last_mm[index] = mm + 1;
	o->nmms++;
	o->nprocs += mm < m->s->nmms ? m->s->mms[mm].nprocs : 0;
}

void objects_build(const struct snapshot *s, struct arena *mem, struct objects *ret)
{
	struct maker m = { .s = s, .mem = mem, .by_key.mem = mem };

	ret->of_vma = arena_array(mem, uint32_t, s->nvmas);
	for (uint32_t i = 0; i < s->nvmas; i++) {
		ret->of_vma[i] = find_object(&m, &s->vmas[i]);
		count_object(&m, ret->of_vma[i], s->vmas[i].mm);
	}
	ret->v = m.v.v;
	ret->n = (uint32_t)m.v.n;
}

uint32_t *objects_by_file(const struct objects *o, uint32_t nfiles, struct arena *mem)
{
	uint32_t *by_file = arena_array(mem, uint32_t, nfiles);

	for (uint32_t i = 0; i < nfiles; i++)
		by_file[i] = NONE;
	for (uint32_t i = 0; i < o->n; i++)
		if (o->v[i].file < nfiles)
			by_file[o->v[i].file] = i;
	return by_file;
}

static bool same_name(const char *s, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(s, name, n) && (!s[n] || !strcmp(s + n, " (deleted)"));
}

bool object_is(const char *object, const char *name)
{
	const char *base = strrchr(object, '/');

	return same_name(object, name) || (base && same_name(base + 1, name));
}
