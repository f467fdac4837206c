/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The damage that the text asks for, done after everything is laid out.
 */
#include "tests/machine/lay.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"

static enum layout_id member_of(const char *id)
{
	for (int i = 0; i < LAYOUT_COUNT; i++)
		if (fact_specs[i].id && !strcmp(fact_specs[i].id, id))
			return (enum layout_id)i;
	mdie("no member %s", id);
}

static struct object frame_object(struct machine *m, const char *kind, const char *name)
{
	for (size_t i = 0; i < m->frames.n; i++) {
		const struct mframe *f = &m->frames.v[i];

		if (!strcmp(f->name, name))
			return (struct object){ .kva = kind[0] == 'f'
							       ? (f->pfn << m->cpu->page_shift) +
									 m->cpu->page_offset
							       : mpage_struct(m, f->pfn),
						.size = 1 };
	}
	mdie("no frame %s", name);
}

static struct object object_of(struct machine *m, const char *kind, const char *name)
{
	uint64_t first = strtoull(name, NULL, 0);

	if (!strcmp(kind, "memmap"))
		return (struct object){ .kva = mpage_struct(m, first),
					.size = mpage_struct(m, m->npages) -
						mpage_struct(m, first) };
	if (!strcmp(kind, "symbol"))
		return (struct object){ .kva = msymbol(m, name), .size = 1 };
	if (!strcmp(kind, "task") && !first)
		return (struct object){ .kva = msymbol(m, "init_task"), .size = 1 };
	if (!strcmp(kind, "frame") || !strcmp(kind, "page"))
		return frame_object(m, kind, name);
	return *mfind(m, kind, name);
}

static struct mmm *mm_of(struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->mms.n; i++)
		if (!strcmp(m->mms.v[i].name, name))
			return &m->mms.v[i];
	mdie("no mm %s", name);
}

static void lose(struct machine *m, const struct object *o)
{
	for (uint64_t at = 0; at < o->size; at += mpage_size(m))
		m->lost[(mbytes(m, o->kva + at, 1) - m->mem) >> m->cpu->page_shift] = true;
}

/* A pointer, or the first of a list_head. */
static void point(struct machine *m, const struct object *o, const struct damage *d)
{
	enum layout_id id = member_of(d->member);
	uint64_t to = object_of(m, d->to_kind, d->to_name).kva + d->value;

	if (*d->to_member)
		to += layout_offset(&m->layout, member_of(d->to_member));
	if (layout_has(&m->layout, id))
		mset_word(m, o->kva + layout_offset(&m->layout, id), to);
}

static uint64_t word_of(const struct machine *m, uint64_t kva)
{
	return load_uint(mbytes(m, kva, m->cpu->word), m->cpu->word, m->cpu->big);
}

static void unlink_node(struct machine *m, uint64_t node)
{
	uint64_t next = word_of(m, node + layout_offset(&m->layout, M_LIST_NEXT));
	uint64_t prev = word_of(m, node + layout_offset(&m->layout, M_LIST_PREV));

	mput(m, prev, M_LIST_NEXT, next);
	mput(m, next, M_LIST_PREV, prev);
}

void lay_damage(struct machine *m)
{
	for (size_t i = 0; i < m->damage.n; i++) {
		const struct damage *d = &m->damage.v[i];
		uint64_t value = d->value;
		struct object o;

		if (d->how == LOOP) {
			paging_loop(m, mm_of(m, d->name), d->value);
			continue;
		}
		if (d->how == TWIN) {
			paging_twin(m, mm_of(m, d->name), d->value, mm_of(m, d->to_name),
				    d->to_value);
			continue;
		}
		o = object_of(m, d->kind, d->name);
		if (d->how == LOSE) {
			lose(m, &o);
			continue;
		}
		if (d->unmapped)
			value = m->cpu->vmalloc + m->next_vmalloc + (8u << 20);
		if (d->how == ALONE) {
			uint64_t head = mnode(m, o.kva, member_of(d->member));

			mlink_after(m, head, head, head);
			continue;
		}
		if (d->how == UNLINK) {
			unlink_node(m, mnode(m, o.kva, member_of(d->member)));
			continue;
		}
		if (d->how == POINT) {
			point(m, &o, d);
			continue;
		}
		mput(m, o.kva, member_of(d->member), value);
	}
}
