/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects in the memory of a machine: each in pages of its own, linked and filled by the layout.
 */
#include "tests/machine/lay.h"

#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"

static uint64_t whole_pages(const struct machine *m, uint64_t bytes)
{
	return (bytes + mpage_size(m) - 1) & ~(mpage_size(m) - 1);
}

uint64_t mpages(struct machine *m, uint64_t bytes)
{
	uint64_t pa = m->next;

	m->next += whole_pages(m, bytes);
	if (m->next > m->nframes << m->cpu->page_shift)
		mdie("more frames are needed");
	return pa + m->cpu->page_offset;
}

uint64_t mpages_at(struct machine *m, uint64_t kva, uint64_t bytes)
{
	struct mapped *p = vec_push(&m->arena, &m->mapped);

	*p = (struct mapped){ kva, m->next, whole_pages(m, bytes) };
	mpages(m, bytes);
	if (!kva) {
		p->kva = m->cpu->vmalloc + m->next_vmalloc;
		m->next_vmalloc += p->size + mpage_size(m); /* a guard page */
	}
	return p->kva;
}

uint64_t mpa(const struct machine *m, uint64_t kva)
{
	for (size_t i = 0; i < m->mapped.n; i++)
		if (kva - m->mapped.v[i].kva < m->mapped.v[i].size)
			return kva - m->mapped.v[i].kva + m->mapped.v[i].pa;
	return kva - (kva >= m->cpu->image_offset ? m->cpu->image_offset : m->cpu->page_offset);
}

uint8_t *mbytes(const struct machine *m, uint64_t kva, uint64_t n)
{
	uint64_t all = m->nframes << m->cpu->page_shift, pa = mpa(m, kva);

	if (n > all || pa > all - n)
		mdie("%#llx is outside of memory", (unsigned long long)kva);
	return m->mem + pa;
}

void mset(struct machine *m, uint64_t kva, uint64_t v, unsigned size)
{
	store_uint(mbytes(m, kva, size), v, size, m->cpu->big);
}

void mset_word(struct machine *m, uint64_t kva, uint64_t v)
{
	mset(m, kva, v, m->cpu->word);
}

void mset_bytes(struct machine *m, uint64_t kva, const void *p, size_t n)
{
	memcpy(mbytes(m, kva, n), p, n);
}

uint64_t mobject(struct machine *m, const char *kind, const char *name, uint64_t bytes)
{
	struct object *o = vec_push(&m->arena, &m->objects);

	snprintf(o->kind, sizeof(o->kind), "%s", kind);
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->size = bytes;
	o->kva = mpages(m, bytes);
	return o->kva;
}

struct object *mfind(struct machine *m, const char *kind, const char *name)
{
	for (size_t i = 0; i < m->objects.n; i++)
		if (!strcmp(m->objects.v[i].kind, kind) && !strcmp(m->objects.v[i].name, name))
			return &m->objects.v[i];
	mdie("no %s %s", kind, name);
}

uint64_t mobject_of(struct machine *m, const char *kind, const char *name, enum layout_id size)
{
	uint32_t n = layout_size(&m->layout, size);

	return mobject(m, kind, name, n ? n : 64);
}

void mput(struct machine *m, uint64_t kva, enum layout_id id, uint64_t v)
{
	const struct fact *f = &m->layout.v[id];

	if (layout_has(&m->layout, id))
		mset(m, kva + f->m.offset, v, f->m.size > 8 ? m->cpu->word : f->m.size);
}

void mput_elem(struct machine *m, uint64_t kva, enum layout_id id, int64_t i, uint64_t v)
{
	const struct fact *f = &m->layout.v[id];

	if (layout_has(&m->layout, id) && i >= 0)
		mset(m, kva + f->m.offset + (uint64_t)i * f->m.stride, v, f->m.stride);
}

/* The list_head of member ID in the object at KVA. */
uint64_t mnode(const struct machine *m, uint64_t kva, enum layout_id id)
{
	return kva + layout_offset(&m->layout, id);
}

void mlink_after(struct machine *m, uint64_t prev, uint64_t this, uint64_t next)
{
	mput(m, prev, M_LIST_NEXT, this);
	mput(m, this, M_LIST_PREV, prev);
	mput(m, this, M_LIST_NEXT, next);
	mput(m, next, M_LIST_PREV, this);
}
